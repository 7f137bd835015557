"""Branch and cut: the cheapest selection from a list of groups, with a proof in integers.

A node of the tree is a list of groups and the rows to be placed. HiGHS solves its linear program, with parity cuts, in
floating point, and only guides: the dual values are rounded to integers and lowered until they are feasible for every
group, which is computed in integers and proves the bound of the node. Groups that are too dear for a selection below
the ceiling are dropped. If the rest falls into parts that share no row, each is solved by itself; if not, the tree
branches on the groups of one row type, of which one is selected first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.numbers import ROOM, BoolArray, FloatArray, IntArray, max_abs, widen
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.highs import quiet
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.parity_cuts import connected, odd_groups, parity_cuts


@dataclass(frozen=True)
class Params:
    """When cutting gives way to branching."""

    max_rounds: int = 10  # of cuts that do not raise the bound
    tolerance: float = 1e-6  # shares up to this far from a whole number count as whole


PARAMS = Params()
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

    Both are integers, ``scale`` of them to a unit of cost, and so are the ``weights`` of the cuts in the proof.
    """

    shares: FloatArray
    total: int
    reduced_cost: IntArray
    weights: IntArray

    @cached_property
    def is_whole(self) -> bool:
        """Whether every group is selected a whole number of times."""
        return bool((np.abs(self.shares - np.rint(self.shares)) <= PARAMS.tolerance).all())


