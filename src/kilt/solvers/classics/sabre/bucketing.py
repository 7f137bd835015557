"""Buckets of sensitive values: a group that draws from each by its size is close, whatever values it draws there.

What such a group has in a bucket is evened out inside of it. At worst all of it has the value that is farthest from the
others: the *spread* of a bucket is the largest sum, over its values b, of p(b) times the distance from one value a of
it. The distance of the group is at most the sum of the spreads. So the bucket whose cut lowers the sum most is cut in
two, until the sum is at most t, and on: with finer buckets less is lost to the spreads, with coarser ones less to
rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kilt.model.rules import ClosenessRule
from kilt.model.spaces import GroundDistance, MatrixMetric
from kilt.numbers import IntArray, widen


@dataclass(frozen=True)
class Bucketing:
    """Bucket i has the values ``order[starts[i]:starts[i + 1]]`` and so many ``rows``.

    ``spread`` is in units of distance times rows of the table; ``apart[i, j]`` is the largest distance of a value of
    bucket i from one of bucket j.
    """

    order: IntArray
    starts: IntArray
    rows: IntArray
    spread: IntArray
    apart: IntArray

    def __len__(self) -> int:
        return len(self.rows)

    def of_values(self) -> IntArray:
        """Return the bucket of every value."""
        bucket_of = np.empty(len(self.order), dtype=np.int64)
        bucket_of[self.order] = np.repeat(np.arange(len(self)), np.diff(self.starts))
        return bucket_of


def bucketings(rule: ClosenessRule) -> list[Bucketing]:
    """Return the bucketings whose spreads sum up to at most t, from coarse to fine; each cuts one bucket more."""
    distance = distances(rule.ground, len(rule.reference))
    order = chain(distance, rule.reference)
    reference, distance = rule.reference[order], distance[np.ix_(order, order)]
    rows = int(reference.sum())
    weighted = widen(distance, rule.ground.scale * rows) * reference
    allowed = rule.t.numerator * rows * rule.ground.scale
    return [
        _bucketing(order, np.array(starts), reference, distance, weighted)
        for starts, spread in _cuttings(weighted)
        if spread * rule.t.denominator <= allowed
    ]


def distances(ground: GroundDistance, size: int) -> IntArray:
    """Return how far any two values are apart, in units of the ground."""
    if isinstance(ground, MatrixMetric):
        return widen(np.array(ground.distance, dtype=object), ground.scale)
    single = np.eye(size, dtype=np.int64)
    return np.array([ground.work(single[value] - single) for value in range(size)])


def chain(distance: IntArray, reference: IntArray) -> IntArray:
    """Order values so that near ones are beside each other: from an end on to the nearest, of those the most frequent.

    This is the order of a line, and one that leaves no branch of a tree before it is through.
    """
    far, often = distance.tolist(), reference.tolist()
    left = set(range(len(often)))
    order = [max(left, key=lambda value: (max(far[value]), often[value], -value))]
    left -= {order[0]}
    while left:
        last = far[order[-1]]
        order.append(min(left, key=lambda value: (last[value], -often[value], value)))
        left.remove(order[-1])
    return np.array(order)


def _cuttings(weighted: IntArray) -> Iterator[tuple[list[int], int]]:
    """Yield where buckets start, and the end, with the sum of their spreads, from one bucket to spreads of 0."""
    starts = [0, len(weighted)]
    spread = _spread(weighted)
    cuts = [(*_best_cut(weighted), 0, len(weighted))]
    yield starts, spread
    while spread > 0:
        cuts.sort()
        lower, at, low, high = cuts.pop()
        spread -= lower
        starts = sorted([*starts, low + at])
        yield starts, spread
        cuts += [(*_best_cut(weighted[a:b, a:b]), a, b) for a, b in ((low, low + at), (low + at, high)) if b - a > 1]


def _spread(weighted: IntArray) -> int:
    return int(weighted.sum(axis=1).max())


def _best_cut(weighted: IntArray) -> tuple[int, int]:
    """Return by how much the best cut of a bucket lowers its spread, and how many values are before it."""
    if len(weighted) < 2:
        return 0, 0
    before = np.triu(np.cumsum(weighted, axis=1)).max(axis=0)[:-1]
    behind = np.tril(np.cumsum(weighted[:, ::-1], axis=1)[:, ::-1]).max(axis=0)[1:]
    at = int(np.argmin(before + behind))
    return _spread(weighted) - int(before[at] + behind[at]), at + 1


def _bucketing(
    order: IntArray, starts: IntArray, reference: IntArray, distance: IntArray, weighted: IntArray
) -> Bucketing:
    first = starts[:-1]
    parts = [slice(low, high) for low, high in zip(first, starts[1:], strict=True)]
    apart = np.maximum.reduceat(np.maximum.reduceat(distance, first, axis=0), first, axis=1)
    spread = np.array([_spread(weighted[part, part]) for part in parts], dtype=weighted.dtype)
    return Bucketing(order, starts, np.add.reduceat(reference, first), spread, apart)
