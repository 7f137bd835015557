"""Branch and price over compositions: whether a partition costs at most so much, decided in integers.

A node of the tree has, for each pattern, the compositions that its group may have, and whether there must be one. Its
linear program selects groups, which are generated as they are needed. What closes a node is the Lagrangian bound of its
dual values, rounded to integers: their sum over all rows, and the least reduced cost under each pattern. If the program
mixes compositions of a pattern, they are divided by their size, or by their rows of a class; if it mixes none, the rows
that fill them are a transportation problem, whose solutions are whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

import numpy as np

from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.highs import quiet
from kilt.solvers.exact.compositions.lists import Compositions, Sorted

TOLERANCE = 1e-6
NEVER = 1 << 55  # the reduced cost of what is not allowed
MAX_ROUNDS = 20  # of the generation of groups at a node that cannot be closed anyway
PENALTY = 8  # what it costs not to place a row, times the highest cost of one


@dataclass(frozen=True)
class Node:
    """Which compositions are allowed, and of which patterns there must be one."""

    allowed: BoolArray
    must: BoolArray


@dataclass
class Tree:
    """The tree of a question: does a partition cost at most ``ceiling``? ``chosen`` are the compositions of one."""

    compositions: Compositions
    ceiling: int
    stop: StoppingRule
    max_nodes: int
    nodes: int = 0
    chosen: IntArray | None = None
    program: GroupProgram = field(init=False)

    def __post_init__(self) -> None:
        self.program = GroupProgram(self.compositions)

    def solve(self) -> bool:
        """Decide; return whether it was decided before it had to stop."""
        patterns = len(self.compositions.members.cost)
        root = Node(np.ones(len(self.compositions), dtype=bool), np.zeros(patterns, dtype=bool))
        stack = [root]
        while stack:
            if self.stop() or self.nodes >= self.max_nodes:
                return False
            self.nodes += 1
            children = self._visit(stack.pop())
            if self.chosen is not None:
                return True
            stack += children
        return True

    def _visit(self, node: Node) -> list[Node]:
        """Bound a node, and divide it if that does not close it; the more likely part comes last."""
        compositions, program = self.compositions, self.program
        program.restrict(node)
        allowed = node.allowed
        for rounds in count():
            value, duals = program.run()
            by_class = compositions.members.by_class(duals)
            reduced = np.where(allowed, compositions.reduced_costs(by_class), NEVER)
            least = program.least(reduced)
            own = np.where(node.must, least, np.minimum(least, 0))
            total = int(duals @ compositions.members.counts) + sum(own.tolist())
            room = self.ceiling * compositions.scale - total
            if room < 0:
                return []
            dear = allowed & (reduced - own[compositions.owner] > room)
            if dear.any():
                allowed = allowed & ~dear
                node = Node(allowed, node.must)
                program.restrict(node)
            fits = value <= self.ceiling and not program.is_penalized()
            new = [] if fits and rounds >= MAX_ROUNDS else program.improving(least, by_class, reduced)
            if not new and not (program.shares()[dear] > TOLERANCE).any():
                break
            if new:
                program.add(new)
        shares = program.shares()
        return [] if program.is_penalized() and value > self.ceiling + 0.5 else self._divide(node, shares)

    def _divide(self, node: Node, shares: FloatArray) -> list[Node]:
        """Divide the compositions of the pattern that is mixed most; if none is, the selection is a solution."""
        compositions = self.compositions
        used = np.flatnonzero(shares > TOLERANCE)
        classes = compositions.rows.shape[1]
        patterns = len(compositions.members.cost)
        features = np.column_stack([compositions.rows.sum(axis=1), compositions.rows]).astype(np.int64)
        weight, owner = shares[used], compositions.owner[used]
        best, which = TOLERANCE, (-1, -1, 0.0)
        for f in range(classes + 1):
            number = features[used, f].astype(float)
            mean = np.bincount(owner, weight * number, patterns)
            square = np.bincount(owner, weight * number**2, patterns)
            spread = (square - mean**2) / (10 if f else 1)
            p = int(spread.argmax())
            if spread[p] > best:
                best, which = float(spread[p]), (p, f, float(mean[p]))
        p, f, mean_p = which
        if p < 0:
            self.chosen = np.array([used[owner == q][weight[owner == q].argmax()] for q in np.unique(owner)])
            return []
        at = int(np.floor(mean_p + TOLERANCE))
        mine = compositions.owner == p
        low = node.allowed & ~(mine & (features[:, f] > at))
        high = node.allowed & ~(mine & (features[:, f] <= at))
        must = node.must.copy()
        must[p] = True
        children = [Node(low, node.must)]
        if (high & mine).any():
            children.append(Node(high, must))
        return children[::-1] if mean_p - at < 0.5 else children


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

    def _add(self, cost: FloatArray, rows: list[IntArray], values: list[FloatArray]) -> None:
        number = len(cost)
        lengths = np.array([len(each) for each in rows])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int32)
        entries = np.concatenate(rows).astype(np.int32), np.concatenate(values).astype(np.float64)
        free = np.full(number, np.inf)
        self.highs.addCols(number, cost, np.zeros(number), free, len(entries[0]), starts, *entries)

    def restrict(self, node: Node) -> None:
        """Allow only the groups of some compositions."""
        number = len(self.composition)
        if number:
            upper = np.where(node.allowed[self.composition], np.inf, 0.0)
            index = np.arange(self.slacks, self.slacks + number, dtype=np.int32)
            self.highs.changeColsBounds(number, index, np.zeros(number), upper)
        for p in range(self.patterns):
            self.highs.changeRowBounds(self.n_sorts + p, float(node.must[p]), 1.0)

    def run(self) -> tuple[float, IntArray]:
        """Solve it; return its value, and the dual values of the rows as integers."""
        self.highs.run()
        solution = self.highs.getSolution()
        duals = np.array(solution.row_dual)
        scale = self.compositions.scale
        self.of_patterns = duals[self.n_sorts :] * scale
        self.values = np.array(solution.col_value)
        whole = np.rint(np.clip(duals[: self.n_sorts], -self.penalty, self.penalty) * scale).astype(np.int64)
        return float(self.highs.getInfo().objective_function_value), whole

    def least(self, reduced: IntArray) -> IntArray:
        """Return the least reduced cost under every pattern; a large number where there is no composition."""
        found = np.full(self.patterns, NEVER)
        if len(reduced):
            found[self.compositions.listed] = np.minimum.reduceat(reduced, self.compositions.starts)
        return found

    def improving(self, least: IntArray, by_class: Sorted, reduced: IntArray) -> list[tuple[int, IntArray]]:
        """Return for the patterns that may improve the program their cheapest group."""
        wanted = np.flatnonzero(least < self.of_patterns - self.compositions.scale * 1e-4 - 2)
        ends = [*self.compositions.starts[1:].tolist(), len(reduced)]
        span = {
            int(p): (a, b) for p, a, b in zip(self.compositions.listed, self.compositions.starts, ends, strict=True)
        }
        found = []
        for p in wanted:
            a, b = span[int(p)]
            i = a + int(reduced[a:b].argmin())
            found.append((i, self.compositions.group(by_class, i)))
        return found

    def add(self, groups: list[tuple[int, IntArray]]) -> None:
        """Add groups."""
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
