"""Grouping rows of codes by exact integer keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kilt.numbers import ROOM, BoolArray, IntArray


@dataclass(frozen=True)
class Buckets:
    """Positions sorted by key: bucket b holds ``order[starts[b]:starts[b + 1]]``."""

    order: IntArray
    starts: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of_each(self) -> IntArray:
        """Return for every entry of ``order`` the bucket it is in."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def chosen(self, kept: BoolArray) -> Buckets:
        """Keep some of the buckets."""
        sizes = np.diff(self.starts)
        return Buckets(self.order[np.repeat(kept, sizes)], np.concatenate([[0], np.cumsum(sizes[kept])]))

    def ids(self) -> IntArray:
        """Return for every position its bucket."""
        ids = np.empty(len(self.order), dtype=np.int64)
        ids[self.order] = self.of_each()
        return ids


def bucket(columns: Sequence[IntArray], rows: int) -> Buckets:
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
    return Buckets(order, starts)
