"""Graphs, and what the reductions ask of them: minimum bisection, clique and half-clique."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, TypeAlias

from kilt.errors import InputError
from kilt.hardness.problems.checks import distinct, has_length
from kilt.hardness.problems.problem import Goal, OptimizationProblem

Node: TypeAlias = Hashable
Nodes: TypeAlias = frozenset[Node]
NODES = "the nodes of a graph"


@dataclass(frozen=True)
class Graph:
    """An undirected graph without loops; an edge is a pair of places in the list of its nodes."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if len(distinct(self.nodes, NODES)) < len(self.nodes):
            raise InputError("a graph has a node twice")
        places = set(range(len(self.nodes)))
        if not all(len(edge) == 2 == len(places.intersection(edge)) for edge in self.edges):
            raise InputError(f"an edge must be two places among {len(self.nodes)} nodes, from 0; Graph.of takes names")
        if len({frozenset(edge) for edge in self.edges}) < len(self.edges):
            raise InputError("a graph has an edge twice; Graph.of takes it once")

    @classmethod
    def of(cls, edges: Any, nodes: Iterable[Node] = ()) -> Graph:
        """Take a graph of networkx or rustworkx, or pairs of nodes; ``nodes`` adds those without edges.

        Nodes keep their order, and an edge that is given twice counts once. The nodes of rustworkx are its numbers.
        """
        if hasattr(edges, "nodes") and hasattr(edges, "edges"):
            return cls._taken(edges)
        if not isinstance(edges, Iterable):
            raise InputError(f"a graph must be given as pairs of nodes, or as an object of networkx, not {type(edges)}")
        pairs = [_pair(pair) for pair in edges]
        named = distinct(chain(distinct(nodes, NODES), *pairs), NODES)
        place = {node: i for i, node in enumerate(named)}
        if any(u == v for u, v in pairs):
            raise InputError("a graph has an edge from a node to itself: leave it out")
        return cls(named, tuple(dict.fromkeys((min(e), max(e)) for e in ((place[u], place[v]) for u, v in pairs))))

    @classmethod
    def _taken(cls, graph: Any) -> Graph:
        """Read a graph object that has nodes and edges, as attributes or as methods."""
        if getattr(graph, "is_directed", lambda: hasattr(graph, "successors"))():
            raise InputError("the graph is directed: give an undirected one, as graph.to_undirected() makes it")
        parts = (graph.node_indices, graph.edge_list) if hasattr(graph, "edge_list") else (graph.nodes, graph.edges)
        nodes, edges = (part() if callable(part) else part for part in parts)
        return cls.of([tuple(edge)[:2] for edge in edges], nodes)

    @cached_property
    def place(self) -> dict[Node, int]:
        """The place of every node."""
        return {node: i for i, node in enumerate(self.nodes)}

    def places(self, nodes: Iterable[Node]) -> frozenset[int]:
        """Return the places of nodes, or raise if one is not of this graph."""
        chosen = list(nodes)
        if any(node not in self.place for node in chosen):
            raise InputError("a solution names a node that the graph does not have")
        return frozenset(self.place[node] for node in chosen)

    def named(self, places: Iterable[int]) -> Nodes:
        """Return the nodes in these places."""
        return frozenset(self.nodes[i] for i in places)

    def cut(self, nodes: Iterable[Node]) -> int:
        """Count the edges with one end among the nodes."""
        side = self.places(nodes)
        return sum((u in side) != (v in side) for u, v in self.edges)

    def inside(self, nodes: Iterable[Node]) -> int:
        """Count the edges with both ends among the nodes."""
        side = self.places(nodes)
        return sum(u in side and v in side for u, v in self.edges)

    def extended(self, isolated: int, universal: int) -> Graph:
        """Add nodes without edges, and then nodes with an edge to every other old or universal node."""
        size = len(self.nodes)
        added = [*_fresh("isolated", isolated, self.place), *_fresh("universal", universal, self.place)]
        new = range(size + isolated, size + isolated + universal)
        joined = [(u, v) for v in new for u in (*range(size), *new) if u < v]
        return Graph((*self.nodes, *added), (*self.edges, *joined))


def _pair(pair: Any) -> tuple[Node, Node]:
    if not has_length(pair, 2):
        raise InputError("an edge must be a pair of nodes")
    return pair[0], pair[1]


def _fresh(word: str, count: int, taken: dict[Node, int]) -> list[str]:
    while any(f"{word} {i + 1}" in taken for i in range(count)):
        word += "'"
    return [f"{word} {i + 1}" for i in range(count)]


def _require_even(graph: Graph, what: str) -> None:
    if len(graph.nodes) % 2 or len(graph.nodes) < 4:
        raise InputError(
            f"{what} needs a graph with an even number of nodes, at least 4, and this one has {len(graph.nodes)}"
        )


def _require_half(graph: Graph, solution: Nodes) -> None:
    if 2 * len(solution) != len(graph.nodes):
        raise InputError(f"half of {len(graph.nodes)} nodes is not {len(solution)}")


@dataclass(frozen=True)
class Bisection(OptimizationProblem[Nodes]):
    """Split the nodes into two halves that cut the fewest edges. A solution is one half.

    With ``most`` it is a question with an answer: is there one that cuts at most so many?
    """

    counts: ClassVar[str] = "cut"
    graph: Graph
    most: int | None = None

    def __post_init__(self) -> None:
        _require_even(self.graph, "a bisection")

    @property
    def goal(self) -> Goal | None:
        """The edges that may be cut."""
        return None if self.most is None else Goal(self.most)

    def value(self, solution: Nodes) -> int:
        """Count the edges between the two halves."""
        _require_half(self.graph, solution)
        return self.graph.cut(solution)


@dataclass(frozen=True)
class Clique(OptimizationProblem[Nodes]):
    """Whether there is a clique of exactly ``size`` nodes. The value of a set is 1 if it is one, and 0 if not."""

    counts: ClassVar[str] = "clique"
    graph: Graph
    size: int

    def __post_init__(self) -> None:
        if not 2 <= self.size <= len(self.graph.nodes):
            raise InputError(f"'size' must be from 2 to the {len(self.graph.nodes)} nodes there are, not {self.size}")

    @property
    def goal(self) -> Goal:
        """One clique."""
        return Goal(1, at_least=True)

    def value(self, solution: Nodes) -> int:
        """Say whether the nodes are a clique."""
        if len(solution) != self.size:
            raise InputError(f"a solution has {self.size} nodes, and this one {len(solution)}")
        return int(self.graph.inside(solution) == math.comb(self.size, 2))


@dataclass(frozen=True)
class HalfClique(OptimizationProblem[Nodes]):
    """Half of the nodes with the most edges inside: whether they are all joined, and are a clique."""

    counts: ClassVar[str] = "edges"
    graph: Graph

    def __post_init__(self) -> None:
        _require_even(self.graph, "a half-clique")

    @property
    def half(self) -> int:
        """How many nodes are half of them."""
        return len(self.graph.nodes) // 2

    @property
    def goal(self) -> Goal:
        """All edges that half of the nodes can have."""
        return Goal(math.comb(self.half, 2), at_least=True)

    def value(self, solution: Nodes) -> int:
        """Count the edges inside."""
        _require_half(self.graph, solution)
        return self.graph.inside(solution)
