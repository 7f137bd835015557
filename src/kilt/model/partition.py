"""A partition: how many copies of each row type go into which group."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.model.patterns import Levels, buckets, costs_of, look_levels, tightest
from kilt.model.problem import Problem
from kilt.model.rules import Groups
from kilt.numbers import IntArray


@dataclass(frozen=True)
class Partition:
    """Entry i puts ``counts[i]`` copies of row type ``types[i]`` into group ``groups[i]``.

    Canonical: entries are sorted by group, then type, and each pair occurs once; no two groups
    share a pattern (a union of legal groups is legal, and costs the same); ``levels[g]`` is the
    tightest pattern of group g; groups are in the order of their first row type.

    Only a full-domain partition shows less than the tightest patterns: ``levels[g]`` may be above them there.
    """

    types: IntArray
    groups: IntArray
    counts: IntArray
    levels: IntArray
    cost: int

    @classmethod
    def of(cls, problem: Problem, types: IntArray, groups: IntArray, counts: IntArray) -> Partition:
        """Bring any list of entries into the canonical form."""
        types, groups, counts = _merged(types, groups, counts)
        first = _starts(groups)
        levels = tightest(problem, types, first)
        patterns = pattern_ids(problem, types[first[:-1]], levels)
        merged = np.repeat(patterns, np.diff(first))
        types, groups, counts = _merged(types, _by_first_type(types, merged), counts)
        first = _starts(groups)
        levels = tightest(problem, types, first)
        sizes = np.add.reduceat(counts, first[:-1])
        return cls(types, groups, counts, levels, int(sizes @ costs_of(problem, types[first[:-1]], levels)))

    @classmethod
    def full_domain(cls, problem: Problem, vector: Levels) -> Partition:
        """Show all rows at one level for each column, also where a group could show more."""
        every = np.arange(len(problem.counts))
        tight = cls.of(problem, every, buckets(problem, vector, every).ids(), problem.counts)
        levels = np.maximum(tight.levels, look_levels(problem, vector, tight.representatives))
        shown = replace(tight, levels=levels)
        return replace(shown, cost=int(shown.sizes() @ shown.row_costs(problem)))

    def tightened(self, problem: Problem) -> Partition:
        """Show every group under its tightest pattern."""
        return Partition.of(problem, self.types, self.groups, self.counts)

    def expanded(self, type_of: IntArray | None, counts: IntArray) -> Partition:
        """Return the partition of the row types that were counted, of which some are one in the problem.

        ``type_of`` says which (None if none are), and ``counts`` how many copies they have.
        """
        if type_of is None:
            return self
        copies = np.argsort(self.types, kind="stable")  # the copies of a row type, one group after the other
        groups = np.repeat(self.groups[copies], self.counts[copies])
        counted = np.argsort(type_of, kind="stable")
        types, groups, counts = _merged(np.repeat(counted, counts[counted]), groups, np.ones(len(groups), np.int64))
        return replace(self, types=types, groups=groups, counts=counts)

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def starts(self) -> IntArray:
        """Where the entries of each group start."""
        return _starts(self.groups)

    @property
    def representatives(self) -> IntArray:
        """The first row type of every group."""
        return self.types[self.starts[:-1]]

    def row_costs(self, problem: Problem) -> IntArray:
        """Return what a row of every group pays, in units."""
        return costs_of(problem, self.representatives, self.levels)

    def sizes(self) -> IntArray:
        """Return the number of rows of every group."""
        return np.asarray(np.add.reduceat(self.counts, self.starts[:-1]))

    def by_class(self, problem: Problem) -> IntArray:
        """Return for every group the number of rows of each sensitive class."""
        table = np.zeros((len(self), len(problem.sensitive_totals)), dtype=np.int64)
        np.add.at(table, (self.groups, problem.sensitive_class[self.types]), self.counts)
        return table

    def as_groups(self, problem: Problem) -> Groups:
        """Return the groups as the rules see them."""
        return problem.groups(self.by_class(problem))


def _merged(types: IntArray, groups: IntArray, counts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Sort entries by group and type and add up equal pairs."""
    pairs = bucket([groups, types], len(types))
    first = pairs.first
    return types[first], groups[first], pairs.sums(counts[pairs.values])


def _starts(groups: IntArray) -> IntArray:
    return np.concatenate([[0], np.flatnonzero(np.diff(groups)) + 1, [len(groups)]])


def pattern_ids(problem: Problem, representative: IntArray, levels: IntArray) -> IntArray:
    """Number patterns, given by levels and a row type that they cover: equal ones have the same number."""
    columns: list[IntArray] = []
    for index, column in enumerate(problem.columns):
        stacked = np.zeros((len(column.levels), int(problem.codes[:, index].max(initial=0)) + 1), dtype=np.int64)
        for level, codes in enumerate(column.levels):
            stacked[level] = codes[: stacked.shape[1]]
        columns += [
            levels[:, index].astype(np.int64),
            stacked[levels[:, index], problem.codes[representative, index]],
        ]
    return bucket(columns, len(representative)).ids()


def _by_first_type(types: IntArray, groups: IntArray) -> IntArray:
    """Renumber groups in the order of their smallest row type (and then of their old number)."""
    smallest = np.full(int(groups.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(smallest, groups, types)
    rank = np.empty_like(smallest)
    rank[np.argsort(smallest, kind="stable")] = np.arange(len(smallest))
    return rank[groups]
