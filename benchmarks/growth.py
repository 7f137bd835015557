"""How long it takes until a release is proved to be within 5% of the optimum, as tables get longer and wider.

Run alone: python benchmarks/growth.py [--seconds N]. Where 5% is not reached in that time (120 s unless said
otherwise), the gap at its end is shown. The longer tables have 5 quasi columns, and nearly all of their rows are
different; the wider ones have 20,000 rows of people of twelve kinds.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

import polars as pl

from bounds import run
from bounds_growth import table
from search import people

GAP = 0.05
LONGER = (11_000, 110_000, 1_100_000)  # rows, of 10, 100 and 1,000 thousand row types
WIDER = (8, 16, 32)  # columns
POLICIES = ("-k 5", "-k 5 -t 0.2")


def tables() -> list[tuple[str, pl.DataFrame]]:
    """Return the tables by name, the longer ones first."""
    longer = [(f"{rows:,} rows, 5 columns", table(rows, 5, 40)) for rows in LONGER]
    return [*longer, *((f"20,000 rows, {columns} columns", people(20_000, columns)) for columns in WIDER)]


def measured(frame: pl.DataFrame, policy: str, seconds: float) -> str:
    """Release a table until the gap is small enough; return what is said, the seconds in all, and the memory."""
    quasi = ",".join(name for name in frame.columns if name != "s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        frame.write_csv(path)
        roles = ["--quasi", quasi, "--sensitive", "s", *policy.split(), "--gap", str(GAP), "--time", str(seconds)]
        found, took = run("anonymize", str(path), "-o", f"{folder}/release.csv", *roles)
    gap = float(str(found["gap"]))
    needed = f"{took:>8.1f}" if gap <= GAP else f"{'-':>8}"
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    return f"{found['stars']:>11,}{found['bound']:>11,}{gap:>8.2%}{needed}{took:>9.1f}{memory:>11.1f}"


def main() -> None:
    """Print a line for every table and policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    seconds = parser.parse_args().seconds
    head = f"{'stars':>11}{'bound':>11}{'gap':>8}{'to 5%':>8}{'in all':>9}{'GB so far':>11}"
    print(f"{'table':<26}{'row types':>11}  {'policy':<13}{head}")
    for name, frame in tables():
        kinds = frame.unique().height
        for policy in POLICIES:
            print(f"{name:<26}{kinds:>11,}  {policy:<13}{measured(frame, policy, seconds)}", flush=True)


if __name__ == "__main__":
    main()
