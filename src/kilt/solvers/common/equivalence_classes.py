"""Equivalence classes and their blocks: the rows of a class that share a sensitive class; some stay, others do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.model.partition import Partition
from kilt.model.patterns import buckets
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.solvers.common.part import Part


def equivalence_class(problem: Problem) -> IntArray:
    """Return the equivalence class of every row type: row types that agree on all quasi columns share it."""
    return buckets(problem, (0,) * len(problem.columns), np.arange(len(problem.counts))).ids()


@dataclass(frozen=True)
class EquivalenceClasses:
    """For every block its equivalence class, sensitive class and number of rows; for every row type its block."""

    class_of: IntArray
    value_of: IntArray
    counts: IntArray
    of_type: IntArray

    @classmethod
    def of(cls, problem: Problem, classes: IntArray) -> EquivalenceClasses:
        """Count the blocks: row types of an equivalence class that share a sensitive class."""
        blocks = bucket([classes, problem.sensitive_class], len(classes))
        first = blocks.first
        counts = blocks.sums(problem.counts[blocks.values])
        return cls(classes[first], problem.sensitive_class[first], counts, blocks.ids())

    @property
    def shape(self) -> tuple[int, int]:
        """How many equivalence classes there are, and how many sensitive classes."""
        return int(self.class_of.max()) + 1, int(self.value_of.max()) + 1

    def table(self, rows: IntArray) -> IntArray:
        """Return so many rows of every block as a table of equivalence classes and sensitive classes."""
        table = np.zeros(self.shape, dtype=np.int64)
        table[self.class_of, self.value_of] = rows
        return table

    def stay(self, problem: Problem, kept: IntArray) -> IntArray:
        """Return how many copies of every row type stay if so many rows of every block do: those of its first types."""
        order = np.argsort(self.of_type, kind="stable")
        block, copies = self.of_type[order], problem.counts[order]
        before = np.cumsum(copies) - copies - (np.cumsum(self.counts) - self.counts)[block]
        staying = np.empty_like(copies)
        staying[order] = np.clip(kept[block] - before, 0, copies)
        return staying


def residue_of(problem: Problem, staying: IntArray) -> Part:
    """Return the copies that do not stay."""
    left = problem.counts - staying
    types = np.flatnonzero(left)
    return Part(types, left[types])


def published(problem: Problem, classes: EquivalenceClasses, staying: IntArray, parts: Sequence[Part]) -> Partition:
    """Return the partition with a group for what stays of each equivalence class, and one for every other part."""
    types = np.flatnonzero(staying)
    own = classes.class_of[classes.of_type[types]]
    others = np.repeat(np.arange(len(parts)) + classes.shape[0], [len(part.types) for part in parts])
    return Partition.of(
        problem,
        np.concatenate([types, *(part.types for part in parts)]),
        np.concatenate([own, others]),
        np.concatenate([staying[types], *(part.counts for part in parts)]),
    )