@dataclass
class SelectionProgram:
    """The linear program of a node, with parity cuts.

    One more column meets everything at a cost far above the ceiling, so that every program has a solution and dual
    values; it is no group, and the proof need not hold for it.
    """

    node: Node
    scale: int
    ceiling: int
    odd: list[IntArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        counts, columns = self.node.counts, self.node.columns
        number = len(counts)
        self.highs = quiet()
        nothing, rows = np.zeros(0, dtype=np.int32), counts.astype(np.float64)
        self.highs.addRows(number, rows, rows, 0, np.zeros(number, dtype=np.int32), nothing, np.zeros(0))
        starts, types, copies = columns.matrix()
        cost = np.append(columns.cost, ESCAPE * self.ceiling).astype(np.float64)
        entries = (
            np.append(starts, len(types)).astype(np.int32),
            np.append(types, np.arange(number)).astype(np.int32),
            np.append(copies, counts).astype(np.float64),
        )
        free = np.full(len(cost), np.inf)
        self.highs.addCols(len(cost), cost, np.zeros(len(cost)), free, len(entries[1]), *entries)

    def cut(self, types: BoolArray) -> bool:
        """Require a group with an odd number of these row types, if they have an odd number of rows."""
        if not self.node.counts[types].sum() % 2:
            return False
        groups = odd_groups(self.node.columns, types)
        index = np.append(groups, len(self.node.columns)).astype(np.int32)
        self.highs.addRow(1.0, np.inf, len(index), index, np.ones(len(index)))
        self.odd.append(groups)
        return True

    def solve(self, stop: StoppingRule) -> Relaxed:
        """Solve in floating point, and prove in integers what the dual values prove."""
        if stop.seconds is not None:
            self.highs.setOptionValue("time_limit", max(0.0, stop.seconds - stop.elapsed))
        self.highs.run()
        solution = self.highs.getSolution()
        duals, number = np.array(solution.row_dual), len(self.node.counts)
        if len(duals) != number + len(self.odd):  # stopped before there are any
            duals = np.zeros(number + len(self.odd))
        return self._prove(np.array(solution.col_value)[:-1], duals)

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
        return Relaxed(shares, total, reduced + lowered * sizes, weights)


@dataclass(frozen=True)
class Selected:
    """No selection costs less than ``bound``; ``groups`` is one that costs so much (None if none was found)."""

    bound: int
    groups: Columns | None = None


@dataclass
class BranchAndCut:
    """The tree, with the number of programs that were solved so far, and how many may be."""

    scale: int
    stop: StoppingRule
    max_programs: int | None = None
    programs: int = 0

    def solve(self, node: Node, ceiling: int) -> Selected:
        """Find the cheapest selection below the ceiling; where there is none, the bound is the ceiling.

        If it is stopped, the bound is the best that is proved so far.
        """
        if not len(node.counts):
            return Selected(min(0, ceiling), Columns.none())
        relaxed, cuts = self._relax(node, ceiling)
        return self._close(node, relaxed, cuts, ceiling)

    def _relax(self, node: Node, ceiling: int) -> tuple[Relaxed, tuple[IntArray, ...]]:
        """Solve the linear program, and cut as long as that helps and the bound is below the ceiling."""
        program = SelectionProgram(node, self.scale, ceiling)
        cuts = [types for types in node.cuts if program.cut(np.isin(node.types, types))]
        relaxed = self._solve(program)
        best, rounds = relaxed.total, 0
        while rounds < PARAMS.max_rounds and self._in_units(relaxed.total) < ceiling and not relaxed.is_whole:
            found = [] if self._is_over() else parity_cuts(node.columns, relaxed.shares, node.counts)
            if not found:
                break
            cuts += [node.types[types] for types in found if program.cut(types)]
            relaxed = self._solve(program)
            rounds = 0 if relaxed.total > best + self.scale // 100 else rounds + 1
            best = max(best, relaxed.total)
        return relaxed, tuple(cuts[i] for i in np.flatnonzero(relaxed.weights))

    def _solve(self, program: SelectionProgram) -> Relaxed:
        self.programs += 1
        return program.solve(self.stop)

    def _close(self, node: Node, relaxed: Relaxed, cuts: tuple[IntArray, ...], ceiling: int) -> Selected:
        """Prove that the node has no selection below the ceiling, or find the cheapest."""
        bound = self._in_units(relaxed.total)
        if bound >= ceiling:
            return Selected(ceiling)
        whole = self._whole(node, relaxed)
        if whole is not None and int(whole.cost.sum()) <= bound:
            return Selected(bound, whole)
        if self._is_over():
            return Selected(bound)
        kept = np.flatnonzero(relaxed.reduced_cost <= (ceiling - 1) * self.scale - relaxed.total)
        smaller = Node(node.types, node.counts, node.columns.picked(kept), cuts)
        parts = smaller.parts()
        if len(parts) > 1:
            return self._solve_parts(parts, bound, ceiling)
        return self._branch(smaller, relaxed.shares[kept], bound, ceiling)

    def _solve_parts(self, parts: list[Node], bound: int, ceiling: int) -> Selected:
        """Solve parts one by one; each may cost as much above its bound as the others leave."""
        relaxations = [self._relax(part, ceiling) for part in parts]
        bounds = [self._in_units(relaxed.total) for relaxed, _ in relaxations]
        chosen: list[Columns] = []
        for i in sorted(range(len(parts)), key=lambda i: len(parts[i].columns)):
            spare = ceiling - sum(bounds)
            if spare <= 0:
                return Selected(ceiling)
            found = self._close(parts[i], *relaxations[i], bounds[i] + spare)
            if found.bound >= bounds[i] + spare:
                return Selected(ceiling)
            bounds[i] = found.bound
            if found.groups is not None:
                chosen.append(found.groups)
        bound = max(bound, sum(bounds))
        return Selected(bound, Columns.joined(chosen)) if len(chosen) == len(parts) else Selected(bound)

    def _branch(self, node: Node, shares: FloatArray, bound: int, ceiling: int) -> Selected:
        """Select each of the groups of a row type in turn; those that had their turn are left out from then on."""
        groups = _groups_to_branch_on(node, shares)
        best = Selected(ceiling)
        left = np.ones(len(node.columns), dtype=bool)
        for group in groups.tolist():
            cost, types = int(node.columns.cost[group]), node.columns.picked(np.array([group])).types
            counts = node.counts - np.bincount(types, minlength=len(node.counts))
            found = self.solve(node.part(counts, np.flatnonzero(left)), best.bound - cost)
            below = found.bound + cost < best.bound
            if below and found.groups is not None:
                best = Selected(found.bound + cost, Columns.joined([found.groups, node.taken(np.array([group]))]))
            elif below:  # stopped
                return Selected(bound)
            left[group] = False
        return best

    def _whole(self, node: Node, relaxed: Relaxed) -> Columns | None:
        """Return the selection if every group is selected a whole number of times, and every row is placed."""
        if not relaxed.is_whole:
            return None
        groups = np.repeat(np.arange(len(relaxed.shares)), np.rint(relaxed.shares).astype(np.int64))
        selected = node.columns.picked(groups)
        placed = np.bincount(selected.types, minlength=len(node.counts))
        return node.taken(groups) if np.array_equal(placed, node.counts) else None

    def _is_over(self) -> bool:
        return self.stop() or (self.max_programs is not None and self.programs >= self.max_programs)

    def _in_units(self, total: int) -> int:
        """Return the least whole cost that a bound allows."""
        return -(-total // self.scale)


def _groups_to_branch_on(node: Node, shares: FloatArray) -> IntArray:
    """Return the groups of the row type that has the fewest, among those with a fractional share; largest first."""
    starts, types, _ = node.columns.matrix()
    groups = Ragged(types, np.append(starts, len(types))).owner
    number = np.bincount(types, minlength=len(node.counts))
    is_fractional = np.abs(shares - np.rint(shares)) > PARAMS.tolerance
    touched = np.bincount(types[is_fractional[groups]], minlength=len(node.counts)) > 0
    fewest = int(np.where(touched | ~touched.any(), number, ROOM).argmin())
    mine = groups[types == fewest]
    return np.asarray(mine[np.argsort(-shares[mine], kind="stable")])
