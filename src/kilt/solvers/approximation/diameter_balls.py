"""Balls in place of all sets (after Meyerson and Williams 2004): their greedy cover, polynomial for every k.

A set lies in the *ball* around any of its rows whose radius is its diameter: all rows within this radius. And a set in
a ball has at most twice the radius as its diameter. So of each ball the nearest 2k-1 rows that are in no set yet are
tried, which is at most twice as dear as the best of all sets, and there are few balls. (The original takes whole balls,
and its factor grows with the number of columns instead.)
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kilt.kernels.common.nearest import Distances
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.approximation.disjoint_cover import DisjointCover, harmonic
from kilt.solvers.base import Solution
from kilt.solvers.common.stacked_ladders import stacked


@dataclass(frozen=True)
class Params:
    """Limits on memory."""

    max_rows: int = 500_000  # sets hold single rows
    max_row_types: int = 100_000  # each counts the rows at every distance
    max_distance: int = 1_000


PARAMS = Params()


@dataclass(frozen=True)
class DiameterBalls:
    """Within a factor that grows with k times its logarithm, under k alone, for large tables."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse anything but k-anonymity, and what would take too much memory."""
        if not problem.rules.is_k_anonymity:
            return "it takes k-anonymity alone"
        if problem.rows > PARAMS.max_rows or len(problem.counts) > PARAMS.max_row_types:
            return f"it takes up to {PARAMS.max_rows:,} rows, and up to {PARAMS.max_row_types:,} different ones"
        return (
            None
            if problem.highest_cost <= PARAMS.max_distance
            else "its ladders and weights have too many different costs"
        )

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Cover all rows; when stopped, those that are left join other groups, and nothing is guaranteed."""
        sets, balls = DisjointCover(problem), Balls(problem)
        if balls.count(stop):
            _cover(balls, sets, stop, observer)
        proved = not sets.left.any() and not problem.base_cost  # the proof does not tell the base from the rest
        return Solution(sets.partition(), factor=factor(problem.rules.min_group_size) if proved else None)


def factor(k: int) -> Fraction:
    """Return how many times the optimum a cover by balls costs at most, when its sets are made disjoint."""
    return max(Fraction(1), Fraction((2 * k - 1) * (2 * k - 2), k) * 2 * harmonic(2 * k - 1))


@dataclass
class Balls:
    """For every row type, how many rows that are in no set yet there are at every distance."""

    problem: Problem
    rows_at: IntArray = field(init=False)
    least: IntArray = field(init=False)
    distances: Distances = field(init=False)

    def __post_init__(self) -> None:
        self.rows_at = np.zeros((len(self.problem.counts), self.problem.highest_cost + 1), dtype=np.int64)
        self.distances = Distances(self.problem.codes, stacked(self.problem))

    def count(self, stop: StoppingRule) -> bool:
        """Count all rows, and note the least radius with k of them; say whether it was finished."""
        for row_type, copies in enumerate(self.problem.counts.tolist()):
            if stop():
                return False
            self.add(row_type, copies)
        self.least = np.argmax(np.cumsum(self.rows_at, axis=1) >= self.problem.rules.min_group_size, axis=1)
        return True

    def add(self, row_type: int, copies: int) -> None:
        """Count copies of a row type, or take them out if negative."""
        self.distances.count_within(self.rows_at, row_type, copies)

    def best(self, center: int) -> tuple[float, int]:
        """Return the best ball around a row type: its radius for each row that is in no set, and its radius.

        These ratios of small integers are in the right order as floats.
        """
        most = 2 * self.problem.rules.min_group_size - 1
        radii = np.arange(self.least[center], self.rows_at.shape[1])
        new = np.minimum(np.cumsum(self.rows_at[center])[radii], most)
        ratio = np.where(new > 0, radii / np.maximum(new, 1), np.inf)
        chosen = int(np.argmin(ratio))
        return float(ratio[chosen]), int(radii[chosen])

    def rows(self, center: int, radius: int) -> IntArray:
        """Return the row types in a ball, the nearest first."""
        distance = self.distances.of(center)
        inside = np.flatnonzero(distance <= radius)
        return inside[np.argsort(distance[inside], kind="stable")]


def _cover(balls: Balls, sets: DisjointCover, stop: StoppingRule, observer: Observer) -> None:
    """Add the set that is smallest for each new row, again and again; what a ball offers only gets worse."""
    k, rows = balls.problem.rules.min_group_size, balls.problem.rows
    heap = [(*balls.best(center), center) for center in range(len(balls.rows_at))]
    heapq.heapify(heap)
    while heap and not stop():
        *before, center = heapq.heappop(heap)
        ratio, radius = balls.best(center)
        if ratio == np.inf:
            continue
        if [ratio, radius] == before:
            inside = balls.rows(center, radius)
            left = sets.left[inside]
            sets.add(inside, k, 2 * k - 1)
            for index in np.flatnonzero(sets.left[inside] != left).tolist():
                balls.add(int(inside[index]), int(sets.left[inside[index]] - left[index]))
            observer(Progress("solving", 1 - int(sets.left.sum()) / rows))
        heapq.heappush(heap, (ratio, radius, center))
