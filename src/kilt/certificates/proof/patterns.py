"""All patterns that matter to a proof, found again: one level vector at a time, by exact keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kilt.certificates.proof.evidence import Evidence, Levels
from kilt.model.problem import Problem
from kilt.numbers import ROOM, BoolArray, IntArray


@dataclass(frozen=True)
class Buckets:
    """All patterns of one level vector that matter: row types (dear ones first) by pattern, and values of a row."""

    levels: Levels
    order: IntArray
    starts: IntArray
    values: IntArray
    counts: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def owner(self) -> IntArray:
        """The pattern of every entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def first(self) -> IntArray:
        """The first row type of every pattern."""
        return np.asarray(np.minimum.reduceat(self.order, self.starts[:-1]))

    def sums(self, each: IntArray) -> IntArray:
        """Add up numbers of entries by pattern."""
        return np.asarray(np.add.reduceat(each, self.starts[:-1]))

    def before(self, each: IntArray) -> IntArray:
        """Return for every entry the sum of those before it in its pattern."""
        running = np.cumsum(each) - each
        return np.asarray(running - np.repeat(running[self.starts[:-1]], np.diff(self.starts)))

    def some(self, patterns: IntArray) -> Buckets:
        """Return some of the patterns."""
        kept = np.zeros(len(self), dtype=bool)
        kept[patterns] = True
        chosen = np.repeat(kept, np.diff(self.starts))
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[kept])])
        return Buckets(self.levels, self.order[chosen], starts, self.values[chosen], self.counts[chosen])


def all_buckets(problem: Problem, evidence: Evidence) -> Iterator[Buckets]:
    """Yield all closed patterns under which some row has a negative value, one level vector at a time."""
    dear = np.argsort(-evidence.prices, kind="stable")
    prices, counts = evidence.prices[dear], problem.counts[dear]
    shown = [[level[problem.codes[dear, j]] for level in column.levels] for j, column in enumerate(problem.columns)]
    least_size = problem.rules.least_size
    highest = int(prices[0]) if len(prices) else 0
    for levels, cost in _vectors(problem, highest, evidence.scale):
        key = _key([shown[j][level] for j, level in enumerate(levels)], len(prices))
        order = np.argsort(key, kind="stable")
        starts = starts_of(key[order])
        rows = np.add.reduceat(counts[order], starts[:-1])
        kept = (prices[order[starts[:-1]]] > cost * evidence.scale) & (rows >= least_size)
        order, starts = _some(order, starts, kept)
        closed = np.ones(len(starts) - 1, dtype=bool)
        for j, level in enumerate(levels):
            if level and len(order):
                below = shown[j][level - 1][order]
                closed &= np.maximum.reduceat(below, starts[:-1]) > np.minimum.reduceat(below, starts[:-1])
        order, starts = _some(order, starts, closed)
        if len(order):
            yield Buckets(levels, dear[order], starts, cost * evidence.scale - prices[order], counts[order])


def _vectors(problem: Problem, highest: int, scale: int) -> Iterator[tuple[Levels, int]]:
    """Yield all level vectors with a row's cost below the highest price; no other has a row of negative value."""

    def longer(levels: Levels, cost: int) -> Iterator[tuple[Levels, int]]:
        if cost * scale >= highest:
            return
        if len(levels) == len(problem.costs):
            yield levels, cost
            return
        for level, more in enumerate(problem.costs[len(levels)].tolist()):
            yield from longer((*levels, level), cost + more)

    return longer((), 0)


def _key(columns: Sequence[IntArray], rows: int) -> IntArray:
    """Return a number for every row, the same for rows that agree on all columns, exactly."""
    key, span = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        size = int(column.max(initial=0)) + 1
        if size == 1:
            continue
        if span * size >= ROOM:
            key = np.unique(key, return_inverse=True)[1].ravel().astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key, span = key * size + column, span * size
    return key


def starts_of(ordered: IntArray) -> IntArray:
    """Return where equal numbers start, and the end."""
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate([[0], changes, [len(ordered)]])


def _some(order: IntArray, starts: IntArray, kept: BoolArray) -> tuple[IntArray, IntArray]:
    """Keep some of the patterns."""
    lengths = np.diff(starts)
    return order[np.repeat(kept, lengths)], np.concatenate([[0], np.cumsum(lengths[kept])])
