"""The tables of the benchmarks: Adult, and a million rows drawn from it; nothing is downloaded."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

QUASI_A = "sex,age,race,marital-status,education,native-country,workclass,occupation"
QUASI_B = "sex,age,race,marital-status,education,native-country,workclass,salary-class"


def adult() -> Path:
    """Return the Adult table, where KILT_DATA says or beside the project."""
    folder = Path(os.environ.get("KILT_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
    if not (folder / "adult.csv").exists():
        sys.exit("adult.csv is not here: set KILT_DATA to its folder")
    return folder / "adult.csv"


def drawn(path: Path, rows: int, seed: int = 1, distinct_zip: bool = False) -> Path:
    """Write rows drawn from Adult with replacement, and on request a zip code that makes most of them unique."""
    header, *lines = adult().read_text().splitlines()
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(lines), rows).tolist()
    zips = rng.zipf(1.3, rows) % 30_000 if distinct_zip else None
    with path.open("w") as file:
        file.write(header + (";zip" if distinct_zip else "") + "\n")
        if zips is None:
            file.writelines(lines[i] + "\n" for i in chosen)
        else:
            file.writelines(f"{lines[i]};{z:05d}\n" for i, z in zip(chosen, zips.tolist(), strict=True))
    return path


def random_table(rows: int, columns: int, values: int, seed: int, most: int = 5) -> pl.DataFrame:
    """Return random rows: quasi columns have 2 to ``most`` values each, all equally likely, as sensitive values are."""
    import polars as pl

    rng = np.random.default_rng(seed)
    quasi = {f"q{i}": rng.integers(0, rng.integers(2, most + 1), rows) for i in range(columns)}
    return pl.DataFrame({**quasi, "s": rng.integers(0, values, rows)})
