"""Merging groups until the release as a whole is accepted: how solvers that look at single groups meet average t.

The union of legal groups is legal, merging never adds information, and all rows in one group tell nothing. So merging
leads to a release that is accepted, whatever it starts from. In every round, groups that look the same one level up in
some column may merge or, if groups are few, any two of them. The unions that take the most information away for a star
come first, and no more are made than needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kilt.arrays.ragged import Ragged, bucket
from kilt.model.partition import Partition, pattern_ids
from kilt.model.patterns import costs_of
from kilt.model.problem import Problem
from kilt.numbers import FloatArray, IntArray
from kilt.run.stopping import never

MAX_PAIRED = 200  # groups of which all pairs are looked at
MAX_BITS = Fraction(64)  # more than any table tells: counts have no more
SHARE, PAIRED_SHARE = 0.2, 0.1  # of the unions that are possible in a round: then others may be better


def merge_until_accepted(problem: Problem, partition: Partition, is_over: Callable[[], bool] = never) -> Partition:
    """Return a partition that the rules on the release accept: this one, or one with some of its groups merged.

    When the time is over, all unions of a round are made at once.
    """
    floor = np.zeros(len(problem.columns), dtype=np.int16)
    while not problem.rules.accepts(partition.as_groups(problem)):
        merging = Merging.of(problem, partition)
        unions = merging.best_unions(floor, in_a_hurry=is_over())
        if len(unions):
            partition = merging.merged(unions)
        else:
            floor = _raised(problem, partition, floor)
    return partition


def told_by(problem: Problem, by_class: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return for groups and rules on the release what each group adds to the information, and the most in all.

    That is the sum of c ln c less N ln N, which is n times the information in nats up to a number of the table. The
    most has some room for rounding.
    """
    columns = [rule.column for rule in problem.rules.on_release]
    counts, table = problem.groups(by_class).counts, problem.groups(problem.sensitive_totals[None, :]).counts
    told = np.column_stack([_told(counts[column]) for column in columns])
    of_table = np.array([_told(table[column])[0] for column in columns])
    bits = np.array([float(min(rule.t, MAX_BITS)) for rule in problem.rules.on_release])
    allowed = bits * problem.rows * math.log(2)
    return told, allowed + of_table + 1e-9 * (1 + np.abs(of_table))


def _told(counts: IntArray) -> FloatArray:
    sizes = counts.sum(axis=1)
    return np.asarray((counts * np.log(np.maximum(counts, 1))).sum(axis=1) - sizes * np.log(np.maximum(sizes, 1)))


