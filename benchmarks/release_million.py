"""One million rows from CSV to a verified CSV release with k=5, in a process of its own.

Run alone: python benchmarks/release_million.py. At most 60 s and 4 GB are asked for. Adult drawn with replacement
needs no star at all (every row type occurs 12 times or more), so a harder table with a zip code is released too.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data import QUASI_A, drawn

CASES = {"Adult drawn with replacement": (False, QUASI_A), "the same with a zip code": (True, QUASI_A + ",zip")}


def main() -> int:
    wrong = 0
    for name, (with_zip, quasi) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            table = drawn(Path(folder) / "million.csv", 1_000_000, distinct_zip=with_zip)
            words = ["anonymize", table, "-o", f"{folder}/release.csv", "--quasi", quasi, "-k", "5", "--json"]
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            result = subprocess.run(
                [sys.executable, "-m", "kilt", *map(str, words)], capture_output=True, text=True, check=True
            )
            wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        found = json.loads(result.stdout)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        memory = after.ru_maxrss / 1e6
        wrong += wall > 60 or memory > 4
        print(
            f"{name}: {found['stars']:,} stars in {found['groups']:,} groups, {wall:.1f} s wall, {cpu:.1f} s CPU, "
            f"{memory:.2f} GB at most"
        )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
