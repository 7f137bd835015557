"""A bound in the background of a solver."""

from __future__ import annotations

import numpy as np
import pytest

from kilt import Policy
from kilt.bounds.background import BackgroundBound
from kilt.run.incumbent import Incumbent
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.registry import solver
from kilt.solvers.solve import solve
from support.problems import problem_of


def test_a_bound_beside_a_search():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (400, 5))]
    problem = problem_of(rows, ["suppress"] * 5, [], Policy(k=4))
    stop, incumbent = StoppingRule(seconds=3), Incumbent()
    with BackgroundBound(problem, stop, silent, incumbent) as background:
        solution = solver("greedy").solve(problem, stop, silent)
        incumbent.improve(solution.cost)
        bound = background.bound()
    assert solution.with_bound(bound).bound.cost == bound.cost == incumbent.bound
    assert incumbent.cost == solution.cost
    assert incumbent.multipliers.shape == bound.parts[0].multipliers.shape
    assert solve(problem, "greedy", StoppingRule(seconds=3), silent).bound.parts
    near = StoppingRule(seconds=60, gap=0.5)
    solve(problem, "greedy", near, silent)
    assert near.elapsed < 30  # the gap ended it


def test_what_fails_beside_a_search_is_not_lost(monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("kilt.bounds.background.lower_bound", fail)
    problem = problem_of([("a",), ("b",)], ["suppress"], [], Policy(k=2))
    with pytest.raises(MemoryError):
        solve(problem, "greedy", StoppingRule(seconds=1), silent)
