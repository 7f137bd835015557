"""Bounds on Adult with their certificates: the seconds from the CSV file to the bound, and those of the check.

Run alone: python benchmarks/bounds.py [--spaces]. Exits with 1 if a bound is missed, or a check is refused or too slow.
With --spaces the bounds in other spaces are shown too, beside the release of the greedy solver.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time

from data import QUASI_A, QUASI_B, adult

SETTINGS = {"A": (QUASI_A, "salary-class"), "B": (QUASI_B, "occupation")}
# setting, policy, seconds, bound asked for (None: reported only), seconds of the check
CASES = [
    ("A", "-k 2", 15, 17_010, 2),
    ("A", "-k 5", 15, 30_940, 2),
    ("A", "-k 10", 15, 39_440, 2),
    ("A", "-k 50", 15, 58_450, 2),
    ("A", "-k 5 -t 0.2", 30, 47_100, 10),
    ("A", "-k 5 -t 0.2", 90, 49_000, 10),
    ("A", "-k 5 -t 0.1", 90, 58_000, 10),
    ("A", "-k 5 -l 2 --diversity distinct", 30, 41_850, 10),
    ("B", "-k 5", 15, 19_860, 2),
    ("B", "-k 5 -l 2 --diversity distinct", 30, None, 10),
    ("B", "-k 5 -l 3 --diversity distinct", 30, None, 10),
    ("B", "-k 5 -l 3", 60, None, 10),
    ("B", "-k 5 -t 0.2", 120, 60_200, 60),
    ("B", "-k 5 -t 0.1", 120, None, 60),
]
AGELESS = QUASI_A.replace("age,", "")
SPACES = [
    ("A, age ordered", AGELESS, "age:ordered", "-k 5 -t 0.1", 60),
    ("A, age numeric", AGELESS, "age:numeric", "-k 5 -t 0.1", 60),
    ("B, tree of occupations", QUASI_B, "occupation:tree={folder}/adult_hierarchy_occupation.csv", "-k 5 -t 0.2", 60),
    ("B, two columns", QUASI_B.replace(",salary-class", ""), "occupation,salary-class", "-k 5 -t 0.2", 60),
]


def run(*words: str) -> tuple[dict[str, object], float]:
    """Run kilt; return what it says and the seconds that it took."""
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "kilt", *words, "--json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    return json.loads(done.stdout), time.monotonic() - started


def bounds(folder: str) -> int:
    """Bound and check every case; return how many are not as asked for."""
    wrong = 0
    print(f"{'policy':<36}{'bound':>9}{'seconds':>9}{'check':>7}  asked for")
    for setting, policy, seconds, asked, checking in CASES:
        quasi, sensitive = SETTINGS[setting]
        roles = ["--quasi", quasi, "--sensitive", sensitive, *policy.split()]
        certificate = f"{folder}/certificate.json.gz"
        limit = ["--time", str(0.85 * seconds), "--certificate", certificate]
        found, took = run("bound", str(adult()), *roles, *limit)
        checked, check = run("check", certificate, "--original", str(adult()))
        bound = int(str(found["bound"]))
        missed = not checked["passed"] or check > checking or checked["bound"] != bound
        missed = missed or (asked is not None and (bound < asked or took > seconds))
        wrong += missed
        target = "" if asked is None else f"{asked:,} in {seconds} s"
        said = f"{bound:>9,}{took:>9.1f}{check:>7.1f}  {target}{' MISSED' if missed else ''}"
        print(f"{setting + ' ' + policy:<36}{said}", flush=True)
    return wrong


def spaces(folder: str) -> None:
    """Show bounds in other spaces beside a release."""
    print(f"{'space':<28}{'policy':<14}{'stars':>9}{'bound':>9}{'gap':>7}{'seconds':>9}")
    for name, quasi, sensitive, policy, seconds in SPACES:
        roles = ["--quasi", quasi, "--sensitive", sensitive.format(folder=adult().parent), *policy.split()]
        output = ["-o", f"{folder}/release.csv", "--time", str(seconds)]
        found, took = run("anonymize", str(adult()), *roles, *output)
        gap = 100 * float(str(found["gap"]))
        print(f"{name:<28}{policy:<14}{found['stars']:>9,}{found['bound']:>9,}{gap:>6.1f}%{took:>9.1f}", flush=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        wrong = bounds(folder)
        if "--spaces" in sys.argv[1:]:
            spaces(folder)
    print("as asked for" if not wrong else f"{wrong} figures are NOT as asked for")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
