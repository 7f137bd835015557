"""Which rows are unique in several columns together: counted in memory, or by a source that can do it itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from kilt.model.column_counts import ColumnCounts
from kilt.model.detect import PARAMS
from kilt.model.ladders import Domain
from kilt.numbers import ROOM, IntArray
from kilt.sources.base import Source

SEED = 0  # of the rows that are drawn


class Combinations(Protocol):
    """Some columns of a table, ready to be counted together."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns."""

    def unique_rows(self, columns: Sequence[str]) -> int:
        """Count the rows that no other row is like in these columns."""

    def draw(self, most: int) -> CodedRows:
        """Return all rows, or so many of them, always the same; a figure of some rows is only an estimate."""

    def close(self) -> None:
        """Remove what was made to count."""


@runtime_checkable
class ProfilingSource(Protocol):
    """A source that counts for a profile itself, for tables whose rows should not be fetched for it."""

    def count_values(self, column: str, most: int) -> ColumnCounts:
        """Count the values of a column; keep at most so many of them, by their hash."""

    def combinations(self, columns: Sequence[str]) -> Combinations:
        """Make some columns ready to be counted together."""


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows as codes, one column for each of ``columns``: cells are the same if their codes are."""

    columns: tuple[str, ...]
    codes: IntArray

    def unique_rows(self, columns: Sequence[str]) -> int:
        """Count by sorting keys that are whole numbers, so that no two rows run together."""
        key = np.zeros(len(self.codes), dtype=np.int64)
        span = 1
        for name in columns:
            column = self.codes[:, self.columns.index(name)]
            size = int(column.max(initial=0)) + 1
            if span * size >= ROOM:
                _, key = np.unique(key, return_inverse=True)
                span = int(key.max(initial=0)) + 1
            key = key * size + column
            span *= size
        key.sort()
        changes = np.concatenate([[True], key[1:] != key[:-1], [True]]) if len(key) else np.zeros(1, dtype=bool)
        return int((changes[1:] & changes[:-1]).sum())

    def draw(self, most: int) -> CodedRows:
        """Draw rows without putting them back."""
        if len(self.codes) <= most:
            return self
        chosen = np.random.default_rng(SEED).permutation(len(self.codes))[:most]
        return CodedRows(self.columns, self.codes[chosen])

    def close(self) -> None:
        """Nothing was made."""


@runtime_checkable
class NestingSource(Protocol):
    """A source that may have columns whose cells are more than one value, which can be neither quasi nor sensitive."""

    def nested(self, column: str) -> str | None:
        """Return what such a column holds, as in lists; None if its cells are single values."""


def nested_in(source: Source, column: str) -> str | None:
    """Return what a column holds, if that is more than one value."""
    return source.nested(column) if isinstance(source, NestingSource) else None


def count_values(source: Source, column: str, domain: Callable[[str], Domain] | None = None) -> ColumnCounts:
    """Count the values of a column, as the source does it or from its domain, which may be known already."""
    if isinstance(source, ProfilingSource):
        return source.count_values(column, PARAMS.sample)
    return ColumnCounts.of((domain or source.domain)(column))


def combinations_of(source: Source, columns: Sequence[str]) -> Combinations:
    """Make columns ready to be counted together, as the source does it or from its row types."""
    if isinstance(source, ProfilingSource):
        return source.combinations(columns)
    if not columns:
        return CodedRows((), np.zeros((source.rows, 0), dtype=np.int32))
    types = source.count(list(columns), []).types
    return CodedRows(tuple(columns), np.repeat(types.quasi_codes, types.counts, axis=0))
