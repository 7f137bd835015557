"""2-anonymity and 2-diversity: CPU seconds to the optimum, proved in integers, against the number of rows.

Run alone: python benchmarks/matching.py [--large] [--draw FILE.svg]. Tables as in exact.py, the first five seeds that
allow 2-diversity, the median. The slope is that of a straight line through the logarithms: seconds grow as rows to its
power. With --large only tables of 2,000 rows, one by one: from all different to eight copies of a row, on average. A
table that is not proved in integers within 120 s is said; exits with 1 if that is so for any.
"""

from __future__ import annotations

import sys
import time
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import NoReturn

import numpy as np
import polars as pl

import kilt
from data import random_table

ROWS = {"matching": (50, 100, 200, 400, 800, 1_600, 2_000), "simplex-matching": (25, 50, 100, 150, 200, 300)}
COLUMNS, SEEDS, MOST = 8, 5, 120.0
MISSED: list[str] = []
LARGE, LARGE_SEEDS = 2_000, (1, 2, 3, 4)
VALUES_OF_A_COLUMN = (14, 5, 3, 2)  # at most; the fewer, the more rows are equal
Points = dict[str, list[tuple[int, float]]]


def seconds(solver: str, policy: str, rows: int, seed: int) -> float:
    """Solve a table, insist on a proof in integers, and return the CPU seconds."""
    return solve(random_table(rows, COLUMNS, 3, seed), solver, policy, f"{rows} rows, seed {seed}")[1]


def solve(table: pl.DataFrame, solver: str, policy: str, name: str) -> tuple[kilt.Release, float]:
    """Solve a table, note if there is no proof in integers, and return the release and the CPU seconds."""
    started = time.process_time()
    quasi = [name for name in table.columns if name != "s"]
    release = kilt.anonymize(
        table, quasi=quasi, sensitive="s", policy=kilt.Policy(**{policy: 2}), solver=solver, time=MOST, gap=0
    )
    taken = time.process_time() - started
    if release.status != "optimal":
        MISSED.append(f"{solver}, {policy}=2, {name}: {release.status}")
    return release, taken


def large() -> None:
    """Solve tables of 2,000 rows by matching, and print each."""
    for most in VALUES_OF_A_COLUMN:
        for seed in LARGE_SEEDS:
            for policy, values in (("k", 3), ("l", 3), ("l", 5), ("l", 8)):
                table = random_table(LARGE, COLUMNS, values, seed, most)
                different = table.drop("s").n_unique()
                asked = f"{policy}=2" if policy == "k" else f"l=2, {values} values"
                name = f"{asked:<14} 2 to {most:>2} values a column, {different:>5,} different, seed {seed}"
                release, taken = solve(table, "matching", policy, name)
                print(f"{name:<60}{release.status:>9}{release.stars:>7,} stars{taken:>7.1f} s", flush=True)


def seeds(rows: int) -> list[int]:
    """Return the first seeds whose tables allow 2-diversity."""
    values = ((seed, random_table(rows, COLUMNS, 3, seed)["s"].to_numpy()) for seed in count())
    return list(islice((seed for seed, column in values if 2 * np.bincount(column).max() <= rows), SEEDS))


def slope(points: list[tuple[int, float]]) -> float:
    rows, taken = np.log(np.array(points)).T
    return float(np.polyfit(rows, taken, 1)[0])


def measure() -> Points:
    lines: Points = {}
    for solver, sizes in ROWS.items():
        for policy in ("k", "l"):
            name = f"{solver}, {policy}=2"
            lines[name] = []
            for rows in sizes:
                lines[name].append((rows, median(seconds(solver, policy, rows, seed) for seed in seeds(rows))))
                print(f"{name:<24}{rows:>6,} rows{lines[name][-1][1]:>9.2f} s", flush=True)
            print(f"{name:<24} slope {slope(lines[name]):.2f}", flush=True)
    return lines


def draw(lines: Points, file: Path) -> None:
    """Draw the points on logarithmic axes."""
    width, height, edge = 640, 400, 60
    every = np.log10(np.array([point for points in lines.values() for point in points]))
    low, high = np.floor(every.min(axis=0) * 4) / 4, np.ceil(every.max(axis=0) * 4) / 4

    def place(rows: float, taken: float) -> tuple[float, float]:
        x, y = (np.log10([rows, taken]) - low) / (high - low)
        return edge + x * (width - 2 * edge), height - edge - y * (height - 2 * edge)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for rows in (25, 50, 100, 200, 400, 800, 1600, 3200):
        x, _ = place(rows, 1)
        parts.append(f'<text x="{x:.0f}" y="{height - edge + 20}" font-size="12" text-anchor="middle">{rows:,}</text>')
        parts.append(f'<path d="M{x:.0f} {edge}V{height - edge}" stroke="#ddd"/>')
    for taken in (0.01, 0.1, 1, 10, 100):
        if low[1] <= np.log10(taken) <= high[1]:
            _, y = place(100, taken)
            parts.append(f'<text x="{edge - 8}" y="{y + 4:.0f}" font-size="12" text-anchor="end">{taken:g} s</text>')
            parts.append(f'<path d="M{edge} {y:.0f}H{width - edge}" stroke="#ddd"/>')
    for (name, points), color in zip(lines.items(), ("#1f77b4", "#17becf", "#d62728", "#ff7f0e"), strict=True):
        path = "L".join(f"{x:.0f} {y:.0f}" for x, y in (place(*point) for point in points))
        parts.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        index = list(lines).index(name)
        label = f"{name}: slope {slope(points):.1f}"
        parts.append(f'<text x="{edge + 10}" y="{edge + 14 + 16 * index}" font-size="13" fill="{color}">{label}</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 14}" font-size="13" text-anchor="middle">rows, 8 columns</text>')
    file.write_text("\n".join([*parts, "</svg>"]) + "\n")


def main() -> None:
    if "--large" in sys.argv:
        large()
        end()
    lines = measure()
    if "--draw" in sys.argv:
        draw(lines, Path(sys.argv[sys.argv.index("--draw") + 1]))
    end()


def end() -> NoReturn:
    sys.exit("\n".join(["not proved in integers in time:", *MISSED]) if MISSED else 0)


if __name__ == "__main__":
    main()
