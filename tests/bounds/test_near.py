"""Patterns by joining rows: they are those of all level vectors that are asked for, each once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.bounds import near
from kilt.bounds.near import NearPatterns
from kilt.kernels.bounds.lagrangian import values_by_size
from kilt.model.problem import Problem
from kilt.model.rules import Rules, SizeRule
from kilt.patterns.pool import Pool
from kilt.patterns.refined import Work
from support.problems import drawn_multipliers, drawn_problem, problem_of
from support.profiles import examples

NO_LIMIT = Work(10**6, 10**9)
SCALE = 10


def never() -> bool:
    return False


def listed(pool: Pool) -> list[tuple[list[int], int, list[int]]]:
    """A pool as plain data, in an order of its own."""
    bounds = zip(pool.starts, pool.starts[1:], strict=False)
    covers = [sorted(pool.types[a:b].tolist()) for a, b in bounds]
    return sorted(zip(pool.levels.tolist(), pool.cost.tolist(), covers, strict=True))


def large_patterns(problem: Problem) -> Pool:
    """All patterns with enough rows for a group, legal or not."""
    sizes_alone = problem.rules.min_group_size
    return Pool.of(problem_with(problem, sizes_alone))


def problem_with(problem: Problem, k: int) -> Problem:

    return replace(problem, rules=Rules((SizeRule(max(1, k)),)))


def least_of(problem: Problem, pool: Pool) -> np.ndarray:
    """What the cheapest pattern costs that covers a row type."""
    least = np.full(len(problem.counts), 1 << 60)
    np.minimum.at(least, pool.types, pool.cost[pool.owner])
    return least


@given(st.data())
@examples(200)
def test_least_costs_are_those_of_the_cheapest_patterns(data):
    problem = drawn_problem(data)
    found = NearPatterns(problem, SCALE).least_costs(never)
    assert found.tolist() == least_of(problem, large_patterns(problem)).tolist()


@given(st.data())
@examples(100)
def test_with_little_work_least_costs_are_lower(data):
    problem = drawn_problem(data)
    with_limit = near.MAX_WORK
    try:
        near.MAX_WORK = data.draw(st.integers(0, 20))
        found = NearPatterns(problem).least_costs(never)
    finally:
        near.MAX_WORK = with_limit
    assert (found <= least_of(problem, large_patterns(problem))).all()
    assert (found >= problem.base).all()


@given(st.data())
@examples(200)
def test_all_patterns_below_the_limits_are_found_once(data):
    problem = drawn_problem(data)
    limit = st.integers(0, problem.highest_cost + 1)
    limits = np.array(data.draw(st.lists(limit, min_size=len(problem.counts), max_size=len(problem.counts))))
    every = Pool.of(problem)
    asked = np.zeros(len(every), dtype=bool)
    asked[every.owner[every.cost[every.owner] < limits[every.types]]] = True
    found, done = NearPatterns(problem).below(limits, NO_LIMIT, never)
    assert done.all()
    assert listed(found) == listed(every.kept(asked))
    assert found.cost.tolist() == sorted(found.cost.tolist())


@given(st.data(), st.integers(0, 60))
@examples(300)
def test_with_multipliers_all_patterns_below_the_margin_are_found(data, margin):
    problem = drawn_problem(data)
    multipliers = drawn_multipliers(data, problem)
    every, size = Pool.of(problem), max(1, problem.rules.min_group_size)
    values = values_by_size(multipliers, problem.counts, every.types, every.starts, every.cost * SCALE, size)
    found = NearPatterns(problem, SCALE).priced(multipliers, margin, NO_LIMIT, whole=True)
    assert found is not None
    assert listed(found) == listed(every.kept(values < margin))


def test_a_list_that_takes_too_much_ends_early(monkeypatch):
    monkeypatch.setattr(near, "PART", 7)
    rng = np.random.default_rng(1)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (60, 6))]
    problem = problem_of(rows, ["suppress"] * 6, [], Policy(k=3))
    patterns, number = NearPatterns(problem, SCALE), len(problem.counts)
    dear = np.full(number, 7 * SCALE)
    assert patterns.priced(dear, 0, Work(10, 10**9), whole=True) is None
    assert patterns.priced(dear, 0, Work(10**6, 10), whole=True) is None
    assert patterns.priced(dear, 0, NO_LIMIT, whole=True) is not None
    every, all_done = patterns.below(np.full(number, 4), NO_LIMIT, never)
    assert all_done.all()
    some, done = patterns.below(np.full(number, 4), Work(len(every.types) // 2, 10**9), never)
    assert 0 < done.sum() < number
    assert 0 < len(some) < len(every)
    none, done = patterns.below(np.full(number, 4), NO_LIMIT, lambda: True)
    assert len(none) == 0
    assert not done.any()
    assert (patterns.least_costs(lambda: True) == problem.base).all()
