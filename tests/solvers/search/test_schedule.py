"""The schedule of a search: temperatures, moves and cycles."""

from __future__ import annotations

import pytest

from kilt.run.stopping import StoppingRule
from kilt.solvers.search.schedule import cooled, cycles


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_cycles_are_ever_longer_and_a_longer_search_begins_like_a_shorter_one(monkeypatch, share):
    def lengths(seconds: float) -> list[float]:
        now = [0.0]
        monkeypatch.setattr("time.monotonic", lambda: now[0])
        found = []
        for limit in cycles(StoppingRule(seconds=seconds, started=0.0), share, 0.25):
            until = limit.deadline or 0.0
            found.append(until - now[0])
            now[0] = until
        return found

    for seconds in (0.1, 1.0, 4.0, 30.0):
        assert sum(lengths(seconds)) == pytest.approx(share * seconds)
        assert lengths(seconds)[:-1] == pytest.approx([0.25 * 2**i for i in range(len(lengths(seconds)) - 1)])
        assert lengths(seconds)[:-1] == pytest.approx(lengths(4 * seconds)[: len(lengths(seconds)) - 1])
        assert lengths(seconds)[-1] >= max([0.0, *lengths(seconds)[:-1]])


def test_without_a_time_there_is_one_cycle():
    stop = StoppingRule(iterations=10)
    assert list(cycles(stop, 0.5, 0.25)) == [stop]


def test_it_gets_colder_by_the_same_factor_in_equal_times():
    assert [cooled(8.0, 0.5, done) for done in (0.0, 0.25, 0.5, 1.0)] == pytest.approx([8.0, 4.0, 2.0, 0.5])
