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
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kilt.model.problem import Problem
from kilt.patterns.pool import Pool, every_pattern, too_many_patterns
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.approximation.disjoint_cover import DisjointCover, harmonic
from kilt.solvers.base import Solution

MAX_ROWS = 500_000  # sets hold single rows


@dataclass(frozen=True)
class Cover:
    """Within a factor that grows with the logarithm of k, under k alone."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse anything but k-anonymity, and tables whose patterns are too many to list."""
        if not problem.rules.is_k_anonymity:
            return "it takes k-anonymity alone"
        if problem.rows > MAX_ROWS:
            return f"it takes up to {MAX_ROWS:,} rows"
        return too_many_patterns(problem)

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Cover all rows; when stopped, those that are left join other groups, and nothing is guaranteed."""
        sets = DisjointCover(problem)
        pool = every_pattern(problem, stop)
        if pool is not None:
            _cover(problem, pool, sets, stop, observer)
        proved = not sets.left.any() and not problem.base_cost  # the proof does not tell the base from the rest
        return Solution(sets.partition(), factor=factor(problem.rules.min_group_size) if proved else None)


def factor(k: int) -> Fraction:
    """Return how many times the optimum a cover costs at most, when its sets are made disjoint."""
    return Fraction(2 * k - 1, k) * harmonic(2 * k - 1)


def _cover(problem: Problem, pool: Pool, sets: DisjointCover, stop: StoppingRule, observer: Observer) -> None:
    """Add the set that costs least for each new row, again and again; what a pattern offers only gets worse."""
    k = problem.rules.min_group_size
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
