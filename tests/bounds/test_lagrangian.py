"""Lower bounds of any table, by the same steps each time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.bounds.incidence import MAX_SCALE as SCALE
from kilt.bounds.lagrangian import lower_bound
from kilt.bounds.oracles import oracle_of
from kilt.bounds.subgradient import StepSchedule, subgradient_ascent
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.patterns.pool import Pool
from kilt.run.incumbent import Incumbent
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.exact.column_generation.columns import Columns
from support.problems import all_groups, drawn_multipliers, drawn_problem, problem_of, solved
from support.profiles import examples


@given(st.data())
@examples(100)
def test_the_first_multipliers_are_the_pattern_bound(data):
    problem = drawn_problem(data, most_rows=7)
    oracle = oracle_of(problem, Pool.of(problem))
    cheapest = oracle.incidence.cheapest()
    assert evaluate_bound(problem, [oracle.evidence(cheapest * SCALE)]) == int(cheapest @ problem.counts)
    groups = all_groups(problem)
    columns = Columns.of(problem, np.array([u for g in groups for u in g]), np.array([len(g) for g in groups]))
    for row_type in range(len(problem.counts)):
        own = [int(cost) // len(group) for group, cost in zip(groups, columns.cost, strict=True) if row_type in group]
        assert cheapest[row_type] <= min(own)


@given(st.data())
@examples(40)
def test_the_engine_gives_a_bound_of_any_table(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = lower_bound(problem, StoppingRule(), silent)
    assert found.cost <= optimum
    assert evaluate_bound(problem, found.parts) == found.cost
    assert found.cost >= int(oracle_of(problem, Pool.of(problem)).incidence.cheapest() @ problem.counts)


@given(st.data(), st.integers(1, 6))
@examples(100)
def test_a_bound_holds_when_not_all_patterns_are_listed(data, vectors):
    problem = drawn_problem(data)
    listed = iter(range(1000))
    pool = Pool.of(problem, enough=lambda: next(listed) >= vectors)
    oracle = oracle_of(problem, pool)
    ceiling = oracle.incidence.ceiling * SCALE
    optimum = solved("exhaustive", problem).partition.cost
    multipliers = np.minimum(drawn_multipliers(data, problem), ceiling)
    assert evaluate_bound(problem, [oracle.evidence(multipliers)]) <= optimum
    first = oracle.incidence.cheapest() * oracle.incidence.scale
    for higher, total in subgradient_ascent(oracle, StepSchedule.of_steps(20, 0.3, 1.0), first):
        assert total <= optimum * SCALE + 1e-3 or oracle.effort > 1
        assert higher.max() <= ceiling or pool.ceiling is None


@given(st.data())
@examples(20)
def test_blocks_of_columns_add_up_to_a_bound(data):
    problem = drawn_problem(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kilt.bounds.lagrangian._blocks", lambda p: [(j,) for j in range(len(p.columns))])
        found = lower_bound(problem, StoppingRule(), silent)
    assert found.cost == evaluate_bound(problem, found.parts)
    assert found.cost <= solved("exhaustive", problem).partition.cost


def test_wide_tables_are_bounded_in_blocks():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (300, 22))]
    problem = problem_of(rows, ["suppress"] * 22, [], Policy(k=3))
    for seconds in (1, 10, 100):  # a tenth of a second is enough, but not on a busy machine
        seen = []
        found = lower_bound(problem, StoppingRule(seconds=seconds), seen.append)
        assert found.cost == evaluate_bound(problem, found.parts)
        assert max((progress.bound for progress in seen if progress.bound is not None), default=0) == found.cost
        if found.cost > 1000:
            break
    assert found.cost > 1000


def test_time_and_gap_end_the_ascent():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (400, 5))]
    problem = problem_of(rows, ["suppress"] * 5, [], Policy(k=4))
    seen = []
    lower_bound(problem, StoppingRule(seconds=0), seen.append, Incumbent(10**6))
    assert sum(progress.bound is not None for progress in seen) <= 1
    close = lower_bound(problem, StoppingRule(gap=0.4), silent, Incumbent(800))
    full = lower_bound(problem, StoppingRule(), silent)
    assert close.cost < full.cost


@pytest.mark.parametrize("policy", [Policy(k=3, t="0.3"), Policy(k=3, l=2), Policy(k=3)])
def test_the_same_steps_give_the_same_proof(policy):
    rng = np.random.default_rng(1)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (300, 5))]
    problem = problem_of(rows, ["suppress"] * 4, ["equal"], policy)
    one, two = (lower_bound(problem, StoppingRule(), silent) for _ in range(2))
    assert one.cost == two.cost > 0
    for name in ("size_multipliers", "linear_multipliers", "tail_multipliers"):
        first, second = (getattr(found.parts[0], name).numbers for found in (one, two))
        assert (first == second).all()


@pytest.mark.parametrize("policy", [Policy(k=2), Policy(k=2, l=2), Policy(k=3, t=0.2)])
def test_hundreds_of_millions_of_rows_have_room(policy):
    few = [("a", "x", "1"), ("a", "y", "2"), ("b", "x", "1"), ("b", "z", "3"), ("c", "x", "2"), ("c", "z", "3")]
    small = problem_of(few, ["suppress"] * 2, ["equal"], policy)
    problem = small.part(np.arange(len(small.counts)), small.counts * 50_000_000 + np.array([0, 0, 1, 0, 0, 0]))
    bound = lower_bound(problem, StoppingRule(iterations=1), silent)
    assert evaluate_bound(problem, bound.parts) == bound.cost
