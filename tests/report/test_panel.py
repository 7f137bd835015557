"""The panel that lives on a terminal while a run goes on."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import subprocess
import sys
from contextlib import nullcontext
from fractions import Fraction

import pytest
from rich.console import Console

from kilt.cli import interrupt
from kilt.report import panel
from kilt.report import progress as told
from kilt.report.panel import PLAIN_BARS, clock, over_time, panel_of, sparkline
from kilt.report.progress import Standing
from kilt.run.progress import Progress, Task, silent
from kilt.run.recorder import Moment
from support.command import RUN, call, run
from support.paths import HOSPITAL

WORDS = ["--quasi", "Zipcode:characters,Age:characters,Education", "--sensitive", "Disease"]


def drawn(standing: Standing, title: str = "kilt anonymize patients.csv", width: int = 80) -> str:
    console = Console(file=io.StringIO(), force_terminal=False, width=width)
    console.print(panel_of(standing, title))
    return console.file.getvalue()


def test_the_panel_shows_phase_time_limit_rows_stars_bound_and_gap(monkeypatch):
    standing = Standing()
    standing.started -= 65.5
    standing.note(Progress("reading"))
    assert "reading the table" in drawn(standing)
    assert "stars" not in drawn(standing)
    task = Task(45222, standing.started + 120, name="policy 3 of 4, k=5")
    standing.note(Progress("solving", 0.25, task=task))
    assert all(text in drawn(standing) for text in ("policy 3 of 4, k=5", "1:05 of 2:00", "45,222 rows", "25% placed"))
    for stars in (90, 70, 60):
        standing.note(Progress("solving", stars=Fraction(stars), bound=Fraction(100 - stars), task=task))
    shown = drawn(standing)
    assert re.search(r"stars +60 +\S+", shown)
    assert re.search(r"bound +40 +\S+", shown)
    assert re.search(r"gap +33\.33%", shown)


def test_a_panel_fits_a_narrow_terminal():
    standing = Standing()
    standing.note(Progress("solving", stars=Fraction(10**9), task=Task(10**9, name="a policy " * 20)))
    assert max(map(len, drawn(standing, "kilt anonymize " + "x" * 200, 40).splitlines())) <= 40


def test_what_a_table_is_called_is_no_command_to_the_terminal():
    standing = Standing()
    standing.note(Progress("solving", task=Task(3, name="k=2 on '[bold]\x1b]0;gotcha\x07'")))
    shown = drawn(standing, "kilt anonymize \x1b[31m[red]x.csv")
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[red]" in shown
    assert "[bold]" in shown


def test_a_sparkline_goes_from_the_least_to_the_largest():
    assert sparkline([None, 0.0, 3.5, 7.0]) == " ▁▅█"
    assert sparkline([7.0, 7.0], PLAIN_BARS) == "--"
    assert sparkline([]) == ""


def test_what_was_known_over_time():
    moments = [Moment(2.0, None, Fraction(1)), Moment(6.0, Fraction(9), Fraction(1)), Moment(8.0, Fraction(5), None)]
    assert over_time(moments, "stars", 10.0, 4) == [None, 9, 5, 5]
    assert over_time(moments, "bound", 10.0, 4) == [1, 1, 1, 1]
    assert over_time([], "stars", 10.0, 2) == [None, None]


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (65, "1:05"), (3661, "1:01:01")])
def test_a_time_is_written_as_on_a_clock(seconds, text):
    assert clock(seconds) == text


def on_terminal(*words: object) -> tuple[str, str, int]:
    """Run the command with standard error on a terminal; return what it printed there, the rest, and its exit code."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [*RUN, *map(str, words)], stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment
    )
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            found = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        shown += found
        if not found:
            break
    os.close(ours)
    said, _ = process.communicate(timeout=60)
    return shown.decode(), said, process.returncode


def test_on_a_terminal_a_panel_lives_until_the_summary(tmp_path):
    words = ["anonymize", HOSPITAL, "-o", tmp_path / "r.csv", *WORDS, "-k", "3", "-t", "0.3"]
    shown, said, code = on_terminal(*words)
    assert code == 0
    assert "kilt anonymize" in shown
    assert any(phase in shown for phase in told.WORDS.values())
    assert shown.rstrip().endswith("\x1b[2K")  # and it is gone in the end
    assert said.splitlines()[1].startswith("10 rows in 3 groups, 63 stars")


@pytest.mark.parametrize("option", ["--json", "-q", "--no-log"])
def test_a_panel_is_not_shown_where_it_is_not_wanted(option, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(panel, "watching", lambda title, **how: shown.append(title) or nullcontext(silent))
    monkeypatch.setattr(interrupt, "can_show_panel", lambda given: True)
    words = ["anonymize", HOSPITAL, "-o", tmp_path / "r.csv", *WORDS, "-k", "3"]
    call(*words)
    assert shown == [f"kilt anonymize {HOSPITAL}"]
    done = call(*words, option)
    assert len(shown) == 1
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == (option != "-q")


@pytest.mark.parametrize(
    "words",
    [
        ["anonymize", "-o", "r.csv", "-k", "3"],
        ["bound", "-k", "3"],
        ["frontier", "-k", "2,3"],
        ["compare", "-k", "3", "--solvers", "greedy,mondrian"],
        ["verify", "-k", "1"],
        ["inspect"],
        ["ladder", "Age:bands=10"],
    ],
    ids=lambda words: words[0],
)
def test_quiet_is_silent(words, tmp_path):
    about = [] if words[0] in ("inspect", "ladder") else WORDS
    done = call(words[0], HOSPITAL, *words[1:], *about, "-q", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    wrong = call(words[0], HOSPITAL.with_name("none.csv"), *words[1:], *about, "-q", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "none.csv" in wrong.stderr


def test_quiet_silences_notes_too():
    words = ["frontier", HOSPITAL, *WORDS, "-k", "2,3", "--time", "5"]
    assert "'time' is for the whole frontier now" in run(*words).stderr
    assert run(*words, "-q").stderr == ""
