"""Branch and cut: the cheapest selection from a list of groups, with a proof in integers.

A node of the tree is a list of groups and the rows to be placed. Its linear program proves a bound in integers. Groups
that are too dear for a selection below the ceiling are dropped. If the rest falls into parts that share no row, each is
solved by itself; if not, the tree branches on the groups of one row type, of which one is selected first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.numbers import ROOM, FloatArray, IntArray
from kilt.run.stopping import StoppingRule
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.parity_cuts import parity_cuts
from kilt.solvers.exact.column_generation.selection import TOLERANCE, Node, Relaxed, SelectionProgram

MAX_ROUNDS = 10  # of cuts that do not raise the bound


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
        relaxed = self.solve_program(program)
        best, rounds = relaxed.total, 0
        while rounds < MAX_ROUNDS and self._in_units(relaxed.total) < ceiling and not relaxed.is_whole:
            found = [] if self.is_over() else parity_cuts(node.columns, relaxed.shares, node.counts)
            if not found:
                break
            cuts += [node.types[types] for types in found if program.cut(types)]
            relaxed = self.solve_program(program)
            rounds = 0 if relaxed.total > best + self.scale // 100 else rounds + 1
            best = max(best, relaxed.total)
        return relaxed, tuple(cuts[i] for i in np.flatnonzero(relaxed.weights))

    def solve_program(self, program: SelectionProgram) -> Relaxed:
        """Solve a program, and count it."""
        self.programs += 1
        return program.solve(self.stop)

    def _close(self, node: Node, relaxed: Relaxed, cuts: tuple[IntArray, ...], ceiling: int) -> Selected:
        """Prove that the node has no selection below the ceiling, or find the cheapest."""
        bound = self._in_units(relaxed.total)
        if bound >= ceiling:
            return Selected(ceiling)
        whole = node.whole(relaxed.shares) if relaxed.is_whole else None
        if whole is not None and int(whole.cost.sum()) <= bound:
            return Selected(bound, whole)
        if self.is_over():
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

    def is_over(self) -> bool:
        """Say whether no more programs are solved."""
        return self.stop() or (self.max_programs is not None and self.programs >= self.max_programs)

    def _in_units(self, total: int) -> int:
        """Return the least whole cost that a bound allows."""
        return -(-total // self.scale)


def _groups_to_branch_on(node: Node, shares: FloatArray) -> IntArray:
    """Return the groups of the row type that has the fewest, among those with a fractional share; largest first."""
    starts, types, _ = node.columns.matrix()
    groups = Ragged(types, np.append(starts, len(types))).owner
    number = np.bincount(types, minlength=len(node.counts))
    is_fractional = np.abs(shares - np.rint(shares)) > TOLERANCE
    touched = np.bincount(types[is_fractional[groups]], minlength=len(node.counts)) > 0
    fewest = int(np.where(touched | ~touched.any(), number, ROOM).argmin())
    mine = groups[types == fewest]
    return np.asarray(mine[np.argsort(-shares[mine], kind="stable")])
