"""A solver: row types in sorted order, a group closed as soon as it is legal."""

from __future__ import annotations

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution


class SortedRows:
    """Rows that are alike in the first columns share a group; any policy, any size, no guarantee."""

    takes, source = "any policy, any size", "an example"

    def refuses(self, problem: Problem) -> str | None:
        """Refuse nothing."""

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Close a group whenever it is legal; what remains at the end takes in groups until it is legal, too."""
        order, size = np.lexsort(problem.codes.T[::-1]), len(problem.counts)
        rows = np.zeros((size + 1, len(problem.sensitive_totals)), dtype=np.int64)
        rows[np.arange(size) + 1, problem.sensitive_class[order]] = problem.counts[order]
        rows = rows.cumsum(axis=0)  # of each sensitive class, among the first row types
        ends = [0]
        for end in range(1, size + 1):
            if stop():
                break
            observer(Progress("solving", end / size))
            if problem.is_legal(rows[[end]] - rows[ends[-1]])[0]:
                ends.append(end)
        while ends[-1] < size and not problem.is_legal(rows[[size]] - rows[ends[-1]])[0]:
            ends.pop()  # at the latest it is the whole table, which is legal
        if ends[-1] < size:
            ends.append(size)
        groups = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        return Solution(Partition.of(problem, order, groups, problem.counts[order]))
