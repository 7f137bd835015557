"""A table that changes between counting and applying is noticed, and nothing is written."""

from __future__ import annotations

import os

import duckdb
import pytest

import kilt
from kilt.model.marks import choose_marks
from kilt.model.policy import Policy
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.solve import solve
from kilt.sources.counted_table import TableDescription
from kilt.sources.duck.connection import Database
from kilt.sources.duck.table import DuckSource

POLICY = Policy(k=2)
LINES = "zip,age\n02139,34\n02139,35\n02138,34\n02138,61\n"


class Changing(DuckSource):
    """A table that others may change during the run."""

    is_fixed = False


@pytest.fixture
def counted():
    database = Database()
    database.create("given", "SELECT (x % 3)::VARCHAR AS c0, (x % 2)::VARCHAR AS c1 FROM range(24) t(x)")
    description = TableDescription(Changing(database, "given", ["q", "r"]), quasi="q,r")
    table = description.count(POLICY)
    marks = choose_marks(table.types, table.roles.quasi, {"q": False, "r": False}, None, ["q", "r"])
    solution = solve(table.problem, "greedy", StoppingRule.of(0, None), silent)
    return table, table.plan(solution.partition, marks), database


def test_a_table_that_stays_as_it_is_can_be_released(counted):
    table, plan, _ = counted
    for seed in (None, 3):
        released = table.apply(plan, seed)
        assert released.columns == ["q", "r"]
        assert released.compare(table.source, [], ["q", "r"]).unmatched == 0


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO given VALUES ('0', '0')",
        "INSERT INTO given VALUES ('new', NULL)",
        "DELETE FROM given WHERE rowid = 3",
        "UPDATE given SET c0 = '1' WHERE rowid = 0",
        "UPDATE given SET c0 = 'new' WHERE rowid = 0",
        "DELETE FROM given",
    ],
)
def test_a_table_that_changes_is_refused(counted, change):
    table, plan, database = counted
    database.run(change)
    with pytest.raises(kilt.InputError, match="was changed while it was being anonymized"):
        table.apply(plan)


def changed_by(change):
    """Return an observer that changes something once, after the table was read."""
    done = []

    def observe(progress):
        if progress.phase != "reading" and not done:
            done.append(change())

    return observe


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_changes_is_refused(tmp_path, replaced):
    path, output = tmp_path / "patients.csv", tmp_path / "release.csv"
    path.write_text(LINES)

    def change():
        target = tmp_path / "new.csv" if replaced else path
        target.write_text(LINES.replace("61", "62"))
        os.utime(target, ns=(1, 1))
        target.replace(path)

    with pytest.raises(kilt.InputError, match=r"patients.csv' was changed while it was being anonymized: run it again"):
        kilt.anonymize(path, quasi="zip,age", policy=POLICY, output=output, observer=changed_by(change))
    assert not output.exists()


def test_a_database_that_changes_is_refused(tmp_path):
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE patients AS SELECT x % 3 AS q FROM range(9) t(x)")

    def change():
        with duckdb.connect(str(path)) as connection:
            connection.execute("INSERT INTO patients VALUES (7)")

    with pytest.raises(kilt.InputError, match=r"clinic.duckdb' was changed"):
        kilt.anonymize(path, quasi="q", policy=POLICY, observer=changed_by(change))
