"""What ``kilt instance`` is asked for: a source from a file or from a seed, and the reduction that it goes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kilt.errors import InputError, nearest, raise_all
from kilt.hardness.files import read_graph, read_matching
from kilt.hardness.graphs import Bisection, Clique, Graph, HalfClique
from kilt.hardness.instance import Groups
from kilt.hardness.planted import (
    planted_bisection,
    planted_clique,
    planted_matching,
    random_graph,
    random_matching,
)
from kilt.hardness.reduction import Reduction
from kilt.hardness.theorem import AnySource, kind_for, to_anonymity, to_closeness
from kilt.hardness.triples import Matching

PROBLEMS = ("bisection", "half-clique", "clique", "matching", "any")


@dataclass(frozen=True)
class Request:
    """The problem, where its instance comes from, and the c or t that the table is for.

    ``graph`` and ``tuples`` are files; ``random`` and ``planted`` are numbers of nodes, or of elements of each set.
    """

    problem: str
    graph: str | None = None
    tuples: str | None = None
    random: int | None = None
    planted: int | None = None
    edges: int | None = None
    size: int | None = None
    most: int | None = None
    c: str | None = None
    t: str | None = None
    compact: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.problem not in PROBLEMS:
            raise InputError(f"'{self.problem}' is not a problem: {nearest(self.problem, PROBLEMS)}")
        if self.c is not None and self.t is not None:
            raise InputError("'c' and 't' are two ways to ask: give one of them")
        if self.problem == "any" and self.t is None:
            raise InputError("'any' takes the problem that makes t-closeness hard: give -t")
        given = [each for each in (self.graph, self.tuples, self.random, self.planted) if each is not None]
        if len(given) != 1:
            raise InputError("the source is missing: give one of --graph, --tuples, --random and --planted")

        unused = {
            "most": self.most is not None and self.problem != "bisection",
            "size": self.size is not None and self.problem != "clique",
            "edges": self.edges is not None and self.random is None and self.planted is None,
        }
        raise_all([f"'{name}' has no meaning for this source: leave it out" for name, wrong in unused.items() if wrong])

    @property
    def kind(self) -> str:
        """The problem, where ``any`` is the one that t asks for."""
        return kind_for(self.t or 0) if self.problem == "any" else self.problem

    def reduction(self) -> Reduction[Any, Groups]:
        """Make the source and reduce it."""
        source = self.source()
        if isinstance(source, Matching):
            if self.c is not None:
                raise InputError("'c' is for graphs: a matching is reduced to t-closeness, give -t")
            return to_closeness(source, self.t or 0)
        if self.t is not None:
            return to_closeness(source, self.t, compact=self.compact)
        if self.c is None and not isinstance(source, Bisection):
            raise InputError(
                "'c' or 't' is missing: a clique takes a c between 1/3 and 1/2, or a t between 1/2 and 2/3"
            )
        return to_anonymity(source, self.c or "1/2", compact=self.compact)

    def source(self) -> AnySource:
        """Read or draw the source."""
        makers: dict[str, Callable[[], AnySource]] = {
            "bisection": lambda: Bisection(self._graph(), self.most),
            "half-clique": lambda: HalfClique(self._graph()),
            "clique": lambda: Clique(self._graph(), self._size()),
            "matching": self._matching,
        }
        return makers[self.kind]()

    def _graph(self) -> Graph:
        if self.tuples is not None:
            raise InputError(f"'{self.kind}' takes a graph: give --graph, and not --tuples")
        if self.graph is not None:
            return read_graph(self.graph)
        nodes = self.random if self.random is not None else self.planted or 0
        if self.random is not None:
            return random_graph(nodes, 2 * nodes if self.edges is None else self.edges, self.seed)
        if self.kind == "bisection":
            inside = None if self.edges is None else self.edges // 2
            return planted_bisection(nodes, nodes // 2, inside, self.seed)[0]
        size = self._size() if self.kind == "clique" else nodes // 2
        least = size * (size - 1) // 2
        return planted_clique(nodes, size, least + nodes // 2 if self.edges is None else self.edges, self.seed)[0]

    def _size(self) -> int:
        if self.size is None:
            raise InputError("'size' is missing: how many nodes should the clique have?")
        return self.size

    def _matching(self) -> Matching:
        if self.graph is not None:
            raise InputError("'matching' takes tuples: give --tuples, and not --graph")
        if self.tuples is not None:
            return read_matching(self.tuples)
        elements = self.random if self.random is not None else self.planted or 0
        count = 3 * elements if self.edges is None else self.edges
        if self.random is not None:
            return random_matching(elements, count, self.seed)
        return planted_matching(elements, count, self.seed)[0]
