"""Multipliers raised without listing patterns: the same as with a list, never worse, never above the optimum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import Policy
from kilt.bounds.level_by_level import _least, improve_multipliers
from kilt.bounds.oracles import oracle_of
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Evidence
from kilt.patterns.pool import Pool
from kilt.run.stopping import StoppingRule
from support.problems import drawn_multipliers, problem_of, random_problem, solved
from support.profiles import examples
from support.strategies import SOLVED_LADDERS, tables


@given(st.data(), st.integers(1, 4))
@examples(40)
def test_a_step_is_that_of_the_listed_patterns(data, k):
    rows, quasi, _ = data.draw(tables(most_rows=9, ladders=tuple(SOLVED_LADDERS), most_sensitive=0))
    assume(k <= len(rows))
    problem = problem_of(rows, quasi, [], Policy(k=k))
    oracle = oracle_of(problem, Pool.of(problem))
    scale = oracle.incidence.scale
    multipliers = np.minimum(drawn_multipliers(data, problem), oracle.incidence.ceiling * scale)
    evidence = Evidence(tuple(range(len(problem.columns))), multipliers, scale)
    total, taken = _least(problem, evidence)
    assert total == oracle.least(multipliers)[0]
    others = drawn_multipliers(data, problem)
    rise = int(others @ problem.counts) + _least(problem, replace(evidence, multipliers=others))[0]
    rise -= int(multipliers @ problem.counts) + total
    assert rise <= (problem.counts - taken) @ (others - multipliers)  # what makes it a subgradient
    improved = improve_multipliers(problem, evidence, 5, StoppingRule())
    before = evaluate_bound(problem, [evidence])
    assert before <= evaluate_bound(problem, [improved]) <= solved("exhaustive", problem).cost


def test_steps_raise_the_bound_and_end_with_the_time_or_when_interrupted():
    problem = random_problem(400, 5, 1, Policy(k=4)).presolved
    oracle = oracle_of(problem, Pool.of(problem))
    first = Evidence(tuple(range(5)), oracle.incidence.cheapest() * oracle.incidence.scale, oracle.incidence.scale)
    before = evaluate_bound(problem, [first])
    assert evaluate_bound(problem, [improve_multipliers(problem, first, 20, StoppingRule())]) > before
    assert evaluate_bound(problem, [improve_multipliers(problem, first, 1, StoppingRule(seconds=1))]) > before
    for over in (StoppingRule(seconds=0), StoppingRule(interrupted=lambda: True)):
        assert improve_multipliers(problem, first, 20, over).multipliers.tolist() == first.multipliers.tolist()
