"""The schedule of a search: temperatures, moves and cycles."""

from __future__ import annotations

import pytest

from kilt.run.stopping import StoppingRule
from kilt.solvers.search.schedule import cooled, cycles


def test_cycles_get_longer_and_a_longer_search_begins_like_a_shorter_one(monkeypatch):
    def lengths(seconds: float) -> list[float]:
        now = [0.0]
        monkeypatch.setattr("time.monotonic", lambda: now[0])
        found = []
        for length in cycles(StoppingRule(seconds=seconds, started=0.0), 0.25):
            found.append(length)
            now[0] += length
        return found

    for seconds in (0.1, 1.0, 4.0, 30.0):
        *begin, last = lengths(seconds)
        assert sum(begin) + last == pytest.approx(seconds)
        assert begin == pytest.approx([0.25 * 2 ** (i // 2) for i in range(len(begin))])
        assert begin == pytest.approx(lengths(4 * seconds)[: len(begin)])
        assert last >= max([0.0, *begin])


def test_when_the_time_is_over_there_are_no_cycles():
    assert list(cycles(StoppingRule(seconds=0.0), 0.25)) == []


def test_it_gets_colder_by_the_same_factor_in_equal_times():
    assert [cooled(8.0, 0.5, done) for done in (0.0, 0.25, 0.5, 1.0)] == pytest.approx([8.0, 4.0, 2.0, 0.5])
