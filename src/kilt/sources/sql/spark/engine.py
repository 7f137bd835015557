"""Spark as an engine: tables of a run are temporary views of what executors hold on their disks.

Rows have no order, so a row of the original is known by a hash of its cells. A table that was made once is never
computed again: should an executor be lost that holds a part of it, the run fails, because the source may have changed.
"""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast
from pyspark.sql.pandas.types import from_arrow_schema

from kilt.errors import InputError, KiltError
from kilt.numbers import IntArray
from kilt.sources.order import value_order
from kilt.sources.sql.engine import Uploaded
from kilt.sources.sql.spark.connect import close_at_exit, is_connected
from kilt.sources.sql.spark.interrupt import interruptible
from kilt.sources.sql.spark.quiet import silenced
from kilt.sources.sql.spark.session import require_alive
from kilt.sources.sql.spark.text import has_text, hashes_of, is_text, text

Answer = TypeVar("Answer")
BROADCAST_BYTES = 1 << 26  # tables of at most so many bytes are sent to all executors where they are joined,
BROADCAST_ROWS = 250_000  # or of so many rows, where nobody knows their bytes
READ_BYTES, READ_ROWS = 1 << 24, 100_000  # tables of at most that are read at once
BATCH = 10_000  # rows of a batch on their way to a file
NEEDED = {"spark.sql.groupByOrdinal": "true", "spark.sql.orderByOrdinal": "true"}


