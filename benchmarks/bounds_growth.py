"""How the time of one evaluation of a bound grows with the row types, and what a wide table takes.

Run alone: python benchmarks/bounds_growth.py. Asked for: linear growth from 10 to 1,000 thousand row types, and a bound
of a table with 25 quasi columns in 2 minutes and 4 GB.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
import polars as pl

import kilt
from kilt.bounds.lagrangian import lower_bound
from kilt.bounds.oracles import oracle_of
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.sources.counted_table import TableDescription

POLICIES = {"k=5": kilt.Policy(k=5), "k=5, t=0.2": kilt.Policy(k=5, t="0.2")}


def table(rows: int, columns: int, values: int, seed: int = 1) -> pl.DataFrame:
    """Return rows whose columns have many values, a few of them frequent, so that most rows are different."""
    rng = np.random.default_rng(seed)
    quasi = {f"q{i}": rng.zipf(1.25, rows) % values for i in range(columns)}
    return pl.DataFrame({**quasi, "s": rng.integers(0, 6, rows)})


def growth() -> int:
    """Measure one evaluation at growing numbers of row types; return 1 if it grows faster than they do."""
    worst = 0.0
    print(f"{'policy':<12}{'row types':>11}{'entries':>12}{'seconds':>9}{'microseconds per row type':>27}")
    for name, policy in POLICIES.items():
        first = None
        for rows in (11_000, 110_000, 1_100_000):
            problem = TableDescription(table(rows, 5, 40), "q0,q1,q2,q3,q4", "s").count(policy).problem
            oracle = oracle_of(problem, Pool.of(problem))
            multipliers = oracle.incidence.cheapest() * oracle.incidence.scale * 5 // 4
            oracle.least(multipliers)
            started = time.monotonic()
            oracle.least(multipliers)
            seconds = time.monotonic() - started
            kinds = len(problem.counts)
            each = seconds / kinds
            first = first or each
            worst = max(worst, each / first)
            entries = len(oracle.incidence.pool.types)
            print(f"{name:<12}{kinds:>11,}{entries:>12,}{seconds:>9.3f}{1e6 * each:>27.2f}", flush=True)
    print(f"the time per row type grew by {worst:.2f} at most")
    return int(worst > 3)


def wide() -> int:
    """Bound a table of 25 columns; return 1 if it takes too long, too much memory or is trivial."""
    rng = np.random.default_rng(1)
    cells = {f"q{i}": rng.integers(0, 2 + i % 5, 20_000) for i in range(25)}
    problem = TableDescription(pl.DataFrame(cells), list(cells), None).count(kilt.Policy(k=5)).problem
    started = time.monotonic()
    found = lower_bound(problem, StoppingRule.of(90, None), silent)
    seconds, memory = time.monotonic() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    blocks = len(found.parts)
    print(f"25 columns, 20,000 rows, k=5: {found.cost:,} stars in {seconds:.0f} s, {memory:.1f} GB, {blocks} parts")
    return int(seconds > 120 or memory > 4 or found.cost == 0)


if __name__ == "__main__":
    failed = wide() + growth()
    print("as asked for" if not failed else "NOT as asked for")
    sys.exit(failed)
