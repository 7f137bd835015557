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
    assert "note: the search was interrupted" in said
    assert "no release under k=5 can have fewer than" in said
    assert (tmp_path / "out.csv").exists()


def test_ctrl_c_while_python_imports_ends_in_one_line(tmp_path):
    """A signal at any moment of the start: one line and exit code 130, never a traceback."""
    (tmp_path / "in.csv").write_text("a,b\n" + "1,2\n" * 5000)
    words = [sys.executable, "-m", "kilt", "anonymize", "in.csv", "-o", "out.csv", "--quasi", "a,b", "-k", "2"]
    waiting = "import signal, sys; sys.stdout.write('ready'); sys.stdout.flush()"  # the interpreter itself is up
    for delay in (0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5):
        command = [sys.executable, "-c", f"{waiting}; from kilt.cli.main import main; main()", *words[3:]]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout.read(5) == "ready"
        time.sleep(0.02 + delay)  # what comes before main() is a few milliseconds of light imports
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        ended = process.returncode == 130 and errors == "kilt: stopped; no partial file is left\n"
        finished = process.returncode == 0 and (not errors or errors.startswith("kilt: stopping;"))
        assert ended or finished, (delay, process.returncode, errors)


def test_a_comparison_can_be_interrupted(tmp_path):
    rng = np.random.default_rng(1)
    rows = "".join(",".join(map(str, row)) + "\n" for row in rng.integers(0, 6, (3000, 5)))
    (tmp_path / "in.csv").write_text("a,b,c,d,e\n" + rows)
    words = ["compare", "in.csv", "--quasi", "a,b,c,d,e", "-k", "5", "--solvers", "greedy,search", "--time", "600"]
    process = subprocess.Popen(
        [sys.executable, "-m", "kilt", *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(10)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "stopping; what the solvers found so far follows" in errors
    assert "greedy" in said
