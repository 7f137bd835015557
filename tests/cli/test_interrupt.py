"""An interrupted command writes a verified release or nothing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

import kilt
from kilt import Policy
from support.command import PATIENCE
from support.profiles import is_thorough

Process = subprocess.Popen[str]
RELEASES = [f"release{attempt}.csv" for attempt in range(8)]


def start(*words: object, cwd: Path) -> Process:
    command = [sys.executable, "-m", "kilt", *map(str, words), "--log"]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_stars(process: Process, *, bound: bool = False) -> None:
    """Wait for a line of the log: from then on there is something to release, and if a bound is there, it is proved."""
    assert any("%" in line and (not bound or line.split()[2] != "0") for line in process.stderr)


PATHS = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_interrupted_at_any_moment_it_writes_a_verified_release_or_nothing(tmp_path):
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 9, 3000) for i in range(5)} | {"s": rng.integers(0, 3, 3000)})
    table.write_csv(tmp_path / "table.csv")
    words = ["anonymize", "table.csv", "--quasi", "q0,q1,q2,q3,q4", "--sensitive", "s", "-k", "5", "-t", "0.3"]
    moments = random.Random(7)
    for attempt in range(8 if is_thorough() else 1):
        process = start(*words, "--time", 20, "-o", f"release{attempt}.csv", cwd=tmp_path)
        time.sleep(moments.uniform(0.3, 7.0 if is_thorough() else 2.0))
        process.send_signal(moments.choice([signal.SIGINT, signal.SIGINT, signal.SIGTERM]))
        assert_verified_or_nothing(process, tmp_path / f"release{attempt}.csv")
    process = start(*words, "--time", PATIENCE, "-o", "last.csv", cwd=tmp_path)
    wait_for_stars(process)
    process.send_signal(signal.SIGINT)
    assert_verified_or_nothing(process, tmp_path / "last.csv")
    assert process.returncode == 0


def assert_verified_or_nothing(process: Process, output: Path) -> None:
    process.communicate(timeout=PATIENCE)
    assert output.exists() == (process.returncode == 0)
    assert {path.name for path in output.parent.iterdir()} <= {"table.csv", "last.csv", *RELEASES}
    if output.exists():
        policy = Policy(k=5, t="0.3")
        original = output.parent / "table.csv"
        assert kilt.verify(output, quasi="q0,q1,q2,q3,q4", sensitive="s", policy=policy, original=original).met


def test_ctrl_c_ends_the_search_and_writes_the_best_release(tmp_path):
    rng = np.random.default_rng(1)
    rows = "".join(",".join(map(str, row)) + "\n" for row in rng.integers(0, 4, (300, 7)))
    (tmp_path / "in.csv").write_text("a,b,c,d,e,f,g\n" + rows)
    words = ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a,b,c,d,e,f,g", "-k", "5", "--solver", "exact"]
    process = start(*words, cwd=tmp_path)
    wait_for_stars(process, bound=True)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "stopping; the best release so far will be written" in errors
    assert "note: the search was interrupted" in said
    assert "no release under k=5 can have fewer than" in said
    assert (tmp_path / "out.csv").exists()


def test_ctrl_c_while_python_imports_ends_in_one_line(tmp_path):
    """A signal at any moment of the start: one line and exit code 130, never a traceback."""
    (tmp_path / "in.csv").write_text("a,b\n" + "1,2\n" * 5000)
    words = ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a,b", "-k", "2"]
    code = "from kilt.cli import main; import sys; print('ready', end='', flush=True); main.main()"
    delays = (0.005, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    for delay in delays if is_thorough() else delays[::3]:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.read(5) == "ready"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        said = [line for line in errors.splitlines() if line.startswith("kilt:")]  # beside what a slow run is doing
        ended = process.returncode == 130 and said == ["kilt: stopped; no partial file is left"]
        finished = process.returncode == 0 and (not said or said[0].startswith("kilt: stopping;"))
        assert "Traceback" not in errors
        assert ended or finished, (delay, process.returncode, errors)


def test_ctrl_c_that_native_code_takes_for_an_error_of_its_own_ends_in_one_line(tmp_path):
    """What duckdb does while it is loaded: the exception of Ctrl-C becomes an ImportError."""
    (tmp_path / "in.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "duckdb.py").write_text(
        "import os, signal\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    signal.pause()\n"
        "except KeyboardInterrupt:\n    pass\n"
        "raise ImportError('initialization failed')\n"
    )
    code = "from kilt.cli import main; import sys; sys.path.insert(0, '.'); main.main()"
    words = ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a,b", "-k", "2"]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "kilt: stopped; no partial file is left\n")


def test_before_ctrl_c_is_taken_care_of_next_to_nothing_is_imported():
    """What is imported before main() is a few milliseconds, in which nobody can press a key."""
    code = "import sys; before = set(sys.modules); import kilt.cli.main; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=PATHS)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"click", "duckdb", "narwhals", "numpy", "cython", "pathlib", "rich", "typing"})


def test_a_comparison_can_be_interrupted(tmp_path):
    rng = np.random.default_rng(1)
    rows = "".join(",".join(map(str, row)) + "\n" for row in rng.integers(0, 6, (3000, 5)))
    (tmp_path / "in.csv").write_text("a,b,c,d,e\n" + rows)
    words = ["compare", "in.csv", "--quasi", "a,b,c,d,e", "-k", "5", "--solvers", "greedy,search", "--time", "600"]
    process = start(*words, cwd=tmp_path)
    assert any("search: " in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "stopping; what the solvers found so far follows" in errors
    assert "greedy" in said
