"""Branch and price over compositions: whether a partition costs at most so much, decided in integers.

A node of the tree has, for each pattern, the compositions that its group may have, and whether there must be one. Its
linear program selects groups, which are generated as they are needed. What closes a node is the Lagrangian bound of its
dual values, rounded to integers: their sum over all rows, and the least reduced cost under each pattern. If the program
mixes compositions of a pattern, they are divided by their size, or by their rows of a class; if it mixes none, the rows
that fill them are a transportation problem, whose solutions are whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from highspy import HighsModelStatus

from kilt.model.partition import Partition
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.highs import quiet
from kilt.solvers.exact.compositions.lists import Compositions

Fill = Callable[[IntArray], Partition | None]  # makes a partition of compositions, given their numbers

TOLERANCE = 1e-6
DUAL, PRIMAL = 1, 4  # the simplex methods: the primal one is faster, as groups are added to a solution,
MAX_ITERATIONS = 5_000  # but may go in circles
MAX_ROUNDS = 20  # of the generation of groups at a node that cannot be closed anyway
PENALTY = 8  # what it costs not to place a row, times the highest cost of one


@dataclass(frozen=True)
class Node:
    """The numbers of the compositions that are allowed, and of which patterns there must be one."""

    allowed: IntArray
    must: BoolArray


@dataclass
class Tree:
    """The tree of a question: which partition costs at most ``ceiling``, and which is the cheapest of these.

    ``fill`` fills compositions with rows. Whatever is found lowers the ceiling below its cost; ``best`` is the last.
    """

    compositions: Compositions
    ceiling: int
    fill: Fill
    stop: StoppingRule
    max_nodes: int
    nodes: int = 0
    best: Partition | None = None
    is_stuck: bool = False
    program: GroupProgram = field(init=False)

    def __post_init__(self) -> None:
        self.program = GroupProgram(self.compositions)

    def solve(self) -> bool:
        """Decide; return whether it was decided before it had to stop: then no partition is within the ceiling."""
        patterns = len(self.compositions.members.cost)
        stack = [Node(np.arange(len(self.compositions)), np.zeros(patterns, dtype=bool))]
        while stack:
            if self.is_stuck or self.stop() or self.nodes >= self.max_nodes:
                return False
            self.nodes += 1
            stack += self._visit(stack.pop())
        return not self.is_stuck

    def _visit(self, node: Node) -> list[Node]:
        """Bound a node, and divide it if that does not close it; the more likely part comes last."""
        program, must, allowed = self.program, node.must, node.allowed
        compositions = self.compositions.picked(allowed)
        program.restrict(allowed, must)
        for rounds in count():
            value, duals = program.run()
            by_class = compositions.members.by_class(duals)
            reduced = compositions.reduced_costs(by_class)
            least = compositions.least(reduced)
            own = np.where(must, least, np.minimum(least, 0))
            room = self.ceiling * compositions.scale - int(duals @ compositions.members.counts) - sum(own.tolist())
            self.is_stuck = not program.is_solved
            if room < 0 or self.is_stuck:
                return []
            fits = value <= self.ceiling and not program.is_penalized()
            new = [] if fits and rounds >= MAX_ROUNDS else program.improving(compositions, reduced, least)
            groups = [(int(allowed[i]), compositions.group(by_class, i)) for i in new]
            kept = reduced - own[compositions.owner] <= room
            used_up = not groups and not (program.shares()[allowed[~kept]] > TOLERANCE).any()
            if not kept.all():
                compositions, allowed = compositions.picked(kept), allowed[kept]
                program.restrict(allowed, must)
            if used_up:
                break
            program.add(groups)
        if program.is_penalized() and value > self.ceiling + 0.5:
            return []
        return self._divide(Node(allowed, must), program.shares())

    def _divide(self, node: Node, shares: FloatArray) -> list[Node]:
        """Divide the compositions of the pattern that is mixed most; if none is, the selection is a solution."""
        compositions = self.compositions
        used = np.flatnonzero(shares > TOLERANCE)
        patterns = len(compositions.members.cost)
        features = compositions.features(used).astype(float)
        weight, owner = shares[used], compositions.owner[used]
        best, which = TOLERANCE, (-1, -1, 0.0)
        for f, number in enumerate(features.T):
            mean = np.bincount(owner, weight * number, patterns)
            square = np.bincount(owner, weight * number**2, patterns)
            spread = (square - mean**2) / (10 if f else 1)
            p = int(spread.argmax())
            if spread[p] > best:
                best, which = float(spread[p]), (p, f, float(mean[p]))
        p, f, mean_p = which
        if p < 0:
            self._take(np.array([used[owner == q][weight[owner == q].argmax()] for q in np.unique(owner)]))
            return []
        at = int(np.floor(mean_p + TOLERANCE))
        mine = compositions.owner[node.allowed] == p
        is_high = compositions.features(node.allowed)[:, f] > at
        must = node.must.copy()
        must[p] = True
        children = [Node(node.allowed[~(mine & is_high)], node.must)]
        if (mine & is_high).any():
            children.append(Node(node.allowed[~mine | is_high], must))
        return children[::-1] if mean_p - at < 0.5 else children

    def _take(self, chosen: IntArray) -> None:
        """Take the partition that fills the chosen compositions; from now on a cheaper one is looked for."""
        found = self.fill(chosen)
        if found is None or found.cost > self.ceiling:
            self.is_stuck = True
        else:
            self.best, self.ceiling = found, found.cost - 1


class GroupProgram:
    """The linear program that selects groups of compositions: every row once, at most one group of a pattern."""

    def __init__(self, compositions: Compositions) -> None:
        self.compositions = compositions
        members = compositions.members
        self.n_sorts, self.patterns = len(members.counts), len(members.cost)
        counts = members.counts.astype(np.float64)
        rows = self.n_sorts + self.patterns
        self.highs = quiet()
        nothing = np.zeros(0, dtype=np.int32)
        lower = np.concatenate([counts, np.zeros(self.patterns)])
        upper = np.concatenate([counts, np.ones(self.patterns)])
        self.highs.addRows(rows, lower, upper, 0, np.zeros(rows, dtype=np.int32), nothing, np.zeros(0))
        self.penalty = float(PENALTY * int(members.cost.max(initial=1)))
        self._add(
            np.full(2 * self.n_sorts, self.penalty),
            [np.array([u]) for u in range(self.n_sorts)] * 2,
            [np.array([sign]) for sign in (1.0, -1.0) for _ in range(self.n_sorts)],
        )
        self._add(
            np.full(self.patterns, self.penalty * int(counts.sum())),
            [np.array([self.n_sorts + p]) for p in range(self.patterns)],
            [np.array([1.0])] * self.patterns,
        )
        self.slacks = 2 * self.n_sorts + self.patterns
        self.composition = np.zeros(0, dtype=np.int64)
        self.must = np.zeros(self.patterns, dtype=bool)
        self.is_solved = False
        self.rounding = TOLERANCE * compositions.scale + int(members.counts.sum()) / 2 + 1  # of a reduced cost, at most

    def _add(self, cost: FloatArray, rows: list[IntArray], values: list[FloatArray]) -> None:
        number = len(cost)
        lengths = np.array([len(each) for each in rows])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int32)
        entries = np.concatenate(rows).astype(np.int32), np.concatenate(values).astype(np.float64)
        free = np.full(number, np.inf)
        self.highs.addCols(number, cost, np.zeros(number), free, len(entries[0]), starts, *entries)

    def restrict(self, allowed: IntArray, must: BoolArray) -> None:
        """Allow only the groups of some compositions; of some patterns there must be one."""
        number = len(self.composition)
        if number:
            is_allowed = np.zeros(len(self.compositions), dtype=bool)
            is_allowed[allowed] = True
            upper = np.where(is_allowed[self.composition], np.inf, 0.0)
            index = np.arange(self.slacks, self.slacks + number, dtype=np.int32)
            self.highs.changeColsBounds(number, index, np.zeros(number), upper)
        for p in np.flatnonzero(must != self.must):
            self.highs.changeRowBounds(self.n_sorts + int(p), float(must[p]), 1.0)
        self.must = must

    def run(self) -> tuple[float, IntArray]:
        """Solve it; return its value, and the dual values of the rows as integers."""
        for method, iterations in ((PRIMAL, MAX_ITERATIONS), (DUAL, 100 * MAX_ITERATIONS)):
            self.highs.setOptionValue("simplex_strategy", method)
            self.highs.setOptionValue("simplex_iteration_limit", iterations)
            self.highs.run()
            self.is_solved = self.highs.getModelStatus() == HighsModelStatus.kOptimal
            if self.is_solved:
                break
            self.highs.clearSolver()
        solution = self.highs.getSolution()
        duals = np.array(solution.row_dual)
        scale = self.compositions.scale
        self.of_patterns = duals[self.n_sorts :] * scale
        self.values = np.array(solution.col_value)
        whole = np.rint(np.clip(duals[: self.n_sorts], -self.penalty, self.penalty) * scale).astype(np.int64)
        return float(self.highs.getInfo().objective_function_value), whole

    def improving(self, compositions: Compositions, reduced: IntArray, least: IntArray) -> list[int]:
        """Return for the patterns that may improve the program which composition has their cheapest group."""
        limit = self.of_patterns - self.rounding
        ends = np.append(compositions.starts[1:], len(reduced))
        wanted = np.flatnonzero((least < limit)[compositions.listed])
        return [int(a + reduced[a:b].argmin()) for a, b in zip(compositions.starts[wanted], ends[wanted], strict=True)]

    def add(self, groups: list[tuple[int, IntArray]]) -> None:
        """Add groups: of which composition each is, and the sorts of its rows."""
        if not groups:
            return
        cost, rows, values = [], [], []
        for i, sorts in groups:
            found, copies = np.unique(sorts, return_counts=True)
            cost.append(float(self.compositions.cost[i]))
            rows.append(np.concatenate([found, [self.n_sorts + int(self.compositions.owner[i])]]))
            values.append(np.concatenate([copies, [1.0]]))
        self._add(np.array(cost), rows, values)
        self.composition = np.concatenate([self.composition, [i for i, _ in groups]]).astype(np.int64)

    def is_penalized(self) -> bool:
        """Say whether not all rows are placed."""
        return bool(self.values[: self.slacks].max(initial=0.0) > TOLERANCE)

    def shares(self) -> FloatArray:
        """Return to what share each composition is selected."""
        shares: FloatArray = np.bincount(self.composition, self.values[self.slacks :], len(self.compositions)).astype(
            float
        )
        return shares
