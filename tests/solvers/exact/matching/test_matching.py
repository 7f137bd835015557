"""Simplex matching against brute force, and the solver that is built on it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InfeasibleError, InputError, Policy
from kilt.certificates.proof.evidence import Bound
from kilt.run.stopping import StoppingRule
from kilt.solvers.choose import choose
from kilt.solvers.exact.matching.simplex_matching import Duals, Hypergraph, SimplexMatching
from kilt.solvers.exact.matching.split import split_diverse
from kilt.solvers.registry import solver
from support.problems import drawn_problem, problem_of, random_problem, solved
from support.profiles import examples, is_thorough
from support.strategies import tables

MOST_VERTICES = 11


def brute_force(graph: Hypergraph) -> int | None:
    edges = {**graph.pairs, **graph.triples}
    masks = [(sum(1 << v for v in edge), cost) for edge, cost in edges.items()]

    @cache
    def best(left: int) -> float:
        if not left:
            return 0
        first = left & -left
        return min(
            (cost + best(left ^ mask) for mask, cost in masks if mask & first and mask & left == mask), default=1e9
        )

    found = best((1 << graph.vertices) - 1)
    return None if found >= 1e9 else int(found)


def table(rng, vertices: int, diverse: bool) -> Hypergraph:
    rows = rng.integers(0, 3, (vertices, int(rng.integers(1, 5))))
    values = rng.integers(0, 4, vertices) if diverse else np.arange(vertices)

    def edges(size: int) -> dict[tuple[int, ...], int]:
        return {
            edge: size * int((rows[list(edge)] != rows[edge[0]]).any(axis=0).sum())
            for edge in combinations(range(vertices), size)
            if len(set(values[list(edge)])) == size
        }

    return Hypergraph(vertices, edges(2), edges(3))


def dense(rng, vertices: int, share: float = 1.0) -> Hypergraph:
    pairs = {e: int(rng.integers(0, 20)) for e in combinations(range(vertices), 2) if rng.random() < share}
    triples = {}
    for edge in combinations(range(vertices), 3):
        sides = [pairs.get(pair) for pair in combinations(edge, 2)]
        if None not in sides and rng.random() < share:
            triples[edge] = (sum(sides) + 1) // 2 + int(rng.integers(0, 3)) * int(rng.random() < 0.3)
    return Hypergraph(vertices, pairs, triples)


def random_start(rng, graph: Hypergraph) -> frozenset:
    chosen: set = set()
    taken: set = set()
    triples = list(graph.triples)
    for i in rng.permutation(len(triples)):
        if rng.random() < 0.5 and not taken & set(triples[i]):
            chosen.add(triples[i])
            taken |= set(triples[i])
    return frozenset(chosen)


def random_duals(rng, graph: Hypergraph) -> Duals:
    """Numbers of vertices and of odd sets, lowered until no edge costs less."""
    odd = [rng.permutation(graph.vertices)[: 1 + 2 * int(rng.integers(0, (graph.vertices + 1) // 2))] for _ in range(4)]
    weights = tuple(rng.integers(0, 12, len(odd)).tolist())
    values = rng.integers(-4, 20, graph.vertices)
    duals = Duals(values, 2, tuple(frozenset(cut.tolist()) for cut in odd), weights)
    edges = {**graph.pairs, **graph.triples}
    return replace(
        duals, values=values + min([0, *(duals.reduced_cost(edge, cost) // len(edge) for edge, cost in edges.items())])
    )


@given(
    st.integers(0, 2**32 - 1), st.integers(2, MOST_VERTICES), st.sampled_from(["table", "diverse", "dense", "sparse"])
)
@examples(800)
def test_the_local_search_finds_the_optimum_from_any_start(seed, vertices, family):
    rng = np.random.default_rng(seed)
    if family in ("table", "diverse"):
        graph = table(rng, vertices, family == "diverse")
    else:
        graph = dense(rng, vertices, 1.0 if family == "dense" else 0.5)
    assert graph.is_simplex()
    optimum = brute_force(graph)
    for triples, duals in (
        (frozenset(), Duals.none(vertices)),
        (random_start(rng, graph), Duals.none(vertices)),
        (random_start(rng, graph), random_duals(rng, graph)),
    ):
        search = SimplexMatching(graph, duals)
        assert optimum is None or duals.total <= optimum * duals.scale
        found = search.solve(search.completed(triples))
        assert (None if found is None else found.cost) == optimum
        if found is not None:
            assert found.is_local_optimum
            assert sorted(v for edge in found.edges for v in edge) == list(range(vertices))
            assert found.cost == sum({**graph.pairs, **graph.triples}[edge] for edge in found.edges)


@pytest.mark.parametrize("name", ["matching", "exact"])
@given(data=st.data())
@examples(100)
def test_matching_agrees_with_brute_force_on_tables(name, data):
    vertices, columns = data.draw(st.integers(2, 9)), data.draw(st.integers(1, 4))
    diverse = data.draw(st.booleans())
    cell = st.sampled_from("abc")
    row = st.tuples(*[cell] * columns, st.sampled_from("0123"))
    rows = data.draw(st.lists(row, min_size=vertices, max_size=vertices))
    policy = Policy(l=2) if diverse else Policy(k=2)
    if diverse and 2 * max(sum(r[-1] == v for r in rows) for v in "0123") > vertices:
        return
    problem = problem_of(rows, ["suppress"] * columns, ["equal"], policy)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved(name, problem)
    assert found.partition.cost == found.bound.cost == optimum


def test_the_condition_is_checked():
    assert not Hypergraph(3, {(0, 1): 5, (0, 2): 5, (1, 2): 5}, {(0, 1, 2): 7}).is_simplex()
    assert not Hypergraph(3, {(0, 1): 0, (0, 2): 0}, {(0, 1, 2): 7}).is_simplex()


@pytest.mark.parametrize(
    ("rows", "optimum"),
    [
        (["00", "01", "10"], 6),  # three rows: only the triple
        (["00", "00", "11", "10"], 2),
        (["000", "001", "010", "222", "223", "232"], 10),  # two far triples: 12, but three pairs cost 10
        (["00"], None),
    ],
)
def test_corner_cases_of_two_anonymity(rows, optimum):
    table_rows = [tuple(row) for row in rows]
    if optimum is None:
        with pytest.raises(InfeasibleError, match="k=2 cannot be met"):
            problem_of(table_rows, ["suppress"] * len(rows[0]), [], Policy(k=2))
        return
    problem = problem_of(table_rows, ["suppress"] * len(rows[0]), [], Policy(k=2))
    for name in ("matching", "exact", "subsets", "milp", "exhaustive"):
        assert solved(name, problem).partition.cost == optimum


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(5)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (41, 5))]
    costs = {
        solved(
            "matching", problem_of([rows[i] for i in rng.permutation(41)], ["suppress"] * 5, [], Policy(k=2))
        ).bound.cost
        for _ in range(3)
    }
    assert len(costs) == 1


@pytest.mark.parametrize("rows", [61, 150])
def test_two_diversity_with_many_values(rows):
    rng = np.random.default_rng(rows)
    made = [
        (*map(str, row), str(v))
        for row, v in zip(rng.integers(0, 3, (rows, 4)), rng.integers(0, 30, rows), strict=True)
    ]
    problem = problem_of(made, ["suppress"] * 4, ["equal"], Policy(l=2))
    found = solved("matching", problem)
    assert found.partition.cost == found.bound.cost
    assert found.partition.cost == solved("milp", problem).bound.cost


@pytest.mark.parametrize(
    "policy", [Policy(k=3), Policy(l=3), Policy(k=3, l=2), Policy(t="0.5"), Policy(l=2, diversity="distinct")]
)
def test_other_policies_are_refused_with_the_solvers_that_take_them(policy):
    rows = [(str(i % 3), str(i % 4)) for i in range(8)]
    problem = problem_of(rows, ["suppress"], ["equal"], policy)
    with pytest.raises(
        InputError, match=r"matching.*it takes k=2, or l=2.*these can: .*subsets, milp, .*exact.*, greedy"
    ):
        choose("matching", problem)


@given(st.data())
@examples(100)
def test_a_stop_at_once_still_gives_a_legal_partition(data):
    problem = drawn_problem(data)
    for name in ("exact", "matching"):
        if solver(name).refuses(problem) is None:
            found = solved(name, problem, StoppingRule(seconds=0))
            assert found.bound is None or found.bound.cost <= found.partition.cost


@given(st.data())
@examples(500 if is_thorough() else 150)
def test_both_solvers_prove_small_tables_in_integers(data):
    rows, quasi, _ = data.draw(tables(13, least_sensitive=1, most_sensitive=1))
    policy = data.draw(st.sampled_from([Policy(k=2), Policy(l=2)]))
    try:
        problem = problem_of(rows, quasi, ["equal"], policy)
    except InfeasibleError:
        assume(False)
    optimum = solved("subsets", problem).cost
    for name in ("matching", "simplex-matching"):
        found = solved(name, problem)
        assert (found.status, found.cost, found.bound) == ("optimal", optimum, Bound(optimum))


@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "columns", "policy"), [(60, 5, "k"), (120, 5, "l"), (300, 7, "k"), (300, 7, "l")])
def test_larger_tables_are_proved_in_integers_in_both_ways(rows, columns, policy):
    problem = random_problem(rows, columns, 3, Policy(**{policy: 2}), seed=rows)
    found, matched = solved("matching", problem), solved("simplex-matching", problem)
    assert found.bound == matched.bound == Bound(found.cost)
    assert matched.cost == found.cost


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(200 if is_thorough() else 10))
def test_tables_of_50_to_300_rows_are_proved_in_integers(seed):
    rng = np.random.default_rng(seed)
    rows, columns, values = int(rng.integers(50, 301)), int(rng.integers(2, 9)), int(rng.integers(3, 10))
    for policy in (Policy(k=2), Policy(l=2)):
        found = solved("matching", random_problem(rows, columns, values, policy, seed=seed))
        assert found.status == "optimal"


@given(st.lists(st.integers(0, 3), min_size=2, max_size=14))
def test_a_diverse_group_splits_into_pairs_and_triples_of_different_values(values):
    if 2 * max(values.count(v) for v in values) > len(values):
        return
    groups = split_diverse(list(range(len(values))), values)
    assert sorted(row for group in groups for row in group) == list(range(len(values)))
    for group in groups:
        assert len(group) in (2, 3)
        assert len({values[row] for row in group}) == len(group)


def test_the_polynomial_solver_refuses_large_tables():
    problem = random_problem(301, 2, 3, Policy(k=2))
    with pytest.raises(InputError, match=r"at most 300 rows, and the table has 301; these can: .*matching"):
        choose("simplex-matching", problem)


@pytest.mark.compiled
def test_a_large_gap_at_the_start_is_closed_in_both_ways():
    rng = np.random.default_rng(3)
    rows = [(f"{a:02}", f"{b:02}", f"{c:02}") for a, b, c in rng.integers(0, 36, (60, 3)).tolist()]
    problem = problem_of(rows, ["characters", "weighted", "characters"], [], Policy(k=2))
    found, matched = solved("matching", problem), solved("simplex-matching", problem)
    assert found.bound == matched.bound == Bound(found.cost)
