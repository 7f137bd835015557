"""The paper's exact recursion for t-closeness, as it is proved there: a reference for small tables.

The cheapest partition of M is found in one of two ways: M splits into two parts of between a quarter
and three quarters of its rows, each partitioned at its best; or one group holds more than half of M,
and the rest is partitioned at its best. (The paper's text asks for the optimum of that large group;
it must be its cost as one group, or the recursion would not end.) A set of rows that is not legal has no
legal partition, so it is cut off. Works for every policy that unions keep. ``docs/solvers/recursion.md`` has more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.exact.exhaustive import all_groups, partition_of
from kilt.solvers.greedy.solver import Greedy

INFINITE = 1 << 61
UNKNOWN = -1
MAX_ROWS = 20
MAX_ROWS_FORGETFUL = 12


@dataclass(frozen=True)
class Recursion:
    """The paper's 2^O(n) recursion; sets of fewer than ``base`` rows are tried out (10 in the paper).

    It remembers the optimum of every set of rows. The paper does not say so; without it, sets are solved again and
    again, and the tables must be smaller.
    """

    base: int = 10
    remember: bool = True

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables that are not small."""
        most = MAX_ROWS if self.remember else MAX_ROWS_FORGETFUL
        if problem.rows > most:
            return f"it takes tables of at most {most} rows, and this one has {problem.rows:,}"
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Find the optimum, which is its own bound; when stopped before, return the greedy partition."""
        rows = np.repeat(np.arange(len(problem.counts)), problem.counts)
        legal, cost = all_groups(problem, rows)
        search = _Search(legal, cost, self.base, self.remember, stop)
        partition = _found(search, problem, rows)
        if partition is None:
            return Greedy().solve(problem, StoppingRule(), observer)
        observer(Progress("solving", 1.0, problem.stars(partition.cost), problem.stars(partition.cost)))
        return Solution(partition, Bound(partition.cost))


def _found(search: _Search, problem: Problem, rows: IntArray) -> Partition | None:
    """Return the optimum, or None if the search was stopped."""
    try:
        return partition_of(problem, rows, search.groups((1 << len(rows)) - 1))
    except _StoppedError:
        return None


class _StoppedError(Exception):
    """The time is over."""


@dataclass(frozen=True)
class _Choice:
    """The least cost of a partition of a set, and how it is reached: a part, as one group or partitioned itself."""

    cost: int
    part: int
    is_group: bool


@dataclass
class _Search:
    """The recursion over bit masks: whether a set is legal, its cost as a group, and its optimum where it is known."""

    legal: BoolArray
    cost: IntArray
    base: int
    remember: bool
    stop: StoppingRule
    known: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.known = np.where(self.legal, UNKNOWN, INFINITE)
        self.known[0] = 0

    def groups(self, rows: int) -> list[int]:
        """Return the groups of the cheapest partition of a legal set."""
        if not rows:
            return []
        choice = self._choose(rows)
        part = [choice.part] if choice.is_group else self.groups(choice.part)
        return [*part, *self.groups(rows ^ choice.part)]

    def _choose(self, rows: int) -> _Choice:
        """Try both ways to divide a legal set, and the set as one group."""
        if self.stop():
            raise _StoppedError
        subsets = _subsets(rows)
        shape = _shape(len(subsets).bit_length() - 1, self.base)
        large, halves = subsets[shape.large], subsets[shape.balanced]
        large = large[self.legal[large]]
        halves = halves[self.legal[halves] & self.legal[rows ^ halves]]
        best = _Choice(int(self.cost[rows]), rows, is_group=True)
        best = _better(best, self.cost[large] + self._optima(rows ^ large), large, is_group=True)
        return _better(best, self._optima(halves) + self._optima(rows ^ halves), halves, is_group=False)

    def _optima(self, sets: IntArray) -> IntArray:
        """Return the least cost of a partition of each of these sets, which is infinite if they are not legal."""
        if not self.remember:
            return np.array([self._optimum(rows) for rows in sets.tolist()], dtype=np.int64)
        for rows in sets[self.known[sets] == UNKNOWN].tolist():
            self.known[rows] = self._optimum(rows)
        return np.asarray(self.known[sets])

    def _optimum(self, rows: int) -> int:
        known = int(self.known[rows])
        return self._choose(rows).cost if known == UNKNOWN else known


def _better(best: _Choice, costs: IntArray, parts: IntArray, *, is_group: bool) -> _Choice:
    """Return the best of a choice and of others, the first of them if they cost the same."""
    if not len(costs) or int(costs.min()) >= best.cost:
        return best
    return _Choice(int(costs.min()), int(parts[costs.argmin()]), is_group)


def _subsets(rows: int) -> IntArray:
    """Return all subsets of a set, in the order of their numbers."""
    subsets = np.zeros(1, dtype=np.int64)
    while rows:
        first = rows & -rows
        subsets = np.concatenate([subsets, subsets + first])
        rows ^= first
    return subsets


@dataclass(frozen=True)
class _Shape:
    """Which subsets of a set are its large groups, and which are parts of between a quarter and three quarters."""

    large: IntArray
    balanced: IntArray


@cache
def _shape(size: int, base: int) -> _Shape:
    """Return the places of the subsets that are tried of a set of this size; odd places are those with its first row.

    One of the two parts of a split has the first row, and so has one group of each partition of a base case.
    """
    counts = np.zeros(1, dtype=np.int64)
    for _ in range(size):
        counts = np.concatenate([counts, counts + 1])
    has_first = np.arange(1 << size) % 2 == 1
    if size < base:
        return _Shape(np.flatnonzero(has_first & (counts < size)), np.zeros(0, dtype=np.int64))
    balanced = has_first & (size <= 4 * counts) & (4 * counts <= 3 * size)
    return _Shape(np.flatnonzero((2 * counts > size) & (counts < size)), np.flatnonzero(balanced))
