"""What a run says while it goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import polars as pl


def test_the_log_has_a_line_a_second(tmp_path):
    rng = np.random.default_rng(1)
    table = pl.DataFrame({f"q{i}": rng.integers(0, 5, 1500) for i in range(5)})
    table.write_csv(tmp_path / "table.csv")
    words = ["anonymize", str(tmp_path / "table.csv"), "-o", str(tmp_path / "r.csv"), "--quasi", "q0,q1,q2,q3,q4"]
    done = subprocess.run(
        [sys.executable, "-m", "kilt", *words, "-k", "4", "--time", "6", "--gap", "0", "--log", "--json"],
        capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip
    lines = [line.split() for line in done.stderr.splitlines() if "%" in line]
    assert len(lines) >= 3
    stars = [int(line[1].replace(",", "")) for line in lines]
    assert stars == sorted(stars, reverse=True)
    assert json.loads(done.stdout)["stars"] <= stars[-1]
