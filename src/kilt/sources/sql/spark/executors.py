"""Work on the executors of Spark: a plain function from bytes to bytes runs wherever Spark has room for it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kilt.errors import InputError, KiltError
from kilt.version import NUMBER

if TYPE_CHECKING:
    from kilt.sources.sql.spark.engine import SparkEngine

Work = Callable[[bytes], bytes]
MISSING = re.compile(r"No module named '([\w.]+)'")
OTHER = "another version of kilt"
ANSWERS = "place int, answer binary"


class Executors:
    """The executors of a session, which do one task each at a time."""

    def __init__(self, engine: SparkEngine) -> None:
        self.engine = engine

    @cached_property
    def slots(self) -> int:
        """How many tasks are done at a time."""
        return int(
            self.engine.rows("SELECT count(DISTINCT p) FROM (SELECT spark_partition_id() AS p FROM range(1000000))")[0][
                0
            ]
        )

    def do(self, work: Work, tasks: Sequence[bytes], interrupted: Callable[[], bool]) -> list[bytes] | None:
        """Do tasks, as many as there are slots at most; return their answers in order, or None if interrupted."""
        try:
            found = self.engine.do(lambda: self._answers(work, tasks), interrupted, _explained)
        except KiltError:
            if interrupted():
                return None
            raise
        answers = dict(zip(found.column("place").to_pylist(), found.column("answer").to_pylist(), strict=True))
        return [zlib.decompress(answers[place]) for place in range(len(tasks))]

    def _answers(self, work: Work, tasks: Sequence[bytes]) -> pa.Table:
        """Send every task to a partition of its own."""
        batches = [_batch("task", place, task) for place, task in enumerate(tasks)]
        frame = self.engine.session.createDataFrame(pa.Table.from_batches(batches))
        return frame.mapInArrow(partial(_done, work, NUMBER), ANSWERS).toArrow()


def _batch(name: str, place: int, content: bytes) -> pa.RecordBatch:
    """Return a batch of one row, its content compressed: integers take much less room then."""
    cells = [pa.array([place], pa.int32()), pa.array([zlib.compress(content, 1)], pa.binary())]
    return pa.RecordBatch.from_arrays(cells, ["place", name])


def _done(work: Work, version: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Do the tasks of a partition, on an executor."""
    if version != NUMBER:
        raise RuntimeError(OTHER)
    for batch in batches:
        for row in batch.to_pylist():
            yield _batch("answer", row["place"], work(zlib.decompress(row["task"])))


def _explained(error: Any) -> KiltError | None:
    """Say what to do if kilt, or something that it needs, is not where the executors are; None for other errors."""
    said = str(error)
    missing = MISSING.search(said)
    if missing is None and OTHER not in said:
        return None
    what = f"cannot import '{missing[1]}'" if missing else f"have {OTHER}"
    return InputError(
        f"the executors of Spark {what}: install kilt[spark] {NUMBER} where they run (spark.archives can bring an "
        "environment there) and let PYSPARK_PYTHON be its Python, or use --solver search, which runs here"
    )
