"""Where the gap comes from: cells of Adult that are small enough for their optimum, beside bound and search on them.

Run alone: python benchmarks/gap.py. Small cells have larger gaps than the whole table, since few rows are alike in
them; what counts is how the gap is shared between the bound (below the optimum) and the search (above it).
"""

from __future__ import annotations

import random

import polars as pl

import kilt
from data import QUASI_A, QUASI_B, adult

POLICIES = {  # setting, policy: the fewest and the most rows of a cell, and the solver that finds the optimum
    ("A", "k=2"): (150, 400, "exact"),
    ("A", "k=5"): (150, 400, "exact"),
    ("A", "k=10"): (150, 400, "milp"),
    ("A", "k=50"): (400, 900, "milp"),
    ("A", "k=5 l=2"): (150, 400, "exact"),
    ("A", "k=5 t=0.2"): (100, 200, "milp"),
    ("A", "k=5 t=0.1"): (100, 200, "milp"),
    ("B", "k=5"): (150, 400, "exact"),
    ("B", "k=5 t=0.2"): (70, 100, "exact"),
}
SETTINGS = {"A": (QUASI_A, "salary-class"), "B": (QUASI_B, "occupation")}
CELLS, SEARCH, SOLVE = 3, 5, 30  # how many cells, and the seconds for search and optimum of each
MANY = {("B", "k=5 t=0.2"): (20, 120)}  # the same where closeness has many values: cells, and seconds for the optimum


def cells(
    table: pl.DataFrame, quasi: list[str], sensitive: str, fewest: int, most: int, number: int
) -> list[pl.DataFrame]:
    """Draw cells: all rows that agree with a random one on some random columns, with at least two sensitive values."""
    draw = random.Random(5)
    found: list[pl.DataFrame] = []
    while len(found) < number:
        row = table.row(draw.randrange(len(table)), named=True)
        kept = draw.sample(quasi, draw.randrange(1, 5))
        cell = table.filter(pl.all_horizontal(pl.col(name).eq_missing(row[name]) for name in kept))
        if fewest <= len(cell) <= most and cell[sensitive].n_unique() > 1:
            found.append(cell)
    return found


def policy_of(words: str) -> kilt.Policy:
    given: dict[str, object] = dict(word.split("=") for word in words.split())
    if "l" in given:
        given["diversity"] = "distinct"
    return kilt.Policy(**{name: int(str(v)) if name in "kl" else v for name, v in given.items()})  # type: ignore[arg-type]


def main() -> None:
    table = pl.read_csv(adult(), separator=";", infer_schema_length=0)
    print(f"{'policy':<16}{'cells':>6}{'bound':>8}{'optimum':>9}{'search':>8}{'of the bound':>14}{'of the search':>15}")
    for (setting, words), (fewest, most, solver) in POLICIES.items():
        quasi, sensitive = SETTINGS[setting]
        roles = {"quasi": quasi, "sensitive": sensitive, "policy": policy_of(words)}
        sums, solved = [0.0, 0.0, 0.0], 0
        number, seconds = MANY.get((setting, words), (CELLS, SOLVE))
        for cell in cells(table, quasi.split(","), sensitive, fewest, most, number):
            optimum = kilt.anonymize(cell, **roles, solver=solver, time=seconds)
            if optimum.status == "feasible":
                continue
            searched = kilt.anonymize(cell, **roles, solver="search", time=SEARCH, gap=0)
            solved += 1
            for i, stars in enumerate((searched.bound, optimum.stars, searched.stars)):
                sums[i] += float(stars or 0)
        if solved:
            below, above = 1 - sums[0] / sums[1], sums[2] / sums[1] - 1
            figures = "".join(f"{each:>{width},.0f}" for each, width in zip(sums, (8, 9, 8), strict=True))
            print(f"{setting + ' ' + words:<16}{solved:>6}{figures}{below:>14.2%}{above:>15.2%}", flush=True)
        else:
            print(f"{setting + ' ' + words:<16}{solved:>6}", flush=True)


if __name__ == "__main__":
    main()
