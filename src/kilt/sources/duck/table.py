"""Files (CSV, TSV, Parquet, Excel, also compressed) as a source, through DuckDB, which works out of core.

A table is loaded once; its rows keep their order.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import duckdb

from kilt.errors import InputError
from kilt.model.plan import Plan
from kilt.sources.base import Counted
from kilt.sources.duck.connection import Database
from kilt.sources.duck.file_reader import load
from kilt.sources.duck.formulas import escaped, escaped_cell, formula_columns, is_formula, unescaped, unescaped_cell
from kilt.sources.duck.kinds import nested, require_parquet, require_plain
from kilt.sources.file_format import FileFormat, FileStyle, quoted
from kilt.sources.file_state import FileState
from kilt.sources.sql.engine import fresh, number
from kilt.sources.sql.names import sql_name
from kilt.sources.sql.table import SqlSource
from kilt.sources.tally import Tally
from kilt.sources.text_files import write_encoded
from kilt.sources.workbook_writer import write_workbook

REASONS = (
    "No space left on device",
    "File too large",
    "Permission denied",
    "Read-only file system",
    "Disk quota exceeded",
)


class DuckSource(SqlSource):
    """A table in DuckDB, which is read and never changed; each row is its own witness, unless it is known better."""

    engine: Database
    kind = "a file"
    is_fixed = True

    def __init__(
        self,
        engine: Database,
        table: str,
        columns: Sequence[str],
        witness: Sequence[str] = (),
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__(engine, table, columns, witness or ("rowid",), notes)
        self.style = FileStyle()
        self.state = FileState.of()
        self.read: frozenset[str] = frozenset()  # the tables of a database that it was read from

    @classmethod
    def open(cls, path: Path, style: FileStyle | None = None, beside: DuckSource | None = None) -> Self:
        """Load a file, into the same database as another table if one is given."""
        database = beside.engine if beside is not None else Database()
        table, form = fresh("file"), FileFormat.of(path, style)
        state = FileState.of() if form.is_standard else FileState.of(path)
        columns, found = load(database, form, table)
        state.require_unchanged()
        if form.escapes:
            table, columns = _unescape(database, table, columns)
        source = cls(database, table, columns)
        source.style, source.state = found, state
        if not source.rows:
            raise InputError(f"{form.shown} has a header but no rows")
        return source

    def derived(self, table: str, columns: Sequence[str], witness: Sequence[str]) -> Self:
        """Return another table of the same database, to be written like this one."""
        source = super().derived(table, columns, witness)
        source.style = self.style
        return source

    def nested(self, column: str) -> str | None:
        """Return what a column holds, if that is more than one value: lists, for example."""
        return nested(self.kinds[self.cell(column)])

    def count(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Counted:
        """Count the row types, unless a column holds lists or the like."""
        require_plain({name: self.kinds[self.cell(name)] for name in (*quasi, *sensitive)})
        return super().count(quasi, sensitive)

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups again, unless a column holds lists or the like."""
        require_plain({name: self.kinds[self.cell(name)] for name in (*quasi, *sensitive)})
        return super().tally(quasi, sensitive)

    def apply(self, plan: Plan, counted: Counted, identifier: Sequence[str], seed: int | None = None) -> Self:
        """Return the release, unless the file is no longer what was counted."""
        self.state.require_unchanged()
        return super().apply(plan, counted, identifier, seed)

    @property
    def native(self) -> duckdb.DuckDBPyRelation:
        """The table as a DuckDB relation, with the user's column names."""
        return self.engine.connection.sql(f"SELECT {self.named()} FROM {self.table}")

    def ordered_rows(self, columns: Sequence[str]) -> list[tuple[str | None, ...]]:
        """Return the rows in their order, as text."""
        return self.engine.rows(f"SELECT {self.texts(columns)} FROM {self.table} ORDER BY rowid")

    def some_rows(self, first: int, most: int) -> list[tuple[str | None, ...]]:
        """Return at most so many rows from one on (the first is 0), in their order, as text."""
        chosen = f"SELECT {self.texts(self.columns)} FROM {self.table} ORDER BY rowid LIMIT {int(most)}"
        return self.engine.rows(f"{chosen} OFFSET {int(first)}")

    def write(self, form: FileFormat) -> None:
        """Write the table to a file."""
        if form.kind == "excel":
            rows = [list(row) for row in self.ordered_rows(self.columns)]
            write_workbook(form.path, form.style.sheet, self.columns, rows, dict(form.style.kinds))
        elif form.kind == "csv" and not form.style.is_plain:
            plain = form.path.with_name(f"{form.path.name}.utf8")
            try:
                self._copy_to(replace(form, path=plain, compression="none"))
                write_encoded(plain, form)
            finally:
                plain.unlink(missing_ok=True)
        elif form.kind == "parquet":
            require_parquet({name: self.kinds[self.cell(name)] for name in self.columns})
            self._copy_to(form, ", DICTIONARY_SIZE_LIMIT 0" if self._has_unlike_equals() else "")
        else:
            self._copy_to(form)

    def _has_unlike_equals(self) -> bool:
        """Say whether cells may be equal that do not look so, which a dictionary of Parquet would make one."""
        if "INTERVAL" in self.kinds.values():  # 1 month is 30 days
            return True
        floats = [cell for cell, kind in self.kinds.items() if kind in ("FLOAT", "DOUBLE")]
        negative = " OR ".join(f"(isnan({cell}) AND signbit({cell}))" for cell in floats)  # NaN is NaN
        return bool(floats) and number(self.engine, f"SELECT count(*) FROM {self.table} WHERE {negative}") > 0

    def _copy_to(self, form: FileFormat, more: str = "") -> None:
        chosen = f"SELECT {self._escaped() if form.escapes else self.named()} FROM {self.table}"
        copy = f"COPY ({chosen}) TO {quoted(str(form.path))} ({form.copy_options()}{more})"
        try:
            self.engine.run(copy)
        except duckdb.Error as error:
            reason = next((r for r in REASONS if r.lower() in str(error).lower()), "the file could not be written")
            raise OSError(errno.EIO, reason) from None

    def beside(self, form: FileFormat) -> Self:
        """Load the file that this table was written to; its rows have the witnesses of this table's."""
        written = type(self).open(form.path, replace(form.style, sheet=None), self)  # a workbook has one sheet
        if self.witness == ("rowid",):
            return written
        known = fresh("known")
        cells = ", ".join(f"f.c{i}" for i in range(len(written.columns)))
        witness = ", ".join(f"t.{each}" for each in self.witness)
        self.engine.create(
            known,
            f"SELECT {cells}, {witness} FROM {written.table} f LEFT JOIN {self.table} t ON f.rowid = t.rowid "
            "ORDER BY f.rowid",
        )
        self.engine.drop(written.table)
        return written.derived(known, written.columns, self.witness)

    def moved_to(self, original: Any) -> SqlSource:
        """Return the table where the original is, as cells other than text are written otherwise there."""
        is_here = isinstance(original, DuckSource) or not isinstance(original, SqlSource)
        if is_here or not any(map(self.typed, self.columns)):
            return self
        moved = fresh("moved")
        cells = ", ".join(f"c{i}" for i in range(len(self.columns)))
        original.engine.ingest(moved, self.engine.arrow(f"SELECT {cells} FROM {self.table}"))
        found: SqlSource = original.derived(moved, self.columns, ())
        return found

    def formula_columns(self) -> list[str]:
        """Return the columns that have a name or a cell which a spreadsheet would take for a formula."""
        texts = [name for name in self.columns if not self.typed(name)]
        found = formula_columns(self.engine, self.table, [self.cell(name) for name in texts])
        return [name for name in self.columns if is_formula(name) or name in {texts[place] for place in found}]

    def _escaped(self) -> str:
        """Name the cells as the user does, and escape what looks like a formula."""
        cells = (self.cell(name) if self.typed(name) else escaped_cell(self.cell(name)) for name in self.columns)
        return ", ".join(f"{cell} AS {sql_name(escaped(name))}" for cell, name in zip(cells, self.columns, strict=True))

    def named(self) -> str:
        """Name the cells as the user does."""
        return ", ".join(f"c{i} AS {sql_name(name)}" for i, name in enumerate(self.columns))


def _unescape(database: Database, table: str, columns: Sequence[str]) -> tuple[str, list[str]]:
    """Return a table of texts as it was before cells like formulas were escaped, and the names of its columns."""
    plain = fresh("unescaped")
    cells = ", ".join(f"{unescaped_cell(f'c{i}')} AS c{i}" for i in range(len(columns)))
    database.create(plain, f"SELECT {cells} FROM {table} ORDER BY rowid")
    database.drop(table)
    return plain, [unescaped(name) for name in columns]
