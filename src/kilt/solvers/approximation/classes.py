"""Equivalence classes: the paper's approximation for k-anonymity, polynomial for every k, and exact for one column.

Equivalence classes of k rows and more stay as they are; the rows of smaller ones form one group. If that is too small,
it takes rows that larger classes can spare, and if these are too few as well, a whole class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.model.patterns import costs_of, tightest
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.approximation.residue.solver import guaranteed
from kilt.solvers.base import Solution
from kilt.solvers.common.equivalence_classes import equivalence_class


@dataclass(frozen=True)
class Classes:
    """At most m times the optimum under k alone, in the time that it takes to sort the rows."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse anything but k-anonymity."""
        return None if problem.rules.is_k_anonymity else "it takes k-anonymity alone"

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:  # noqa: ARG002 - it is fast
        """Group the rows of small equivalence classes, with as few others as they need."""
        k, classes = problem.rules.min_group_size, equivalence_class(problem)
        sizes = np.bincount(classes, problem.counts).astype(np.int64)
        blurred = np.where(sizes[classes] < k, problem.counts, 0)
        least = int(blurred.sum())
        if 0 < least < k:
            spare = np.where(sizes < k, 0, sizes - k)
            if least + spare.sum() >= k:
                blurred = _filled_up(problem, classes, blurred, spare, k)
                least = k
            else:
                least += int(sizes[sizes >= k].min())
                blurred = _with_a_class(problem, classes, blurred, np.where(sizes < k, 0, sizes))
        every = np.arange(len(classes))
        groups = np.concatenate([classes, np.full(len(every), len(sizes))])
        copies = np.concatenate([problem.counts - blurred, blurred])
        used = copies > 0
        partition = Partition.of(problem, np.concatenate([every, every])[used], groups[used], copies[used])
        return guaranteed(problem, partition, least, Bound(least))


def _filled_up(problem: Problem, classes: IntArray, blurred: IntArray, spare: IntArray, k: int) -> IntArray:
    """Add rows of equivalence classes that can spare them until there are k, from the cheapest to join first."""
    blurred = blurred.copy()
    while (missing := k - int(blurred.sum())) > 0:
        nearest = _cheapest(problem, classes, blurred, np.flatnonzero(spare), np.ones_like(spare))
        wanted = min(missing, int(spare[nearest]))
        spare[nearest] = 0
        for row_type in np.flatnonzero(classes == nearest).tolist():
            taken = min(wanted, int(problem.counts[row_type]))
            blurred[row_type] += taken
            wanted -= taken
    return blurred


def _with_a_class(problem: Problem, classes: IntArray, blurred: IntArray, sizes: IntArray) -> IntArray:
    """Add a whole equivalence class, the one with which the group costs least."""
    chosen = _cheapest(problem, classes, blurred, np.flatnonzero(sizes), int(blurred.sum()) + sizes)
    return np.where(classes == chosen, problem.counts, blurred)


def _cheapest(problem: Problem, classes: IntArray, blurred: IntArray, among: IntArray, rows: IntArray) -> int:
    """Return the equivalence class with which the pattern of the blurred rows, times a number of rows, costs least."""
    inside = np.flatnonzero(blurred)
    _, first = np.unique(classes, return_index=True)
    joined = np.column_stack([np.broadcast_to(inside, (len(among), len(inside))), first[among]])
    starts = np.arange(len(among) + 1) * joined.shape[1]
    cost = costs_of(problem, first[among], tightest(problem, joined.ravel(), starts)) * rows[among]
    return int(among[np.argmin(cost)])
