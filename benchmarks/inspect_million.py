"""One million rows and 20 columns, inspected in a process of its own: time and memory.

Run alone: python benchmarks/inspect_million.py. At most 20 s are asked for. The columns are those of the table like
that of a hospital, each drawn on its own, with national ids that all differ, and seven more.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from hospital import hospital

ROWS, DRAWN_FROM, SEED, SECONDS = 1_000_000, 20_000, 7, 20
MORE = {"weight": 90, "ward": 25, "insurer": 60, "language": 20, "education": 7, "marital_status": 5, "employer": 3_000}


def wide_table(rows: int) -> pl.DataFrame:
    """Return the table."""
    rng, base = np.random.default_rng(SEED), hospital(DRAWN_FROM)
    drawn = {name: base[name].gather(rng.integers(0, DRAWN_FROM, rows)) for name in base.columns}
    drawn["national_id"] = pl.Series([f"{number:011d}" for number in rng.permutation(rows).tolist()])
    cents = rng.lognormal(13, 1, rows).astype(np.int64)
    drawn["cost"] = pl.Series(cents).cast(pl.String).str.replace(r"(..)$", ".$1")
    more = {
        name: pl.Series(rng.integers(0, size, rows)).cast(pl.String)
        if name == "weight"
        else _words(rng, name, size, rows)
        for name, size in MORE.items()
    }
    return pl.DataFrame({**drawn, **more})


def _words(rng: np.random.Generator, name: str, size: int, rows: int) -> pl.Series:
    """Draw words, some of them more often than others."""
    words = [f"{name} {chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(size)]
    return pl.Series(words).gather((size * rng.random(rows) ** 2).astype(np.int64))


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.csv"
        wide_table(ROWS).write_csv(path)
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        result = subprocess.run(
            [sys.executable, "-m", "kilt", "inspect", str(path), "--json", "--write", f"{folder}/kilt.toml"],
            capture_output=True,
            text=True,
            check=True,
        )
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(result.stdout)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    quasi = found["uniqueness"]["quasi"]
    print(
        f"{found['rows']:,} rows, {len(found['columns'])} columns, {len(quasi['columns'])} of them quasi: "
        f"{wall:.1f} s wall, {cpu:.1f} s CPU, {after.ru_maxrss / 1e6:.2f} GB at most"
    )
    return int(wall > SECONDS)


if __name__ == "__main__":
    sys.exit(main())
