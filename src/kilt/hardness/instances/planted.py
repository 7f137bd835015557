"""Random sources, with and without a planted solution; the same seed gives the same source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import TypeVar

import numpy as np

from kilt.errors import InputError
from kilt.hardness.problems.graphs import Graph, Nodes
from kilt.hardness.problems.triples import Matching, Triple, Triples

Item = TypeVar("Item")
Pair = tuple[int, int]
MOST_LISTED = 10**7


def random_graph(nodes: int, edges: int, seed: int = 0) -> Graph:
    """Draw a graph with so many nodes, named from 1, and so many edges."""
    _require_few(nodes, 2)
    chosen = _drawn(list(combinations(_numbers(nodes), 2)), edges, "edges", seed)
    return Graph.of(sorted(chosen), _numbers(nodes))


def planted_bisection(nodes: int, across: int, inside: int | None = None, seed: int = 0) -> tuple[Graph, Nodes]:
    """Draw two halves with so many edges across and inside each; return the graph and a half.

    Without ``inside`` the halves are complete. Then the planted bisection is optimal if at most ``nodes - 2`` edges are
    across: to exchange s nodes cuts 2 s (nodes/2 - s) edges inside, which are as many at least.
    """
    _require_few(nodes, 2)
    order = _shuffled(nodes, seed)
    halves = order[: nodes // 2], order[nodes // 2 :]
    chosen = list(_drawn(list(product(*halves)), across, "edges across", seed))
    for number, half in enumerate(halves):
        pairs = list(combinations(half, 2))
        chosen += _drawn(pairs, len(pairs) if inside is None else inside, "edges inside a half", seed + number + 1)
    return Graph.of(sorted(map(_sorted, chosen)), _numbers(nodes)), frozenset(halves[0])


def split_edges(nodes: int, edges: int) -> tuple[int, int]:
    """Return how many edges are across and inside each of two halves if they are ``edges`` in all, and few across."""
    _require_room(edges, nodes * (nodes - 1) // 2, "edges")
    half = nodes // 2
    across = max(min(half, edges // 2), edges - half * (half - 1))
    across += (edges - across) % 2
    return across, (edges - across) // 2


def planted_clique(nodes: int, size: int, edges: int, seed: int = 0) -> tuple[Graph, Nodes]:
    """Draw a graph with a clique of this size; ``edges`` are all in all."""
    _require_few(nodes, 2)
    if not 0 <= size <= nodes:
        raise InputError(f"a clique of {size} does not fit into {nodes} nodes")
    clique = sorted(_shuffled(nodes, seed)[:size])
    pairs = set(combinations(clique, 2))
    others = [pair for pair in combinations(_numbers(nodes), 2) if pair not in pairs]
    chosen = _drawn(others, edges - math.comb(size, 2), "edges outside the clique", seed)
    return Graph.of(sorted([*pairs, *chosen]), _numbers(nodes)), frozenset(clique)


def random_matching(size: int, triples: int, seed: int = 0) -> Matching:
    """Draw so many tuples of three sets of numbers from 1 to ``size``."""
    _require_few(size, 3)
    numbers = _numbers(size)
    chosen = _drawn(list(product(numbers, numbers, numbers)), triples, "tuples", seed)
    return Matching.numbered(size, sorted(chosen))


def planted_matching(size: int, triples: int, seed: int = 0) -> tuple[Matching, Triples]:
    """Draw tuples among which some cover every element exactly once; return these too."""
    _require_few(size, 3)
    numbers = _numbers(size)
    planted: set[Triple] = set(zip(numbers, _shuffled(size, seed), _shuffled(size, seed + 1), strict=True))
    others = [triple for triple in product(numbers, numbers, numbers) if triple not in planted]
    chosen = _drawn(others, triples - size, "other tuples", seed)
    every = sorted([*planted, *chosen])
    return Matching.of(every, [numbers] * 3), frozenset(planted)


def _require_few(count: int, power: int) -> None:
    """Raise if there is nothing to draw from, or too much to list it."""
    if count < 1 or count**power > MOST_LISTED:
        most = round(MOST_LISTED ** (1 / power))
        raise InputError(f"a random source has from 1 to {most:,} nodes or elements, not {count:,}")


def _require_room(count: int, most: int, what: str) -> None:
    if not 0 <= count <= most:
        raise InputError(f"there is room for 0 to {most:,} {what} here, not for {count:,}")


def _drawn(items: Sequence[Item], count: int, what: str, seed: int) -> list[Item]:
    _require_room(count, len(items), what)
    return [items[i] for i in _generator(seed).permutation(len(items))[:count].tolist()]


def _shuffled(count: int, seed: int) -> list[int]:
    return [i + 1 for i in _generator(seed).permutation(max(count, 0)).tolist()]


def _generator(seed: int) -> np.random.Generator:
    if seed < 0:
        raise InputError(f"'seed' must be a whole number of at least 0, not {seed}")
    return np.random.default_rng(seed)


def _numbers(count: int) -> range:
    return range(1, count + 1)


def _sorted(pair: Pair) -> Pair:
    return min(pair), max(pair)
