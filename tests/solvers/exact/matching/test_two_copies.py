"""Two copies of a row type are enough under k=2: the edges between them have the optimum that brute force finds."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from hypothesis import given

from kilt import Policy
from kilt.model.problem import Problem
from kilt.patterns.pool import every_pattern
from kilt.run.stopping import StoppingRule
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.matching.two_copies import TwoCopies
from support.problems import problem_of, solved, tables_with_copies
from support.profiles import examples


def every_group(problem: Problem) -> Columns:
    """All pairs and triples of row types."""
    types = range(len(problem.counts))
    groups = [g for size in (2, 3) for g in combinations_with_replacement(types, size)]
    groups = [g for g in groups if all(g.count(t) <= problem.counts[t] for t in set(g))]
    return Columns.of(problem, np.array([t for g in groups for t in g]), np.array([len(g) for g in groups]))


def vertices_of(problem: Problem) -> TwoCopies:
    pool = every_pattern(problem, StoppingRule())
    assert pool is not None
    return TwoCopies.of(problem, pool)


def cheapest(edges: Columns, vertices: int) -> tuple[int, list[int]]:
    """Return the least cost of edges that contain every vertex once, and these edges."""
    masks = [
        sum(1 << v for v in edges.types[a:b].tolist()) for a, b in zip(edges.starts, edges.starts[1:], strict=False)
    ]

    @cache
    def best(left: int) -> tuple[int, tuple[int, ...]]:
        if not left:
            return 0, ()
        found = [
            (int(edges.cost[i]) + rest[0], (i, *rest[1]))
            for i, mask in enumerate(masks)
            if mask & left & -left and mask & left == mask and (rest := best(left ^ mask))[0] < 10**9
        ]
        return min(found, default=(10**9, ()))

    cost, chosen = best((1 << vertices) - 1)
    return cost, list(chosen)


@given(tables_with_copies())
@examples(200)
def test_the_edges_between_two_copies_have_the_optimum(problem):
    vertices, optimum = vertices_of(problem), solved("subsets", problem).cost
    edges = Columns.joined([vertices.unmixed, vertices.edges(every_group(problem))])
    cost, chosen = cheapest(edges, len(vertices.type_of))
    assert cost + vertices.cost_of_the_rest == optimum
    partition = vertices.partition(edges.picked(np.array(chosen, dtype=np.int64)))
    assert partition.cost == optimum
    assert np.array_equal(np.bincount(partition.types, partition.counts), problem.counts)
    assert problem.is_legal(partition.by_class(problem)).all()


def test_a_row_type_is_at_most_two_vertices():
    problem = problem_of([("a",), ("b",), ("b",), ("c",), ("c",), ("c",), *[("d",)] * 9], ["suppress"], [], Policy(k=2))
    vertices = vertices_of(problem)
    assert np.bincount(vertices.type_of).tolist() == [1, 2, 1, 1]


def test_both_copies_may_be_needed_apart():
    rows = [("0", "0", "0"), ("0", "0", "0"), ("1", "0", "0"), ("2", "0", "0"), ("0", "1", "1")]
    problem = problem_of(rows, ["suppress"] * 3, [], Policy(k=2))
    vertices = vertices_of(problem)
    edges = Columns.joined([vertices.unmixed, vertices.edges(every_group(problem))])
    assert cheapest(edges, len(vertices.type_of))[0] == 7  # a triple with one copy costs 3, a pair with the other one 4
    assert solved("subsets", problem).cost == 7
