"""What the verifier counts in a table: groups by what is visible, with their sensitive values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kilt.model.ladders import Values
from kilt.model.rules import Groups
from kilt.numbers import IntArray

BLOCK = 4_000_000


@dataclass(frozen=True)
class ValueCounts:
    """The values of a sensitive column in the groups, as entries (group, value, rows) sorted by group."""

    name: str
    values: Values
    groups: IntArray
    codes: IntArray
    counts: IntArray

    def reference(self) -> IntArray:
        """Return how often each value occurs in the table."""
        return np.bincount(self.codes, self.counts, len(self.values)).astype(np.int64)

    def block(self, start: int, stop: int) -> IntArray:
        """Return the counts of the groups from start to stop, one row per group."""
        low, high = np.searchsorted(self.groups, [start, stop])
        block = np.zeros((stop - start, len(self.values)), dtype=np.int64)
        np.add.at(block, (self.groups[low:high] - start, self.codes[low:high]), self.counts[low:high])
        return block


@dataclass(frozen=True)
class Tally:
    """The groups of a table: rows that show the same in all quasi columns."""

    sizes: IntArray
    sensitive: tuple[ValueCounts, ...]
    patterns: Callable[[Sequence[int]], list[tuple[str | None, ...]]]

    def __len__(self) -> int:
        return len(self.sizes)

    def blocks(self) -> Iterator[tuple[int, Groups]]:
        """Yield the groups as the rules see them, in blocks that fit in memory."""
        widest = max((len(column.values) for column in self.sensitive), default=1)
        step = max(1, BLOCK // max(widest, 1))
        for start in range(0, len(self), step):
            stop = min(start + step, len(self))
            yield start, Groups(self.sizes[start:stop], tuple(c.block(start, stop) for c in self.sensitive))


Pair = tuple[str | None, str | None, int]
Pairing = Literal["witness", "order", "matching"]


@dataclass(frozen=True)
class Comparison:
    """A release compared with its original, row by row.

    ``differing`` has for every blurred column the pairs of cells that differ, with their number, ``changed`` for every
    other column the number of cells that differ; ``unmatched`` rows of the release belong to no row of the original.
    Rows are ``paired`` by a witness of what they were made of, by their order or, where there is neither, not at all.
    """

    rows: tuple[int, int]
    missing: tuple[str, ...]
    added: tuple[str, ...]
    differing: dict[str, list[Pair]]
    changed: dict[str, int]
    unmatched: int = 0
    paired: Pairing | None = "witness"
