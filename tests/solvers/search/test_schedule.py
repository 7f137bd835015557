"""The schedule of a search: temperatures and moves."""

from __future__ import annotations

import pytest

from kilt.solvers.search.schedule import cooled


def test_it_gets_colder_by_the_same_factor_in_equal_times():
    assert [cooled(8.0, 0.5, done) for done in (0.0, 0.25, 0.5, 1.0)] == pytest.approx([8.0, 4.0, 2.0, 0.5])
