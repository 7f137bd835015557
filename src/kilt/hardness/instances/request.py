"""What ``kilt instance`` is asked for: a source from a file or from a seed, and the reduction that it goes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from kilt.errors import InputError, nearest, raise_all
from kilt.hardness.instances.files import read_graph, read_matching
from kilt.hardness.instances.instance import Groups
from kilt.hardness.instances.planted import (
    planted_bisection,
    planted_clique,
    planted_matching,
    random_graph,
    random_matching,
    split_edges,
)
from kilt.hardness.problems.covers import TupleCover
from kilt.hardness.problems.graphs import Bisection, Clique, Graph, HalfClique
from kilt.hardness.problems.triples import Matching
from kilt.hardness.reductions.cover import CoverToDiversity
from kilt.hardness.reductions.dimensions import MatchingToAnonymity, MatchingToDiversity
from kilt.hardness.reductions.reduction import Reduction
from kilt.hardness.reductions.shares import HALF, share
from kilt.hardness.reductions.theorem import AnySource, kind_for, to_anonymity, to_closeness

Given = TypeVar("Given")
Default = TypeVar("Default")

SOURCES = ("graph", "tuples", "random", "planted")
PROBLEMS = ("bisection", "half-clique", "clique", "matching", "cover", "any")
TARGETS = ("c", "t", "k", "l")


@dataclass(frozen=True)
class Request:
    """The problem, where its instance comes from, and the c, t, k or l that the table is for.

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
    k: int | None = None
    l: int | None = None
    compact: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.problem not in PROBLEMS:
            raise InputError(f"'{self.problem}' is not a problem: {nearest(self.problem, PROBLEMS)}")
        asked = [f"'{name}'" for name in TARGETS if getattr(self, name) is not None]
        if len(asked) > 1:
            raise InputError(f"{' and '.join(asked)} are {len(asked)} ways to ask: give one of them")
        if self.problem == "any" and self.t is None:
            raise InputError("'any' takes the problem that makes t-closeness hard: give -t")
        self._require_one_source()
        self._require_meaning()

    @property
    def drawn(self) -> bool:
        """Whether the source comes from a seed, and not from a file."""
        return self.random is not None or self.planted is not None

    @property
    def kind(self) -> str:
        """The problem, where ``any`` is the one that t asks for."""
        return kind_for(_given(self.t, 0)) if self.problem == "any" else self.problem

    def reduction(self) -> Reduction[Any, Groups]:
        """Make the source and reduce it."""
        source = self.source()
        if isinstance(source, TupleCover):
            return CoverToDiversity(source)
        if isinstance(source, Matching):
            return self._of_matching(source)
        if self.t is not None:
            return to_closeness(source, self.t, compact=self.compact)
        if self.c is None and not isinstance(source, Bisection):
            raise InputError(
                "'c' or 't' is missing: a clique takes a c between 1/3 and 1/2, or a t between 1/2 and 2/3"
            )
        return to_anonymity(source, _given(self.c, HALF), compact=self.compact)

    def _of_matching(self, source: Matching) -> Reduction[Any, Groups]:
        if self.c is not None:
            raise InputError("'c' is for graphs: a matching is reduced to t-closeness, give -t, or to -k or -l")
        if self.k is not None:
            return MatchingToAnonymity(source, self.k, self.compact)
        if self.l is not None:
            return MatchingToDiversity(source, self.l, self.compact)
        return to_closeness(source, _given(self.t, 0))

    def source(self) -> AnySource | TupleCover:
        """Read or draw the source."""
        makers: dict[str, Callable[[], AnySource | TupleCover]] = {
            "bisection": lambda: Bisection(self._graph(), self.most),
            "half-clique": lambda: HalfClique(self._graph()),
            "clique": lambda: Clique(self._graph(), self._size()),
            "matching": self._matching,
            "cover": lambda: TupleCover(self._matching()),
        }
        return makers[self.kind]()

    def _require_one_source(self) -> None:
        given = [f"--{name}" for name in SOURCES if getattr(self, name) is not None]
        if len(given) != 1:
            what = f"there are {len(given)} sources, {' and '.join(given)}" if given else "the source is missing"
            raise InputError(f"{what}: give one of --graph, --tuples, --random and --planted")

    def _require_meaning(self) -> None:
        """Raise if an option is given that changes nothing, or that nothing can meet."""
        unused = {
            "most": self.most is not None and self.problem != "bisection",
            "size": self.size is not None and self.problem != "clique",
            "edges": self.edges is not None and not self.drawn,
            "seed": self.seed is not None and not self.drawn,
            "k": self.k is not None and self.problem != "matching",
            "l": self.l is not None and self.problem != "matching",
            "c": self.c is not None and self.problem == "cover",
            "t": self.t is not None and self.problem == "cover",
        }
        raise_all([f"'{name}' has no meaning for this source: leave it out" for name, wrong in unused.items() if wrong])
        if self.most is not None and self.most < 0:
            raise InputError(f"'most' must be at least 0, not {self.most}")
        if self.compact and not self._has_equal_columns():
            raise InputError(
                "'compact' has no meaning here: only a bisection with a c up to 1/3 has equal columns, and a matching "
                "with -k or -l has columns that tuples can share"
            )

    def _has_equal_columns(self) -> bool:
        if self.kind == "matching":
            return self.k is not None or self.l is not None
        c = share(_given(self.c, HALF), "c") if self.t is None else 1 - share(self.t, "t")
        return self.kind == "bisection" and c < HALF

    def _graph(self) -> Graph:
        if self.tuples is not None:
            raise InputError(f"'{self.kind}' takes a graph: give --graph, and not --tuples")
        if self.graph is not None:
            return read_graph(self.graph)
        nodes = self.random if self.random is not None else self.planted or 0
        every, seed = nodes * (nodes - 1) // 2, self.seed or 0
        if self.random is not None:
            return random_graph(nodes, _given(self.edges, min(2 * nodes, every)), seed)
        if self.kind == "bisection":
            across, inside = (nodes // 2, None) if self.edges is None else split_edges(nodes, self.edges)
            return planted_bisection(nodes, across, inside, seed)[0]
        size = self._size() if self.kind == "clique" else nodes // 2
        some = min(size * (size - 1) // 2 + nodes // 2, every)
        return planted_clique(nodes, size, _given(self.edges, some), seed)[0]

    def _size(self) -> int:
        if self.size is None:
            raise InputError("'size' is missing: how many nodes should the clique have?")
        return self.size

    def _matching(self) -> Matching:
        if self.graph is not None:
            raise InputError(f"'{self.kind}' takes tuples: give --tuples, and not --graph")
        if self.tuples is not None:
            return read_matching(self.tuples)
        elements = self.random if self.random is not None else self.planted or 0
        count = _given(self.edges, min(3 * elements, elements**3))
        if self.random is not None:
            return random_matching(elements, count, self.seed or 0)
        return planted_matching(elements, count, self.seed or 0)[0]


def _given(value: Given | None, default: Default) -> Given | Default:
    return default if value is None else value
