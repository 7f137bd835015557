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


def test_standard_input_is_read(tmp_path):
    words = [*RUN, "inspect", "-", "--write", "kilt.toml"]
    done = subprocess.run(
        words, input=FRAME.write_csv(), capture_output=True, text=True, cwd=tmp_path, check=False, timeout=600
    )
    assert (done.returncode, without_log(done.stderr)) == (0, "")
    assert done.stdout.startswith("standard input: 30 rows, 4 columns")
    assert 'input = "-"' in (tmp_path / "kilt.toml").read_text()
