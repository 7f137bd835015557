"""The report on a release of one million rows in 200,000 groups: how long it takes, and how large the page is.

Run alone: python benchmarks/report_million.py. At most 10 s beyond reading and verifying are asked for, and 3 MB. The
release is made by hand, groups of five rows of which every other one hides the age, so that nothing is searched.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import kilt
from kilt.commands.report import write_report
from kilt.run.progress import Progress

GROUPS, SIZE = 200_000, 5


def tables() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the original and its release."""
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(GROUPS), SIZE)
    age = 20 + group % 60 + np.tile(np.arange(SIZE), GROUPS) * (group % 2)
    original = pl.DataFrame(
        {
            "zip": [f"{number:05d}" for number in group // 4 % 100_000],
            "place": [f"p{number}" for number in group % 4 + 4 * (group // 400_000)],
            "age": age.astype(str),
            "sex": np.where(group % 3 == 0, "f", "m"),
            "disease": [f"d{number}" for number in rng.integers(0, 10, len(group))],
            "cost": rng.integers(0, 100, len(group)),
        }
    )
    return original, original.with_columns(age=pl.Series(np.where(group % 2 == 1, "*", age.astype(str))))


def main() -> int:
    phases: dict[str, tuple[float, float]] = {}

    def watch(progress: Progress) -> None:
        phases.setdefault(progress.phase, (time.perf_counter(), time.process_time()))

    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("original.csv", "release.csv", "report.html")]
        for table, path in zip(tables(), paths, strict=False):
            table.write_csv(path)
        report = write_report(
            paths[1],
            paths[2],
            original=paths[0],
            quasi="zip,place,age,sex",
            sensitive="disease,cost:numeric",
            policy=kilt.Policy(k=SIZE),
            by="sex,age",
            detail="internal",
            observer=watch,
        )
        watch(Progress("done"))
        size = paths[2].stat().st_size
    (began, spent), (ended, spent_in_all) = phases["reporting"], phases["done"]
    print(
        f"{report.rows:,} rows in {report.groups:,} groups: the report took {ended - began:.1f} s "
        f"({spent_in_all - spent:.1f} s CPU) after reading and verifying ({began - phases['reading'][0]:.1f} s); "
        f"{size / 1e6:.2f} MB"
    )
    return int(ended - began > 10 or size > 3_000_000)


if __name__ == "__main__":
    sys.exit(main())
