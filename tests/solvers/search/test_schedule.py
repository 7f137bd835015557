"""The schedule of a search: temperatures and moves."""

from __future__ import annotations

import math

import pytest

from kilt.solvers.search.schedule import Params, cooled
from kilt.solvers.search.solver import _step


def test_it_gets_colder_by_the_same_factor_in_equal_times():
    assert [cooled(8.0, 0.5, done) for done in (0.0, 0.25, 0.5, 1.0)] == pytest.approx([8.0, 4.0, 2.0, 0.5])


@pytest.mark.parametrize("rounds", [1, 3, 20, 100, 5_000, math.inf])
def test_multipliers_rise_in_about_the_rounds_that_are_left(rounds):
    raised, steps = 0.0, []
    while raised < Params.max_multiplier_raise:
        steps.append(_step(raised, max(1.0, float(rounds) - len(steps))))
        raised += steps[-1]
    assert len(steps) <= min(rounds + 1, 60)
    assert steps[0] >= Params.multiplier_step
    assert steps[:-1] == sorted(steps[:-1])
