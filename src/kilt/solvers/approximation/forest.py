"""Forest (after Aggarwal et al. 2005): rows are linked to nearby ones until trees are large enough, then trees are cut.

*Grow*: as long as a tree has fewer than k rows, the one row of it that has no edge of its own yet gets one to the
nearest row outside. That row is among its k-1 nearest, so that the edge is at most as long as what the row pays in any
legal release: all edges together are at most as long as the optimum is dear.

*Cut*: from the leaves up, what hangs together is emitted as a group as soon as it has k rows; what is left at the root
joins an adjacent group. Groups have no edge in common and at most 3k-3 rows that pay, and a row pays at most what the
edges of its group are long. So the cost is at most 3k-3 times the optimum.

The rows of an equivalence class are one vertex here, with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kilt.kernels.common.nearest import Distances
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.equivalence_classes import equivalence_class
from kilt.solvers.common.leftovers import place_leftovers
from kilt.solvers.common.stacked_ladders import stacked

Rows = dict[int, int]  # how many rows of which vertex


@dataclass(frozen=True)
class Forest:
    """At most 3k-3 times the optimum under k alone, in a time that grows with the square of the row types."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse anything but k-anonymity."""
        return None if problem.rules.is_k_anonymity else "it takes k-anonymity alone"

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Grow trees, and cut them; when stopped, small trees are given up, and nothing is guaranteed."""
        k, vertex = problem.rules.min_group_size, equivalence_class(problem)
        rows = np.bincount(vertex, problem.counts).astype(np.int64)
        trees = _grow_trees(problem, vertex, rows, k, stop, observer)
        listed = rows.tolist()
        groups = [group for root in trees.large(k) for group in Cut(trees.neighbours, listed, k).cut(root)]
        types, owner, counts = _entries(problem, vertex, groups)
        left = problem.counts - np.bincount(types, counts, len(problem.counts)).astype(np.int64)
        proved = not left.any() and not problem.base_cost  # the proof does not tell the base from the rest
        factor = Fraction(max(1, 3 * k - 3)) if proved else None
        return Solution(place_leftovers(problem, types, owner, counts, left), factor=factor)


@dataclass
class Trees:
    """Trees of vertices: ``tree`` says in which one each is, ``size`` how many rows it has.

    The *tip* of a tree is its one vertex without an edge of its own.
    """

    rows: IntArray
    tree: IntArray = field(init=False)
    size: IntArray = field(init=False)
    members: list[list[int]] = field(init=False)
    tip: list[int] = field(init=False)
    neighbours: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        number = len(self.rows)
        self.tree, self.size = np.arange(number), self.rows.copy()
        self.members, self.tip = [[v] for v in range(number)], list(range(number))
        self.neighbours = [[] for _ in range(number)]

    def link(self, small: int, near: int) -> None:
        """Link the tip of a small tree to a vertex of another one, which takes it up."""
        tip, other = self.tip[small], int(self.tree[near])
        self.neighbours[tip].append(near)
        self.neighbours[near].append(tip)
        self.tree[self.members[small]] = other
        self.size[other] += self.size[small]
        self.members[other] += self.members[small]

    def large(self, k: int) -> list[int]:
        """Return the trees that have k rows and more."""
        return [t for t in np.unique(self.tree).tolist() if self.size[t] >= k]


def _grow_trees(
    problem: Problem, vertex: IntArray, rows: IntArray, k: int, stop: StoppingRule, observer: Observer
) -> Trees:
    """Link small trees until there are none."""
    _, first = np.unique(vertex, return_index=True)
    distances = Distances(problem.codes[first], stacked(problem))
    trees = Trees(rows)
    small = np.flatnonzero(rows < k).tolist()
    for done, begun in enumerate(small):
        observer(Progress("solving", done / len(small)))
        while trees.size[trees.tree[begun]] < k and not stop():
            mine = int(trees.tree[begun])
            trees.link(mine, distances.nearest_outside(trees.tree, trees.tip[mine]))
    return trees


@dataclass
class Cut:
    """Cuts a tree into groups: ``emitted`` has the last group that was emitted at each vertex."""

    neighbours: list[list[int]]
    rows: list[int]
    k: int
    groups: list[Rows] = field(default_factory=list)
    emitted: dict[int, Rows] = field(default_factory=dict)

    def cut(self, root: int) -> list[Rows]:
        """Return the groups of the tree of a vertex."""
        order, parent = [root], {root: root}
        for v in order:
            for near in self.neighbours[v]:
                if near != parent[v]:
                    parent[near] = v
                    order.append(near)
        bags: dict[int, Rows] = {v: {} for v in order}
        for v in reversed(order):
            rest = self._own(v, bags[v])
            if v == root:
                self._join(rest, parent)
            else:
                self._add(parent[v], bags, rest)
        return self.groups

    def _add(self, v: int, bags: dict[int, Rows], more: Rows) -> None:
        """Let what is left of a branch hang together at a vertex; emit it if it is enough."""
        bags[v].update(more)
        if sum(bags[v].values()) >= self.k:
            self._emit(v, bags[v])
            bags[v] = {}

    def _own(self, v: int, bag: Rows) -> Rows:
        """Add the rows of the vertex itself to what hangs together there; return what is left."""
        missing, own = self.k - sum(bag.values()), self.rows[v]
        if own < missing:
            return {**bag, v: own}
        if bag:
            self._emit(v, {**bag, v: missing})
            own -= missing
        if own >= self.k:
            self._emit(v, {v: own})
            own = 0
        return {v: own} if own else {}

    def _emit(self, v: int, group: Rows) -> None:
        self.groups.append(group)
        self.emitted[v] = group

    def _join(self, rest: Rows, parent: dict[int, int]) -> None:
        """Let what is left at the root join an adjacent group."""
        if not rest:
            return
        at = next((v for v in rest if v in self.emitted), None)
        if at is None:
            at = next(v for v, above in parent.items() if above in rest and v not in rest)
        group = self.emitted[at]
        for v, number in rest.items():
            group[v] = group.get(v, 0) + number


def _entries(problem: Problem, vertex: IntArray, groups: list[Rows]) -> tuple[IntArray, IntArray, IntArray]:
    """Return groups of vertices as entries of a partition: the row types of a vertex are taken one after the other."""
    order = np.argsort(vertex, kind="stable")
    waiting = np.split(order, np.flatnonzero(np.diff(vertex[order])) + 1)
    queues = [[[int(u), int(problem.counts[u])] for u in row_types] for row_types in waiting]
    entries = [
        (row_type, number, copies)
        for number, group in enumerate(groups)
        for v, wanted in group.items()
        for row_type, copies in _taken(queues[v], wanted)
    ]
    types, owner, counts = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    return types, owner, counts


def _taken(queue: list[list[int]], wanted: int) -> Iterator[tuple[int, int]]:
    """Take so many copies from the end of a queue of row types."""
    while wanted:
        row_type, copies = queue[-1]
        taken = min(copies, wanted)
        yield row_type, taken
        wanted -= taken
        queue[-1][1] -= taken
        if taken == copies:
            queue.pop()
