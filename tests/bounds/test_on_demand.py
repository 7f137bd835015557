"""Bounds of tables with many level vectors: patterns on demand prove as much as all of them do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kilt import Policy
from kilt.bounds import lagrangian, on_demand
from kilt.bounds.lagrangian import lower_bound
from kilt.bounds.on_demand import OnDemandOracle, ascend_on_demand
from kilt.bounds.oracles import PairOracle, oracle_of
from kilt.bounds.subgradient import Moments, StepSchedule
from kilt.certificates.proof.evaluate import as_proved, evaluate_bound
from kilt.model.rules import SizeRule
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from support.problems import drawn_problem, problem_of, solved
from support.profiles import examples


@pytest.fixture
def refined(monkeypatch):
    """Let all tables count as ones with many level vectors, whose patterns have hardly any room at first."""
    params = lagrangian.Params(many_level_vectors=0, first_entries=8)
    monkeypatch.setattr(lagrangian, "PARAMS", params)


@given(st.data())
@examples(60, [HealthCheck.function_scoped_fixture])
def test_the_bound_of_any_table_is_proved(refined, data):
    problem = drawn_problem(data)
    found = lower_bound(problem, StoppingRule(), silent)
    assert found.cost <= solved("exhaustive", problem).partition.cost
    assert evaluate_bound(problem, found.parts) == found.cost


@given(st.data())
@examples(60)
def test_every_total_is_that_of_all_patterns(data):
    problem = drawn_problem(data)
    oracle = oracle_of(problem, Pool.of(problem))
    ours = OnDemandOracle.of(problem, oracle)
    if ours is None:
        assert not isinstance(oracle, PairOracle)
        assert any(not isinstance(rule, SizeRule) for rule in problem.rules)
        return
    first = oracle.incidence.cheapest() * oracle.incidence.scale
    schedule = StepSchedule.of_steps(12, 0.3, 1.0)
    totals = []
    for multipliers, total in ascend_on_demand(ours, schedule, first, Moments.of(len(first)), lambda: False):
        if total > -math.inf:
            totals.append(total)
            assert total == int(multipliers @ problem.counts) + oracle.least(multipliers)[0]
    assert len(totals) >= 3


def test_under_diversity_sizes_alone_may_say_more(refined):
    rng = np.random.default_rng(4)
    rows = [(*map(str, row[:6]), "abcdefgh"[row[6]]) for row in rng.integers(0, [3] * 6 + [8], (150, 7))]
    problem = problem_of(rows, ["suppress"] * 6, ["equal"], Policy(k=4, l=2))
    sizes = problem_of([row[:6] for row in rows], ["suppress"] * 6, [], Policy(k=4))
    found = lower_bound(problem, StoppingRule(), silent)
    assert found.cost >= 0.99 * lower_bound(sizes, StoppingRule(), silent).cost > 0
    assert evaluate_bound(problem, found.parts) == found.cost <= solved("greedy", problem).partition.cost


def test_multipliers_rise_above_a_ceiling(refined):
    rng = np.random.default_rng(3)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (150, 7))]
    problem = problem_of(rows, ["suppress"] * 7, [], Policy(k=4))
    pool = lagrangian._list_patterns(problem, StoppingRule(), 1.0, refined=True)
    found = lower_bound(problem, StoppingRule(), silent)
    highest = found.parts[0].multipliers.max() / found.parts[0].scale
    assert pool.ceiling is not None
    assert highest > pool.ceiling
    assert evaluate_bound(problem, found.parts) == found.cost


def test_without_room_it_goes_back_and_takes_smaller_steps(monkeypatch):
    rng = np.random.default_rng(3)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (60, 6))]
    problem = problem_of(rows, ["suppress"] * 6, [], Policy(k=3))
    oracle = oracle_of(problem, Pool.of(problem))
    ours = OnDemandOracle.of(problem, oracle)
    assert ours is not None
    first = oracle.incidence.cheapest() * oracle.incidence.scale
    assert ours.list_patterns(first)
    room = 2 * len(ours.exact.incidence.pool.types)
    monkeypatch.setattr(on_demand, "PARAMS", on_demand.Params(max_entries=room))
    schedule = StepSchedule.of_steps(40, 30.0, 0.0)
    found = [t for _, t in ascend_on_demand(ours, schedule, first, Moments.of(len(first)), lambda: False)]
    assert found[0] > 0
    assert sum(total > -math.inf for total in found) >= 3


def wide_problem(policy: Policy):
    """A table of 18 columns, which has more level vectors than are divided by columns."""
    rng = np.random.default_rng(5)
    kinds = rng.integers(0, 2, (6, 18))
    noisy = np.where(rng.random((120, 18)) < 0.15, 1 - kinds[rng.integers(0, 6, 120)], kinds[rng.integers(0, 6, 120)])
    rows = [(*map(str, row), "abc"[place % 3]) for place, row in enumerate(noisy.tolist())]
    return problem_of(rows, ["suppress"] * 18, ["equal"], policy)


@pytest.mark.parametrize("policy", [Policy(k=3), Policy(k=3, l=2), Policy(k=3, t="0.4")])
def test_wide_tables_are_bounded_by_joining_rows(policy):
    problem = wide_problem(policy)
    assert lagrangian.is_joined(problem, StoppingRule())
    found = lower_bound(problem, StoppingRule(), silent)
    assert [part.columns for part in found.parts] == [tuple(range(18))]
    assert 0 < found.cost <= solved("greedy", problem).partition.cost
    proved = as_proved(problem, found)
    assert proved.cost == evaluate_bound(problem, found.parts) >= found.cost


def test_joining_rows_needs_time_for_all(monkeypatch):
    problem = wide_problem(Policy(k=3))
    assert lagrangian.is_joined(problem, StoppingRule(seconds=60.0))
    monkeypatch.setattr(lagrangian, "PARAMS", lagrangian.Params(looks_per_second=1))
    assert not lagrangian.is_joined(problem, StoppingRule(seconds=60.0))
    assert lagrangian.is_joined(problem, StoppingRule())
    assert len(lower_bound(problem, StoppingRule(seconds=0.0), silent).parts) <= 2
