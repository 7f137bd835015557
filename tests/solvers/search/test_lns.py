"""Large neighbourhoods: windows never make it worse."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kilt import Policy
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.registry import solver
from kilt.solvers.search.lns import Windows
from support.problems import drawn_problem, random_problem, solved


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_windows_never_make_it_worse_and_find_the_optimum_of_a_small_table(data):
    problem = drawn_problem(data)
    start = solver("greedy").solve(problem, Stop(), silent).partition
    assume(start.cost)
    windows = Windows(problem, Pool.of(problem))
    found = windows.improved(start, Stop())
    assert problem.rules.meets(found.as_groups(problem)).all()
    assert np.bincount(found.types, found.counts, len(problem.counts)).tolist() == problem.counts.tolist()
    assert found.cost <= start.cost
    if len(problem.counts) <= windows.kinds and start.levels.any(axis=1).all():
        assert found.cost == solved("exhaustive", problem).partition.cost


def test_windows_alone_come_a_long_way():
    problem = random_problem(240, 4, 2, Policy(k=20), seed=3)
    start = solver("greedy").solve(problem, Stop(), silent).partition
    windows, found = Windows(problem, Pool.of(problem)), start
    for _ in range(15):
        found = windows.improved(found, Stop())
    assert found.cost < start.cost
    assert problem.rules.meets(found.as_groups(problem)).all()
