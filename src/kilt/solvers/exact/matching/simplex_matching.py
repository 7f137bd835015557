"""Simplex matching: a perfect matching of least cost with edges of two and of three vertices, in polynomial time.

If every triple costs at least half of what its three pairs cost together, a local search finds the optimum: its state
is the set of chosen triples, whose cost is theirs and that of the best matching of all other vertices by pairs
(Edmonds); a step exchanges one triple, drops two or adds two. ``docs/simplex_matching.md`` proves that a state which no
step improves is optimal, and how many steps there can be. All costs are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, takewhile

import numpy as np
import rustworkx

from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule

Pair = tuple[int, ...]
Triple = tuple[int, ...]
Triples = frozenset[Triple]


@dataclass(frozen=True)
class Hypergraph:
    """Vertices 0, 1, ... and edges with their costs, none negative; the vertices of an edge are in rising order."""

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
    """A number for each vertex, ``scale`` of them to a unit of cost, and for some *cuts*, where it is not negative.

    A cut is a set of an odd number of vertices. No edge costs less than the numbers of its vertices and of the cuts of
    which it contains an odd number of vertices.
    """

    values: IntArray
    scale: int
    cuts: tuple[frozenset[int], ...] = ()
    weights: tuple[int, ...] = ()

    @classmethod
    def none(cls, vertices: int) -> Duals:
        """Return duals that are all 0."""
        return cls(np.zeros(vertices, dtype=np.int64), 1)

    @property
    def total(self) -> int:
        """What all of them add up to: no perfect matching costs less."""
        return int(self.values.sum()) + sum(self.weights)

    @cached_property
    def _cuts_of(self) -> list[frozenset[int]]:
        """The cuts that contain each vertex."""
        found: list[set[int]] = [set() for _ in self.values]
        for number, cut in enumerate(self.cuts):
            for vertex in cut:
                found[vertex].add(number)
        return [frozenset(each) for each in found]

    def reduced_cost(self, edge: tuple[int, ...], cost: int) -> int:
        """Return what an edge costs beyond the numbers of its vertices and cuts."""
        odd: frozenset[int] = frozenset()
        for vertex in edge:
            odd ^= self._cuts_of[vertex]
        return cost * self.scale - int(self.values[list(edge)].sum()) - sum(self.weights[cut] for cut in odd)


@dataclass(frozen=True)
class Matching:
    """Chosen edges and their cost; ``is_local_optimum`` if no step improves it."""

    edges: tuple[tuple[int, ...], ...]
    cost: int
    is_local_optimum: bool

    @property
    def triples(self) -> Triples:
        """The chosen triples."""
        return frozenset(edge for edge in self.edges if len(edge) == 3)


@dataclass
class SimplexMatching:
    """The local search on a hypergraph that meets the simplex condition.

    Edges whose reduced cost is so high that no cheaper matching than the start has them may be missing from it; then a
    start must be given.
    """

    graph: Hypergraph
    duals: Duals
    max_matchings: int | None = None
    reduced_costs: dict[Triple, int] = field(init=False)
    steps: int = 0
    matchings: int = 0

    def __post_init__(self) -> None:
        reduced_cost = self.duals.reduced_cost
        self.reduced_costs = {triple: reduced_cost(triple, cost) for triple, cost in self.graph.triples.items()}
        self.pair_reduced_costs = {pair: reduced_cost(pair, cost) for pair, cost in self.graph.pairs.items()}

    def solve(self, start: Matching | None = None, stop: StoppingRule | None = None) -> Matching | None:
        """Search from a perfect matching, or from any; None if there is none.

        A step must gain at least so much, a number that is halved where no step does: this bounds their number.
        """
        matching = start or self._first()
        if matching is None:
            return None
        gain = 1 << max(0, matching.cost.bit_length() - 1)
        while gain:
            found = self._improved(matching, gain, stop)
            if found is None and self._is_over(stop):
                return Matching(matching.edges, matching.cost, is_local_optimum=False)
            if found is None:
                gain //= 2
            else:
                matching = found
                self.steps += 1
        return Matching(matching.edges, matching.cost, is_local_optimum=True)

    def _improved(self, matching: Matching, gain: int, stop: StoppingRule | None) -> Matching | None:
        """Return a neighbour that costs less by so much, or None."""
        for triples in self._neighbours(matching, matching.cost - gain):
            if self._is_over(stop):
                return None
            found = self.completed(triples, matching.cost - gain)
            if found is not None and found.cost <= matching.cost - gain:
                return found
        return None

    def _is_over(self, stop: StoppingRule | None) -> bool:
        exhausted = self.max_matchings is not None and self.matchings >= self.max_matchings
        return exhausted or (stop is not None and stop())

    def _room(self, cost: int) -> int:
        """Return what the reduced costs of a matching of this cost add up to."""
        return cost * self.duals.scale - self.duals.total

    def _first(self) -> Matching | None:
        """Find a start: no triple, or one of them if the number of vertices is odd; if that fails, any."""
        starts: Iterator[Triples] = iter([frozenset()])
        if self.graph.vertices % 2:
            starts = (frozenset([triple]) for triple in sorted(self.graph.triples, key=self.reduced_costs.__getitem__))
        found = (self.completed(start) for start in starts)
        return next((matching for matching in found if matching is not None), None) or self._forced()

    def _forced(self) -> Matching | None:
        """Add every missing pair at a cost above all others; if one stays in the optimum, there is no matching."""
        missing = 1 + sum(self.graph.pairs.values()) + sum(self.graph.triples.values())
        pairs: Iterator[Pair] = combinations(range(self.graph.vertices), 2)
        if self.graph.vertices % 2 and not self.graph.triples:
            return None
        every = {**dict.fromkeys(pairs, missing), **self.graph.pairs}
        whole = Hypergraph(self.graph.vertices, every, self.graph.triples)
        if len(whole.pairs) == len(self.graph.pairs):
            return None
        found = SimplexMatching(whole, Duals.none(whole.vertices)).solve()
        return None if found is None or found.cost >= missing else found

    def _neighbours(self, matching: Matching, cost: int) -> Iterator[Triples]:
        """Yield the sets of triples one step away whose reduced costs leave room for this cost."""
        chosen, room = matching.triples, self._room(cost)
        if room < 0:
            return
        spent = {triple: self.reduced_costs.get(triple, room + 1) for triple in sorted(chosen)}
        left = room - sum(spent.values())
        usable = sorted(
            (reduced, triple)
            for triple, reduced in self.reduced_costs.items()
            if reduced <= room and triple not in chosen
        )
        if left >= 0:  # the pairs alone may be matched better
            yield chosen
        for old, reduced in spent.items():
            kept = chosen - {old}
            yield from (kept | {new} for _, new in _up_to(left + reduced, usable) if _apart(kept, new))
        for first, second in combinations(spent, 2):
            if left + spent[first] + spent[second] >= 0:
                yield chosen - {first, second}
        yield from (chosen | added for added in _two_of(left, [(r, new) for r, new in usable if _apart(chosen, new)]))

    def completed(self, chosen: Triples, most: int | None = None) -> Matching | None:
        """Match all other vertices by pairs, at best; pairs that no matching up to this cost has are left out."""
        room = None if most is None else self._room(most)
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
        return Matching((*sorted(chosen), *sorted(matched)), cost, is_local_optimum=False)


def _up_to(limit: int, sorted_triples: list[tuple[int, Triple]]) -> Iterator[tuple[int, Triple]]:
    return takewhile(lambda pair: pair[0] <= limit, sorted_triples)


def _two_of(limit: int, sorted_triples: list[tuple[int, Triple]]) -> Iterator[Triples]:
    """Yield two triples that share no vertex, and whose reduced costs together are within the limit."""
    for i, (reduced, first) in enumerate(sorted_triples):
        for _, second in _up_to(limit - reduced, sorted_triples[i + 1 :]):
            if not set(first) & set(second):
                yield frozenset((first, second))


def _apart(chosen: Triples, triple: Triple) -> bool:
    return all(vertex not in other for other in chosen for vertex in triple)


def _edmonds(vertices: list[int], pairs: list[tuple[int, int, int]]) -> list[Pair] | None:
    """Return a perfect matching of least cost, or None; its dual is checked, which takes a tenth of the time."""
    if len(vertices) % 2:
        return None
    place = {vertex: i for i, vertex in enumerate(vertices)}
    most = 1 + max((cost for _, _, cost in pairs), default=0)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(vertices)
    graph.add_edges_from([(place[a], place[b], most - cost) for a, b, cost in pairs])
    matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int, verify_optimum=True)
    if 2 * len(matched) < len(vertices):
        return None
    found = [sorted((vertices[a], vertices[b])) for a, b in matched]
    return [(a, b) for a, b in found]
