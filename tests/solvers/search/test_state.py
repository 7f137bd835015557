"""The state of a search: what is used is kept."""

from __future__ import annotations

from kilt import Policy
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.common.compile_rules import law_of
from kilt.solvers.registry import solver
from kilt.solvers.search.state import Field, narrowed, with_groups
from support.fields import assert_consistent
from support.problems import random_problem


def test_narrowing_keeps_what_is_used():
    problem = random_problem(200, 4, 3, Policy(k=3))
    partition = solver("greedy").solve(problem, Stop(), silent).partition
    pool = narrowed(problem, Pool.of(problem), partition, 0.0)
    field = Field.of(with_groups(problem, pool, [partition]), law_of(problem), partition, problem, 0)
    assert_consistent(field)
    assert field.partition().groups.tolist() == partition.groups.tolist()
