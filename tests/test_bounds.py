"""Bounds against the optimum, oracles against slow twins: for any prices, any policy, any ladders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kilt
from kilt import InputError, Policy
from kilt.bounds.incidence import FINEST as SCALE
from kilt.bounds.lagrangian import bounded
from kilt.bounds.oracles import DiverseOracle, PairOracle, oracle_of
from kilt.bounds.subgradient import Course, ascent
from kilt.certificates.proof.evaluate import proved
from kilt.certificates.proof.evidence import Marks
from kilt.model.diversity import Distinct
from kilt.model.rules import SizeRule
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import Board, Stop
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.solve import solved as release_of
from test_exact import drawn_problem, solved
from test_pricing import all_groups
from test_solvers import problem_of


def drawn_prices(data, problem):
    return np.array([data.draw(st.integers(-3 * SCALE, 5 * SCALE)) for _ in problem.counts])


def least_by_hand(problem, pool, prices) -> int:
    """Add up the least values of all patterns, by trying all legal groups under each."""
    groups = all_groups(problem)
    total = 0
    for pattern in range(len(pool)):
        fitting = set(pool.types[pool.starts[pattern] : pool.starts[pattern + 1]].tolist())
        values = [
            len(group) * int(pool.cost[pattern]) * SCALE - int(prices[list(group)].sum())
            for group in groups
            if fitting.issuperset(group)
        ]
        total += min([0, *values])
    return total


def total_of(problem, oracle, prices):
    """Return the bound of prices before it is rounded, and what is taken."""
    least, taken = oracle.least(prices)
    return int(prices @ problem.counts) + least, taken


@given(st.data())
@settings(max_examples=750, deadline=None)
def test_any_prices_give_a_bound(data):
    problem = drawn_problem(data)
    oracle = oracle_of(problem, Pool.of(problem))
    optimum = solved("exhaustive", problem).partition.cost
    for _ in range(2):
        prices = drawn_prices(data, problem)
        total, taken = total_of(problem, oracle, prices)
        evidence = oracle.evidence(prices)
        found = proved(problem, [evidence])
        assert found <= optimum
        assert (taken >= -1e-9).all()
        if oracle.effort == 1:
            assert found == max(0, -(-total // SCALE))


def altered(data, marks: Marks, first: int = 0) -> Marks:
    """Replace some multipliers by any others, in the columns from a first one on."""
    numbers = marks.numbers.copy()
    for place in np.ndindex(numbers.shape):
        if place[1] >= first and data.draw(st.booleans()):
            numbers[place] = data.draw(st.integers(-3 * SCALE, 3 * SCALE))
    return replace(marks, numbers=numbers)


@given(st.data(), st.integers(1, 4))
@settings(max_examples=750, deadline=None)
def test_any_multipliers_give_a_bound(data, largest):
    problem = drawn_problem(data, least_sensitive=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kilt.bounds.spread.LARGEST", largest)
        oracle = oracle_of(problem, Pool.of(problem))
        prices = drawn_prices(data, problem)
        for _ in range(data.draw(st.integers(0, 4))):
            oracle.least(prices)
        evidence = oracle.evidence(prices)
    optimum = solved("exhaustive", problem).partition.cost
    found = proved(problem, [evidence])
    assert found <= optimum
    parts = {name: altered(data, getattr(evidence, name)) for name in ("slopes", "tails")}
    parts["thetas"] = altered(data, evidence.thetas, first=1)  # a theta stands behind its size
    assert proved(problem, [replace(evidence, **parts)]) <= optimum


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_the_oracles_are_exact_where_they_say_so(data):
    problem = drawn_problem(data, most_rows=7)
    pool = Pool.of(problem)
    oracle = oracle_of(problem, pool)
    others = [rule for rule in problem.rules if not isinstance(rule, SizeRule)]
    exact = isinstance(oracle, PairOracle) or not others
    assert oracle.effort == 1 or not exact
    if isinstance(oracle, DiverseOracle):
        exact = len(others) == 1 and others[0].form == Distinct()
    prices = drawn_prices(data, problem)
    least, _ = oracle.least(prices)
    by_hand = least_by_hand(problem, pool, prices)
    assert least == by_hand if exact else least <= by_hand + 1e-3


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_what_is_taken_is_the_slope(data):
    problem = drawn_problem(data, most_rows=7)
    oracle = oracle_of(problem, Pool.of(problem))
    prices = drawn_prices(data, problem)
    total, taken = total_of(problem, oracle, prices)
    others = drawn_prices(data, problem)
    other, _ = total_of(problem, oracle, others)
    slope = problem.counts - taken
    if oracle.effort == 1:
        assert other <= total + int(slope @ (others - prices))  # the bound is concave in the prices


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_the_first_prices_are_the_pattern_bound(data):
    problem = drawn_problem(data, most_rows=7)
    oracle = oracle_of(problem, Pool.of(problem))
    cheapest = oracle.incidence.cheapest()
    assert proved(problem, [oracle.evidence(cheapest * SCALE)]) == int(cheapest @ problem.counts)
    groups = all_groups(problem)
    columns = Columns.of(problem, np.array([u for g in groups for u in g]), np.array([len(g) for g in groups]))
    for kind in range(len(problem.counts)):
        own = [int(cost) // len(group) for group, cost in zip(groups, columns.cost, strict=True) if kind in group]
        assert cheapest[kind] <= min(own)


@given(st.data())
@settings(max_examples=75, deadline=None)
def test_the_engine_gives_a_bound_of_any_table(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = bounded(problem, Stop(), silent)
    assert found.cost <= optimum
    assert proved(problem, found.parts) == found.cost
    assert found.cost >= int(oracle_of(problem, Pool.of(problem)).incidence.cheapest() @ problem.counts)


@given(st.data(), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_a_bound_holds_when_not_all_patterns_are_listed(data, vectors):
    problem = drawn_problem(data)
    listed = iter(range(1000))
    pool = Pool.of(problem, enough=lambda: next(listed) >= vectors)
    oracle = oracle_of(problem, pool)
    ceiling = oracle.incidence.ceiling * SCALE
    optimum = solved("exhaustive", problem).partition.cost
    prices = np.minimum(drawn_prices(data, problem), ceiling)
    assert proved(problem, [oracle.evidence(prices)]) <= optimum
    first = oracle.incidence.cheapest() * oracle.incidence.scale
    for higher, total in ascent(oracle, Course.of_steps(20, 0.3, 1.0), first):
        assert total <= optimum * SCALE + 1e-3 or oracle.effort > 1
        assert higher.max() <= ceiling


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_blocks_of_columns_add_up_to_a_bound(data):
    problem = drawn_problem(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kilt.bounds.engine._blocks", lambda p: [(j,) for j in range(len(p.columns))])
        found = bounded(problem, Stop(), silent)
    assert found.cost == proved(problem, found.parts)
    assert found.cost <= solved("exhaustive", problem).partition.cost


def test_wide_tables_are_bounded_in_blocks():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (300, 22))]
    problem = problem_of(rows, ["suppress"] * 22, [], Policy(k=3))
    seen = []
    found = bounded(problem, Stop(seconds=6), seen.append)
    assert found.cost == proved(problem, found.parts)
    assert found.cost > 1000
    assert max(progress.bound for progress in seen if progress.bound is not None) == found.cost


def test_time_and_gap_end_the_ascent():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (400, 5))]
    problem = problem_of(rows, ["suppress"] * 5, [], Policy(k=4))
    seen = []
    bounded(problem, Stop(seconds=0, board=Board(10**6)), seen.append)
    assert len(seen) <= 1
    close = bounded(problem, Stop(gap=0.4, board=Board(800)), silent)
    full = bounded(problem, Stop(), silent)
    assert close.cost < full.cost


@pytest.mark.parametrize("policy", [Policy(k=3, t="0.3"), Policy(k=3, l=2), Policy(k=3)])
def test_the_same_steps_give_the_same_proof(policy):
    rng = np.random.default_rng(1)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (300, 5))]
    problem = problem_of(rows, ["suppress"] * 4, ["equal"], policy)
    one, two = (bounded(problem, Stop(), silent) for _ in range(2))
    assert one.cost == two.cost > 0
    for name in ("thetas", "slopes", "tails"):
        first, second = (getattr(found.parts[0], name).numbers for found in (one, two))
        assert (first == second).all()


def test_a_bound_beside_a_search():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (400, 5))]
    problem = problem_of(rows, ["suppress"] * 5, [], Policy(k=4))
    stop = Stop(seconds=3)
    _, solution, bound = release_of(problem, "greedy", stop, silent)
    assert bound is not None
    assert solution.bound == bound.cost == stop.board.bound
    assert stop.board.cost == solution.partition.cost
    assert stop.board.prices.shape == bound.parts[0].prices.shape
    near = Stop(seconds=60, gap=0.5)
    release_of(problem, "greedy", near, silent)
    assert near.elapsed < 30  # the gap ended it


def test_what_fails_beside_a_search_is_not_lost(monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("kilt.bounds.beside.bounded", fail)
    problem = problem_of([("a",), ("b",)], ["suppress"], [], Policy(k=2))
    with pytest.raises(MemoryError):
        release_of(problem, "greedy", Stop(seconds=1), silent)


def test_the_bound_in_python(hospital):
    found = kilt.bound(hospital, quasi="Zipcode:characters,Age:characters,Education", policy=Policy(k=3))
    assert 45 <= found.stars <= 54
    assert f"{found.stars} stars" in found.summary()
    assert found.to_dict()["proof"] == "exact"
    with pytest.raises(InputError, match="the policy asks for nothing"):
        kilt.bound(hospital, quasi="Zipcode", policy=Policy())


@pytest.mark.parametrize("policy", [Policy(k=2), Policy(k=2, l=2), Policy(k=3, t=0.2)])
def test_hundreds_of_millions_of_rows_have_room(policy):
    few = [("a", "x", "1"), ("a", "y", "2"), ("b", "x", "1"), ("b", "z", "3"), ("c", "x", "2"), ("c", "z", "3")]
    small = problem_of(few, ["suppress"] * 2, ["equal"], policy)
    problem = small.part(np.arange(len(small.counts)), small.counts * 50_000_000 + np.array([0, 0, 1, 0, 0, 0]))
    bound = bounded(problem, Stop(iterations=1), silent)
    assert proved(problem, bound.parts) == bound.cost
