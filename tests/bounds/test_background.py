"""A bound in the background of a solver."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from kilt import Policy
from kilt.bounds.background import BackgroundBound
from kilt.certificates.proof.evidence import Bound
from kilt.run.incumbent import Incumbent
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.registry import solver
from kilt.solvers.solve import solve
from support.command import PATIENCE
from support.problems import problem_of, random_problem


def test_a_bound_beside_a_search():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (400, 5))]
    problem = problem_of(rows, ["suppress"] * 5, [], Policy(k=4))
    stop, incumbent = StoppingRule(seconds=PATIENCE), Incumbent()
    with BackgroundBound(problem, stop, silent, incumbent) as background:
        solution = solver("greedy").solve(problem, stop, silent)
        incumbent.improve(solution.cost)
        bound = background.bound(stop)
    assert solution.with_bound(bound).bound.cost == bound.cost == incumbent.bound
    assert incumbent.cost == solution.cost
    assert incumbent.multipliers.shape == bound.parts[0].multipliers.shape
    assert solve(problem, "greedy", stop.restarted(), silent).bound.parts


def test_a_gap_that_is_wide_enough_ends_the_bound():
    problem = random_problem(800, 5, 3, Policy(k=4))
    cost, bounds = solver("greedy").solve(problem, StoppingRule(), silent).cost, []
    for gap in (0.5, None):
        stop = StoppingRule(seconds=PATIENCE, gap=gap)
        with BackgroundBound(problem, stop, silent, Incumbent(cost)) as background:
            bounds.append(background.bound(stop).cost)
    assert 0.5 * cost <= bounds[0] < bounds[1]


def test_what_fails_beside_a_search_is_not_lost(monkeypatch):
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("kilt.bounds.background.lower_bound", fail)
    problem = problem_of([("a",), ("b",)], ["suppress"], [], Policy(k=2))
    with pytest.raises(MemoryError):
        solve(problem, "greedy", StoppingRule(seconds=PATIENCE), silent)


def test_a_proof_that_takes_too_long_is_not_waited_for(monkeypatch):
    problem = random_problem(60, 4, 3, Policy(k=3))
    ended = Event()

    def prove_for_long(problem, stop, observer, incumbent, proved):
        proved += [Bound(problem.base_cost + 1), Bound(problem.base_cost + 2)]
        ended.wait(PATIENCE)
        return Bound(problem.base_cost + 3)

    monkeypatch.setattr("kilt.bounds.background.lower_bound", prove_for_long)
    stop = StoppingRule(seconds=0.1)
    with BackgroundBound(problem, stop, silent, Incumbent()) as background:
        assert background.enough(stop).cost == problem.base_cost + 2
    assert stop.elapsed < 5
    ended.set()
    assert background.bound(StoppingRule()).cost == problem.base_cost + 3
