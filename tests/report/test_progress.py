"""What a run says while it goes on."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import polars as pl

from kilt.report import progress
from kilt.run.progress import Progress
from support.command import call


def test_the_log_has_a_line_a_second(monkeypatch):
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    log, lines = progress.Log(), []
    for now in np.arange(100.0, 110.0, 0.25).tolist():
        if now >= 102:  # before there are stars there is no line
            log.note(Progress("solving", None, Fraction(80)))
        if now >= 105:
            log.note(Progress("bounding", None, None, Fraction(60)))
        if log.due():
            lines.append(log.line().split())
    assert [line[0] for line in lines] == [f"{second}.0s" for second in range(2, 10)]
    assert [line[1:] for line in lines] == [["80", "0", "100.00%"]] * 3 + [["80", "60", "25.00%"]] * 5


def test_stars_in_the_log_only_go_down(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 5, 1500) for i in range(5)})
    table.write_csv(tmp_path / "table.csv")
    words = ["anonymize", tmp_path / "table.csv", "-o", tmp_path / "r.csv", "--quasi", "q0,q1,q2,q3,q4", "-k", "4"]
    done = call(*words, "--iterations", "50000", "--gap", "0", "--log", "--json")
    lines = [line.split() for line in done.stderr.splitlines() if "%" in line]
    assert len(lines) >= 3
    stars = [int(line[1].replace(",", "")) for line in lines]
    assert stars == sorted(stars, reverse=True)
    assert json.loads(done.stdout)["stars"] <= stars[-1]
