"""What a run says while it goes on, as lines of a log."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from kilt.report import progress
from kilt.report.progress import WORDS, Figures, Log, Standing
from kilt.run.progress import Progress, Task, on_task
from support.command import call


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def logged(clock, told, **how):
    """Return the lines of a log that is asked four times a second; ``told`` has what is told at which second."""
    clock.now = 100.0
    standing, lines = Standing(), []
    log = Log(standing, lines.append, **how)
    for now in np.arange(0.0, 10.0, 0.25).tolist():
        clock.now = 100.0 + now
        for each in told.get(now, []):
            standing.note(each)
        log.tell()
    return [line.split(maxsplit=4) for line in lines]


def test_the_log_has_a_line_for_each_improvement_at_most_once_a_second(clock):
    stars = {2 + step / 4: [Progress("solving", None, Fraction(80 - step))] for step in range(8)}
    bound = {5.25: [Progress("bounding", bound=Fraction(60), beside=True)]}
    lines = logged(clock, stars | bound)
    assert lines[:2] == [["1.0s", "reading", "the", "table"], ["time", "stars", "bound", "gap"]]
    assert [line[:4] for line in lines[2:]] == [
        ["2.0s", "80", "0", "100.00%"],
        ["3.0s", "76", "0", "100.00%"],
        ["4.0s", "73", "0", "100.00%"],
        ["5.25s"[:3] + "s", "73", "60", "17.81%"],
    ]
    assert lines[-1][4] == "searching for a release, proving a bound"


def test_no_phase_is_silent_for_longer_than_a_second(clock):
    lines = logged(clock, {0.0: [Progress("reading")], 0.5: [Progress("counting")], 1.25: [Progress("verifying")]})
    assert [" ".join(line) for line in lines] == [
        "1.0s counting rows that are alike",
        "2.0s verifying the release",
    ]
    lines = logged(clock, {3.5: [Progress("solving", stars=Fraction(8))]})
    assert [" ".join(line) for line in lines] == [
        "1.0s reading the table",
        "time stars bound gap",
        "3.5s 8 0 100.00% searching for a release",
    ]


def test_a_log_that_nobody_asked_for_begins_after_a_second(clock):
    lines = logged(clock, {0.25: [Progress("solving", stars=Fraction(8))]}, at_once=False)
    assert [line[0] for line in lines] == ["time", "1.0s"]
    lines = logged(clock, {0.25: [Progress("solving", stars=Fraction(8))]}, at_once=True)
    assert [line[0] for line in lines] == ["time", "0.2s"]


def test_another_task_begins_anew(clock):
    standing = Standing()
    first = on_task(standing.note, Task(10, clock.now + 5, name="policy 1 of 2, k=2"))
    first(Progress("solving", stars=Fraction(8), bound=Fraction(2)))
    assert (standing.limit, standing.figures.gap) == (5, 0.75)
    second = on_task(standing.note, Task(10, None, Fraction(4), "policy 2 of 2, k=\x1b[31m3"))
    second(Progress("solving"))
    assert (standing.limit, standing.figures.stars, standing.moments) == (None, None, [])
    assert standing.name == r"policy 2 of 2, k=\x1b[31m3"
    second(Progress("solving", stars=Fraction(8)))
    assert standing.figures == Figures(Fraction(8), Fraction(4), 1.0)  # what the least levels cost is a bound
    second(Progress("solving", stars=Fraction(8), bound=Fraction(6)))
    assert standing.figures.gap == 0.5


def test_what_goes_on_beside_the_search_is_told_until_the_search_ends():
    standing = Standing()
    standing.note(Progress("solving"))
    standing.note(Progress("listing", beside=True))
    assert standing.phase == f"{WORDS['solving']}, {WORDS['listing']}"
    standing.note(Progress("solving", stars=Fraction(3)))
    assert standing.phase == f"{WORDS['solving']}, {WORDS['listing']}"
    standing.note(Progress("verifying"))
    assert standing.phase == WORDS["verifying"]


def test_many_moments_are_thinned(clock):
    standing = Standing()
    for step in range(5000):
        clock.now += 0.01
        standing.note(Progress("solving", stars=Fraction(9000 - step)))
    assert len(standing.moments) <= 2 * progress.MOST
    assert (standing.moments[0].stars, standing.moments[-1].stars) == (9000, 4001)


def test_stars_in_the_log_only_go_down(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 5, 1500) for i in range(5)})
    table.write_csv(tmp_path / "table.csv")
    words = ["anonymize", tmp_path / "table.csv", "-o", tmp_path / "r.csv", "--quasi", "q0,q1,q2,q3,q4", "-k", "4"]
    done = call(*words, "--iterations", "50000", "--gap", "0", "--log", "--json")
    lines = [line.split(maxsplit=4) for line in done.stderr.splitlines() if "%" in line]
    assert len(lines) >= 3
    stars = [int(line[1].replace(",", "")) for line in lines]
    assert stars == sorted(stars, reverse=True)
    assert json.loads(done.stdout)["stars"] <= stars[-1]
    phases = " ".join(line[4] for line in lines)
    assert all(WORDS[phase] in phases for phase in ("solving", "listing", "bounding", "writing", "verifying"))
