"""Files (CSV, TSV, Parquet, also compressed) as a source, through DuckDB, which works out of core.

A table is loaded once, its columns named c0, c1, ... so that no name of the user's can clash. Cells
are compared and counted by their text, so that what looks different is different.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np

from kilt.arrays.ragged import bucket
from kilt.errors import InputError
from kilt.model.detect import ColumnSample, step
from kilt.model.ladders import Domain
from kilt.model.marks import HIDDEN
from kilt.model.plan import ColumnPlan, Plan
from kilt.model.row_types import RowTypes
from kilt.numbers import BoolArray, IntArray
from kilt.sources.base import Counted
from kilt.sources.duck.connection import Database, fresh
from kilt.sources.duck.file_reader import identifier as sql_name
from kilt.sources.duck.file_reader import load
from kilt.sources.file_format import FileFormat, FileStyle, quoted
from kilt.sources.indicators import require_indicator
from kilt.sources.tally import Comparison, Tally, ValueCounts
from kilt.sources.text_files import write_encoded
from kilt.sources.workbook_writer import write_workbook

REASONS = (
    "No space left on device",
    "File too large",
    "Permission denied",
    "Read-only file system",
    "Disk quota exceeded",
)


class DuckSource:
    """A table in DuckDB, which is read and never changed."""

    def __init__(self, database: Database, table: str, columns: list[str], style: FileStyle) -> None:
        self._database = database
        self._table = table
        self.columns = columns
        self.style = style
        self.notes: tuple[str, ...] = ()
        self._kinds = [row[1] for row in self._database.rows(f"DESCRIBE {table}")]

    @classmethod
    def open(cls, path: Path, style: FileStyle | None = None, beside: DuckSource | None = None) -> DuckSource:
        """Load a file, into the same database as another table if one is given."""
        database = beside._database if beside is not None else Database()
        table = fresh("file")
        form = FileFormat.of(path, style)
        source = cls(database, table, *load(database, form, table))
        if not source.rows:
            raise InputError(f"{form.shown} has a header but no rows")
        return source

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._database.number(f"SELECT count(*) FROM {self._table}")

    @property
    def native(self) -> duckdb.DuckDBPyRelation:
        """The table as a DuckDB relation, with the user's column names."""
        return self._database.connection.sql(f"SELECT {self._named()} FROM {self._table}")

    def typed(self, column: str) -> bool:
        """Say whether the column holds something other than text."""
        return bool(self._kinds[self.columns.index(column)] != "VARCHAR")

    def distinct(self, column: str) -> list[str | None]:
        """Return the distinct values of a column as text."""
        return [row[0] for row in self._database.rows(f"SELECT DISTINCT {self._text(column)} FROM {self._table}")]

    def domain(self, column: str) -> Domain:
        """Return the distinct values of a column as text, with the number of rows that have each."""
        counted = f"SELECT {self._text(column)} AS v, count(*) FROM {self._table} GROUP BY v ORDER BY v NULLS FIRST"
        found = self._database.rows(counted)
        return Domain(column, [row[0] for row in found], np.array([row[1] for row in found], dtype=np.int64))

    def cells(self, column: str) -> list[str | None]:
        """Return the cells of a column as text, row by row."""
        return [row[0] for row in self._database.rows(f"SELECT {self._text(column)} FROM {self._table} ORDER BY rowid")]

    def sample_column(self, column: str, most: int) -> ColumnSample:
        """Count the cells and the distinct values of a column, and return some of these (one GROUP BY)."""
        values, cell = fresh("values"), self._text(column)
        self._database.run(
            f"CREATE TABLE {values} AS SELECT {cell} AS v, count(*) AS n, min(rowid) AS r FROM {self._table} "
            f"WHERE regexp_matches({cell}, '\\S') GROUP BY v"
        )
        distinct, filled = self._database.rows(f"SELECT count(*), coalesce(sum(n), 0)::BIGINT FROM {values}")[0]
        chosen = self._database.rows(
            f"SELECT v FROM (SELECT v, row_number() OVER (ORDER BY r) - 1 AS place FROM {values}) "
            f"WHERE place % {step(distinct, most)} = 0 ORDER BY place"
        )
        self._database.run(f"DROP TABLE {values}")
        return ColumnSample(column, self.rows, filled, distinct, [row[0] for row in chosen])

    def count(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Counted:
        """Count the row types (one GROUP BY), and say which one each row is (one JOIN)."""
        names = [*quasi, *sensitive]
        types = fresh("types")
        keys = [f"k{i}" for i in range(len(names))]
        chosen = ", ".join(f"{self._text(name)} AS {key}" for name, key in zip(names, keys, strict=True))
        self._database.run(f"CREATE TABLE {types} AS SELECT {chosen}, count(*) AS n FROM {self._table} GROUP BY ALL")
        codes, counts = self._codes(types, keys)
        order = bucket(list(codes.T), len(codes)).values
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        on = " AND ".join(
            f"{self._text(name, 't.')} IS NOT DISTINCT FROM y.{key}" for name, key in zip(names, keys, strict=True)
        )
        joined = self._database.columns(
            f"SELECT y.rowid AS y FROM {self._table} t JOIN {types} y ON {on} ORDER BY t.rowid"
        )["y"]
        values = [
            [row[0] for row in self._database.rows(f"SELECT DISTINCT {key} FROM {types} ORDER BY {key} NULLS FIRST")]
            for key in keys
        ]
        self._database.run(f"DROP TABLE {types}")
        row_types = RowTypes(
            quasi=tuple(values[: len(quasi)]),
            sensitive=tuple(values[len(quasi) :]),
            quasi_codes=codes[order, : len(quasi)],
            sensitive_codes=codes[order, len(quasi) :],
            counts=counts[order],
        )
        return Counted(row_types, place[joined])

    def apply(self, plan: Plan, type_of_row: IntArray, identifier: Sequence[str]) -> DuckSource:
        """Return the release: identifiers dropped, quasi cells blurred (one JOIN), rows in their order."""
        row_groups, groups, released = fresh("rows"), fresh("groups"), fresh("released")
        assigned = {"g": plan.row_groups(type_of_row)}
        looks: dict[str, np.ndarray] = {"g": np.arange(len(plan.columns[0].shown), dtype=np.int32)}
        cells = {name: f"t.c{i}" for i, name in enumerate(self.columns) if name not in identifier}
        for index, column in enumerate(plan.columns):
            looks[f"h{index}"] = column.hidden
            looks[f"s{index}"], looks[f"n{index}"] = _texts(column)
            looks[f"i{index}"] = column.suppressed
            kept = self._text(column.name, "t.") if column.as_text else cells[column.name]
            shown = f"WHEN x.h{index} THEN x.s{index} " if column.as_text else ""
            cells[column.name] = f"CASE WHEN x.n{index} THEN NULL {shown}ELSE {kept} END"
        for index, column in enumerate(plan.columns):
            if column.indicator is not None:
                cells[column.indicator] = f"x.i{index}"
        self._database.run(f"CREATE TABLE {row_groups} AS SELECT g FROM assigned", assigned=assigned)
        self._database.run(f"CREATE TABLE {groups} AS SELECT * FROM looks", looks=looks)
        chosen = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells.values()))
        self._database.run(
            f"CREATE TABLE {released} AS SELECT {chosen} FROM {self._table} t JOIN {row_groups} r ON t.rowid = r.rowid "
            f"JOIN {groups} x ON r.g = x.g ORDER BY t.rowid"
        )
        self._database.run(f"DROP TABLE {row_groups}; DROP TABLE {groups}")
        return DuckSource(self._database, released, list(cells), self.style)

    def content_order(self) -> IntArray:
        """Return the rows in the order of what they show, which reveals nothing about the order they are in."""
        by = ", ".join(f"{self._text(name)} NULLS FIRST" for name in self.columns)
        return self._database.columns(f"SELECT rowid AS r FROM {self._table} ORDER BY {by}, rowid")["r"]

    def reordered(self, order: IntArray) -> DuckSource:
        """Return the rows in another order."""
        places, reordered = fresh("places"), fresh("reordered")
        self._database.run(f"CREATE TABLE {places} AS SELECT r FROM wanted", wanted={"r": order})
        cells = ", ".join(f"t.c{i}" for i in range(len(self.columns)))
        self._database.run(
            f"CREATE TABLE {reordered} AS SELECT {cells} FROM {places} p JOIN {self._table} t ON p.r = t.rowid "
            f"ORDER BY p.rowid; DROP TABLE {places}"
        )
        return DuckSource(self._database, reordered, self.columns, self.style)

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups again, in SQL of its own: one GROUP BY over the rows, the rest on its result."""
        counted, groups = fresh("counted"), fresh("groups")
        q = [f"q{i}" for i in range(len(quasi))]
        s = [f"s{i}" for i in range(len(sensitive))]
        chosen = [f"{self._text(name)} AS {key}" for name, key in zip((*quasi, *sensitive), (*q, *s), strict=True)]
        by = ", ".join(q)
        self._database.run(
            f"CREATE TABLE {counted} AS SELECT {', '.join(chosen)}, count(*) AS n FROM {self._table} GROUP BY ALL;"
            f"CREATE TABLE {groups} AS SELECT {by}, sum(n)::BIGINT AS size FROM {counted} GROUP BY {by}"
        )
        on = " AND ".join(f"c.{key} IS NOT DISTINCT FROM g.{key}" for key in q)
        ranks = "".join(f", dense_rank() OVER (ORDER BY c.{key} NULLS FIRST) - 1 AS {key}" for key in s)
        entries = self._database.columns(
            f"SELECT g.rowid AS g, c.n{ranks} FROM {counted} c JOIN {groups} g ON {on} ORDER BY g.rowid"
        )
        values = [
            [row[0] for row in self._database.rows(f"SELECT DISTINCT {key} FROM {counted} ORDER BY {key} NULLS FIRST")]
            for key in s
        ]
        sizes = self._database.columns(f"SELECT size FROM {groups} ORDER BY rowid")["size"]
        self._database.run(f"DROP TABLE {counted}")
        return Tally(
            sizes=sizes,
            sensitive=tuple(
                ValueCounts(name, values[i], entries["g"], entries[f"s{i}"], entries["n"])
                for i, name in enumerate(sensitive)
            ),
            patterns=lambda chosen: self._patterns(groups, by, chosen),
        )

    def compare(self, original: DuckSource, identifier: Sequence[str], order: IntArray | None) -> Comparison:
        """Compare the cells with those of the original file, row by row."""
        if not isinstance(original, DuckSource):
            raise InputError("a file can only be compared with a file: give the original as a file too")
        expected = [name for name in original.columns if name not in identifier]
        both = [name for name in expected if name in self.columns] if self.rows == original.rows else []
        table = self._table
        if order is not None:
            back = np.empty(len(order), dtype=np.int64)
            back[order] = np.arange(len(order))
            table = self.reordered(back)._table
        differing = {}
        for name in both:
            was, now = original._text(name, "o."), self._text(name, "t.")
            differing[name] = self._database.rows(
                f"SELECT {was} AS was, {now} AS now, count(*) FROM {table} t JOIN {original._table} o "
                f"ON t.rowid = o.rowid WHERE {was} IS DISTINCT FROM {now} GROUP BY ALL"
            )
        return Comparison(
            rows=(original.rows, self.rows),
            missing=tuple(name for name in expected if name not in self.columns),
            added=tuple(name for name in self.columns if name not in expected),
            differing=differing,
        )

    def merged(self, indicators: Mapping[str, str]) -> DuckSource:
        """Return the table with its indicators read into their columns, for the verifier."""
        cells = {name: f"c{i}" for i, name in enumerate(self.columns) if name not in indicators.values()}
        for name, column in indicators.items():
            flag, cell = f"lower(CAST({self._text(column)} AS VARCHAR))", self._text(name)
            wrong = (f"{flag} IS NULL OR {flag} NOT IN ('true', 'false')", f"{flag} = 'true' AND {cell} IS NOT NULL")
            counts = ", ".join(f"count(*) FILTER ({each})" for each in (*wrong, f"{cell} = {quoted(HIDDEN)}"))
            found = self._database.rows(f"SELECT {counts} FROM {self._table}")[0]
            require_indicator(name, column, unclear=found[0], not_null=found[1], like_hidden=found[2])
            cells[name] = f"CASE WHEN {flag} = 'true' THEN {quoted(HIDDEN)} ELSE {cell} END"
        merged = fresh("merged")
        chosen = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells.values()))
        self._database.run(f"CREATE TABLE {merged} AS SELECT {chosen} FROM {self._table} ORDER BY rowid")
        return DuckSource(self._database, merged, list(cells), self.style)

    def write(self, form: FileFormat) -> None:
        """Write the table to a file."""
        if form.kind == "excel":
            texts = ", ".join(self._text(name) for name in self.columns)
            rows = self._database.rows(f"SELECT {texts} FROM {self._table} ORDER BY rowid")
            write_workbook(form.path, form.style.sheet, self.columns, rows, dict(form.style.kinds))
        elif form.kind == "csv" and not form.style.is_plain:
            plain = form.path.with_name(f"{form.path.name}.utf8")
            try:
                self._copy_to(replace(form, path=plain, compression="none"))
                write_encoded(plain, form)
            finally:
                plain.unlink(missing_ok=True)
        else:
            self._copy_to(form)

    def _copy_to(self, form: FileFormat) -> None:
        copy = f"COPY (SELECT {self._named()} FROM {self._table}) TO {quoted(str(form.path))} ({form.copy_options()})"
        try:
            self._database.run(copy)
        except duckdb.Error as error:
            reason = next((r for r in REASONS if r.lower() in str(error).lower()), "the file could not be written")
            raise OSError(errno.EIO, reason) from None

    def beside(self, form: FileFormat) -> DuckSource:
        """Load a file that was written into the same database; a workbook has one sheet."""
        return DuckSource.open(form.path, replace(form.style, sheet=None), self)

    def _patterns(self, groups: str, by: str, chosen: Sequence[int]) -> list[tuple[str | None, ...]]:
        wanted = {"r": np.array(chosen, dtype=np.int64)}
        picked = fresh("picked")
        self._database.run(f"CREATE TABLE {picked} AS SELECT r FROM wanted", wanted=wanted)
        return self._database.rows(f"SELECT {by} FROM {picked} p JOIN {groups} g ON g.rowid = p.r ORDER BY p.rowid")

    def _codes(self, types: str, keys: Sequence[str]) -> tuple[IntArray, IntArray]:
        ranks = ", ".join(f"dense_rank() OVER (ORDER BY {key} NULLS FIRST) - 1 AS {key}" for key in keys)
        found = self._database.columns(f"SELECT rowid AS r, n, {ranks} FROM {types} ORDER BY rowid")
        return np.column_stack([found[key] for key in keys]).astype(np.int32), found["n"]

    def _text(self, column: str, prefix: str = "") -> str:
        cell = f"{prefix}c{self.columns.index(column)}"
        return f"CAST({cell} AS VARCHAR)" if self.typed(column) else cell

    def _named(self) -> str:
        return ", ".join(f"c{i} AS {sql_name(name)}" for i, name in enumerate(self.columns))


def _texts(column: ColumnPlan) -> tuple[np.ndarray, BoolArray]:
    """Return what replaces the cells of each group, and whether it is null."""
    null = column.hidden & np.array([text is None for text in column.texts], dtype=bool)
    texts = np.empty(len(column.shown), dtype=object)
    texts[:] = ["" if text is None else text for text in column.texts]
    return texts, null
