"""Columns: groups that a program may choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kilt.arrays.buckets import bucket
from kilt.model.partition import Partition
from kilt.model.patterns import costs_of, tightest
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray


@dataclass(frozen=True)
class Columns:
    """Groups: group g has the row types ``types[starts[g]:starts[g + 1]]``, one entry per copy, and its cost."""

    types: IntArray
    starts: IntArray
    cost: IntArray

    @classmethod
    def of(cls, problem: Problem, types: IntArray, sizes: IntArray) -> Columns:
        """Cost groups, given one after the other, by their tightest patterns."""
        starts = np.concatenate([[0], np.cumsum(sizes)])
        each = costs_of(problem, tightest(problem, types, starts)) if len(sizes) else sizes
        return cls(types, starts, each * sizes)

    @classmethod
    def of_partition(cls, problem: Problem, partition: Partition) -> Columns:
        """Return the groups of a partition."""
        return cls.of(problem, np.repeat(partition.types, partition.counts), partition.sizes())

    def __len__(self) -> int:
        return len(self.cost)

    def owner(self) -> IntArray:
        """Return the group of every entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def chosen(self, which: IntArray) -> Columns:
        """Return some of the groups; one may be chosen more than once."""
        sizes = np.diff(self.starts)[which]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.repeat(self.starts[:-1][which] - starts[:-1], sizes) + np.arange(starts[-1])
        return Columns(self.types[entries], starts, self.cost[which])

    @staticmethod
    def joined(parts: Sequence[Columns]) -> Columns:
        """Put lists of groups one after the other."""
        ends = np.cumsum([0, *(len(part.types) for part in parts)])
        starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
        return Columns(
            np.concatenate([part.types for part in parts]),
            np.concatenate([*starts, ends[-1:]]),
            np.concatenate([part.cost for part in parts]),
        )

    def inside(self, counts: IntArray) -> BoolArray:
        """Mark the groups for which there are copies enough."""
        starts, types, copies = self.matrix()
        return np.asarray(np.logical_and.reduceat(copies <= counts[types], starts)) if len(self) else np.zeros(0, bool)

    def matrix(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the groups as columns of a matrix: where each starts, the row types, the number of copies."""
        pairs = bucket([self.owner(), self.types], len(self.types))
        first = pairs.order[pairs.starts[:-1]]
        starts = np.searchsorted(self.owner()[first], np.arange(len(self)))
        return starts, self.types[first], np.diff(pairs.starts)

    def partition(self, problem: Problem) -> Partition:
        """Return the partition into these groups."""
        return Partition.of(problem, self.types, self.owner(), np.ones(len(self.types), dtype=np.int64))
