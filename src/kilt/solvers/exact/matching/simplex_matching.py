"""Simplex matching: a perfect matching of least cost with edges of two and of three vertices.

If every triple costs at least half of what its three pairs cost together, a local search finds the optimum: its state
is the set of chosen triples, whose cost is theirs and that of the best matching of all other vertices by pairs
(Edmonds); a step exchanges one triple, drops two or adds two. ``docs/solvers/matching.md`` says what is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import rustworkx

from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule

Pair = tuple[int, ...]
Triple = tuple[int, ...]
Triples = frozenset[Triple]


@dataclass(frozen=True)
class Hypergraph:
    """Vertices 0, 1, ... and edges with their costs; the vertices of an edge are in rising order."""

    vertices: int
    pairs: Mapping[Pair, int]
    triples: Mapping[Triple, int]

    def is_simplex(self) -> bool:
        """Say whether every triple has its three pairs, and they cost at most twice as much."""
        return all(
            all(pair in self.pairs for pair in combinations(triple, 2))
            and sum(self.pairs[pair] for pair in combinations(triple, 2)) <= 2 * cost
            for triple, cost in self.triples.items()
        )


@dataclass(frozen=True)
class Duals:
    """A number for each vertex, ``scale`` of them to a unit of cost; on no edge they add up to more than it costs."""

    values: IntArray
    scale: int

    @classmethod
    def none(cls, vertices: int) -> Duals:
        """Return duals that are all 0."""
        return cls(np.zeros(vertices, dtype=np.int64), 1)


@dataclass(frozen=True)
class Matching:
    """Chosen edges and their cost; ``is_local_optimum`` if no step improves it."""

    edges: tuple[tuple[int, ...], ...]
    cost: int
    is_local_optimum: bool


@dataclass
class SimplexMatching:
    """The local search on a hypergraph that meets the simplex condition."""

    graph: Hypergraph
    duals: Duals
    max_matchings: int | None = None
    reduced_costs: dict[Triple, int] = field(init=False)
    matchings: int = 0

    def __post_init__(self) -> None:
        self.reduced_costs = {triple: self._reduced_cost(triple, cost) for triple, cost in self.graph.triples.items()}
        self.pair_reduced_costs = {pair: self._reduced_cost(pair, cost) for pair, cost in self.graph.pairs.items()}
        self.total = int(self.duals.values.sum())

    def solve(self, start: Triples | None = None, stop: StoppingRule | None = None) -> Matching | None:
        """Search from a set of disjoint triples, or from any; None if there is no perfect matching."""
        best = None if start is None else self._completed(start, None)
        best = best or self._first()
        if best is None:
            return None
        chosen, matching = best
        is_local_optimum = False
        while not is_local_optimum and not self._over(stop):
            is_local_optimum = True
            for other in self._neighbours(chosen, matching.cost):
                if self._over(stop):
                    is_local_optimum = False
                    break
                found = self._completed(other, matching.cost)
                if found is not None and found[1].cost < matching.cost:
                    chosen, matching = found
                    is_local_optimum = False
                    break
        return Matching(matching.edges, matching.cost, is_local_optimum)

    def _reduced_cost(self, edge: tuple[int, ...], cost: int) -> int:
        return cost * self.duals.scale - int(self.duals.values[list(edge)].sum())

    def _over(self, stop: StoppingRule | None) -> bool:
        exhausted = self.max_matchings is not None and self.matchings >= self.max_matchings
        return exhausted or (stop is not None and stop())

    def _first(self) -> tuple[Triples, Matching] | None:
        """Find a start: no triple, or one of them if the number of vertices is odd; if that fails, any."""
        starts: Iterator[Triples] = iter([frozenset()])
        if self.graph.vertices % 2:
            starts = (frozenset([triple]) for triple in sorted(self.graph.triples, key=self.reduced_costs.__getitem__))
        for start in starts:
            found = self._completed(start, None)
            if found is not None:
                return found
        return self._forced()

    def _forced(self) -> tuple[Triples, Matching] | None:
        """Add every missing pair at a cost above all others; if one stays in the optimum, there is no matching."""
        missing = self._forbidding()
        pairs: Iterator[Pair] = combinations(range(self.graph.vertices), 2)
        if self.graph.vertices % 2 and not self.graph.triples:
            return None
        every = {**dict.fromkeys(pairs, missing), **self.graph.pairs}
        whole = Hypergraph(self.graph.vertices, every, self.graph.triples)
        if len(whole.pairs) == len(self.graph.pairs):
            return None
        found = SimplexMatching(whole, Duals.none(whole.vertices)).solve()
        if found is None or found.cost >= missing:
            return None
        chosen = frozenset(edge for edge in found.edges if len(edge) == 3)
        return chosen, found

    def _forbidding(self) -> int:
        return 1 + sum(self.graph.pairs.values()) + sum(self.graph.triples.values())

    def _neighbours(self, chosen: Triples, cost: int) -> Iterator[Triples]:
        """Yield sets of triples at one step whose duals leave room for a lower cost."""
        room = (cost - 1) * self.duals.scale - self.total
        mine = sorted(chosen)
        spent = sum(self.reduced_costs[triple] for triple in mine)
        usable = sorted(
            (reduced, triple)
            for triple, reduced in self.reduced_costs.items()
            if reduced <= room and triple not in chosen
        )
        for old in mine:
            kept = chosen - {old}
            left = room - spent + self.reduced_costs[old]
            for reduced, new in usable:
                if reduced > left:
                    break
                if _apart(kept, new):
                    yield kept | {new}
        for pair in combinations(mine, 2):
            yield chosen - set(pair)
        free = [(reduced, new) for reduced, new in usable if _apart(chosen, new)]
        for i, (reduced, new) in enumerate(free):
            for second, another in free[i + 1 :]:
                if reduced + second > room - spent:
                    break
                if not set(new) & set(another):
                    yield chosen | {new, another}

    def _completed(self, chosen: Triples, below: int | None) -> tuple[Triples, Matching] | None:
        """Match all other vertices by pairs, at best; pairs that no cheaper matching has are left out."""
        room = None if below is None else (below - 1) * self.duals.scale - self.total
        taken = {vertex for triple in chosen for vertex in triple}
        left = [vertex for vertex in range(self.graph.vertices) if vertex not in taken]
        pairs = [
            (a, b, cost)
            for (a, b), cost in self.graph.pairs.items()
            if a not in taken and b not in taken and (room is None or self.pair_reduced_costs[a, b] <= room)
        ]
        self.matchings += 1
        matched = _edmonds(left, pairs)
        if matched is None:
            return None
        cost = sum(self.graph.triples[triple] for triple in chosen) + sum(self.graph.pairs[pair] for pair in matched)
        return chosen, Matching((*sorted(chosen), *sorted(matched)), cost, is_local_optimum=False)


def _apart(chosen: Triples, triple: Triple) -> bool:
    return all(vertex not in other for other in chosen for vertex in triple)


def _edmonds(vertices: list[int], pairs: list[tuple[int, int, int]]) -> list[Pair] | None:
    """Return a perfect matching of least cost, or None."""
    if len(vertices) % 2:
        return None
    place = {vertex: i for i, vertex in enumerate(vertices)}
    most = 1 + max((cost for _, _, cost in pairs), default=0)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(vertices)
    graph.add_edges_from([(place[a], place[b], most - cost) for a, b, cost in pairs])
    matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(matched) < len(vertices):
        return None
    found = [sorted((vertices[a], vertices[b])) for a, b in matched]
    return [(a, b) for a, b in found]
