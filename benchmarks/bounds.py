"""Bounds on Adult, proved in integers, and the seconds they take from the CSV file on.

Run alone: python benchmarks/bounds.py. Exits with 1 if a bound is missed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

from data import QUASI_A, QUASI_B, adult

SETTINGS = {"A": (QUASI_A, "salary-class"), "B": (QUASI_B, "occupation")}
# setting, policy, seconds, bound asked for (None: reported only)
CASES = [
    ("A", "-k 2", 15, 17_010),
    ("A", "-k 5", 15, 30_940),
    ("A", "-k 10", 15, 39_440),
    ("A", "-k 50", 15, 58_450),
    ("A", "-k 5 -t 0.2", 30, 47_100),
    ("A", "-k 5 -t 0.2", 90, 49_000),
    ("A", "-k 5 -t 0.1", 90, 58_000),
    ("A", "-k 5 -l 2 --diversity distinct", 30, 41_850),
    ("B", "-k 5", 15, 19_860),
    ("B", "-k 5 -l 2 --diversity distinct", 30, None),
    ("B", "-k 5 -l 3 --diversity distinct", 30, None),
    ("B", "-k 5 -t 0.2", 120, 59_300),
]


def main() -> int:
    wrong = 0
    print(f"{'policy':<36}{'bound':>9}{'seconds':>9}  asked for")
    for setting, policy, seconds, asked in CASES:
        quasi, sensitive = SETTINGS[setting]
        roles = ["--quasi", quasi, "--sensitive", sensitive, *policy.split(), "--time", str(0.9 * seconds), "--json"]
        started = time.monotonic()
        command = [sys.executable, "-m", "kilt", "bound", str(adult()), *roles]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        took = time.monotonic() - started
        bound = json.loads(done.stdout)["bound"]
        missed = asked is not None and (bound < asked or took > seconds)
        wrong += missed
        target = "" if asked is None else f"{asked:,} in {seconds} s"
        print(f"{setting + ' ' + policy:<36}{bound:>9,}{took:>9.1f}  {target}{' MISSED' if missed else ''}", flush=True)
    print("as asked for" if not wrong else f"{wrong} figures are NOT as asked for")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
