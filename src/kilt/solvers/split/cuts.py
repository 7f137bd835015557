"""Cuts: how a table is divided into parts of about the same size, along values that rows seldom give up.

A cut parts the values of one column. Rows that could share a group only by hiding that column are then in different
parts, so columns are cut in which few rows are hidden. A cut need not go through the middle: if a value has a third of
the rows, it gets a third of the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kilt.model.ladders import CodedColumn
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.solvers.common.part import Part, are_legal


@dataclass(frozen=True)
class Params:
    """What a cut is worth; costs are shares of the rows that hide a column."""

    free_imbalance: float = 1.1  # how much larger than the others a part may be at no cost
    imbalance_cost: float = 0.5  # for every time that it is larger by as much as the others
    reuse_cost: float = 0.5  # of a column that was cut in the round before
    max_tried: int = 100  # cuts of a part, the best first, until one is legal


PARAMS = Params()


@dataclass(frozen=True)
class Items:
    """What is dealt out: row types, or whole groups, with the codes of one row each and the work that they make.

    Parts of row types must be seen to be legal, while groups are legal in any union.
    """

    codes: IntArray
    work: IntArray
    are_legal: bool

    @classmethod
    def of_row_types(cls, problem: Problem) -> Items:
        """Deal out row types."""
        return cls(problem.codes, np.ones(len(problem.counts), dtype=np.int64), are_legal=False)

    @classmethod
    def of_groups(cls, problem: Problem, partition: Partition) -> Items:
        """Deal out whole groups; the row types in them are the work."""
        return cls(problem.codes[partition.representatives], np.diff(partition.starts), are_legal=True)


@dataclass(frozen=True)
class Cut:
    """Some codes of a column go to the first ``number`` parts, others to the rest; ``cost`` says how bad that is."""

    cost: float
    column: int
    codes: IntArray
    number: int


def hidden_shares(problem: Problem, partition: Partition) -> FloatArray:
    """Return for every column the share of the rows that do not show their value."""
    return np.asarray(partition.sizes() @ (partition.levels > 0) / problem.rows)


def draw_parts(problem: Problem, items: Items, parts: int, costs: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return the part of every item, and the columns that were cut; there are fewer parts if a cut is not legal.

    ``costs`` say what it costs to cut each column.
    """
    labels, used = np.zeros(len(items.codes), dtype=np.int64), np.zeros(len(costs), dtype=bool)
    todo, done = [(np.arange(len(items.codes)), parts)], 0
    while todo:
        mine, number = todo.pop()
        found = None if number == 1 else _first_legal(problem, items, mine, number, costs)
        if found is None:
            labels[mine], done = done, done + 1
            continue
        cut, left = found
        used[cut.column] = True
        todo += [(mine[~left], number - cut.number), (mine[left], cut.number)]
    return labels, used


def _first_legal(
    problem: Problem, items: Items, mine: IntArray, number: int, costs: FloatArray
) -> tuple[Cut, BoolArray] | None:
    """Return the best cut with two legal sides, and which items are on the first."""
    for cut in _cuts(problem, items, mine, number, costs)[: PARAMS.max_tried]:
        left = np.isin(items.codes[mine, cut.column], cut.codes)
        if items.are_legal or _are_legal(problem, mine, left):
            return cut, left
    return None


def _are_legal(problem: Problem, types: IntArray, left: BoolArray) -> bool:
    """Say whether two sets of row types are legal as one group each."""
    return are_legal(problem, (_part(problem, types[left]), _part(problem, types[~left])))


def _part(problem: Problem, types: IntArray) -> Part:
    return Part(types, problem.counts[types])


def _cuts(problem: Problem, items: Items, mine: IntArray, number: int, costs: FloatArray) -> list[Cut]:
    """Return cuts of some items into so many parts, the best first."""
    found = [
        cut
        for index, column in enumerate(problem.columns)
        for cut in _cuts_along(column, items.codes[mine, index], items.work[mine], number, index)
    ]
    return sorted((Cut(costs[c.column] + c.cost, c.column, c.codes, c.number) for c in found), key=lambda cut: cut.cost)


def _cuts_along(column: CodedColumn, codes: IntArray, work: IntArray, number: int, index: int) -> Iterator[Cut]:
    """Yield the best cut of a column for every number of parts on its first side, with the cost of its imbalance."""
    mass = np.bincount(codes, work)
    order = _in_order(column, mass)
    share = np.cumsum(mass[order])[:-1] / mass.sum()
    first = np.clip(np.rint(share * number), 1, number - 1).astype(np.int64)
    imbalance = np.maximum(share * number / first, (1 - share) * number / (number - first))
    for parts in np.unique(first).tolist():
        best = int(np.argmin(np.where(first == parts, imbalance, np.inf)))
        cost = PARAMS.imbalance_cost * max(0.0, float(imbalance[best]) - PARAMS.free_imbalance)
        yield Cut(cost, index, order[: best + 1], parts)


def _in_order(column: CodedColumn, mass: IntArray) -> IntArray:
    """Return the codes that occur: as numbers, or as the ladder puts them together, or the frequent ones first."""
    present = np.flatnonzero(mass)
    if column.numbers:
        return np.array(sorted(present.tolist(), key=column.numbers.__getitem__), dtype=np.int64)
    if len(column.levels) > 2:
        return present[np.lexsort([level[present] for level in column.levels])]
    return present[np.argsort(-mass[present], kind="stable")]
