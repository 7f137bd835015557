"""A subproblem: the rows of some groups of a partition, repartitioned and put back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray


@dataclass(frozen=True)
class Subproblem:
    """The rows of some groups as a problem of their own; ``types`` are their row types in the whole problem."""

    whole: Problem
    partition: Partition
    inside: BoolArray
    types: IntArray
    problem: Problem
    before: Partition

    @classmethod
    def of(cls, whole: Problem, partition: Partition, groups: BoolArray) -> Subproblem:
        """Return the subproblem of the marked groups."""
        inside = groups[partition.groups]
        types, where = np.unique(partition.types[inside], return_inverse=True)
        counts = partition.counts[inside]
        problem = whole.part(types, np.bincount(where, counts).astype(np.int64))
        before = Partition.of(problem, where, partition.groups[inside], counts)
        return cls(whole, partition, inside, types, problem, before)

    def lift(self, after: Partition) -> Partition:
        """Return the partition of the whole problem with these groups in place of those of the subproblem."""
        outside = ~self.inside
        return Partition.of(
            self.whole,
            np.concatenate([self.partition.types[outside], self.types[after.types]]),
            np.concatenate([self.partition.groups[outside], after.groups + len(self.partition)]),
            np.concatenate([self.partition.counts[outside], after.counts]),
        )
