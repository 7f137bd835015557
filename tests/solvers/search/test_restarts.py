"""A search in a small table begins again and again, keeps the best, and does not depend on the time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kilt import Policy
from kilt.bounds.lagrangian import PARAMS, lower_bound
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.run.incumbent import Incumbent
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.search import restarts
from kilt.solvers.search.restarts import Restarts
from kilt.solvers.search.solver import Run
from kilt.solvers.search.state import one_group
from support.problems import random_problem

POLICIES = [Policy(k=4), Policy(k=3, t="0.2"), Policy(k=3, l=2, diversity="distinct")]


def bounded(problem: Problem) -> Incumbent:
    incumbent = Incumbent()
    lower_bound(problem, StoppingRule(), silent, incumbent)
    return incumbent


def costs_of_cycles(problem: Problem, incumbent: Incumbent, number: int) -> tuple[Partition, list[int]]:
    """Stop after so many cycles; return the best partition and what each cycle found."""
    found: list[int] = []

    class Counted(Restarts):
        def _cycle(self, *given):
            partition = super()._cycle(*given)
            found.append(partition.cost)
            return partition

    rules = compile_rules(problem)
    assert rules is not None
    assert incumbent.pool is not None
    stop = StoppingRule(seconds=600.0, interrupted=lambda: len(found) >= number)
    run = Run(problem, rules, stop, silent, Incumbent(multipliers=incumbent.multipliers, scale=incumbent.scale), seed=1)
    return Counted(run, incumbent.pool).improve(one_group(problem)), found


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Give no subproblem up, however slow the machine is."""
    monkeypatch.setattr(restarts, "PARAMS", replace(restarts.PARAMS, subproblem_seconds=600.0))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_longer_search_begins_like_a_shorter_one_and_keeps_the_best(policy):
    problem = random_problem(80, 4, 3, policy, seed=5)
    incumbent = bounded(problem)
    (short, first), (long, more) = (costs_of_cycles(problem, incumbent, number) for number in (1, 3))
    assert more[:1] == first
    assert short.cost == min(first)
    assert long.cost == min(more)
    assert problem.is_legal(long.by_class(problem)).all()
    assert np.bincount(long.types, long.counts, len(problem.counts)).tolist() == problem.counts.tolist()


def test_a_partition_that_is_better_than_all_that_is_found_is_kept():
    problem = random_problem(120, 4, 3, POLICIES[1], seed=6)
    incumbent = bounded(problem)
    best, _ = costs_of_cycles(problem, incumbent, 4)
    rules = compile_rules(problem)
    assert rules is not None
    assert incumbent.pool is not None
    given = Incumbent(multipliers=incumbent.multipliers, scale=incumbent.scale)
    run = Run(problem, rules, StoppingRule(seconds=0.0), silent, given, seed=2)
    assert Restarts(run, incumbent.pool).improve(best) is best


def test_the_first_multipliers_do_not_depend_on_the_time():
    problem = random_problem(200, 4, 3, Policy(k=3, t="0.2"), seed=7)
    found = []
    for seconds in (30.0, 90.0):
        incumbent = Incumbent(wanted=True)
        stop = StoppingRule(seconds=seconds, interrupted=lambda given=incumbent: len(given.early) > 1)
        lower_bound(problem, stop, silent, incumbent)
        assert incumbent.ready.is_set()
        found.append(incumbent.early[:2])
    assert len(found[0]) == len(PARAMS.early_steps[:2])
    assert np.array_equal(found[0], found[1])
