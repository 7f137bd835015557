"""A table has the same profile wherever it lives, also in a source that counts nothing for it."""

from __future__ import annotations

import subprocess

import duckdb
import pandas as pd
import polars as pl
import pytest

import kilt
from kilt.sources.base import METHODS
from kilt.sources.frame import FrameSource
from support.command import RUN, without_log

FRAME = pl.DataFrame(
    {
        "zip": [f"0213{i % 4}" for i in range(30)],
        "age": [str(20 + i % 13) for i in range(30)],
        "sex": ["f" if i % 3 else "m" for i in range(30)],
        "disease": [("Flu", "Cold", None)[i % 3] for i in range(30)],
    }
)


class Plain:
    """A source with the methods of the protocol alone."""

    def __init__(self, native: object) -> None:
        self._source = FrameSource(native)


def from_frame(name: str) -> property:
    return property(lambda plain: getattr(plain._source, name))


for name in (*METHODS, "columns", "rows", "native", "notes"):
    setattr(Plain, name, from_frame(name))


def as_workbook(folder):
    FRAME.to_pandas().to_excel(folder / "t.xlsx", index=False)
    return folder / "t.xlsx"


def as_csv(folder):
    FRAME.write_csv(folder / "t.csv")
    return folder / "t.csv"


def as_parquet(folder):
    FRAME.write_parquet(folder / "t.parquet")
    return folder / "t.parquet"


def as_database(folder):
    frame = FRAME.to_arrow()  # noqa: F841 - DuckDB finds it by its name
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    return f"{folder / 't.duckdb'}?table=t"


PLACES = {
    "csv": as_csv,
    "parquet": as_parquet,
    "workbook": as_workbook,
    "database": as_database,
    "relation": lambda _: duckdb.connect().from_arrow(FRAME.to_arrow()),
    "pandas": lambda _: FRAME.to_pandas(),
    "objects": lambda _: pd.DataFrame(FRAME.to_dict(as_series=False), dtype=object),
    "pyarrow": lambda _: FRAME.to_arrow(),
    "another source": lambda _: Plain(FRAME),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_table_has_the_same_profile_wherever_it_lives(place, tmp_path):
    expected = {**kilt.inspect(FRAME).to_dict(), "settings": {}}
    found = kilt.inspect(PLACES[place](tmp_path))
    assert {**found.to_dict(), "settings": {}} == expected
    assert found.config(tmp_path)


@pytest.mark.parametrize("place", ["polars", "relation", "postgresql"])
def test_columns_that_cannot_be_compared_are_proposed_to_be_dropped(place, request):
    if place == "polars":
        table = FRAME.with_columns(tags=pl.Series([[str(i)] for i in range(30)]))
    elif place == "relation":
        frame = FRAME.to_arrow()  # noqa: F841 - DuckDB finds it by its name
        table = duckdb.sql("SELECT *, [zip, age] AS tags FROM frame")
    else:
        cluster = request.getfixturevalue("cluster")
        cells = "'0213' || i % 4 AS zip, ARRAY[i, 1] AS tags, jsonb_build_object('a', i) AS document"
        cluster.run("DROP TABLE IF EXISTS tagged")
        cluster.run(f"CREATE TABLE tagged AS SELECT {cells} FROM generate_series(1, 30) i")
        table = cluster.url("tagged")
    found = {column.name: column for column in kilt.inspect(table).columns}
    for name in {"tags", "document"} & set(found):
        assert (found[name].kind, found[name].proposal.role) == ("nested", "identifier")
        assert found[name].reason.startswith("holds ")
    assert found["zip"].proposal.role == "quasi"


def test_standard_input_is_read(tmp_path):
    words = [*RUN, "inspect", "-", "--write", "kilt.toml"]
    done = subprocess.run(
        words, input=FRAME.write_csv(), capture_output=True, text=True, cwd=tmp_path, check=False, timeout=600
    )
    assert (done.returncode, without_log(done.stderr)) == (0, "")
    assert done.stdout.startswith("standard input: 30 rows, 4 columns")
    assert 'input = "-"' in (tmp_path / "kilt.toml").read_text()
