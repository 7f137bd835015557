"""The time of several runs."""

from __future__ import annotations

import time

import pytest

from kilt.run.budget import Budget


def test_what_is_left_is_shared_by_those_that_are_left():
    budget = Budget(100.0, started=time.monotonic() - 40)
    assert budget.next(3).seconds == pytest.approx(20, abs=0.5)
    assert budget.next(1).seconds == pytest.approx(60, abs=0.5)
    assert budget.next(1).elapsed < 0.5
    assert Budget(100.0, started=time.monotonic() - 140).next(2).seconds == 0


def test_the_most_for_each():
    assert Budget(100.0, 5.0).next(2).seconds == 5
    assert Budget(6.0, 5.0).next(2).seconds == pytest.approx(3, abs=0.5)
    assert Budget(None, 5.0).next(2).seconds == 5
    counted = Budget(None, iterations=7, interrupted=lambda: True).next(2)
    assert (counted.seconds, counted.iterations, counted.interrupted()) == (None, 7, True)
