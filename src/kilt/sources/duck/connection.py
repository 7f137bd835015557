"""DuckDB as an engine: in memory, it spills to disk and can be interrupted at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import duckdb
import numpy as np

from kilt.leftovers import temporary_folder
from kilt.numbers import BoolArray, IntArray
from kilt.sources.duck.kinds import nested
from kilt.sources.sql.engine import Uploaded, listed
from kilt.sources.sql.interrupt import interruptible

Answer = TypeVar("Answer")


class Database:
    """DuckDB as an engine: rows have an order, their numbers are their witnesses."""

    name = "DuckDB"
    text_type = "VARCHAR"
    float_type = "DOUBLE"
    writes_nested = True
    row_number: str | None = "rowid"

    def __init__(self) -> None:
        self.connection = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "temp_directory": str(temporary_folder()),
            },
        )
        self.connection.execute("SET enable_progress_bar = false")
        self.connection.execute("SET TimeZone = 'UTC'")  # the text of a point in time must not depend on where we are

    def run(self, sql: str) -> None:
        """Run a statement."""
        self._do(lambda: self.connection.execute(sql))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self._do(lambda: self.connection.execute(sql).fetchall())

    def integers(self, sql: str) -> dict[str, IntArray]:
        """Return the columns of a query whose cells are integers."""
        found = self._do(lambda: self.connection.execute(sql).fetchnumpy())
        return {name: np.asarray(cells, dtype=np.int64) for name, cells in found.items()}

    def create(self, table: str, query: str) -> None:
        """Make a table of the run from a query."""
        self.run(f"CREATE TEMP TABLE {table} AS {query}")

    def arrow(self, sql: str) -> Any:
        """Return the rows of a query as a reader of Arrow batches."""
        found: Any = self.connection.sql(sql)
        return found.to_arrow_reader() if hasattr(found, "to_arrow_reader") else found.fetch_record_batch()

    def ingest(self, table: str, batches: Any) -> None:
        """Make a table of the run from a reader of Arrow batches."""
        self.connection.register("ingested", batches)
        self.create(table, "SELECT * FROM ingested")
        self.connection.unregister("ingested")

    def upload(self, table: str, columns: Mapping[str, Uploaded]) -> None:
        """Make a table of the run from integers, truth values and texts."""
        arrays: dict[str, np.ndarray] = {}
        chosen = []
        for name, cells in columns.items():
            if isinstance(cells, np.ndarray):
                arrays[name] = cells
                chosen.append(name)
            else:  # nulls apart: a column of objects has the type that DuckDB finds in some of them
                arrays[name], arrays[f"{name}_null"] = _texts(cells)
                chosen.append(f"CASE WHEN {name}_null THEN NULL ELSE {name} END AS {name}")
        self.connection.register("uploaded", arrays)
        self.create(table, f"SELECT {listed(chosen)} FROM uploaded")
        self.connection.unregister("uploaded")

    def drop(self, *tables: str) -> None:
        """Remove tables of the run."""
        for table in tables:
            self.run(f"DROP TABLE {table}")

    def kinds(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their types."""
        return {str(row[0]): str(row[1]) for row in self.rows(f"DESCRIBE {table}")}

    def is_text(self, kind: str) -> bool:
        """Say whether a type is that of text."""
        return kind == "VARCHAR"

    def is_float(self, kind: str) -> bool:
        """Say whether a type is that of floating-point numbers."""
        return kind in ("FLOAT", "DOUBLE")

    def has_text(self, kind: str) -> bool:
        """Say whether cells of a type can be compared by their texts."""
        return nested(kind) is None

    def text(self, cell: str, kind: str) -> str:
        """Write a cell as text."""
        return cell if self.is_text(kind) else f"CAST({cell} AS VARCHAR)"

    def same(self, left: str, right: str) -> str:
        """Say that two texts are the same, null being a value like any other."""
        return f"{left} IS NOT DISTINCT FROM {right}"

    def _do(self, work: Callable[[], Answer]) -> Answer:
        """Do some work, which Ctrl-C ends at once."""
        return interruptible(work, self.connection.interrupt)

    def witness(self, texts: Sequence[str], prefix: str) -> tuple[str, ...]:  # noqa: ARG002 - cells are not needed
        """Return the number of a row."""
        return (f"{prefix}{self.row_number}",)


def _texts(cells: Sequence[str | None]) -> tuple[np.ndarray, BoolArray]:
    """Return texts as an array, empty where they are null, and which are null."""
    texts = np.empty(len(cells), dtype=object)
    texts[:] = ["" if cell is None else cell for cell in cells]
    return texts, np.array([cell is None for cell in cells], dtype=bool)
