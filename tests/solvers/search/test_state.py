"""The state of a search: what is used is kept."""

from __future__ import annotations

from kilt import Policy
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.registry import solver
from kilt.solvers.search.state import SearchState, filter_by_extra_cost, with_groups
from support.problems import random_problem
from support.states import assert_consistent


def test_narrowing_keeps_what_is_used():
    problem = random_problem(200, 4, 3, Policy(k=3))
    partition = solver("greedy").solve(problem, StoppingRule(), silent).partition
    pool = filter_by_extra_cost(problem, Pool.of(problem), partition, 0.0)
    state = SearchState.of(with_groups(problem, pool, [partition]), compile_rules(problem), partition, problem, 0)
    assert_consistent(state)
    assert state.partition().groups.tolist() == partition.groups.tolist()
