"""Columns: groups that a program may select."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kilt.arrays.ragged import Ragged, bucket
from kilt.model.partition import Partition
from kilt.model.patterns import costs_of, tightest
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray


@dataclass(frozen=True)
class Columns:
    """Groups: group g has the row types in list g of ``members``, one entry per copy, and its cost."""

    members: Ragged
    cost: IntArray

    @classmethod
    def of(cls, problem: Problem, types: IntArray, sizes: IntArray) -> Columns:
        """Cost groups, given one after the other, by their tightest patterns."""
        members = Ragged.of_lengths(types, sizes)
        each = costs_of(problem, members.first, tightest(problem, types, members.starts)) if len(sizes) else sizes
        return cls(members, each * sizes)

    @classmethod
    def of_partition(cls, problem: Problem, partition: Partition) -> Columns:
        """Return the groups of a partition."""
        return cls.of(problem, np.repeat(partition.types, partition.counts), partition.sizes())

    @classmethod
    def none(cls) -> Columns:
        """Return no groups."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(Ragged.of_lengths(nothing, nothing), nothing)

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def types(self) -> IntArray:
        """The row types, group by group."""
        return self.members.values

    @property
    def starts(self) -> IntArray:
        """Where the row types of each group start."""
        return self.members.starts

    def picked(self, which: IntArray) -> Columns:
        """Return some of the groups; one may be picked more than once."""
        return Columns(self.members.picked(which), self.cost[which])

    @staticmethod
    def joined(parts: Sequence[Columns]) -> Columns:
        """Put lists of groups one after the other."""
        return Columns(Ragged.joined([part.members for part in parts]), np.concatenate([part.cost for part in parts]))

    def inside(self, counts: IntArray) -> BoolArray:
        """Mark the groups for which there are enough copies."""
        starts, types, copies = self.matrix()
        return np.asarray(np.logical_and.reduceat(copies <= counts[types], starts)) if len(self) else np.zeros(0, bool)

    def matrix(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the groups as columns of a matrix: where each starts, the row types, the number of copies."""
        pairs = bucket([self.members.owner, self.types], len(self.types))
        first = pairs.first
        starts = np.searchsorted(self.members.owner[first], np.arange(len(self)))
        return starts, self.types[first], np.diff(pairs.starts)

    def partition(self, problem: Problem) -> Partition:
        """Return the partition into these groups."""
        return Partition.of(problem, self.types, self.members.owner, np.ones(len(self.types), dtype=np.int64))
