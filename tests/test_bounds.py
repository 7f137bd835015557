"""Bounds against the optimum, oracles against slow twins: for any prices, any policy, any ladders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kilt
from kilt import InputError, Policy
from kilt.bounds.ascent import Course, ascent, evaluated
from kilt.bounds.engine import bounded
from kilt.bounds.oracles import FINEST as SCALE
from kilt.bounds.oracles import DiverseOracle, PairOracle, SizeOracle, oracle_of
from kilt.diversity import Distinct
from kilt.observe import silent
from kilt.pool import Pool
from kilt.rules import SizeRule
from kilt.solvers.columns import Columns
from kilt.stop import Stop
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


@given(st.data())
@settings(max_examples=1500, deadline=None)
def test_any_prices_give_a_bound(data):
    problem = drawn_problem(data)
    oracle = oracle_of(problem, Pool.of(problem))
    optimum = solved("exhaustive", problem).partition.cost
    for _ in range(2):
        bound, taken = evaluated(problem, oracle, drawn_prices(data, problem))
        assert bound.cost <= optimum
        assert (taken >= 0).all()


@given(st.data())
@settings(max_examples=600, deadline=None)
def test_the_oracles_are_exact_where_they_say_so(data):
    problem = drawn_problem(data, most_rows=7)
    pool = Pool.of(problem)
    oracle = oracle_of(problem, pool)
    others = [rule for rule in problem.rules if not isinstance(rule, SizeRule)]
    exact = isinstance(oracle, PairOracle) or not others
    if isinstance(oracle, DiverseOracle):
        exact = len(others) == 1 and others[0].form == Distinct()
    prices = drawn_prices(data, problem)
    least, _ = oracle.least(prices)
    by_hand = least_by_hand(problem, pool, prices)
    assert least == by_hand if exact else least <= by_hand


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_what_is_taken_is_the_slope(data):
    problem = drawn_problem(data, most_rows=7)
    oracle = oracle_of(problem, Pool.of(problem))
    prices = drawn_prices(data, problem)
    bound, taken = evaluated(problem, oracle, prices)
    others = drawn_prices(data, problem)
    other, _ = evaluated(problem, oracle, others)
    slope = problem.counts - taken
    assert other.total <= bound.total + int(slope @ (others - prices))  # the bound is concave in the prices


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_the_first_prices_are_the_pattern_bound(data):
    problem = drawn_problem(data, most_rows=7)
    oracle = oracle_of(problem, Pool.of(problem))
    assert isinstance(oracle, SizeOracle | PairOracle | DiverseOracle)
    cheapest = oracle.incidence.cheapest()
    bound, _ = evaluated(problem, oracle, cheapest * SCALE)
    assert bound.cost == int(cheapest @ problem.counts)
    groups = all_groups(problem)
    columns = Columns.of(problem, np.array([u for g in groups for u in g]), np.array([len(g) for g in groups]))
    for kind in range(len(problem.counts)):
        own = [int(cost) // len(group) for group, cost in zip(groups, columns.cost, strict=True) if kind in group]
        assert cheapest[kind] <= min(own)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_engine_gives_a_bound_of_any_table(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = bounded(problem, Stop(), silent)
    assert found.cost <= optimum
    oracle = oracle_of(problem, Pool.of(problem))
    assert evaluated(problem, oracle, found.prices)[0].total == found.total
    assert found.cost >= int(oracle.incidence.cheapest() @ problem.counts)


@given(st.data(), st.integers(1, 6))
@settings(max_examples=300, deadline=None)
def test_a_bound_holds_when_not_all_patterns_are_listed(data, vectors):
    problem = drawn_problem(data)
    listed = iter(range(1000))
    pool = Pool.of(problem, enough=lambda: next(listed) >= vectors)
    oracle = oracle_of(problem, pool)
    ceiling = oracle.incidence.ceiling * SCALE
    optimum = solved("exhaustive", problem).partition.cost
    prices = np.minimum(drawn_prices(data, problem), ceiling)
    assert evaluated(problem, oracle, prices)[0].cost <= optimum
    for bound in ascent(problem, oracle, Course(20, 0.3, 1.0)):
        assert bound.cost <= optimum
        assert bound.prices.max() <= ceiling


def test_time_and_gap_end_the_ascent():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (400, 5))]
    problem = problem_of(rows, ["suppress"] * 5, [], Policy(k=4))
    seen = []
    bounded(problem, Stop(seconds=0), seen.append, 10**6)
    assert len(seen) == 1
    close = bounded(problem, Stop(gap=0.4), silent, 800)
    full = bounded(problem, Stop(), silent)
    assert close.total < full.total


def test_the_bound_in_python(hospital):
    found = kilt.bound(hospital, quasi="Zipcode:characters,Age:characters,Education", policy=Policy(k=3))
    assert 45 <= found.stars <= 54
    assert f"{found.stars} stars" in found.summary()
    assert found.to_dict()["proof"] == "exact"
    with pytest.raises(InputError, match="the policy asks for nothing"):
        kilt.bound(hospital, quasi="Zipcode", policy=Policy())
