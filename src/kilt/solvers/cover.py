"""Cover (after Park and Shim 2007): the cheapest groups for each row that they cover first, then groups that overlap.

A legal group splits into groups of k to 2k-1 rows without more stars, so an optimum is a cover of the rows by such
*sets*. The greedy cover takes the set that costs least for each row that is not covered yet. What it costs is at most
1 + 1/2 + ... + 1/(2k-1) times the optimum. The best set under a pattern takes as many uncovered rows as it can, so that
patterns need to be looked at, and not sets: this is polynomial for every k (in the original it is not).

Where two sets share a row, the larger one gives it up; if both have k rows, they become one. The pattern of two sets
that share a row costs at most what theirs cost together, and no set grows beyond 2k-1 rows, so that all in all the cost
grows by less than a factor (2k-1)/k.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kilt.numbers import IntArray
from kilt.observe import Observer, Progress
from kilt.partition import Partition
from kilt.pool import Pool, too_many_patterns
from kilt.problem import Problem
from kilt.solvers.base import Solution
from kilt.solvers.rest import place_rest
from kilt.stop import Stop

MOST_ROWS = 500_000
NOBODY = -1


@dataclass(frozen=True)
class Cover:
    """Within a factor that grows with the logarithm of k, under k alone."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse anything but k-anonymity, and tables whose patterns are too many to list."""
        if not problem.rules.size_alone:
            return "it takes k-anonymity alone"
        if problem.rows > MOST_ROWS:
            return f"it takes up to {MOST_ROWS:,} rows"
        return too_many_patterns(problem)

    def solve(self, problem: Problem, stop: Stop, observer: Observer) -> Solution:
        """Cover all rows; when told to stop, those that are left join other groups, and nothing is guaranteed."""
        sets = Sets(problem)
        _cover(problem, Pool.of(problem), sets, stop, observer)
        complete = not sets.left.any()
        return Solution(sets.partition(), factor=factor(problem.rules.least_size) if complete else None)


def factor(k: int) -> Fraction:
    """Return how many times the optimum a cover costs at most, when its sets are made disjoint."""
    return Fraction(2 * k - 1, k) * sum(Fraction(1, size) for size in range(1, 2 * k))


@dataclass
class Sets:
    """Disjoint sets of rows. Rows of a row type have numbers in a row; ``left`` says how many of them are in no set."""

    problem: Problem
    first: IntArray = field(init=False)
    owner: IntArray = field(init=False)
    left: IntArray = field(init=False)
    members: list[set[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.first = np.concatenate([[0], np.cumsum(self.problem.counts)])
        self.owner = np.full(self.problem.rows, NOBODY)
        self.left = self.problem.counts.copy()

    def add(self, types: IntArray, fewest: int, most: int) -> None:
        """Add a set of rows of these types: of those in no set up to the most, and if they are too few, of others."""
        uncovered = self._rows(types, self.left[types], most, covered=False)
        missing = max(0, fewest - len(uncovered))
        covered = self._rows(types, self.problem.counts[types] - self.left[types], missing, covered=True)
        self.members.append({*uncovered, *covered})
        new = len(self.members) - 1
        for row in uncovered:
            self.owner[row] = new
            self.left[np.searchsorted(self.first, row, "right") - 1] -= 1
        for row in covered:
            self._share(row, new)

    def _rows(self, types: IntArray, available: IntArray, most: int, *, covered: bool) -> list[int]:
        """Return up to so many rows of these types that are in a set, or in none."""
        found: list[int] = []
        for kind in types[available > 0].tolist():
            if len(found) >= most:
                break
            rows = np.arange(self.first[kind], self.first[kind + 1])
            found += rows[(self.owner[rows] != NOBODY) == covered][: most - len(found)].tolist()
        return found

    def _share(self, row: int, new: int) -> None:
        """Make the new set disjoint from that of a row of it: the larger one gives it up, or they become one."""
        k, other = self.problem.rules.least_size, int(self.owner[row])
        if other == new:
            return
        if len(self.members[other]) > k:
            self.members[other].remove(row)
            self.owner[row] = new
        elif len(self.members[new]) > k:
            self.members[new].remove(row)
        else:
            self.owner[list(self.members[other])] = new
            self.members[new] |= self.members[other]
            self.members[other] = set()

    def partition(self) -> Partition:
        """Return the sets as groups; rows that are in no set join them."""
        kinds = np.repeat(np.arange(len(self.left)), self.problem.counts)
        taken = self.owner != NOBODY
        ones = np.ones(int(taken.sum()), dtype=np.int64)
        return place_rest(self.problem, kinds[taken], self.owner[taken], ones, self.left)


def _cover(problem: Problem, pool: Pool, sets: Sets, stop: Stop, observer: Observer) -> None:
    """Add the set that costs least for each new row, again and again; what a pattern offers only gets worse."""
    k = problem.rules.least_size
    whole = math.lcm(*range(1, 2 * k))
    each = [0, *(max(k, rows) * whole // rows for rows in range(1, 2 * k))]  # rows to pay for, for each new row
    cost, starts = pool.cost.tolist(), pool.starts.tolist()
    new = np.minimum(np.add.reduceat(problem.counts[pool.types], pool.starts[:-1]), 2 * k - 1).tolist()
    heap = [(cost[p] * each[new[p]], p) for p in range(len(pool))]
    heapq.heapify(heap)
    while heap and not stop():
        before, p = heapq.heappop(heap)
        types = pool.types[starts[p] : starts[p + 1]]
        rows = min(int(sets.left[types].sum()), 2 * k - 1)
        if rows == 0:
            continue
        now = cost[p] * each[rows]
        if now == before:
            sets.add(types, k, 2 * k - 1)
            observer(Progress("solving", 1 - int(sets.left.sum()) / problem.rows))
        heapq.heappush(heap, (now, p))