@dataclass(frozen=True)
class Merging:
    """The groups of a partition, and what each of them tells."""

    problem: Problem
    partition: Partition
    by_class: IntArray
    told: FloatArray
    open_: IntArray

    @classmethod
    def of(cls, problem: Problem, partition: Partition) -> Merging:
        """Find out which rules are not met, and what every group tells of their columns."""
        by_class = partition.by_class(problem)
        release = problem.groups(by_class)
        open_ = [place for place, rule in enumerate(problem.rules.on_release) if not rule.meets(release)]
        return cls(problem, partition, by_class, told_by(problem, by_class)[0], np.array(open_))

    def best_unions(self, floor: IntArray, *, in_a_hurry: bool = False) -> Ragged:
        """Return disjoint lists of groups to merge, the best first."""
        are_few = len(self.partition) <= MAX_PAIRED and not in_a_hurry
        found = [self._pairs()] if are_few else [self._alike(levels) for levels in self._one_level_up(floor)]
        unions, gain = Ragged.joined([lists for lists, _ in found]), np.concatenate([gains for _, gains in found])
        taken = np.zeros(len(self.partition), dtype=bool)
        chosen = []
        for union in np.argsort(-gain, kind="stable").tolist():
            groups = unions.values[unions.starts[union] : unions.starts[union + 1]]
            if not taken[groups].any():
                taken[groups] = True
                chosen.append(union)
        most = math.ceil((PAIRED_SHARE if are_few else 1 if in_a_hurry else SHARE) * len(chosen))
        return unions.picked(np.array(chosen[:most], dtype=np.int64))

    def merged(self, unions: Ragged) -> Partition:
        """Merge as many of the unions as are needed, or all of them if that is not enough."""
        low, high = 0, len(unions)
        while low + 1 < high:
            middle = (low + high) // 2
            if self._is_enough(self._labels(unions, middle)):
                high = middle
            else:
                low = middle
        of_group = self._labels(unions, high)
        partition = self.partition
        return Partition.of(self.problem, partition.types, of_group[partition.groups], partition.counts)

    def _one_level_up(self, floor: IntArray) -> Iterator[IntArray]:
        """Yield the levels of the groups, none below the floor; then with the floor raised in one column each."""
        levels = np.maximum(self.partition.levels, floor)
        yield levels
        for index, column in enumerate(self.problem.columns):
            if floor[index] + 1 < len(column.levels):
                raised = levels.copy()
                raised[:, index] = np.maximum(levels[:, index], floor[index] + 1)
                yield raised

    def _alike(self, levels: IntArray) -> tuple[Ragged, FloatArray]:
        """Return the groups that look the same at these levels, and what their unions gain."""
        ids = pattern_ids(self.problem, self.partition.representatives, levels)
        alike = bucket([ids], len(ids))
        alike = alike.kept(alike.lengths > 1)
        representatives = self.partition.representatives[alike.first]
        return alike, self._gains(alike, costs_of(self.problem, representatives, levels[alike.first]))

    def _pairs(self) -> tuple[Ragged, FloatArray]:
        """Return all pairs of groups, and what their unions gain."""
        first, second = np.triu_indices(len(self.partition), 1)
        cost = np.zeros(len(first), dtype=np.int64)
        for index, column in enumerate(self.problem.columns):
            own, codes = self.partition.levels[:, index], self.problem.codes[self.partition.representatives, index]
            lowest = np.maximum(own[first], own[second])
            found = np.full(len(first), len(column.levels) - 1)
            for level in range(len(column.levels) - 2, -1, -1):
                shown = column.levels[level][codes]
                found[(shown[first] == shown[second]) & (lowest <= level)] = level
            cost += self.problem.costs[index][found, codes[first]]
        pairs = Ragged.of_lengths(np.column_stack([first, second]).ravel(), np.full(len(first), 2))
        return pairs, self._gains(pairs, cost)

    def _gains(self, unions: Ragged, cost: IntArray) -> FloatArray:
        """Return how much information each union takes away for a star, if a row of it has this cost."""
        if not len(unions):
            return np.zeros(0)
        by_class = np.add.reduceat(self.by_class[unions.values], unions.starts[:-1], axis=0)
        told = np.add.reduceat(self.told[unions.values], unions.starts[:-1], axis=0)
        sizes = self.by_class.sum(axis=1)
        paid = unions.sums((sizes * self.partition.row_costs(self.problem))[unions.values])
        extra = by_class.sum(axis=1) * cost - paid
        return np.asarray((told - told_by(self.problem, by_class)[0])[:, self.open_].sum(axis=1) / np.maximum(1, extra))

    def _labels(self, unions: Ragged, number: int) -> IntArray:
        """Return for every group the group that it is in after so many unions."""
        labels = np.arange(len(self.partition))
        entries = slice(0, int(unions.starts[number]))
        labels[unions.values[entries]] = unions.first[unions.owner[entries]]
        return labels

    def _is_enough(self, labels: IntArray) -> bool:
        by_class = np.zeros_like(self.by_class)
        np.add.at(by_class, labels, self.by_class)
        return self.problem.rules.accepts(self.problem.groups(by_class[by_class.any(axis=1)]))


def _raised(problem: Problem, partition: Partition, floor: IntArray) -> IntArray:
    """Raise the floor in the column in which that costs least."""
    possible = [j for j, column in enumerate(problem.columns) if floor[j] + 1 < len(column.levels)]
    sizes, codes = partition.sizes(), problem.codes[partition.representatives]

    def cost(j: int) -> int:
        levels = np.maximum(partition.levels[:, j], floor[j] + 1)
        costs = problem.costs[j]
        return int(sizes @ (costs[levels, codes[:, j]] - costs[partition.levels[:, j], codes[:, j]]))

    raised = floor.copy()
    raised[min(possible, key=cost)] += 1
    return raised
