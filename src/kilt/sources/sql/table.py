"""A table of a database as a source: it is read and never changed, and its rows stay where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from kilt.errors import InputError
from kilt.model.column_counts import ColumnCounts
from kilt.model.detect import ColumnSample
from kilt.model.ladders import Domain
from kilt.model.marks import HIDDEN
from kilt.model.plan import Plan
from kilt.model.row_types import RowTypes
from kilt.numbers import IntArray
from kilt.sources.base import Counted, CountedRow, LostCells, require_compared
from kilt.sources.indicators import require_indicator
from kilt.sources.sql.combinations import SqlCombinations, count_values
from kilt.sources.sql.compare import compare
from kilt.sources.sql.engine import Engine, by_text, by_value, fresh, listed, number, places, ranked
from kilt.sources.sql.lost import lost_cells
from kilt.sources.sql.release import release_of
from kilt.sources.sql.tally import tally
from kilt.sources.tally import Comparison, Tally


@dataclass(frozen=True)
class TypesTable:
    """Where the row types stand that were counted: a table with their places y and their texts k0, k1, ..."""

    table: str
    columns: tuple[str, ...]


class SqlSource:
    """A table with columns c0, c1, ..., so that no name of the user's can clash.

    ``witness`` has what says of every row which row of the original it is; an original needs none.
    """

    kind = "a table of a database"  # as messages call it
    is_fixed = False  # whether it cannot change during the run: it is a copy, or read in one snapshot

    def __init__(
        self, engine: Engine, table: str, columns: Sequence[str], witness: Sequence[str] = (), notes: Sequence[str] = ()
    ) -> None:
        self.engine = engine
        self.table = table
        self.columns = list(columns)
        self.witness = tuple(witness)
        self.notes = tuple(notes)
        # columns that tell the rows of an original apart, if there are any
        self.row_ids: tuple[str, ...] = (engine.row_number,) if engine.row_number else ()

    def derived(self, table: str, columns: Sequence[str], witness: Sequence[str]) -> Self:
        """Return another table of the same database as a source of the same kind."""
        return type(self)(self.engine, table, columns, witness, self.notes)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return number(self.engine, f"SELECT count(*) FROM {self.table}")

    @property
    def native(self) -> Any:
        """The table as an object that the user can go on with."""
        raise NotImplementedError

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The types of the columns c0, c1, ..."""
        return self.engine.kinds(self.table)

    def typed(self, column: str) -> bool:
        """Say whether the column holds something other than text."""
        return not self.engine.is_text(self.kinds[self.cell(column)])

    def is_float(self, column: str) -> bool:
        """Say whether the column holds floating-point numbers."""
        return self.engine.is_float(self.kinds[self.cell(column)])

    def cell(self, column: str, prefix: str = "") -> str:
        """Return the cell of a column."""
        return f"{prefix}c{self.columns.index(column)}"

    def text(self, column: str, prefix: str = "") -> str:
        """Return the cell of a column as text, or raise if the database has none that could be relied on."""
        if not self.has_text(column) and not self.engine.writes_nested:
            require_compared({column: self.kinds[self.cell(column)]})
        return self.engine.text(self.cell(column, prefix), self.kinds[self.cell(column)])

    def has_text(self, column: str) -> bool:
        """Say whether the cells of a column have a text that can be relied on: lists and the like have none."""
        return self.engine.has_text(self.kinds[self.cell(column)])

    def profile_text(self, column: str) -> str:
        """Return the cell of a column as text to profile it, also of types whose texts are not relied on."""
        cell = self.cell(column)
        return self.engine.text(cell, self.kinds[cell])

    def nested(self, column: str) -> str | None:
        """Return what a column holds, if its cells have no text that can be relied on."""
        return None if self.has_text(column) else f"values of the type {self.kinds[self.cell(column)]}"

    def file_cell(self, column: str) -> str:
        """Return the cell of a column as a file with types has it."""
        return self.cell(column)

    def require_texts(self, columns: Sequence[str]) -> None:
        """Raise, before any work is done, if a column that is to be released has no text to compare it by."""
        require_compared({name: self.kinds[self.cell(name)] for name in columns if not self.has_text(name)})

    def texts(self, columns: Sequence[str], key: str = "k", prefix: str = "") -> str:
        """Name the cells of columns, as text, k0, k1, ..."""
        return listed(f"{self.text(name, prefix)} AS {key}{i}" for i, name in enumerate(columns))

    def identity(self, prefix: str = "") -> tuple[str, ...]:
        """Return what identifies a row of this table as an original."""
        if self.row_ids:
            return tuple(f"{prefix}{each}" for each in self.row_ids)
        return self.engine.witness([self.text(name, prefix) for name in self.columns if self.has_text(name)], prefix)

    def distinct(self, column: str) -> list[str | None]:
        """Return the distinct values of a column as text."""
        return [row[0] for row in self.engine.rows(f"SELECT DISTINCT {self.text(column)} FROM {self.table}")]

    def domain(self, column: str) -> Domain:
        """Return the distinct values of a column as text, with the number of rows that have each."""
        found = sorted(self.counted_rows([column]), key=lambda row: (row[0][0] is not None, row[0][0] or ""))
        return Domain(column, [row[0][0] for row in found], np.array([row[1] for row in found], dtype=np.int64))

    def counted_rows(self, columns: Sequence[str]) -> list[CountedRow]:
        """Return what is different in some columns as text, with its number of rows (one GROUP BY)."""
        sql = f"SELECT {self.texts(columns)}, count(*) FROM {self.table} GROUP BY {places(len(columns))}"
        return [(tuple(row[:-1]), int(row[-1])) for row in self.engine.rows(sql)]

    def sample_column(self, column: str, most: int) -> ColumnSample:
        """Count the cells and the distinct values of a column, and return some of these (one GROUP BY)."""
        values = fresh("values")
        query = f"SELECT {self.text(column)} AS v, count(*) AS n FROM {self.table} GROUP BY 1"
        self.engine.create(values, query)
        rows, filled, distinct, blank = self.engine.rows(
            "SELECT sum(n), sum(CASE WHEN v IS NULL THEN 0 ELSE n END), count(v), "
            f"sum(CASE WHEN trim(v) = '' THEN n ELSE 0 END) FROM {values}"
        )[0]
        chosen = self.engine.rows(f"SELECT v FROM {values} WHERE v IS NOT NULL ORDER BY md5(v) LIMIT {most}")
        self.engine.drop(values)
        return ColumnSample(column, int(rows), int(filled), int(distinct), [row[0] for row in chosen], int(blank))

    def count_values(self, column: str, most: int) -> ColumnCounts:
        """Count the values of a column for a profile."""
        return count_values(self, column, most)

    def combinations(self, columns: Sequence[str]) -> SqlCombinations:
        """Make some columns ready to be counted together."""
        return SqlCombinations(self, columns)

    def count(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Counted:
        """Count the row types (one GROUP BY), in the order of their values; which one each row is stays here."""
        names = [*quasi, *sensitive]
        keys = [f"k{i}" for i in range(len(names))]
        types = fresh("types")
        counted = f"SELECT {self.texts(names)}, count(*) AS n FROM {self.table} GROUP BY {places(len(names))}"
        place = f"row_number() OVER (ORDER BY {listed(map(self.order, names, keys))}) - 1"
        self.engine.create(types, f"SELECT {place} AS y, {listed(keys)}, n FROM ({counted}) AS counted")
        counts, codes, values = self.read_types(types, names)
        row_types = RowTypes(
            quasi=tuple(values[: len(quasi)]),
            sensitive=tuple(values[len(quasi) :]),
            quasi_codes=codes[:, : len(quasi)],
            sensitive_codes=codes[:, len(quasi) :],
            counts=counts,
        )
        return Counted(row_types, TypesTable(types, tuple(names)))

    def order(self, column: str, text: str) -> str:
        """Order by the texts of a column or, if it holds floating-point numbers, by these."""
        return by_value(self.engine, text) if self.is_float(column) else by_text([text])

    def read_types(self, types: str, names: Sequence[str]) -> tuple[IntArray, IntArray, list[list[str | None]]]:
        """Return the counts of row types and the codes of their keys, in their order, and the values of every key."""
        orders = {f"k{i}": self.order(name, f"k{i}") for i, name in enumerate(names)}
        ranks = listed(f"{ranked(order)} AS {key}" for key, order in orders.items())
        found = self.engine.integers(f"SELECT y, n, {ranks} FROM {types} ORDER BY y")
        codes = np.column_stack([found[key] for key in orders]).astype(np.int32)
        values = [
            [row[0] for row in self.engine.rows(f"SELECT {key} FROM {types} GROUP BY {key} ORDER BY {order}")]
            for key, order in orders.items()
        ]
        return found["n"], codes, values

    def apply(self, plan: Plan, counted: Counted, identifier: Sequence[str], seed: int | None = None) -> Self:
        """Return the release: identifiers dropped, quasi cells blurred (one JOIN), rows in their order or shuffled."""
        return release_of(self, plan, counted, identifier, seed)

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups again, in SQL of its own."""
        return tally(self, quasi, sensitive)

    def compare(self, original: Any, identifier: Sequence[str], blurred: Sequence[str]) -> Comparison:
        """Compare the cells with those of the original, each row with the one that it was made of.

        Nothing says which row that is if the original is somewhere else; only texts are the same everywhere.
        """
        elsewhere = not isinstance(original, SqlSource) or original.engine is not self.engine
        if isinstance(original, SqlSource) and elsewhere and not any(map(self.typed, self.columns)):
            return Comparison((original.rows, self.rows), (), (), {}, {}, paired=None)
        if elsewhere:
            raise InputError(f"{self.kind} can only be compared with {self.kind}: give the original as {self.kind} too")
        return compare(self, original, identifier, blurred)

    def lost_cells(self, original: Any, quasi: Sequence[str], by: str | None) -> list[LostCells] | None:
        """Count rows by their value in a column of the original and the quasi cells that differ from it."""
        if not isinstance(original, SqlSource) or original.engine is not self.engine:
            return None
        return lost_cells(self, original, quasi, by)

    def merged(self, indicators: Mapping[str, str]) -> Self:
        """Return the table with its indicators read into their columns, for the verifier."""
        cells = {name: self.cell(name) for name in self.columns if name not in indicators.values()}
        for name, column in indicators.items():
            flag, cell = f"lower({self.text(column)})", self.text(name)
            wrong = (f"{flag} IS NULL OR {flag} NOT IN ('true', 'false')", f"{flag} = 'true' AND {cell} IS NOT NULL")
            counts = listed(f"count(CASE WHEN {each} THEN 1 END)" for each in (*wrong, f"{cell} = '{HIDDEN}'"))
            unclear, not_null, like_hidden = self.engine.rows(f"SELECT {counts} FROM {self.table}")[0]
            require_indicator(name, column, unclear=unclear, not_null=not_null, like_hidden=like_hidden)
            cells[name] = f"CASE WHEN {flag} = 'true' THEN '{HIDDEN}' ELSE {cell} END"
        merged = fresh("merged")
        chosen = [f"{cell} AS c{i}" for i, cell in enumerate(cells.values())]
        chosen += [f"{witness} AS w{i}" for i, witness in enumerate(self.witness)]
        order = f" ORDER BY {self.engine.row_number}" if self.engine.row_number else ""
        self.engine.create(merged, f"SELECT {listed(chosen)} FROM {self.table}{order}")
        return self.derived(merged, list(cells), [f"w{i}" for i in range(len(self.witness))])
