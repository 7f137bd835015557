"""Counting cuts in an ascent: they raise the bound, and never above the optimum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.bounds import counting
from kilt.bounds.counting import CountingOracle
from kilt.bounds.incidence import MAX_SCALE as SCALE
from kilt.bounds.lagrangian import lower_bound
from kilt.bounds.oracles import oracle_of
from kilt.bounds.subgradient import StepSchedule, subgradient_ascent
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.join_evidence import join_evidence
from support.problems import problem_of, random_problem, solved
from support.profiles import examples
from support.strategies import tables


def k_anonymous(data, most_rows=10):
    """Draw a table and a size of groups that it has rows for."""
    rows, quasi, _ = data.draw(tables(most_rows=most_rows))
    k = data.draw(st.integers(1, min(4, len(rows))))
    return problem_of([row[: len(quasi)] for row in rows], quasi, [], Policy(k=k))


def drawn_cuts(data, oracle) -> None:
    """Give an oracle any sets of row types, with any multipliers."""
    every = range(len(oracle.incidence.problem.counts))
    sets = data.draw(st.lists(st.sets(st.sampled_from(every), min_size=1), max_size=4))
    oracle.cuts.add([np.array(sorted(each)) for each in sets])
    oracle.cuts.multipliers = np.array([data.draw(st.integers(0, 40)) / 10 for _ in oracle.cuts.sets])


@given(st.data())
@examples(300)
def test_oracle_and_proof_agree_on_any_cuts(data):
    problem = k_anonymous(data)
    oracle = CountingOracle.of(oracle_of(problem, Pool.of(problem)))
    drawn_cuts(data, oracle)
    multipliers = np.array([data.draw(st.integers(-3 * SCALE, 5 * SCALE)) for _ in problem.counts])
    least, taken = oracle.least(multipliers)
    total = int(multipliers @ problem.counts) + least
    assert evaluate_bound(problem, [oracle.evidence(multipliers)]) == max(0, -(-total // SCALE))
    assert total <= solved("exhaustive", problem).partition.cost * SCALE
    others = np.array([data.draw(st.integers(-3 * SCALE, 5 * SCALE)) for _ in problem.counts])
    other = int(others @ problem.counts) + oracle.least(others)[0]
    assert other <= total + int((problem.counts - taken) @ (others - multipliers))  # taken gives a subgradient


@given(st.data())
@examples(60)
def test_an_ascent_with_cuts_stays_below_the_optimum(data):
    problem = k_anonymous(data)
    optimum = solved("exhaustive", problem).partition.cost
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PARAMS", replace(counting.PARAMS, least_steps=2, least_violation=0.01))
        oracle = CountingOracle.of(oracle_of(problem, Pool.of(problem)))
        first = oracle.incidence.cheapest() * SCALE
        schedule = StepSchedule.of_steps(60, 0.3, 1.0)
        for multipliers, total in subgradient_ascent(oracle, schedule, first, None, oracle.advance):
            assert total <= optimum * SCALE
            found = evaluate_bound(problem, [oracle.evidence(multipliers)])
            assert found == max(0, -(-int(total) // SCALE))


def test_cuts_raise_the_bound_of_five_rows_that_are_no_two_groups_of_three(monkeypatch):
    rows = [("a", "p"), ("a", "q"), ("a", "x"), ("b", "x"), ("c", "x")]  # three with an a, and three with an x
    problem = problem_of(rows, ["suppress"] * 2, [], Policy(k=3))
    found = lower_bound(problem, StoppingRule(), silent)
    assert len(found.parts[0].counting)
    assert evaluate_bound(problem, found.parts) == found.cost == solved("exhaustive", problem).partition.cost == 10
    monkeypatch.setattr(CountingOracle, "takes", lambda _: False)
    without = lower_bound(problem, StoppingRule(), silent)
    assert not len(without.parts[0].counting)
    assert without.cost < 10


def test_the_same_cuts_are_found_each_time():
    problem = random_problem(120, 4, 1, Policy(k=3)).presolved
    one, two = (lower_bound(problem, StoppingRule(), silent).parts[0] for _ in range(2))
    assert len(one.counting)
    assert one.counting.types.tolist() == two.counting.types.tolist()
    assert one.counting.multipliers.tolist() == two.counting.multipliers.tolist()


def test_no_cuts_are_looked_for_under_other_policies():
    diverse = random_problem(60, 3, 3, Policy(k=2, l=2))
    assert not CountingOracle.takes(oracle_of(diverse, Pool.of(diverse)))
    sizes = random_problem(60, 3, 1, Policy(k=2)).presolved
    assert CountingOracle.takes(oracle_of(sizes, Pool.of(sizes)))


def test_cuts_of_parts_are_those_of_the_whole():
    problem = random_problem(120, 4, 1, Policy(k=5)).presolved
    sides = [np.flatnonzero(problem.codes[:, 0] % 2 == side) for side in (0, 1)]
    parts = [lower_bound(problem.part(types, problem.counts[types]), StoppingRule(), silent) for types in sides]
    evidence = [part.parts[0] for part in parts]
    joined = join_evidence(problem, list(zip(sides, evidence, strict=True)))
    assert joined is not None
    sets = [types[each] for types, part in zip(sides, evidence, strict=True) for each in part.counting.sets()]
    assert [each.tolist() for each in joined.counting.sets()] == [each.tolist() for each in sets]
    assert len(sets) > 0
    assert evaluate_bound(problem, [joined]) <= lower_bound(problem, StoppingRule(), silent).cost + 5
