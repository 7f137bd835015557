"""What is known of hard problems without any reduction, where everything is tried, and the check of every reduction."""

from __future__ import annotations

import random
from collections.abc import Collection, Hashable, Sequence
from itertools import combinations
from typing import Any

from kilt.hardness import Graph, Instance, Matching, Table, random_matching
from kilt.hardness.instances.instance import Answer
from kilt.hardness.reductions.reduction import Reduction
from support import naive

Nodes = Collection[Hashable]
Triple = tuple[Hashable, ...]


def best_bisection(graph: Graph) -> tuple[Hashable, ...]:
    """Return half of the nodes with the least cut."""
    return min(combinations(graph.nodes, len(graph.nodes) // 2), key=lambda side: cut(graph, side))


def cut(graph: Graph, side: Nodes) -> int:
    """Count the edges between a side and the other nodes."""
    return sum((graph.nodes[u] in side) != (graph.nodes[v] in side) for u, v in graph.edges)


def is_clique(graph: Graph, nodes: Nodes) -> bool:
    """Return whether all pairs of these nodes are edges."""
    edges = {frozenset((graph.nodes[u], graph.nodes[v])) for u, v in graph.edges}
    return all(frozenset(pair) in edges for pair in combinations(nodes, 2))


def clique_of(graph: Graph, size: int) -> tuple[Hashable, ...] | None:
    """Return a clique of so many nodes, or None."""
    return next((c for c in combinations(graph.nodes, size) if is_clique(graph, c)), None)


def inside(graph: Graph, nodes: Nodes) -> int:
    """Count the edges inside these nodes."""
    return sum(graph.nodes[u] in nodes and graph.nodes[v] in nodes for u, v in graph.edges)


def densest_half(graph: Graph) -> tuple[Hashable, ...]:
    """Return half of the nodes with the most edges inside."""
    return max(combinations(graph.nodes, len(graph.nodes) // 2), key=lambda half: inside(graph, half))


def most_saved(graph: Graph, new: int) -> int:
    """Return the most stars that a group of old rows saves: edges inside the other nodes, for each of its rows."""
    nodes, half = len(graph.nodes), len(graph.nodes) // 2
    others = [s for size in range(max(0, half - new), half + 1) for s in combinations(graph.nodes, size)]
    return max((nodes - len(s)) * inside(graph, s) for s in others)


def largest_matching(triples: Sequence[Triple]) -> tuple[Triple, ...]:
    """Return the most triples of which no two share an element."""
    if not triples:
        return ()
    first, *rest = triples
    free = [t for t in rest if not any(a == b for a, b in zip(t, first, strict=True))]
    return max((largest_matching(rest), (first, *largest_matching(free))), key=len)


def fewest_tuples(matching: Matching) -> tuple[Triple, ...] | None:
    """Return the fewest triples that have every element among them; None if some element is in none."""
    sizes = range(1, len(matching.triples) + 1)
    every = {(i, element) for i, each in enumerate(matching.elements) for element in each}
    for chosen in (c for size in sizes for c in combinations(matching.triples, size)):
        if {(i, element) for triple in chosen for i, element in enumerate(triple)} == every:
            return chosen
    return None


def cheapest_partition(rows: Sequence[naive.Row], k: int) -> list[list[int]]:
    """Return the partition into groups of at least k rows with the fewest stars."""
    every = naive.partitions(range(len(rows)))
    legal = [groups for groups in every if all(len(group) >= k for group in groups)]
    return min(legal, key=lambda groups: sum(naive.stars([rows[i] for i in group]) for group in groups))


def solved(instance: Instance, *solvers: str) -> list[Answer]:
    """Solve by each of the solvers, which must agree on the optimum."""
    answers = [instance.solve(name) for name in solvers]
    for answer in answers:
        assert answer.optimal
        assert instance.is_legal(answer.groups)
        assert instance.value(answer.groups) == answer.stars
    assert len({answer.stars for answer in answers}) == 1
    return answers


def checked(reduction: Reduction[Any, Any], best: Any, *solvers: str) -> tuple[bool, int]:
    """Check the claim and both maps on optimal solutions; return whether the answer is yes, and the optimum."""
    source, instance, claim = reduction.source, reduction.instance, reduction.claim()
    answers = solved(instance, *solvers)
    value, stars = source.value(best), answers[0].stars
    assert claim.holds(value, stars)
    yes = source.goal is not None and source.goal.reached(value)
    forward = reduction.forward(best)
    assert instance.is_legal(forward)
    assert instance.accepts(forward) == yes
    if claim.factor is not None:
        assert instance.value(forward) == claim.factor * value + claim.constant
    for answer in answers:
        back = reduction.back(answer.groups)
        assert source.accepts(back) == yes
        if claim.factor is not None and (yes or claim.exact):
            assert source.value(back) == value
    return yes, stars


def some_graph(rng: random.Random, sizes: Sequence[int] = (4, 6, 8)) -> Graph:
    """Draw a graph of one of these sizes with at most a dozen edges."""
    nodes = rng.choice(sizes)
    pairs = list(combinations(range(nodes), 2))
    return Graph.of(rng.sample(pairs, rng.randint(1, min(len(pairs), 12))), range(nodes))


def some_matching(rng: random.Random, sizes: Sequence[int] = (1, 2, 3), most: int = 9) -> Matching:
    """Draw a matching of one of these sizes with few triples."""
    size = rng.choice(sizes)
    every = size**3
    return random_matching(size, rng.randint(1, min(every, most)), rng.randrange(10**6))


def some_table(rng: random.Random, sizes: Sequence[int]) -> Table:
    """Draw a table with one of these numbers of rows and up to three columns."""
    rows, columns = rng.choice(sizes), rng.randint(1, 3)
    cells = tuple(tuple(rng.choice("abc"[: rng.randint(1, 3)]) for _ in range(columns)) for _ in range(rows))
    return Table(tuple(f"q{j}" for j in range(columns)), cells)
