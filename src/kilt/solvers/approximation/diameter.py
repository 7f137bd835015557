"""Diameter (Meyerson and Williams 2004): sets of nearby rows cover the table, and are then made disjoint.

The *diameter* of a set is the largest distance of two of its rows. A row pays at least the diameter of its group, and
at most as many times that as the group has other rows. So a partition with a small sum of diameters is cheap. A greedy
cover takes, of all sets of k to 2k-1 rows, the one with the smallest diameter for each row that is not covered yet.
This is polynomial for a fixed k only, and meant for small tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations

import numpy as np

from kilt.kernels.common.nearest import Distances
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.approximation.disjoint_cover import DisjointCover, harmonic
from kilt.solvers.base import Solution
from kilt.solvers.common.stacked_ladders import stacked

MAX_ROWS = 1_000
MAX_SETS = 1_000_000


@dataclass(frozen=True)
class Diameter:
    """Within a factor that grows with k times its logarithm, under k alone, for small tables."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse anything but k-anonymity, and tables with too many sets."""
        if not problem.rules.is_k_anonymity:
            return "it takes k-anonymity alone"
        if problem.rows <= MAX_ROWS and number_of_sets(problem.rows, problem.rules.min_group_size) <= MAX_SETS:
            return None
        return f"it takes up to {MAX_ROWS:,} rows, and up to {MAX_SETS:,} sets of k to 2k-1 of them"

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Cover all rows; when stopped, those that are left join other groups, and nothing is guaranteed."""
        cover = DisjointCover(problem)
        if not stop():
            _cover(cover, AllSets.of(problem), stop, observer)
        proved = not cover.left.any() and not problem.base_cost  # the proof does not tell the base from the rest
        return Solution(cover.partition(), factor=factor(problem.rules.min_group_size) if proved else None)


def factor(k: int) -> Fraction:
    """Return how many times the optimum a cover by all sets costs at most, when its sets are made disjoint."""
    return max(Fraction(1), Fraction((2 * k - 1) * (2 * k - 2), k) * harmonic(2 * k - 1))


def number_of_sets(rows: int, k: int) -> float:
    """Return how many sets of k to 2k-1 rows there are, or infinity if they are far too many to count."""
    if min(k, rows - k) > math.log2(MAX_SETS) + 1:
        return math.inf
    return sum(math.comb(rows, size) for size in range(k, min(2 * k - 1, rows) + 1))


@dataclass(frozen=True)
class AllSets:
    """All sets of k to 2k-1 rows, by diameter; a place that a set does not need has the number of no row."""

    rows: IntArray
    diameters: IntArray

    @classmethod
    def of(cls, problem: Problem) -> AllSets:
        """List the sets of a table, small ones first where diameters are equal."""
        k, n = problem.rules.min_group_size, problem.rows
        most = min(2 * k - 1, n)
        distance = row_distances(problem)
        rows, diameters = [], []
        for size in range(k, most + 1):
            flat = chain.from_iterable(combinations(range(n), size))
            sets = np.fromiter(flat, dtype=np.int32, count=math.comb(n, size) * size).reshape(-1, size)
            rows.append(np.pad(sets, ((0, 0), (0, most - size)), constant_values=n))
            diameters.append(_diameters(sets, distance))
        every, diameter = np.concatenate(rows), np.concatenate(diameters)
        order = np.argsort(diameter, kind="stable")
        return cls(every[order], diameter[order])

    def best(self, uncovered: IntArray) -> IntArray:
        """Return the set with the smallest diameter for each uncovered row; of equal ones the one with the most."""
        new = uncovered[self.rows].sum(axis=1)
        firsts = [int(np.argmax(new == number)) for number in np.unique(new[new > 0])[::-1]]
        found = self.rows[min(firsts, key=lambda i: Fraction(int(self.diameters[i]), int(new[i])))]
        return np.asarray(found[found < len(uncovered) - 1])


def row_distances(problem: Problem) -> IntArray:
    """Return the distance of every two rows: what it costs to show them alike."""
    distances = Distances(problem.codes, stacked(problem))
    between = np.array([np.asarray(distances.of(u)) for u in range(len(problem.counts))])
    types = np.repeat(np.arange(len(problem.counts)), problem.counts)
    return np.asarray(between[np.ix_(types, types)])


def _diameters(sets: IntArray, distance: IntArray) -> IntArray:
    diameters = np.zeros(len(sets), dtype=np.int64)
    for a, b in combinations(range(sets.shape[1]), 2):
        np.maximum(diameters, distance[sets[:, a], sets[:, b]], out=diameters)
    return diameters


def _cover(cover: DisjointCover, sets: AllSets, stop: StoppingRule, observer: Observer) -> None:
    """Add the set that is smallest for each new row, again and again."""
    uncovered = np.ones(cover.problem.rows + 1, dtype=np.int64)
    uncovered[-1] = 0  # the number of no row
    while uncovered.any() and not stop():
        chosen = sets.best(uncovered)
        cover.add_rows(chosen.tolist())
        uncovered[chosen] = 0
        observer(Progress("solving", 1 - int(uncovered.sum()) / cover.problem.rows))
