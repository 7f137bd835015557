"""Large neighbourhood search never makes a partition worse."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import Policy
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.registry import solver
from kilt.solvers.search.lns import PatternLns
from support.problems import drawn_problem, random_problem, solved
from support.profiles import examples


@given(st.data())
@examples(50)
def test_subproblems_never_make_it_worse_and_find_the_optimum_of_a_small_table(data):
    problem = drawn_problem(data)
    start = solver("greedy").solve(problem, StoppingRule(), silent).partition
    assume(start.cost > problem.base_cost)
    lns = PatternLns(problem)
    found = lns.improve(start, Pool.of(problem), StoppingRule())
    assert problem.rules.meets(found.as_groups(problem)).all()
    assert np.bincount(found.types, found.counts, len(problem.counts)).tolist() == problem.counts.tolist()
    assert found.cost <= start.cost
    if len(problem.counts) <= lns.row_types and start.levels.any(axis=1).all():
        assert found.cost == solved("exhaustive", problem).partition.cost


def test_subproblems_alone_come_a_long_way():
    problem = random_problem(240, 4, 2, Policy(k=20), seed=3)
    start = solver("greedy").solve(problem, StoppingRule(), silent).partition
    lns, found = PatternLns(problem), start
    for _ in range(15):
        found = lns.improve(found, Pool.of(problem), StoppingRule())
    assert found.cost < start.cost
    assert problem.rules.meets(found.as_groups(problem)).all()