class SparkEngine:
    """A session of Spark, whose settings are not changed."""

    name = "Spark"
    text_type = "STRING"
    float_type = "DOUBLE"
    writes_nested = False
    row_number: str | None = None

    def __init__(self, session: SparkSession) -> None:
        require_alive(session)
        self.session = session
        self._tag = f"kilt-{secrets.token_hex(6)}"
        self._frames: dict[str, DataFrame] = {}
        self._handed_over: set[str] = set()
        finalizer = weakref.finalize(self, _free_all, session, self._frames, self._handed_over)
        finalizer.atexit = False  # what is left goes with the session
        wrong = [name for name, value in NEEDED.items() if session.conf.get(name, value) != value]
        if wrong:
            raise InputError(f"the Spark session must have {' and '.join(f'{name}=true' for name in wrong)}")
        if is_connected(session):
            close_at_exit(session)

    def run(self, sql: str) -> None:
        """Run a statement."""
        self.do(lambda: self.session.sql(sql).collect())

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return [tuple(row) for row in self.do(lambda: self.session.sql(sql).collect())]

    def integers(self, sql: str) -> dict[str, IntArray]:
        """Return the columns of a query whose cells are integers."""
        found = self.do(lambda: self.session.sql(sql).toArrow())
        return {name: found.column(name).to_numpy().astype(np.int64) for name in found.column_names}

    def create(self, table: str, query: str) -> None:
        """Make a table of the run from a query: its rows are kept on the disks of the executors."""
        self.do(lambda: self._keep(table, _frozen(self.session.sql(query))))

    def has_few_rows(self, table: str) -> bool:
        """Say whether a table that was made has so few rows that they can be read at once."""
        return _is_small(self._frames[table], READ_BYTES, READ_ROWS)

    def texts(self, sql: str) -> pa.Table:
        """Return the rows of a query that has few."""
        return self.do(lambda: self.session.sql(sql).toArrow())

    def arrow(self, sql: str) -> Any:
        """Return the rows of a query, texts and witnesses, as a reader of Arrow batches, partition by partition."""
        frame = self.do(lambda: self.session.sql(sql))
        schema = pa.schema([(name, pa.int64() if kind == "bigint" else pa.string()) for name, kind in frame.dtypes])
        return pa.RecordBatchReader.from_batches(schema, self._batches(frame, schema))

    def _batches(self, frame: DataFrame, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        rows = self.do(frame.toLocalIterator)
        while batch := self.do(lambda: [row.asDict() for row in islice(rows, BATCH)]):
            yield pa.RecordBatch.from_pylist(batch, schema)

    def ingest(self, table: str, batches: Any) -> None:
        """Make a table of the run from a reader of Arrow batches, each of them on its own."""
        frames = [self.do(lambda: self._frozen_batches([batch])) for batch in batches]  # noqa: B023 - done at once
        joined = reduce(DataFrame.unionAll, frames) if frames else self._frozen_batches(batches)
        self.do(lambda: self._keep(table, _frozen(joined)))
        for frame in frames:
            _free(frame)

    def _frozen_batches(self, batches: Sequence[pa.RecordBatch]) -> DataFrame:
        table = pa.Table.from_batches(batches)
        kinds = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        return _frozen(self.session.createDataFrame(table, kinds))

    def upload(self, table: str, columns: Mapping[str, Uploaded]) -> None:
        """Make a table of the run from integers, truth values and texts."""
        arrays = {
            name: pa.array(cells) if isinstance(cells, np.ndarray) else pa.array(cells, pa.string())
            for name, cells in columns.items()
        }
        frame = self.do(lambda: self.session.createDataFrame(pa.table(arrays)))
        (broadcast(frame) if len(next(iter(columns.values()))) <= BROADCAST_ROWS else frame).createOrReplaceTempView(
            table
        )
        self._frames[table] = frame

    def drop(self, *tables: str) -> None:
        """Remove tables of the run, also from the disks of the executors."""
        for table in tables:
            self.session.catalog.dropTempView(table)
            _free(self._frames.pop(table))

    def view(self, table: str, frame: DataFrame) -> None:
        """Give a name to a frame of the user's, which is computed anew each time that it is read."""
        frame.createOrReplaceTempView(table)
        self._frames[table] = frame
        self._handed_over.add(table)

    def frame(self, table: str) -> DataFrame:
        """Return a table of the run as a frame that lives on when the run is over."""
        self._handed_over.add(table)
        return self._frames[table]

    def kinds(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their types."""
        return dict(self._frames[table].dtypes)

    def is_text(self, kind: str) -> bool:
        """Say whether a type is that of text."""
        return is_text(kind)

    def is_float(self, kind: str) -> bool:
        """Say whether a type is that of floating-point numbers."""
        return kind in ("float", "double")

    def has_text(self, kind: str) -> bool:
        """Say whether cells of a type can be compared by their texts."""
        return has_text(kind)

    def text(self, cell: str, kind: str) -> str:
        """Write a cell as text."""
        return text(cell, kind)

    def same(self, left: str, right: str) -> str:
        """Say that two texts are the same, null being a value like any other."""
        return f"{left} <=> {right}"

    def witness(self, texts: Sequence[str], prefix: str) -> tuple[str, ...]:  # noqa: ARG002 - texts have it
        """Return hashes of all cells of a row."""
        return hashes_of(texts)

    def _keep(self, table: str, frame: DataFrame) -> None:
        """Name a table; a small one is sent to all executors where it is joined: Spark does not know its size."""
        (broadcast(frame) if _is_small(frame, BROADCAST_BYTES, BROADCAST_ROWS) else frame).createOrReplaceTempView(
            table
        )
        self._frames[table] = frame

    def do(
        self,
        work: Callable[[], Answer],
        interrupted: Callable[[], bool] = lambda: False,
        explained: Callable[[Exception], KiltError | None] | None = None,
    ) -> Answer:
        """Do some work of Spark's: Ctrl-C cancels it, and so does ``interrupted``; its errors are told without a cell.

        ``explained`` knows some errors better.
        """
        try:
            with silenced():
                return interruptible(lambda: self._tagged(work), self._cancel, interrupted)
        except (PySparkException, Py4JError) as error:
            known = explained(error) if explained else None
            raise known or KiltError(f"Spark failed ({_reason(error)}): nothing was written") from None

    def _tagged(self, work: Callable[[], Answer]) -> Answer:
        """Do some work under a tag by which it can be cancelled from elsewhere."""
        if is_connected(self.session):
            self.session.addTag(self._tag)
            return work()
        self.session.sparkContext.addJobTag(self._tag)
        return work()  # the thread ends with it, and the tag with the thread

    def _cancel(self) -> None:
        """Cancel what is being done."""
        if is_connected(self.session):
            self.session.interruptTag(self._tag)
        else:
            self.session.sparkContext.cancelJobsWithTag(self._tag)


def _frozen(frame: DataFrame) -> DataFrame:
    """Compute a frame once and for all."""
    return frame.localCheckpoint(True, StorageLevel.DISK_ONLY)


def _rows_of(frame: DataFrame) -> Any:
    """Return what a frozen frame has on the disks of the executors; None through Spark Connect, which does not say."""
    inner = getattr(frame, "_jdf", None)
    plan = None if inner is None else inner.queryExecution().analyzed()
    return plan.rdd() if plan is not None and plan.nodeName() == "LogicalRDD" else None


def _is_small(frame: DataFrame, most_bytes: int, most_rows: int) -> bool:
    """Say whether a frozen frame has few bytes or, where nobody knows that, few rows."""
    rows = _rows_of(frame)
    if rows is None:
        return bool(frame.limit(most_rows + 1).count() <= most_rows)
    stored = [each for each in rows.sparkContext().getRDDStorageInfo() if each.id() == rows.id()]
    return bool(sum(each.diskSize() + each.memSize() for each in stored) <= most_bytes)


def _free(frame: DataFrame) -> None:
    """Remove what a frozen frame has on the disks of the executors; Spark Connect does so when it is forgotten."""
    rows = _rows_of(frame)
    if rows is not None:
        rows.unpersist(False)


def _free_all(session: SparkSession, frames: dict[str, DataFrame], handed_over: set[str]) -> None:
    """Remove the tables of a run that is over; those that were handed over go when the user forgets them."""
    try:
        for table, frame in frames.items():
            session.catalog.dropTempView(table)
            if table not in handed_over:
                _free(frame)
    except Exception:  # the session is gone, and all tables with it
        frames.clear()


def coded_texts(column: pa.ChunkedArray, *, is_float: bool) -> tuple[IntArray, list[str | None]]:
    """Number the different texts of a column in their order, or in that of floating-point numbers, null first."""
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    found: list[str | None] = coded.dictionary.to_pylist()
    order = sorted(range(len(found)), key=lambda i: value_order(found[i], is_float=is_float))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[coded.indices.to_numpy(zero_copy_only=False)], [found[i] for i in order]


def _reason(error: Exception) -> str:
    """Name an error by its condition or class: its text could hold a cell."""
    if isinstance(error, PySparkException):
        condition = error.getCondition()
        return condition if condition else type(error).__name__
    cause = getattr(error, "java_exception", None)
    while cause is not None and cause.getCause() is not None:
        cause = cause.getCause()
    return type(error).__name__ if cause is None else str(cause.getClass().getSimpleName())
