"""What groups draw from buckets of sensitive values: the counts of the table are halved, again and again.

A *draw* says how many rows a group has of each bucket. It is *close* if every group with it is within t. What the group
has of a bucket, up to the share of the bucket, is evened out inside of it, and costs at most that part of the spread;
what is above the share goes to other buckets, at most as far as their values are apart. All is in integers, and rounded
up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.kernels.model.transport import each_transported
from kilt.model.rules import ClosenessRule
from kilt.numbers import ROOM, BoolArray, IntArray, widen
from kilt.solvers.classics.sabre.bucketing import Bucketing

MOST_TRANSPORTED = 32  # buckets between which the least work is found; more than that, bounds take its place


@dataclass(frozen=True)
class ValueDraws:
    """The draws from some buckets that are close, and have at least so many rows."""

    rule: ClosenessRule
    buckets: Bucketing
    least: int

    def legal(self, draws: IntArray) -> BoolArray:
        """Decide for every draw whether all groups with it are legal."""
        return np.asarray((draws.sum(axis=1) >= self.least) & self.close(draws), dtype=bool)

    def close(self, draws: IntArray) -> BoolArray:
        """Decide for every draw whether all groups with it are within t."""
        t, scale, rows = self.rule.t, self.rule.ground.scale, int(self.buckets.rows.sum())
        room = 2 * rows**3 * scale * max(t.numerator, t.denominator)
        drawn, shares = widen(draws, room), widen(draws.sum(axis=1), room)[:, None] * widen(self.buckets.rows, room)
        inside = np.minimum(rows * drawn, shares) * self.buckets.spread
        work = (-(-inside // self.buckets.rows)).sum(axis=1) + self._between(rows * drawn - shares)
        return np.asarray(work * t.denominator <= shares.sum(axis=1) * (scale * t.numerator), dtype=bool)

    def _between(self, difference: IntArray) -> IntArray:
        """Return the work that moves what is too much to other buckets: the least, or what is known to be enough."""
        apart = self.buckets.apart
        if len(apart) <= MOST_TRANSPORTED and int(self.buckets.rows.sum()) ** 2 * self.rule.ground.scale < ROOM:
            return each_transported(apart.astype(np.int64), difference.astype(np.int64))
        from_anywhere = np.abs(difference).sum(axis=1) // 2 * apart.max()
        along = np.abs(np.cumsum(difference, axis=1)[:, :-1]) @ np.diagonal(apart, 1)
        return np.asarray(np.minimum(from_anywhere, along))

    def leaves(self) -> tuple[IntArray, IntArray]:
        """Halve the counts of the table as long as both halves are legal; return what is left whole, and how often."""
        found, often = [], []
        draws, times = self.buckets.rows[None, :], np.ones(1, dtype=np.int64)
        while len(draws):
            left, halved = self._halved(draws)
            found.append(draws[~halved])
            often.append(times[~halved])
            both = np.vstack([left[halved], (draws - left)[halved]])
            draws, times = _counted(both, np.tile(times[halved], 2))
        return np.vstack(found), np.concatenate(often)

    def _halved(self, draws: IntArray) -> tuple[IntArray, BoolArray]:
        """Return one half of every draw, and whether both halves are legal."""
        chosen, halved = draws, np.zeros(len(draws), dtype=bool)
        for left in halves(draws):
            legal = ~halved & self.legal(left) & self.legal(draws - left)
            chosen = np.where(legal[:, None], left, chosen)
            halved |= legal
        return chosen, halved


def halves(draws: IntArray) -> Iterator[IntArray]:
    """Yield the larger half of every draw in two ways.

    Of the buckets with an odd number, it has one row more of every second, and then of each.
    """
    odd = draws % 2
    yield draws // 2 + odd * (np.cumsum(odd, axis=1) % 2)
    yield draws // 2 + odd


def _counted(draws: IntArray, times: IntArray) -> tuple[IntArray, IntArray]:
    """Put equal draws together."""
    if not len(draws):
        return draws, times
    equal = bucket(list(draws.T), len(draws))
    return draws[equal.first], equal.sums(times[equal.values])
