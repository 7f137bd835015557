"""Whether more time is ever worse: random tables and policies, each searched for 1, 2, 4 and 8 seconds.

Run alone: python benchmarks/monotone.py [--pairs N] [--first I]. Exits with 1 if a longer run has more than 0.1% more
stars than a shorter one. The tables are random or drawn from Adult, of 100 to 30,000 rows, and each pair follows from
its number alone, so that one of them can be repeated by --pairs 1 --first I. All 200 take 50 minutes.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import polars as pl

import kilt
from data import adult, random_table

SECONDS = (1, 2, 4, 8)
MOST_WORSE = 0.001
COLUMNS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
SENSITIVE = ["salary-class", "occupation"]


def drawn_table(rng: np.random.Generator) -> tuple[pl.DataFrame, list[str], str]:
    """Draw a table: half of them are rows of Adult, half are random."""
    rows = int(10 ** rng.uniform(2, 4.5))
    if rng.random() < 0.5:
        people = pl.read_csv(adult(), separator=";", infer_schema=False)
        chosen = rng.choice(len(people), min(rows, len(people)), replace=False)
        quasi = rng.choice(COLUMNS, int(rng.integers(3, len(COLUMNS) + 1)), replace=False).tolist()
        return people[np.sort(chosen)], quasi, str(rng.choice(SENSITIVE))
    columns, values, most = int(rng.integers(3, 9)), int(rng.integers(2, 21)), int(rng.integers(3, 13))
    frame = random_table(rows, columns, values, int(rng.integers(1 << 30)), most)
    return frame, [f"q{j}" for j in range(columns)], "s"


def drawn_policy(rng: np.random.Generator) -> kilt.Policy:
    """Draw a policy: closeness mostly, as it is hardest."""
    k, kind = int(rng.choice([2, 3, 5, 10, 25])), rng.random()
    if kind < 0.25:
        return kilt.Policy(k=k)
    if kind < 0.4:
        return kilt.Policy(k=k, l=2, diversity="distinct")
    return kilt.Policy(k=k, t=str(rng.choice(["0.1", "0.2", "0.3"])))


def stars_of(number: int) -> tuple[str, list[float]]:
    """Release a table for ever longer; return what it is about and the stars."""
    rng = np.random.default_rng(number)
    frame, quasi, sensitive = drawn_table(rng)
    policy, space = drawn_policy(rng), ":ordered" if rng.random() < 0.2 else ""
    frame = frame.select([*quasi, sensitive])
    stars = []
    for seconds in SECONDS:
        release = kilt.anonymize(
            frame, quasi=quasi, sensitive=sensitive + space, policy=policy, time=seconds, gap=0, seed=number
        )
        stars.append(float(release.stars))
    return f"{len(frame):>7,} rows, {len(quasi)} columns, {sensitive + space}, {policy}", stars


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    wrong = 0
    for number in range(given.first, given.first + given.pairs):
        what, stars = stars_of(number)
        worse = max(later / max(1.0, min(stars[:i])) - 1 for i, later in enumerate(stars) if i > 0)
        wrong += worse > MOST_WORSE
        said = " ".join(f"{each:>10,.0f}" for each in stars)
        print(f"{number:>4} {said} {worse:>8.2%}{' WORSE' if worse > MOST_WORSE else ''}  {what}", flush=True)
    print(f"{wrong} of {given.pairs} are worse after more time")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
