"""Tables of DuckDB databases and relations: read like files, released in one transaction."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter

import duckdb
import pytest

import kilt
from kilt.sources.duck.database import Address
from kilt.sources.duck.database_writer import DatabaseWriter
from kilt.sources.registry import open_source
from kilt.sources.sql.names import TableName
from support.profiles import is_thorough

POLICY = kilt.Policy(k=2)
ROWS = [
    ("Ann", 34, "02139", "Flu"),
    ("Bob", 35, "02139", "Cold"),
    ("Cyd", 34, "02138", "Flu"),
    ("Dan", 61, "02138", None),
    ("Eve", 61, "02138", "Cold"),
]
ROLES = {"quasi": "age,zip", "sensitive": "disease", "identifier": "name"}


@pytest.fixture
def clinic(tmp_path):
    """A database with two tables."""
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE patients (name VARCHAR, age INTEGER, zip VARCHAR, disease VARCHAR)")
        connection.executemany("INSERT INTO patients VALUES (?, ?, ?, ?)", ROWS)
        connection.execute(
            "CREATE SCHEMA out; CREATE TABLE out.release (old INTEGER); INSERT INTO out.release VALUES (7)"
        )
    return path


def rows_of(path, table):
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.table(table).fetchall()


def tables_of(path):
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(
            "SELECT table_schema || '.' || table_name FROM information_schema.tables ORDER BY 1"
        ).fetchall()


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_table_is_released_to_a_table_of_the_same_database(clinic, shuffle):
    output = f"{clinic}?table=out.release"
    release = kilt.anonymize(f"{clinic}?table=patients", **ROLES, policy=POLICY, output=output, shuffle=shuffle)
    assert release.verdict.met
    assert tables_of(clinic) == [("main.patients",), ("out.release",)]
    released = rows_of(clinic, "out.release")
    assert Counter(row[2] for row in released) == Counter(row[3] for row in ROWS)
    assert {type(row[0]) for row in released} <= {int, type(None)}
    assert Counter(released) == Counter(release.frame.fetchall())
    verdict = kilt.verify(output, **ROLES, policy=POLICY, original=f"{clinic}?table=patients", shuffled=shuffle)
    assert verdict.met
    assert verdict.fidelity.stars == release.exact_stars
    if not shuffle:
        assert [row[2] for row in released] == [row[3] for row in ROWS]


def test_a_release_goes_from_a_file_to_a_new_database_and_from_a_database_to_a_file(clinic, tmp_path):
    new = f"duckdb://{tmp_path}/new.duckdb?table=release"
    made = kilt.anonymize(f"{clinic}?table=patients", **ROLES, policy=POLICY, output=tmp_path / "release.parquet")
    again = kilt.anonymize(tmp_path / "release.parquet", quasi="zip", keep="age,disease", policy=POLICY, output=new)
    assert made.stars > 0
    assert again.stars == 0
    assert rows_of(tmp_path / "new.duckdb", "release") == made.frame.fetchall()
    assert kilt.verify(tmp_path / "new.duckdb", quasi="age,zip").k >= 2  # its only table


def test_a_relation_is_released_as_a_relation(clinic):
    with duckdb.connect(str(clinic), read_only=True) as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        relation = connection.sql("SELECT * FROM patients WHERE age < 60 ORDER BY name DESC")
        release = kilt.anonymize(relation, **ROLES, policy=POLICY)
        assert [row[2] for row in release.frame.fetchall()] == ["Flu", "Cold", "Flu"]
        assert kilt.verify(release.frame, **ROLES, original=relation).fidelity.kept
        assert connection.execute("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchone() == (0,)
        assert [row[0] for row in connection.execute("SHOW DATABASES").fetchall()] == ["clinic"]
        with pytest.raises(kilt.InputError, match="such as connection"):
            kilt.anonymize(connection, **ROLES, policy=POLICY)


def test_a_relation_can_be_written_to_a_file(tmp_path):
    relation = duckdb.sql("SELECT x % 2 AS q, x AS o FROM range(10) t(x)")
    kilt.anonymize(relation, quasi="q", keep="o", policy=POLICY, output=tmp_path / "release.csv")
    assert (tmp_path / "release.csv").read_text().splitlines()[:2] == ["q,o", "0,0"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("?table=nobody", "has no table 'nobody': it has patients, out.release"),
        ("", r"has 2 tables \(patients, out.release\): .*clinic.duckdb\?table=NAME"),
        ("?sheet=1", "must look like patients.duckdb"),
        ("?table=", "must look like patients.duckdb"),
    ],
)
def test_a_table_that_is_not_there_is_named(clinic, table, message):
    with pytest.raises(kilt.InputError, match=message):
        open_source(f"{clinic}{table}")


def test_what_cannot_be_written_is_refused_before_any_work(clinic, tmp_path):
    (tmp_path / "text.duckdb").write_text("hello, this is no database at all" * 500)
    with duckdb.connect(str(clinic)) as connection:
        connection.execute("CREATE VIEW seen AS FROM patients; CREATE TABLE ward (id INTEGER PRIMARY KEY)")
        connection.execute("CREATE TABLE bed (ward INTEGER REFERENCES ward (id))")
    refused = {
        clinic: "names no table",
        f"{clinic}?table=seen": "is a view",
        f"{clinic}?table=WARD": "cannot be replaced: the table 'bed' refers to it",
        f"{clinic}?table=nowhere.release": "has no schema 'nowhere'",
        f"{tmp_path}/new.duckdb?table=a.b": "is a new database, which has no schema 'a'",
        f"{tmp_path}/none/new.duckdb?table=b": "does not exist",
        f"{tmp_path}/text.duckdb?table=b": "is not a database of DuckDB's",
    }
    for output, message in refused.items():
        with pytest.raises(kilt.InputError, match=message):
            DatabaseWriter.of(output)
    with duckdb.connect(str(clinic)), pytest.raises(kilt.InputError, match="is open in this process"):
        open_source(f"{clinic}?table=patients")


@pytest.mark.parametrize("table", ["patients", "main.patients", "PATIENTS", '"patients"'])
def test_the_original_is_not_replaced(clinic, tmp_path, table):
    """However it is named, and also where it is read by way of views, or the release is written later."""
    with duckdb.connect(str(clinic)) as connection:
        connection.execute("CREATE VIEW seen AS SELECT * FROM (FROM patients) WHERE age > 0")
        connection.execute("CREATE VIEW seen_again AS SELECT DISTINCT * FROM seen JOIN (SELECT 1) ON true")
    for given in ("patients", "seen", "seen_again"):
        with pytest.raises(kilt.InputError, match=r"the output '.*' is the input, or read by it: choose another table"):
            kilt.anonymize(f"{clinic}?table={given}", **ROLES, policy=POLICY, output=f"{clinic}?table={table}")
    release = kilt.anonymize(f"{clinic}?table=patients", **ROLES, policy=POLICY, output=f"{clinic}?table=out.patients")
    with pytest.raises(kilt.InputError, match="is the input"):
        release.write(f"{clinic}?table={table}")
    assert rows_of(clinic, "patients") == ROWS
    release.write(f"{clinic}?table=out.release")
    assert len(rows_of(clinic, "out.release")) == len(ROWS)


def test_names_are_read_as_in_sql(tmp_path):
    path, schema, name = tmp_path / "odd.duckdb", 'Ünï "s', "Pat.ients & co"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE SCHEMA "Ünï ""s"; CREATE TABLE "Ünï ""s"."Pat.ients & co" ("select" INTEGER)')
        connection.execute('INSERT INTO "Ünï ""s"."Pat.ients & co" VALUES (1), (1), (2), (2)')
    table, output = TableName(name, schema), TableName("select.all", schema)
    given, made = (str(Address(path, each)) for each in (table, output))
    release = kilt.anonymize(given, quasi="select", policy=POLICY, output=made)
    assert rows_of(path, output.sql) == release.frame.fetchall() == [(1,), (1,), (2,), (2,)]
    with pytest.raises(kilt.InputError, match=r"'table=a\.b\.c' is not the name of a table"):
        open_source(f"{path}?table=a.b.c")


def test_a_view_that_cannot_be_read_is_refused(clinic):
    with duckdb.connect(str(clinic)) as connection:
        connection.execute("CREATE TABLE gone (a INTEGER); CREATE VIEW broken AS FROM gone; DROP TABLE gone")
    with pytest.raises(kilt.InputError, match=r"'.*\?table=broken' cannot be read \(CatalogException\)"):
        open_source(f"{clinic}?table=broken")


def test_nothing_is_left_of_a_release_that_the_verifier_refuses(clinic, tmp_path, monkeypatch):
    from kilt.sources.duck.table import DuckSource

    apply = DuckSource.apply

    def wrong(self, *given):
        made = apply(self, *given)
        made.engine.run(f"UPDATE {made.table} SET c2 = 'Cancer' WHERE rowid = 0")
        return made

    monkeypatch.setattr(DuckSource, "apply", wrong)
    for output in (f"{clinic}?table=out.release", f"{tmp_path}/new.duckdb?table=release"):
        with pytest.raises(kilt.VerificationError, match="'disease' differs from the original in 1 cell"):
            kilt.anonymize(f"{clinic}?table=patients", **ROLES, policy=POLICY, output=output)
    assert tables_of(clinic) == [("main.patients",), ("out.release",)]
    assert rows_of(clinic, "out.release") == [(7,)]
    assert not (tmp_path / "new.duckdb").exists()


def test_an_address_is_read_and_written_alike():
    for text in ("patients.duckdb?table=visits", "p.duckdb?table=%22a.b%22", "/a/b.duckdb?table=s.t", "x.duckdb"):
        assert str(Address.of(text)) == text
        assert Address.of(f"duckdb://{text}") == Address.of(text)


KILLED = """
import sys
sys.path.insert(0, {source!r})
import kilt
kilt.anonymize({table!r}, quasi="q,r", keep="o", policy=kilt.Policy(k=2), output={output!r}, time=0, solver="mondrian")
"""


@pytest.mark.parametrize("output", ["{folder}/big.duckdb?table=release", "{folder}/release.csv"])
def test_a_run_that_is_killed_leaves_the_old_release(tmp_path, output):
    """Killed at random moments of its second half, twice or 20 times: there is the old release or the new one."""
    source = next(path for path in sys.path if path.endswith("src"))
    database, place = f"{tmp_path}/big.duckdb", output.format(folder=tmp_path)
    is_file = place.endswith(".csv")

    def fill(name):
        with duckdb.connect(database) as connection:
            query = f"SELECT x % 97 AS q, x % 89 AS r, '{name}' AS o FROM range(100000) t(x)"
            connection.execute(f"CREATE OR REPLACE TABLE big AS {query}")

    def found():
        with duckdb.connect(database, read_only=True) as connection:
            table = f"read_csv('{tmp_path}/release.csv', all_varchar = true)" if is_file else "release"
            tables = connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
            assert [name for (name,) in tables] == (["big"] if is_file else ["big", "release"])
            return connection.execute(f"SELECT o, count(*) FROM {table} GROUP BY o").fetchall()

    code = KILLED.format(source=source, table=f"{database}?table=big", output=place)
    fill("name 0")
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True)
    length = time.monotonic() - start
    assert found() == [("name 0", 100_000)]
    there, drawn = "name 0", random.Random(0)
    killed = number = 0
    while killed < (20 if is_thorough() else 2):  # a run may end before it is killed
        number += 1
        assert number <= 60
        fill(f"name {number}")
        process = subprocess.Popen([sys.executable, "-c", code])
        time.sleep(length * drawn.uniform(0.5, 1))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        assert found() in ([(there, 100_000)], [(f"name {number}", 100_000)])
        there = found()[0][0]
        assert {path.name for path in tmp_path.iterdir() if path.name[0] != "."} <= {
            "big.duckdb",
            "big.duckdb.wal",
            "release.csv",
        }
