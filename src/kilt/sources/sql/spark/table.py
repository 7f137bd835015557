"""A DataFrame of Spark's as a source, and a release of it that was written to a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from pyspark.sql import DataFrame

from kilt.errors import InputError, VerificationError
from kilt.numbers import IntArray
from kilt.sources.sql.engine import fresh, listed
from kilt.sources.sql.spark.engine import SparkEngine, coded_texts
from kilt.sources.sql.spark.executors import Executors
from kilt.sources.sql.spark.text import hashes_of
from kilt.sources.sql.table import SqlSource
from kilt.sources.tally import Comparison

CHANGED = (
    "the table changed while it was released, or is not the same each time that Spark computes it, so nothing was "
    "written: write it to a folder that nobody changes, and release that"
)


class SparkSource(SqlSource):
    """A frame of the user's, which is read and never changed; its rows have no order."""

    engine: SparkEngine
    kind = "a table of Spark's"

    @classmethod
    def of(cls, frame: DataFrame, engine: SparkEngine | None = None, shown: str = "the frame") -> Self:
        """Name the frame and its columns in its session."""
        engine = engine or SparkEngine(frame.sparkSession)
        columns = list(frame.columns)
        _require_columns(columns, engine, shown)
        table = fresh("frame")
        engine.view(table, frame.toDF(*(f"c{i}" for i in range(len(columns)))))
        source = cls(engine, table, columns)
        if not engine.rows(f"SELECT 1 FROM {table} LIMIT 1"):
            raise InputError(f"{shown} has no rows")
        return source

    @property
    def executors(self) -> Executors:
        """What can work for us where the rows are."""
        return Executors(self.engine)

    @property
    def files(self) -> list[str]:
        """The files that the frame is read from, as far as Spark knows them."""
        return self.engine.do(lambda: self.engine.frame(self.table).inputFiles())

    @property
    def native(self) -> DataFrame:
        """The table as a frame of Spark's, with the user's column names."""
        frame = self.engine.frame(self.table)
        return frame.select(*(f"c{i}" for i in range(len(self.columns)))).toDF(*self.columns)

    def read_types(self, types: str, names: Sequence[str]) -> tuple[IntArray, IntArray, list[list[str | None]]]:
        """Read the texts of few row types and code them here, as Spark is slow to begin with a query."""
        if not self.engine.has_few_rows(types):
            return super().read_types(types, names)
        found = self.engine.texts(f"SELECT n, {listed(f'k{i}' for i in range(len(names)))} FROM {types} ORDER BY y")
        coded = [coded_texts(found.column(f"k{i}"), is_float=self.is_float(name)) for i, name in enumerate(names)]
        codes = np.column_stack([codes for codes, _ in coded]).astype(np.int32)
        return found.column("n").to_numpy().astype(np.int64), codes, [values for _, values in coded]

    def compare(self, original: Any, identifier: Sequence[str], blurred: Sequence[str]) -> Comparison:
        """Compare the cells with those of the original; where rows are not found there again, it has changed."""
        comparison = super().compare(original, identifier, blurred)
        if self.witness and (comparison.unmatched or comparison.rows[0] != comparison.rows[1]):
            raise InputError(CHANGED)
        return comparison

    def fingerprint(self) -> tuple[Any, ...]:
        """Return what two tables share if they have the same rows, in any order: sums of two hashes of 64 bits."""
        hashes = hashes_of([self.text(name) for name in self.columns])
        sums = listed(f"sum(CAST({each} AS DECIMAL(38, 0)))" for each in hashes)
        return self.engine.rows(f"SELECT count(*), {sums} FROM {self.table}")[0]


class WrittenSource(SparkSource):
    """A release as it was read back from where it was written, where it has no witnesses.

    It is counted by itself. That its rows are those of the release that was made, ``made``, is shown by their
    fingerprints, and the rows of that one are compared with the original.
    """

    made: SparkSource | None = None

    def merged(self, indicators: Mapping[str, str]) -> Self:
        """Return the table with its indicators read into their columns, and so the one that it was written from."""
        merged = super().merged(indicators)
        merged.made = None if self.made is None else self.made.merged(indicators)
        return merged

    def compare(self, original: Any, identifier: Sequence[str], blurred: Sequence[str]) -> Comparison:
        """Compare the release that was made with the original, once it is known to be what was written."""
        if self.made is None or self.made.columns != self.columns or self.made.fingerprint() != self.fingerprint():
            raise VerificationError("what Spark wrote is not what was made of the table: nothing was published")
        return self.made.compare(original, identifier, blurred)


def _require_columns(columns: Sequence[str], engine: SparkEngine, shown: str) -> None:
    """Raise unless there are columns, and every one has a name of its own."""
    if not columns:
        raise InputError(f"{shown} has no columns")
    sensitive = str(engine.session.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"
    names = columns if sensitive else [name.lower() for name in columns]
    if len(set(names)) < len(names):
        raise InputError(f"{shown} has two columns of the same name: every column needs its own")
