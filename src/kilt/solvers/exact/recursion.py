"""The paper's exact recursion for t-closeness, as it is proved there: a reference for tiny tables.

The cheapest partition of M is found in one of two ways: M splits into two parts of between a quarter
and three quarters of its rows, each partitioned at its best; or one group holds more than half of M,
and the rest is partitioned at its best. (The paper's text asks for the optimum of that large group;
it must be its cost as one group, or the recursion would not end.) A set of rows that is not legal has no
legal partition, so it is cut off. Works for every policy that unions keep.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.problem import Problem
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.exact.exhaustive import Exhaustive, all_groups, partition_of

INFINITE = 1 << 61


@dataclass(frozen=True)
class Recursion:
    """The paper's 2^O(n) recursion; sets of fewer than ``base`` rows are tried out (10 in the paper)."""

    base: int = 4

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables that are not tiny."""
        return Exhaustive().refuses(problem)

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:  # noqa: ARG002 - a blink
        """Find the optimum, which is its own bound."""
        rows = np.repeat(np.arange(len(problem.counts)), problem.counts)
        legal, cost = all_groups(problem, rows)
        search = _Search(legal.tolist(), cost.tolist(), self.base)
        _, groups = search.optimum((1 << len(rows)) - 1)
        partition = partition_of(problem, rows, groups)
        observer(Progress("solving", 1.0, problem.stars(partition.cost), problem.stars(partition.cost)))
        return Solution(partition, Bound(partition.cost))


class _Search:
    """The recursion over bit masks, each solved once."""

    def __init__(self, legal: list[bool], cost: list[int], base: int) -> None:
        self.legal, self.cost, self.base = legal, cost, base
        self.known: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}

    def optimum(self, rows: int) -> tuple[int, tuple[int, ...]]:
        """Return the least cost of a partition of these rows, and its groups."""
        if rows not in self.known:
            self.known[rows] = self._solve(rows) if self.legal[rows] else (INFINITE, ())
        return self.known[rows]

    def _solve(self, rows: int) -> tuple[int, tuple[int, ...]]:
        members = [1 << i for i in range(rows.bit_length()) if rows >> i & 1]
        size = len(members)
        best: tuple[int, tuple[int, ...]] = (self.cost[rows], (rows,))
        for count in range(1, size):
            for chosen in combinations(members, count):
                part = sum(chosen)
                large = 2 * count > size or size < self.base
                if large and self.legal[part]:
                    rest, groups = self.optimum(rows ^ part)
                    best = min(best, (self.cost[part] + rest, (part, *groups)))
                if size >= self.base and size <= 4 * count <= 3 * size:
                    (first, ours), (second, theirs) = self.optimum(part), self.optimum(rows ^ part)
                    best = min(best, (first + second, (*ours, *theirs)))
        return best
