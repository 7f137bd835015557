"""The time of several runs."""

from __future__ import annotations

import time

import pytest

from kilt.run.budget import Budget

LONG = 1e6  # seconds, beside which those that a test takes are nothing


def test_what_is_left_is_shared_by_those_that_are_left():
    budget = Budget(10 * LONG, started=time.monotonic() - 4 * LONG)
    assert budget.next(3).seconds == pytest.approx(2 * LONG, rel=0.01)
    assert budget.next(1).seconds == pytest.approx(6 * LONG, rel=0.01)
    assert budget.next(1).elapsed < 0.01 * LONG
    assert Budget(LONG, started=time.monotonic() - 2 * LONG).next(2).seconds == 0


def test_the_most_for_each():
    assert Budget(10 * LONG, LONG).next(2).seconds == LONG
    assert Budget(10 * LONG, 8 * LONG).next(2).seconds == pytest.approx(5 * LONG, rel=0.01)
    assert Budget(None, LONG).next(2).seconds == LONG
    counted = Budget(None, iterations=7, interrupted=lambda: True).next(2)
    assert (counted.seconds, counted.iterations, counted.interrupted()) == (None, 7, True)
