"""Subsets: the optimum of a small table under any policy, by dynamic programming over sets of its rows.

The cheapest partition of a set of rows is the cheapest choice of a legal group that holds its first
row, plus the cheapest partition of the others. Where rows repeat, the sets are multisets of row types,
which are fewer. ``docs/solvers/subsets.md`` has the argument for every pruning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kilt.arrays.bits import byte_weights, packed
from kilt.certificates.proof.evidence import Bound
from kilt.kernels.exact.subsets import GroupCosts, MultisetPartitions, SetPartitions
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.greedy.solver import Greedy

MAX_STATES = 1 << 26  # about 2 GB
BLOCK = 1 << 22  # numbers that are held at a time


@dataclass(frozen=True)
class Subsets:
    """Exact under any policy, for tables of up to about 24 different rows."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables whose sets of rows do not fit in memory."""
        states = _states(problem)
        if states > MAX_STATES:
            most = MAX_STATES.bit_length() - 1
            n_row_types, rows = len(problem.counts), problem.rows
            if rows == n_row_types:
                return f"it takes up to {most} different rows, and this table has {n_row_types:,}"
            found = f"{n_row_types:,}, {rows:,} in all"
            return f"it takes up to {most} different rows, fewer if they repeat; this table has {found}"
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Find the optimum, which is its own bound; when stopped before, return the greedy partition."""
        lattice = Lattice.of(problem.presolved)
        for done in lattice.fill():
            if stop():
                return Greedy().solve(problem, StoppingRule(), observer)
            observer(Progress("solving", done))
        partition = lattice.partition()
        observer(Progress("solving", 1.0, problem.stars(partition.cost), problem.stars(partition.cost)))
        return Solution(partition, Bound(partition.cost))


def _states(problem: Problem) -> int:
    states = 1
    for count in problem.counts.tolist():
        states *= count + 1
        if states > MAX_STATES:
            break
    return states


@dataclass
class Lattice:
    """All sub-multisets of the row types: which are legal groups, what they cost, and their cheapest partitions."""

    problem: Problem
    strides: IntArray
    legal: BoolArray
    cost: IntArray
    smallest: int = 0
    partitions: SetPartitions | MultisetPartitions = field(init=False)

    @classmethod
    def of(cls, problem: Problem) -> Lattice:
        """Make room for all sets."""
        strides = _strides(problem.counts + 1)
        size = int(strides[-1] * (problem.counts[-1] + 1))
        return cls(problem, strides, np.zeros(size, dtype=bool), np.zeros(size, dtype=np.int64))

    def fill(self) -> Iterator[float]:
        """Decide about every set as a group, count its cost, and then find its cheapest partition from small to large.

        Yield how much of the last is done.
        """
        yield from self._decide()
        yield from self._count()
        if (self.problem.counts == 1).all():
            self.partitions = SetPartitions(self.legal, self.cost, self.smallest)
        else:
            counts, strides = self.problem.counts, self.strides
            self.partitions = MultisetPartitions(self.legal, self.cost, self.smallest, counts, strides)
        for begin, end in self._blocks():
            self.partitions.fill(begin, end)
            yield end / len(self.cost)

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Divide the sets, but for the empty one, into blocks from small to large."""
        size, step = len(self.cost), max(1, len(self.cost) // 4096)
        return ((begin, min(begin + step, size)) for begin in range(1, size, step))

    def _decide(self) -> Iterator[float]:
        """Decide which sets are legal groups, by their rows of each sensitive class, and the size of the smallest."""
        problem, radix = self.problem, self.problem.sensitive_totals + 1
        strides = _strides(radix)
        vectors, step = int(strides[-1] * radix[-1]), max(1, BLOCK // len(radix))
        legal, self.smallest = np.zeros(vectors, dtype=bool), problem.rows
        for start in range(0, vectors, step):
            by_class = np.arange(start, min(start + step, vectors))[:, None] // strides % radix
            rows = by_class.sum(axis=1)
            met = problem.is_legal(by_class) & (rows > 0)
            legal[start : start + step] = met
            self.smallest = min(self.smallest, int(rows[met].min(initial=problem.rows)))
            yield 0.0
        self.legal = legal[_expanded(strides[problem.sensitive_class], problem.counts, len(self.legal))]

    def _count(self) -> Iterator[float]:
        """Count what every set costs as one group."""
        counts, n_row_types = self.problem.counts, len(self.problem.counts)
        differs, step_costs = _steps(self.problem)
        words = packed(differs.reshape(n_row_types * n_row_types, -1)).reshape(n_row_types, n_row_types, -1)
        weights = np.concatenate([byte_weights(costs) for costs in step_costs])
        costs = GroupCosts(counts, words, weights, self.problem.base)
        for begin, end in self._blocks():
            costs.fill(begin, end, self.cost)
            yield 0.0

    def partition(self) -> Partition:
        """Read the cheapest partition of the whole table off the choices."""
        rest, entries = len(self.cost) - 1, []
        while rest:
            group = int(self.partitions.choice[rest])
            rest -= group
            digits = group // self.strides % (self.problem.counts + 1)
            entries.append(digits)
        table = np.array(entries)
        groups, types = np.nonzero(table)
        return Partition.of(self.problem, types, groups, table[groups, types])


def _strides(radix: IntArray) -> IntArray:
    """Return the place value of each digit in mixed radix."""
    return np.concatenate([[1], np.cumprod(radix[:-1])]).astype(np.int64)


def _expanded(values: IntArray, counts: IntArray, size: int) -> IntArray:
    """Add up the values of the row types in every multiset."""
    result = np.zeros(size, dtype=np.int64)
    filled = 1
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        for copies in range(1, count + 1):
            result[copies * filled : (copies + 1) * filled] = result[:filled] + copies * value
        filled *= count + 1
    return result


def _steps(problem: Problem) -> tuple[BoolArray, IntArray]:
    """Return which steps up the ladders two row types make a group take, as they differ below, and what each costs."""
    n_row_types = len(problem.counts)
    differs, costs = [np.zeros((0, n_row_types, n_row_types), dtype=bool)], [np.zeros((0, n_row_types), dtype=np.int64)]
    for index, column in enumerate(problem.columns):
        for level in range(len(column.levels) - 1):
            shown = column.levels[level][problem.codes[:, index]]
            differs.append((shown[:, None] != shown)[None])
            costs.append((problem.costs_at(index, level + 1) - problem.costs_at(index, level))[None])
    return np.moveaxis(np.concatenate(differs), 0, -1), np.concatenate(costs).T
