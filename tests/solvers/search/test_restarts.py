"""A search in a small table begins again and again, and keeps the best."""

from __future__ import annotations

import numpy as np
import pytest

from kilt import Policy
from kilt.bounds.lagrangian import lower_bound
from kilt.run.incumbent import Incumbent
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.search.restarts import PARAMS, Restarts, Share
from kilt.solvers.search.solver import Run
from kilt.solvers.search.state import one_group
from support.problems import random_problem


@pytest.mark.parametrize("policy", [Policy(k=4), Policy(k=3, t="0.3")])
def test_cycles_build_anew_in_turns_and_keep_the_best(policy, monkeypatch):
    problem = random_problem(300, 4, 3, policy, seed=5)
    rules, incumbent = compile_rules(problem), Incumbent()
    assert rules is not None
    lower_bound(problem, StoppingRule(), silent, incumbent)
    assert incumbent.pool is not None
    run = Run(problem, rules, StoppingRule(seconds=2.0, gap=0.0), silent, incumbent, seed=1)
    built = []
    build = Run.build
    monkeypatch.setattr(Run, "build", lambda *given: built.append(build(*given)) or built[-1])
    found = Restarts(run, incumbent.pool).improve(one_group(problem))
    assert run.is_small
    assert len(built) > 1 or found.cost == incumbent.bound
    assert found.cost <= min(partition.cost for partition in built)
    assert problem.is_legal(found.by_class(problem)).all()
    assert np.bincount(found.types, found.counts, len(problem.counts)).tolist() == problem.counts.tolist()


def test_what_saves_more_gets_more_of_the_time():
    share = Share()
    share.learn(0.0, 0.0)
    assert share.value == PARAMS.annealing_share
    share.learn(3.0, 2.0)
    assert share.value == pytest.approx(0.6)
    share.learn(0.0, 2.0)
    assert share.value == PARAMS.annealing_limits[0]
    share.learn(2.0, 0.0)
    assert share.value == PARAMS.annealing_limits[1]
