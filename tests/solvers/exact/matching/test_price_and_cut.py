"""Price and cut against brute force: its bounds and what it lists, on tables with copies, wherever it is stopped."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InfeasibleError, Policy
from kilt.certificates.proof.evidence import Bound
from kilt.model.problem import Problem
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.matching import price_and_cut
from kilt.solvers.exact.matching.price_and_cut import Duals, Effort, PriceAndCut
from kilt.solvers.exact.matching.solver import start
from support.problems import problem_of, random_problem, solved, tables_with_copies
from support.profiles import examples
from support.strategies import tables

ENOUGH = Effort(max_programs=1_000, max_nodes=100)


def tabled(data: st.DataObject, most_rows: int = 11) -> Problem:
    """Draw a table, often with few different rows, under k=2 or l=2."""
    if data.draw(st.booleans()):
        return data.draw(tables_with_copies())
    rows, quasi, _ = data.draw(tables(most_rows, least_sensitive=1, most_sensitive=1))
    rows = [data.draw(st.sampled_from(rows)) for _ in rows] if data.draw(st.booleans()) else rows
    try:
        if data.draw(st.booleans()):
            return problem_of([row[:-1] for row in rows], quasi, [], Policy(k=2))
        return problem_of(rows, quasi, ["equal"], Policy(l=2))
    except InfeasibleError:
        assume(False)
        raise


def every_edge(problem: Problem, priced: PriceAndCut) -> Columns:
    """All edges, from all pairs and triples of rows."""
    copies = np.repeat(np.arange(len(problem.counts)), problem.counts).tolist()
    groups = sorted({tuple(sorted(g)) for size in (2, 3) for g in combinations(copies, size)})
    if priced.pricing.minimal_groups.distinct:
        classes = problem.sensitive_class.tolist()
        groups = [g for g in groups if len({classes[t] for t in g}) == len(g)]
    columns = Columns.of(problem, np.array([t for g in groups for t in g]), np.array([len(g) for g in groups]))
    return Columns.joined([priced.vertices.unmixed, priced.vertices.edges(columns)])


def _edges(edges: Columns) -> list[tuple[int, ...]]:
    return [tuple(sorted(edges.types[a:b].tolist())) for a, b in zip(edges.starts, edges.starts[1:], strict=False)]


def drawn_duals(rng: np.random.Generator, priced: PriceAndCut) -> Duals:
    """Return random numbers of the size of some stars."""
    counts, scale = priced.vertices.counts, priced.pricing.scale
    star = priced.pricing.problem.unit * scale
    cuts = tuple(np.flatnonzero(rng.random(len(counts)) < 0.4) for _ in range(rng.integers(0, 4)))
    values = rng.integers(-2 * star, 4 * star, len(counts))
    return Duals(counts, values, cuts, rng.integers(0, star, len(cuts)), scale)


@given(st.data(), st.integers(0, 2**32 - 1), st.integers(-3, 4))
@examples(100)
def test_all_edges_up_to_a_reduced_cost_are_listed(data, seed, limit):
    problem = tabled(data)
    started = start(problem, StoppingRule(), silent)
    assume(not isinstance(started, Solution))
    priced = PriceAndCut.of(started[0], StoppingRule())
    duals, limit = drawn_duals(np.random.default_rng(seed), priced), limit * problem.unit * priced.pricing.scale
    edges = every_edge(problem, priced)
    wanted = edges.picked(np.flatnonzero(duals.reduced_costs(edges) <= limit))
    found = priced.list_edges(duals, limit)
    assert found is not None
    assert set(_edges(found)) == set(_edges(wanted))  # one may be listed twice, by patterns that cost the same
    lowered = duals.lowered(edges)
    assert (lowered.reduced_costs(edges) >= 0).all()
    assert lowered.total <= duals.total


@given(st.data(), st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 30))
@examples(70)
def test_a_matching_below_what_is_listed_has_no_other_edge(data, seed, ceiling, most):
    problem = tabled(data)
    started = start(problem, StoppingRule(), silent)
    assume(not isinstance(started, Solution))
    priced = PriceAndCut.of(started[0], StoppingRule())
    edges = every_edge(problem, priced)
    duals, ceiling = drawn_duals(np.random.default_rng(seed), priced).lowered(edges), ceiling * problem.unit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(price_and_cut, "PARAMS", price_and_cut.Params(max_edges=most))
        found, below = priced.list_below(duals, duals.bound + ceiling)
    assert below <= duals.bound + ceiling
    listed = set(_edges(found))
    reduced = duals.reduced_costs(edges).tolist()
    for edge, cost in zip(_edges(edges), reduced, strict=True):
        assert edge in listed or duals.total + cost > (below - 1) * duals.scale


@given(st.data(), st.sampled_from([Effort(0, 0), Effort(1, 1), ENOUGH]), st.sampled_from([0, 1, None]))
@examples(100)
def test_bounds_hold_wherever_it_stops_and_meet_the_optimum_in_the_end(data, effort, seconds):
    problem = tabled(data)
    started = start(problem, StoppingRule(), silent)
    assume(not isinstance(started, Solution))
    optimum = solved("subsets", problem).cost
    pricing, relaxation, partition = started
    found = PriceAndCut.of(pricing, StoppingRule(seconds=seconds)).solve(relaxation.multipliers, partition, effort)
    assert found.bound.arithmetic == "exact"
    assert found.bound.cost <= optimum <= found.cost
    if effort is ENOUGH and seconds is None:
        assert (found.cost, found.bound) == (optimum, Bound(optimum))


@given(st.data())
@examples(60)
def test_a_short_list_of_edges_still_proves_what_it_says(data):
    problem = tabled(data, most_rows=13)
    started = start(problem, StoppingRule(), silent)
    assume(not isinstance(started, Solution))
    optimum = solved("subsets", problem).cost
    pricing, relaxation, partition = started
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            price_and_cut, "PARAMS", price_and_cut.Params(first_edges=1, max_edges=data.draw(st.integers(1, 20)))
        )
        found = PriceAndCut.of(pricing, StoppingRule()).solve(relaxation.multipliers, partition, ENOUGH)
    assert found.bound.cost <= optimum <= found.cost


@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "columns", "policy"), [(300, 4, "k"), (400, 5, "k"), (300, 4, "l")])
def test_tables_with_equal_rows_are_proved_at_once(rows, columns, policy):
    problem = random_problem(rows, columns, 3, Policy(**{policy: 2}), seed=rows)
    pricing, relaxation, partition = start(problem, StoppingRule(), silent)
    found = PriceAndCut.of(pricing, StoppingRule()).solve(relaxation.multipliers, partition, ENOUGH)
    assert found.status == "optimal"
    assert found.cost == solved("exact", problem).cost
