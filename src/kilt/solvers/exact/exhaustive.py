"""Exhaustive search: the optimum of a tiny table, by trying every group for its first row.

The cheapest partition of a set of rows is the cheapest choice of a legal group that holds its
first row, plus the cheapest partition of the others; sets are bit masks. Under a rule on the release as
a whole, groups are chosen by branch and bound, and these costs are its bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.exact.accepted_groups import AcceptedGroups

MAX_ROWS = 12


@dataclass(frozen=True)
class Exhaustive:
    """Tries everything; for tables of at most 12 rows."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables that are not tiny."""
        if problem.rows > MAX_ROWS:
            return f"it takes tables of at most {MAX_ROWS} rows, and this one has {problem.rows:,}"
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:  # noqa: ARG002 - a blink
        """Find the optimum, which is its own bound."""
        rows = np.repeat(np.arange(len(problem.counts)), problem.counts)
        legal, cost = all_groups(problem, rows)
        best, choice = _best_choices(len(rows), legal, cost)
        groups, rest = [], (1 << len(rows)) - 1
        while rest:
            groups.append(choice[rest])
            rest &= ~choice[rest]
        if problem.rules.on_release:
            groups = AcceptedGroups.of(problem, all_counts(problem, rows), legal, cost, best).cheapest(groups)
        partition = partition_of(problem, rows, groups)
        observer(Progress("solving", 1.0, problem.stars(partition.cost), problem.stars(partition.cost)))
        return Solution(partition, Bound(partition.cost))


def partition_of(problem: Problem, rows: IntArray, groups: Sequence[int]) -> Partition:
    """Return the partition into groups that are given as masks of rows."""
    members = [[i for i in range(len(rows)) if group >> i & 1] for group in groups]
    types = rows[[i for group in members for i in group]]
    numbers = np.repeat(np.arange(len(members)), [len(group) for group in members])
    return Partition.of(problem, types, numbers, np.ones(len(types), dtype=np.int64))


def all_groups(problem: Problem, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return for every set of rows (by mask) whether it is a legal group, and what it costs."""
    by_class = all_counts(problem, rows)
    legal = problem.is_legal(by_class)
    legal[0] = False
    per_row = np.zeros(len(legal), dtype=np.int64)
    masks = np.arange(len(legal))
    first = np.frexp(np.maximum(masks & -masks, 1))[1] - 1  # the place of the lowest bit, exactly
    for index, column in enumerate(problem.columns):
        level = np.full(len(legal), len(column.levels) - 1)
        for height in range(len(column.levels) - 2, -1, -1):
            shown = column.levels[height][problem.codes[rows, index]][:, None]
            level[(_over_subsets(shown, np.minimum) == _over_subsets(shown, np.maximum))[:, 0]] = height
        per_row += problem.costs[index][level, problem.codes[rows[first], index]]
    return legal, per_row * by_class.sum(axis=1)


def all_counts(problem: Problem, rows: IntArray) -> IntArray:
    """Return for every set of rows (by mask) how many there are of each sensitive class."""
    classes = np.eye(len(problem.sensitive_totals), dtype=np.int64)[problem.sensitive_class[rows]]
    return _over_subsets(classes, np.add)


def _over_subsets(rows: IntArray, combine: np.ufunc) -> IntArray:
    """Combine the vectors of the rows over every non-empty subset (the empty set gets zeros)."""
    result = np.zeros((1 << len(rows), rows.shape[1]), dtype=np.int64)
    for i, vector in enumerate(rows):
        result[1 << i] = vector
        result[(1 << i) + 1 : 2 << i] = combine(result[1 : 1 << i], vector)
    return result


def _best_choices(size: int, legal: IntArray, cost: IntArray) -> tuple[list[int], list[int]]:
    """Return for every set of rows what its cheapest partition costs, and the group of its first row in it (or 0)."""
    is_legal, cost_of = legal.tolist(), cost.tolist()
    infinite = 1 << 62
    best, choice = [0] + [infinite] * ((1 << size) - 1), [0] * (1 << size)
    for rows in range(1, 1 << size):
        first = rows & -rows
        others = rows ^ first
        part = others
        while True:
            group = part | first
            if is_legal[group]:
                total = cost_of[group] + best[rows ^ group]
                if total < best[rows]:
                    best[rows], choice[rows] = total, group
            if not part:
                break
            part = (part - 1) & others
    return best, choice
