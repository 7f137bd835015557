"""Bounds against the optimum, oracles against slow twins: for any prices, any policy, any ladders."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kilt.bounds.ascent import evaluated
from kilt.bounds.oracles import FINEST as SCALE
from kilt.bounds.oracles import PairOracle, SizeOracle, oracle_of
from kilt.pool import Pool
from kilt.rules import SizeRule
from kilt.solvers.columns import Columns
from test_exact import drawn_problem, solved
from test_pricing import all_groups


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
    exact = isinstance(oracle, PairOracle) or all(isinstance(rule, SizeRule) for rule in problem.rules)
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
    assert isinstance(oracle, SizeOracle | PairOracle)
    cheapest = oracle.incidence.cheapest()
    bound, _ = evaluated(problem, oracle, cheapest * SCALE)
    assert bound.cost == int(cheapest @ problem.counts)
    groups = all_groups(problem)
    columns = Columns.of(problem, np.array([u for g in groups for u in g]), np.array([len(g) for g in groups]))
    for kind in range(len(problem.counts)):
        own = [int(cost) // len(group) for group, cost in zip(groups, columns.cost, strict=True) if kind in group]
        assert cheapest[kind] <= min(own)
