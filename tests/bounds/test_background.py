"""A bound in the background of a solver."""

from __future__ import annotations

import numpy as np
import pytest

from kilt import Policy
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.solve import solved as release_of
from support.problems import problem_of


def test_a_bound_beside_a_search():
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (400, 5))]
    problem = problem_of(rows, ["suppress"] * 5, [], Policy(k=4))
    stop = Stop(seconds=3)
    _, solution, bound = release_of(problem, "greedy", stop, silent)
    assert bound is not None
    assert solution.bound == bound.cost == stop.board.bound
    assert stop.board.cost == solution.partition.cost
    assert stop.board.prices.shape == bound.parts[0].prices.shape
    near = Stop(seconds=60, gap=0.5)
    release_of(problem, "greedy", near, silent)
    assert near.elapsed < 30  # the gap ended it


def test_what_fails_beside_a_search_is_not_lost(monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("kilt.bounds.background.bounded", fail)
    problem = problem_of([("a",), ("b",)], ["suppress"], [], Policy(k=2))
    with pytest.raises(MemoryError):
        release_of(problem, "greedy", Stop(seconds=1), silent)
