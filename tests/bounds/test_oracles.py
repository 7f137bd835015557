"""Any multipliers give a bound; oracles against slow twins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.bounds.by_size import Params
from kilt.bounds.incidence import MAX_SCALE as SCALE
from kilt.bounds.oracles import DiverseOracle, PairOracle, oracle_of
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import PatternMultipliers
from kilt.model.diversity import Distinct
from kilt.model.rules import SizeRule
from kilt.patterns.pool import Pool
from support.problems import all_groups, drawn_multipliers, drawn_problem, solved
from support.profiles import examples


def least_by_hand(problem, pool, multipliers) -> int:
    """Add up the least reduced costs of all patterns, by trying all legal groups under each."""
    groups = all_groups(problem)
    total = 0
    for pattern in range(len(pool)):
        fitting = set(pool.types[pool.starts[pattern] : pool.starts[pattern + 1]].tolist())
        reduced_costs = [
            len(group) * int(pool.cost[pattern]) * SCALE - int(multipliers[list(group)].sum())
            for group in groups
            if fitting.issuperset(group)
        ]
        total += min([0, *reduced_costs])
    return total


def total_of(problem, oracle, multipliers):
    """Return the bound of multipliers before it is rounded, and what is taken."""
    least, taken = oracle.least(multipliers)
    return int(multipliers @ problem.counts) + least, taken


@given(st.data())
@examples(300)
def test_any_multipliers_of_row_types_give_a_bound(data):
    problem = drawn_problem(data)
    oracle = oracle_of(problem, Pool.of(problem))
    optimum = solved("exhaustive", problem).partition.cost
    for _ in range(2):
        multipliers = drawn_multipliers(data, problem)
        total, taken = total_of(problem, oracle, multipliers)
        evidence = oracle.evidence(multipliers)
        found = evaluate_bound(problem, [evidence])
        assert found <= optimum
        assert (taken >= -1e-9).all()
        if oracle.effort == 1:
            assert found == max(0, -(-total // SCALE))


def altered(data, multipliers: PatternMultipliers, first: int = 0) -> PatternMultipliers:
    """Replace some multipliers by any others, in the columns from a first one on."""
    numbers = multipliers.numbers.copy()
    for place in np.ndindex(numbers.shape):
        if place[1] >= first and data.draw(st.booleans()):
            numbers[place] = data.draw(st.integers(-3 * SCALE, 3 * SCALE))
    return replace(multipliers, numbers=numbers)


@given(st.data(), st.integers(1, 4))
@examples(300)
def test_any_multipliers_of_patterns_give_a_bound(data, largest):
    problem = drawn_problem(data, least_sensitive=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kilt.bounds.by_size.PARAMS", Params(max_size=largest))
        oracle = oracle_of(problem, Pool.of(problem))
        multipliers = drawn_multipliers(data, problem)
        for _ in range(data.draw(st.integers(0, 4))):
            oracle.least(multipliers)
        evidence = oracle.evidence(multipliers)
    optimum = solved("exhaustive", problem).partition.cost
    found = evaluate_bound(problem, [evidence])
    assert found <= optimum
    parts = {name: altered(data, getattr(evidence, name)) for name in ("linear_multipliers", "tail_multipliers")}
    parts["size_multipliers"] = altered(data, evidence.size_multipliers, first=1)  # a theta stands behind its size
    assert evaluate_bound(problem, [replace(evidence, **parts)]) <= optimum


@given(st.data())
@examples(200)
def test_the_oracles_are_exact_where_they_say_so(data):
    problem = drawn_problem(data, most_rows=7)
    pool = Pool.of(problem)
    oracle = oracle_of(problem, pool)
    others = [rule for rule in problem.rules if not isinstance(rule, SizeRule)]
    exact = isinstance(oracle, PairOracle) or not others
    assert oracle.effort == 1 or not exact
    if isinstance(oracle, DiverseOracle):
        exact = len(others) == 1 and others[0].form == Distinct()
    multipliers = drawn_multipliers(data, problem)
    least, _ = oracle.least(multipliers)
    by_hand = least_by_hand(problem, pool, multipliers)
    assert least == by_hand if exact else least <= by_hand + 1e-3


@given(st.data())
@examples(150)
def test_what_is_taken_gives_a_subgradient(data):
    problem = drawn_problem(data, most_rows=7)
    oracle = oracle_of(problem, Pool.of(problem))
    multipliers = drawn_multipliers(data, problem)
    total, taken = total_of(problem, oracle, multipliers)
    others = drawn_multipliers(data, problem)
    other, _ = total_of(problem, oracle, others)
    subgradient = problem.counts - taken
    if oracle.effort == 1:
        assert other <= total + int(subgradient @ (others - multipliers))  # the bound is concave in the multipliers
