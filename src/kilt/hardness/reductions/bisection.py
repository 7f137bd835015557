"""From minimum bisection to (n/2)-anonymity.

A row for every node, a column for every edge; a row shows its own number in the columns of its edges, and 0 elsewhere.
No number is shown twice, so a group of two or more rows hides the columns of all edges that it touches. Two groups of
n/2 rows touch every edge once, and those between them twice: they have (n/2) (|E| + cut) stars.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kilt.hardness.instances.instance import Groups, Instance, Table, require_room
from kilt.hardness.problems.graphs import Bisection, Graph, Nodes
from kilt.hardness.problems.problem import OptimaRelation
from kilt.hardness.reductions.reduction import Reduction
from kilt.model.policy import Policy


@dataclass(frozen=True)
class BisectionToAnonymity(Reduction[Nodes, Groups]):
    """k = n/2 rows: the two groups are the two halves."""

    source: Bisection

    @property
    def half(self) -> int:
        """How many nodes are on either side."""
        return len(self.source.graph.nodes) // 2

    @cached_property
    def target(self) -> Instance:
        """The table of nodes and edges."""
        require_room(2 * self.half, len(self.source.graph.edges))
        columns, rows = incidence(self.source.graph)
        most = self.source.most
        threshold = None if most is None else self.half * (len(columns) + most)
        return Instance(Table(columns, rows), Policy(k=self.half), threshold)

    def forward(self, solution: Nodes) -> Groups:
        """Make either side a group."""
        self.source.require(solution)
        graph = self.source.graph
        side = graph.places(solution)
        return tuple(sorted(side)), tuple(i for i in range(len(graph.nodes)) if i not in side)

    def back(self, solution: Groups) -> Nodes:
        """Make the group of the first row a side; one group has all columns hidden, and any bisection is as good."""
        self.target.require(solution)
        return self.source.graph.named(min(solution)[: self.half])

    def claim(self) -> OptimaRelation:
        """Two groups have (n/2) (|E| + cut) stars."""
        return OptimaRelation.between(self.source, self.target, self.half, self.half * len(self.source.graph.edges))


def incidence(graph: Graph) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the columns (edges) and rows (nodes): its own number where a node is in an edge, else 0."""
    columns = tuple(f"e{j + 1}" for j in range(len(graph.edges)))
    return columns, tuple(
        tuple(str(i + 1) if i in edge else "0" for edge in graph.edges) for i in range(len(graph.nodes))
    )
