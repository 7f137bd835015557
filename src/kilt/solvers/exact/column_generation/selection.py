"""Selection: groups that hold every row once, as a linear program with parity cuts that proves its bound in integers.

HiGHS solves the program in floating point, and only guides: the dual values are rounded to integers and lowered until
they are feasible for every group, which is computed in integers and proves the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import highspy
import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.numbers import ROOM, BoolArray, FloatArray, IntArray, max_abs, widen
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.highs import quiet, solve
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.parity_cuts import connected, odd_groups

TOLERANCE = 1e-6  # shares up to this far from a whole number count as whole
ESCAPE = 8  # times the ceiling


@dataclass(frozen=True)
class Node:
    """Groups to select from, and the rows to place: ``counts`` of each row type, all of which are above 0.

    ``types`` are the numbers of the row types in the table; the groups know them by their place here. ``cuts`` are sets
    of row types, by their numbers in the table, whose parity was of use before.
    """

    types: IntArray
    counts: IntArray
    columns: Columns
    cuts: tuple[IntArray, ...] = ()

    @classmethod
    def of(cls, columns: Columns, counts: IntArray) -> Node:
        """Return the node of a whole table with these groups."""
        return cls(np.arange(len(counts)), counts, columns)

    def part(self, counts: IntArray, groups: IntArray | None = None) -> Node:
        """Return the node with so many rows left, and some of the groups if there are rows for them."""
        columns = self.columns if groups is None else self.columns.picked(groups)
        columns = columns.picked(np.flatnonzero(columns.inside(counts)))
        left = np.flatnonzero(counts)
        place = np.cumsum(counts > 0) - 1
        members = Ragged(place[columns.types], columns.starts)
        return Node(self.types[left], counts[left], Columns(members, columns.cost), self.cuts)

    def taken(self, groups: IntArray) -> Columns:
        """Return some of the groups, with the numbers that their row types have in the table."""
        columns = self.columns.picked(groups)
        return Columns(Ragged(self.types[columns.types], columns.starts), columns.cost)

    def whole(self, shares: FloatArray) -> Columns | None:
        """Return the groups that are selected, rounded to a whole number of times, if they place every row."""
        groups = np.repeat(np.arange(len(shares)), np.rint(shares).astype(np.int64))
        placed = np.bincount(self.columns.picked(groups).types, minlength=len(self.counts))
        return self.taken(groups) if np.array_equal(placed, self.counts) else None

    def parts(self) -> list[Node]:
        """Return the parts that share no row type."""
        if not len(self.columns):
            return [self]
        parts = []
        for groups in connected(self.columns, len(self.types)):
            mine = np.zeros_like(self.counts)
            mine[self.columns.types[self.columns.members.entries_of(groups)]] = 1
            parts.append(self.part(mine * self.counts, np.flatnonzero(groups)))
        lonely = np.bincount(self.columns.types, minlength=len(self.types)) == 0
        return parts if not lonely.any() else [self.part(lonely * self.counts), *parts]


@dataclass(frozen=True)
class Relaxed:
    """The shares of the groups in the linear program, and what it proves: a bound, and a reduced cost for each group.

    Both are integers, ``scale`` of them to a unit of cost, and so are the ``multipliers`` of the row types and the
    ``weights`` of the cuts in the proof.
    """

    shares: FloatArray
    total: int
    reduced_cost: IntArray
    multipliers: IntArray
    weights: IntArray

    @cached_property
    def is_whole(self) -> bool:
        """Whether every group is selected a whole number of times."""
        return bool((np.abs(self.shares - np.rint(self.shares)) <= TOLERANCE).all())


@dataclass
class SelectionProgram:
    """The linear program of a node, with parity cuts: sets of row types, and the groups with an odd number of them.

    Its first column meets everything at a cost far above the ceiling, so that every program has a solution and dual
    values; it is no group, and the proof need not hold for it.
    """

    node: Node
    scale: int
    ceiling: int
    odd: list[IntArray] = field(default_factory=list)
    cuts: list[BoolArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        counts = self.node.counts
        number = len(counts)
        self.highs = quiet()
        nothing, rows = np.zeros(0, dtype=np.int32), counts.astype(np.float64)
        self.highs.addRows(number, rows, rows, 0, np.zeros(number, dtype=np.int32), nothing, np.zeros(0))
        self.highs.addCol(float(ESCAPE * self.ceiling), 0.0, np.inf, number, np.arange(number, dtype=np.int32), rows)
        self._add(self.node.columns, [])

    def cut(self, types: BoolArray) -> bool:
        """Require a group with an odd number of these row types, if they have an odd number of rows."""
        if not self.node.counts[types].sum() % 2:
            return False
        groups = odd_groups(self.node.columns, types)
        index = np.append(0, groups + 1).astype(np.int32)
        self.highs.addRow(1.0, np.inf, len(index), index, np.ones(len(index)))
        self.odd.append(groups)
        self.cuts.append(types)
        return True

    def add(self, columns: Columns) -> None:
        """Add groups."""
        odd = [odd_groups(columns, types) for types in self.cuts]
        self._add(columns, odd)
        self.odd = [np.append(old, new + len(self.node.columns)) for old, new in zip(self.odd, odd, strict=True)]
        self.node = replace(self.node, columns=Columns.joined([self.node.columns, columns]))

    def _add(self, columns: Columns, odd: list[IntArray]) -> None:
        """Add groups to the program; some are in cuts."""
        number, (starts, types, copies) = len(self.node.counts), columns.matrix()
        rows = [types, *(np.full(len(groups), number + cut) for cut, groups in enumerate(odd))]
        groups = np.concatenate([Ragged(types, np.append(starts, len(types))).owner, *odd])
        order = np.argsort(groups, kind="stable")
        values = np.append(copies, np.ones(len(groups) - len(copies)))
        cost = columns.cost.astype(np.float64)
        entries = (
            np.searchsorted(groups[order], np.arange(len(columns))).astype(np.int32),
            np.concatenate(rows)[order].astype(np.int32),
            values[order].astype(np.float64),
        )
        self.highs.addCols(len(cost), cost, np.zeros(len(cost)), np.full(len(cost), np.inf), len(order), *entries)

    def solve(self, stop: StoppingRule) -> Relaxed:
        """Solve in floating point, and prove in integers what the dual values prove."""
        if stop.seconds is not None:
            self.highs.setOptionValue("time_limit", max(0.0, stop.seconds - stop.elapsed))
        self.highs.run()
        solution = self.highs.getSolution()
        duals, number = np.array(solution.row_dual), len(self.node.counts)
        if len(duals) != number + len(self.odd):  # stopped before there are any
            duals = np.zeros(number + len(self.odd))
        return self._prove(np.array(solution.col_value)[1:], duals)

    def select(self, stop: StoppingRule, max_nodes: int) -> Columns | None:
        """Select groups by HiGHS, with no proof; None if it finds nothing."""
        index = np.arange(1, len(self.node.columns) + 1, dtype=np.int32)
        self.highs.changeColsIntegrality(len(index), index, np.full(len(index), highspy.HighsVarType.kInteger))
        self.highs.setOptionValue("presolve", "on")
        outcome = solve(self.highs, stop, lambda *_: None, max_nodes)
        return self.node.whole(outcome.values[1:]) if len(outcome.values) else None

    def _prove(self, shares: FloatArray, duals: FloatArray) -> Relaxed:
        """Round the dual values, and lower those of the rows until no group has a negative reduced cost."""
        node, number = self.node, len(self.node.counts)
        members, sizes = node.columns.members, node.columns.members.lengths
        highest = ROOM / (2.0 * self.scale * (int(sizes.max(initial=1)) + len(self.odd) + 1))
        rounded = np.rint(np.clip(duals, -highest, highest) * self.scale).astype(np.int64)
        multipliers, weights = rounded[:number], np.maximum(rounded[number:], 0)
        reduced = node.columns.cost * self.scale
        if len(sizes):
            reduced = reduced - members.sums(multipliers[members.values])
        for weight, groups in zip(weights.tolist(), self.odd, strict=True):
            reduced[groups] -= weight
        lowered = max(0, -int((reduced // sizes).min(initial=0)))
        multipliers = widen(multipliers - lowered, (max_abs(multipliers) + lowered) * int(node.counts.sum()))
        total = int((multipliers * node.counts).sum()) + sum(weights.tolist())
        return Relaxed(shares, total, reduced + lowered * sizes, multipliers, weights)
