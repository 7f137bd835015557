"""From clique to half-clique, and from half-clique to (cn)-anonymity for 1/3 < c < 1/2.

The table is that of a bisection with more rows, n' = n/(2c) rounded down; a new row shows its own number everywhere.
As c is above 1/3, there are at most two groups, and a group with an old and a new row hides everything. What is left to
win is a group V1 of old rows: if V2 are the other old rows, it shows the columns of the edges inside V2. That saves
|V1| stars for each. Among sets V2 of at most n/2 nodes, this is most if V2 is a clique of n/2 nodes, and only then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from kilt.errors import InputError
from kilt.hardness.instances.instance import Groups, Instance, Table, require_room
from kilt.hardness.problems.graphs import Clique, Graph, HalfClique, Node, Nodes
from kilt.hardness.problems.problem import OptimaRelation
from kilt.hardness.reductions.bisection import incidence
from kilt.hardness.reductions.reduction import Reduction
from kilt.hardness.reductions.shares import HALF, THIRD, rows_for, share
from kilt.model.policy import Policy
from kilt.numbers import Number


@dataclass(frozen=True)
class CliqueToHalfClique(Reduction[Nodes, Nodes]):
    """Add isolated nodes if the clique is to be large, and nodes that are joined to all others if it is to be small."""

    source: Clique

    @property
    def isolated(self) -> int:
        """How many nodes without edges are added."""
        return max(0, 2 * self.source.size - len(self.source.graph.nodes))

    @property
    def universal(self) -> int:
        """How many nodes that are joined to all others are added; a clique can hold them all."""
        return max(0, len(self.source.graph.nodes) - 2 * self.source.size)

    @cached_property
    def target(self) -> HalfClique:
        """The larger graph."""
        return HalfClique(_extended(self.source.graph, self.isolated, self.universal))

    def forward(self, solution: Nodes) -> Nodes:
        """Add the universal nodes."""
        self.source.require(solution)
        return solution | _last(self.target, self.universal)

    def back(self, solution: Nodes) -> Nodes:
        """Keep old nodes, as many as the clique has; in a clique of the target there are so many."""
        self.target.require(solution)
        return _filled(self.source.graph.nodes, solution, self.source.size)

    def claim(self) -> OptimaRelation:
        """The answers agree."""
        return OptimaRelation.between(self.source, self.target)


@dataclass(frozen=True)
class LargerHalfClique(Reduction[Nodes, Nodes]):
    """Add pairs of an isolated and a universal node: the same question of a larger graph."""

    source: HalfClique
    pairs: int

    def __post_init__(self) -> None:
        if self.pairs < 0:
            raise InputError(f"'pairs' must be at least 0, not {self.pairs}")

    @cached_property
    def target(self) -> HalfClique:
        """The larger graph."""
        return HalfClique(_extended(self.source.graph, self.pairs, self.pairs))

    def forward(self, solution: Nodes) -> Nodes:
        """Add the universal nodes."""
        self.source.require(solution)
        return solution | _last(self.target, self.pairs)

    def back(self, solution: Nodes) -> Nodes:
        """Keep old nodes, half of them; in a clique of the target there are so many."""
        self.target.require(solution)
        return _filled(self.source.graph.nodes, solution, self.source.half)

    def claim(self) -> OptimaRelation:
        """The answers agree."""
        return OptimaRelation.between(self.source, self.target)


@dataclass(frozen=True)
class HalfCliqueToAnonymity(Reduction[Nodes, Groups]):
    """The rows outside a clique of half of the nodes are a group; the clique and the new rows are the other."""

    source: HalfClique
    c: Number

    def __post_init__(self) -> None:
        if not THIRD < self.exact_c < HALF:
            raise InputError(f"'c' must be above 1/3 and below 1/2 here, not {self.c}")
        if self.rows == self.nodes:
            raise InputError(
                f"c={self.c} leaves no room for a new row in addition to {self.nodes} nodes: "
                f"{2 * pairs_needed(self.source, self.exact_c)} more are needed, half of them isolated, half universal"
            )

    @property
    def exact_c(self) -> Fraction:
        """The share of the rows that a group must have."""
        return share(self.c, "c")

    @property
    def nodes(self) -> int:
        """How many nodes there are, and old rows."""
        return len(self.source.graph.nodes)

    @property
    def rows(self) -> int:
        """How many rows there are, old and new."""
        return rows_for(self.source.half, self.exact_c)

    @cached_property
    def target(self) -> Instance:
        """The table of nodes and edges, with new rows that agree with none."""
        require_room(self.rows, len(self.source.graph.edges))
        columns, rows = incidence(self.source.graph)
        new = tuple((str(i + 1),) * len(columns) for i in range(self.nodes, self.rows))
        threshold = self.rows * len(columns) - self.source.half * self.source.goal.value
        return Instance(Table(columns, (*rows, *new)), Policy(k=self.source.half), threshold)

    def forward(self, solution: Nodes) -> Groups:
        """Make the nodes outside a group, and all other rows another."""
        self.source.require(solution)
        inside = self.source.graph.places(solution)
        outside = tuple(i for i in range(self.nodes) if i not in inside)
        return outside, (*sorted(inside), *range(self.nodes, self.rows))

    def back(self, solution: Groups) -> Nodes:
        """Take the nodes outside a group of old rows (if there is none, nothing is won), and others to make a half."""
        self.target.require(solution)
        everything: Sequence[int] = range(self.nodes)
        old = next((group for group in solution if max(group) < self.nodes), everything)
        outside = self.source.graph.named(i for i in range(self.nodes) if i not in old)
        return _filled(self.source.graph.nodes, outside, self.source.half)

    def claim(self) -> OptimaRelation:
        """A half saves n/2 stars for every edge inside; smaller sets may save more, but never as much as a clique."""
        every = self.rows * len(self.target.table.columns)
        return OptimaRelation.between(self.source, self.target, -self.source.half, every, exact=False)


def pairs_needed(source: HalfClique, c: Fraction) -> int:
    """Return how many pairs of nodes make room for one new row (without one, both groups would save stars)."""
    return max(0, math.ceil(1 / (1 / c - 2)) - source.half)


def _extended(graph: Graph, isolated: int, universal: int) -> Graph:
    """Add nodes to a graph, if its table has room for them and for the edges of the universal ones."""
    old = len(graph.nodes)
    require_room(old + isolated + universal, len(graph.edges) + universal * old + math.comb(universal, 2))
    return graph.extended(isolated, universal)


def _last(target: HalfClique, count: int) -> Nodes:
    """Return the last nodes of a graph, which are the universal ones."""
    nodes = target.graph.nodes
    return frozenset(nodes[len(nodes) - count :])


def _filled(nodes: tuple[Node, ...], solution: Nodes, size: int) -> Nodes:
    """Return so many of the nodes, those in a solution first."""
    return frozenset(sorted(nodes, key=lambda node: node not in solution)[:size])
