"""Limits of a run."""

from __future__ import annotations

import pytest

import kilt
from kilt.run.stopping import StoppingRule


def test_limits_are_checked_and_have_defaults():
    with pytest.raises(kilt.InputError, match="'iterations' must be a whole number of at least 0, not -1"):
        StoppingRule.of(None, None, iterations=-1)
    default = StoppingRule.of(None, None).with_defaults(60.0, 5, 0.005)
    assert (default.seconds, default.iterations, default.gap) == (60.0, 5, 0.005)
    timed = StoppingRule.of(3, 0).with_defaults(60.0, 5, 0.005)
    assert (timed.seconds, timed.iterations, timed.gap) == (3.0, None, 0.0)
    counted = StoppingRule.of(None, None, iterations=7).with_defaults(60.0, 5, 0.005)
    assert (counted.seconds, counted.iterations, counted.gap) == (None, 7, 0.005)
