"""What a newcomer waits for: building kilt, the first run after it beside the second, and a small table in a second.

Run alone: python benchmarks/start.py. It installs the project into a new virtual environment in a temporary folder, and
exits with 1 if a figure is missed.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from data import QUASI_A, adult

ROOT = Path(__file__).parent.parent
ROLES = ["--delimiter", ";", "--quasi", QUASI_A, "--sensitive", "salary-class"]
MOST_BUILD_CPU, MOST_BYTES, MOST_RATIO, MOST_SMALL, LEAST_SPEEDUP = 60, 5_000_000, 1.1, 1.5, 1.7
MOVES = 400_000


def installed(folder: Path) -> tuple[Path, float]:
    """Install a copy of the project; return the folder of the environment, and the CPU seconds."""
    source, environment = folder / "source", folder / "environment"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([environment / "bin" / "pip", "install", "--quiet", source], check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return environment, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sizes_of(environment: Path) -> tuple[int, int]:
    """Return the bytes of the files that kilt consists of, and of the bytecode that pip makes of them."""
    (package,) = environment.glob("lib/python3*/site-packages/kilt")
    files = [path for path in package.rglob("*") if path.is_file()]
    bytecode = sum(path.stat().st_size for path in files if path.suffix == ".pyc")
    return sum(path.stat().st_size for path in files) - bytecode, bytecode


def anonymized(environment: Path, table: Path, *words: str, as_nobody: bool = False) -> float:
    """Anonymize a table; return the seconds in all. Nobody has no home, and may write to one folder alone."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        command = [environment / "bin" / "kilt", "anonymize", table, "-o", f"{folder}/release.csv", *ROLES, *words]
        variables = {name: value for name, value in os.environ.items() if name != "HOME" or not as_nobody}
        if as_nobody and os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        began = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=variables, cwd=folder)
        return time.monotonic() - began


def speedup() -> float:
    """Return how many more moves two workers do in the same time than one, on Adult, k=5 and t=0.2."""
    import kilt
    from kilt.patterns.pool import Pool
    from kilt.run.progress import silent
    from kilt.run.stopping import StoppingRule
    from kilt.solvers.common.compile_rules import compile_rules
    from kilt.solvers.greedy.solver import Greedy
    from kilt.solvers.search.state import SearchState, with_groups
    from kilt.solvers.search.workers import Workers
    from kilt.sources.counted_table import TableDescription

    table = TableDescription(adult(), quasi=QUASI_A, sensitive="salary-class", delimiter=";")
    problem = table.count(kilt.Policy(k=5, t="0.2")).problem
    rules = compile_rules(problem)
    start = Greedy().solve(problem, StoppingRule(), silent).partition
    pool = with_groups(problem, Pool.of(problem), [start])
    rates = []
    for number in (1, 2):
        workers = Workers.of(SearchState.of(pool, rules, start, problem, 0), number, 0)
        workers.anneal(MOVES // 20, 1.0)  # memory is touched for the first time
        began = time.monotonic()
        for temperature in np.linspace(1.0, 0.3, 4):
            workers.anneal(MOVES // 4, temperature)
        rates.append(MOVES / (time.monotonic() - began))
    return rates[1] / rates[0]


def report(name: str, figure: float, limit: float, *, at_least: bool = False) -> bool:
    missed = figure < limit if at_least else figure > limit
    asked = "at least" if at_least else "at most"
    print(f"{name:<66}{figure:>12,.2f}  {asked} {limit:,}{' MISSED' if missed else ''}", flush=True)
    return missed


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # nobody reads it, too
        table = Path(shutil.copy(adult(), folder))
        environment, cpu = installed(folder)
        missed = report("build and installation, CPU seconds", cpu, MOST_BUILD_CPU)
        size, bytecode = sizes_of(environment)
        missed |= report(f"installed size of kilt itself, bytes (bytecode: {bytecode:,})", size, MOST_BYTES)
        words = ["-k", "5", "-t", "0.2", "--iterations", "2000000"]
        first, second = (anonymized(environment, table, *words) for _ in range(2))
        missed |= report(f"first run over second ({first:.1f} and {second:.1f} s)", first / second, MOST_RATIO)
        again = anonymized(environment, table, *words, as_nobody=True)
        missed |= report(f"the same without a home or anything to write to ({again:.1f} s)", again / second, MOST_RATIO)
        small = folder / "small.csv"
        small.write_text("".join(table.read_text().splitlines(keepends=True)[:1001]))
        took = min(anonymized(environment, small, "-k", "5", "--time", "1") for _ in range(3))
        missed |= report("1,000 rows, k=5, --time 1, seconds in all", took, MOST_SMALL)
    missed |= report("moves per second of two workers over one", speedup(), LEAST_SPEEDUP, at_least=True)
    sys.exit(missed)


if __name__ == "__main__":
    main()
