"""Ragged arrays: lists of different lengths, one after the other; and positions that share a key, as such lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kilt.numbers import ROOM, BoolArray, IntArray


@dataclass(frozen=True)
class Ragged:
    """List i is ``values[starts[i]:starts[i + 1]]``."""

    values: IntArray
    starts: IntArray

    @classmethod
    def of_lengths(cls, values: IntArray, lengths: IntArray) -> Ragged:
        """Cut values into lists of these lengths."""
        return cls(values, np.concatenate([[0], np.cumsum(lengths)]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> IntArray:
        """How long each list is."""
        return np.diff(self.starts)

    @property
    def owner(self) -> IntArray:
        """The list of every entry."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def first(self) -> IntArray:
        """The first value of every list."""
        return self.values[self.starts[:-1]]

    def ids(self) -> IntArray:
        """Return for every position its list, where the values are all positions."""
        ids = np.empty(len(self.values), dtype=np.int64)
        ids[self.values] = self.owner
        return ids

    def sums(self, each: IntArray) -> IntArray:
        """Add up numbers of the entries, list by list."""
        return np.asarray(np.add.reduceat(each, self.starts[:-1]))

    def before(self, each: IntArray) -> IntArray:
        """Return for every entry the sum of the numbers before it in its list."""
        running = np.cumsum(each) - each
        return np.asarray(running - np.repeat(running[self.starts[:-1]], self.lengths))

    def entries_of(self, kept: BoolArray) -> BoolArray:
        """Mark the entries of some lists."""
        return np.repeat(kept, self.lengths)

    def kept(self, kept: BoolArray) -> Ragged:
        """Keep some of the lists."""
        return Ragged.of_lengths(self.values[self.entries_of(kept)], self.lengths[kept])

    def picked(self, which: IntArray) -> Ragged:
        """Return lists in another order; one may be picked more than once."""
        lengths = self.lengths[which]
        picked = Ragged.of_lengths(self.values, lengths)
        entries = np.repeat(self.starts[:-1][which] - picked.starts[:-1], lengths) + np.arange(picked.starts[-1])
        return Ragged(self.values[entries], picked.starts)

    @staticmethod
    def joined(parts: Sequence[Ragged]) -> Ragged:
        """Put lists after lists."""
        lengths = np.concatenate([part.lengths for part in parts])
        return Ragged.of_lengths(np.concatenate([part.values for part in parts]), lengths)


def bucket(columns: Sequence[IntArray], rows: int) -> Ragged:
    """Put together the positions that agree on every column of codes."""
    key = np.zeros(rows, dtype=np.int64)
    span = 1
    for column in columns:
        size = int(column.max(initial=0)) + 1
        if span * size >= ROOM:
            _, key = np.unique(key, return_inverse=True)
            span = int(key.max(initial=0)) + 1
        key = key * size + column
        span *= size
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    starts = np.concatenate([[0], changes, [rows]]) if rows else np.zeros(1, dtype=np.int64)
    return Ragged(order, starts)
