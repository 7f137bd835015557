"""An interrupted command writes a verified release or nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl

import kilt
from kilt import Policy


def test_interrupted_at_any_moment_it_writes_a_verified_release_or_nothing(tmp_path):
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 9, 3000) for i in range(5)} | {"s": rng.integers(0, 3, 3000)})
    table.write_csv(tmp_path / "table.csv")
    roles = ["--quasi", "q0,q1,q2,q3,q4", "--sensitive", "s", "-k", "5", "-t", "0.3"]
    words = [sys.executable, "-m", "kilt", "anonymize", str(tmp_path / "table.csv"), *roles, "--time", "20"]
    moments, written = random.Random(7), 0
    for attempt in range(8):
        output = tmp_path / f"release{attempt}.csv"
        process = subprocess.Popen([*words, "-o", str(output)], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        time.sleep(moments.uniform(1.0, 7.0))
        process.send_signal(moments.choice([signal.SIGINT, signal.SIGINT, signal.SIGTERM]))
        process.communicate(timeout=120)
        left = {path.name for path in tmp_path.iterdir()} - {"table.csv", *(f"release{i}.csv" for i in range(8))}
        assert not left
        assert output.exists() == (process.returncode == 0)
        if output.exists():
            written += 1
            verdict = kilt.verify(
                output, quasi="q0,q1,q2,q3,q4", sensitive="s", policy=Policy(k=5, t="0.3"),
                original=tmp_path / "table.csv",
            )  # fmt: skip
            assert verdict.met
    assert written > 0


def test_ctrl_c_ends_the_search_and_writes_the_best_release(tmp_path):
    rng = np.random.default_rng(1)
    rows = "".join(",".join(map(str, row)) + "\n" for row in rng.integers(0, 4, (300, 7)))
    (tmp_path / "in.csv").write_text("a,b,c,d,e,f,g\n" + rows)
    words = ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a,b,c,d,e,f,g", "-k", "5", "--solver", "exact"]
    command = [sys.executable, "-m", "kilt", *words]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "stopping; the best release so far will be written" in errors
    assert "note: the search was stopped before its end" in said
    assert "no release under k=5 can have fewer than" in said
    assert (tmp_path / "out.csv").exists()
