"""Verifying one million rows (k, l and t together) beside one GROUP BY of DuckDB over the same columns.

Run alone: python benchmarks/verify_million.py. At most 2 times the GROUP BY is asked for.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from data import QUASI_A, drawn
from kilt import Policy
from kilt.model.roles import Roles
from kilt.sources.duck.table import DuckSource
from kilt.verification.verifier import judge

ROUNDS = 9
POLICY = Policy(k=2, l=1, t="0.9")


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Return the CPU and wall seconds of one call."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        source = DuckSource.open(drawn(Path(folder) / "million.csv", 1_000_000))
    roles = Roles.read(source.columns, QUASI_A, "salary-class")
    cells = ", ".join(f"c{i}" for i in range(len(source.columns)))
    group_by = f"CREATE OR REPLACE TABLE grouped AS SELECT {cells}, count(*) AS n FROM {source.table} GROUP BY ALL"
    base, ours = [], []
    for _ in range(ROUNDS):  # in turns, so that noise meets both
        base.append(measured(lambda: source.engine.run(group_by)))
        ours.append(measured(lambda: judge(source, roles, POLICY)))
    verdict = judge(source, roles, POLICY)
    print(f"1,000,000 rows in {verdict.groups:,} groups: k={verdict.k}, {dict(verdict.t)}")
    worst = 0.0
    for index, name in enumerate(("CPU", "wall")):
        b, o = (statistics.median(each[index] for each in runs) for runs in (base, ours))
        worst = max(worst, o / b)
        print(f"{name}: GROUP BY {b:.3f} s, verification {o:.3f} s, ratio {o / b:.2f} (median of {ROUNDS})")
    print("within 2 times" if worst <= 2 else "MORE than 2 times")
    return int(worst > 2)


if __name__ == "__main__":
    sys.exit(main())
