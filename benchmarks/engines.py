"""Ten million rows where they are: counting row types, applying a plan and tallying the release, engine by engine.

Run alone: python benchmarks/engines.py [--rows 10000000] [--engine duckdb] [--engine postgresql] [--engine spark].
Adult is drawn with replacement; the plan is that of `greedy` for a k of a ten thousandth of the rows. CPU seconds are
those of Python and of the processes of the engine together; what it takes to load the table, and to find the plan, is
not among them, but the start of Spark (`local[2]`, a folder of Parquet) is. Every engine runs in a process of its own,
whose peak memory is that of Python alone where the engine is another process.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import kilt
from data import QUASI_A, drawn

ROOT = Path(__file__).parent.parent
ROWS = 10_000_000
K_SHARE = 10_000  # k is one row of so many
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Engine:
    """Where the rows are: ``load`` yields what the source is opened with, and the processes that work for it."""

    load: Callable[[Path], Any]  # a context that yields (data, process ids)
    open: Callable[[Any], Any]  # in the process that is measured
    cpu_seconds: float  # at most, for ten million rows
    megabytes: float | None = None  # of Python at most; None where the engine is a part of it
    starts: bool = False  # whether opening the table starts the engine, which is then measured, too


@contextmanager
def in_duckdb(table: Path) -> Iterator[tuple[str, list[int]]]:
    yield str(table), []


@contextmanager
def in_postgres(table: Path) -> Iterator[tuple[str, list[int]]]:
    """Start a server with common settings, and copy the table into it."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support import postgres

    with postgres.running(shared_buffers="512MB", max_parallel_workers_per_gather="2") as cluster:
        columns = ", ".join(f'"{name}" text' for name in table.open().readline().strip().split(";"))
        copy = shutil.copyfile(table, cluster.folder / "table.csv")
        copy.chmod(0o644)
        cluster.run(
            f"CREATE TABLE adult ({columns})",
            f"COPY adult FROM '{copy}' WITH (FORMAT csv, HEADER, DELIMITER ';')",
            "VACUUM ANALYZE adult",
        )
        copy.unlink()
        yield cluster.url("adult"), [cluster.process.pid]


@contextmanager
def in_spark(table: Path) -> Iterator[tuple[str, list[int]]]:
    """Write a folder of Parquet, which Spark reads in the process that is measured."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        read = f"read_csv('{table}', delim=';', header=true, all_varchar=true)"
        options = "FORMAT parquet, PER_THREAD_OUTPUT true, FILE_SIZE_BYTES '64MB'"
        duckdb.connect().execute(f"COPY (FROM {read}) TO '{folder}/adult' ({options})")
        yield f"{folder}/adult", []


def open_folder(data: Any) -> Any:
    from kilt.sources.registry import open_source
    from kilt.sources.spark_folder import SparkFolder

    return open_source(SparkFolder(data, "local[2]"))


def open_source(data: Any) -> Any:
    from kilt.sources.registry import open_source

    return open_source(data)


ENGINES = {
    "duckdb": Engine(in_duckdb, open_source, 16),
    "postgresql": Engine(in_postgres, open_source, 55, 250),
    "spark": Engine(in_spark, open_folder, 90, 250, starts=True),
}


def cpu_seconds(processes: list[int]) -> float:
    """Return the CPU seconds of this process and of others, with their children, living and dead."""
    known: dict[int, tuple[int, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        known[int(stat.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / TICK)
    chosen = {os.getpid(), *processes}
    while more := {pid for pid, (parent, _) in known.items() if parent in chosen} - chosen:
        chosen |= more
    return sum(known[pid][1] for pid in chosen if pid in known)


def peak_megabytes() -> float:
    """Return the peak memory of this process; that of getrusage is at least what its parent had."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) / 1024


def measured(work: Callable[[], Any], processes: list[int]) -> tuple[Any, float, float]:
    """Do some work; return what it returns, its CPU seconds and its seconds."""
    before, started = cpu_seconds(processes), time.perf_counter()
    answer = work()
    return answer, cpu_seconds(processes) - before, time.perf_counter() - started


def run(name: str, data: Any, processes: list[int]) -> dict[str, Any]:
    """Count, apply and tally in this process, and say what it took."""
    from kilt.model.marks import choose_marks
    from kilt.run.progress import silent
    from kilt.run.stopping import StoppingRule
    from kilt.solvers.solve import solve

    source, start_cpu, start_wall = measured(lambda: ENGINES[name].open(data), processes)
    start = {"start": (start_cpu, start_wall)} if ENGINES[name].starts else {}
    quasi = QUASI_A.split(",")
    table = kilt.TableDescription(source, quasi=QUASI_A, keep="salary-class")
    policy = kilt.Policy(k=source.rows // K_SHARE)
    counted, count_cpu, count_wall = measured(lambda: table.count(policy), processes)
    marks = choose_marks(counted.types, counted.roles.quasi, dict.fromkeys(quasi, False), None, source.columns)
    solution = solve(counted.problem, "greedy", StoppingRule.of(5, None), silent)
    plan = counted.plan(solution.partition, marks)
    released, apply_cpu, apply_wall = measured(lambda: counted.apply(plan), processes)
    tally, tally_cpu, tally_wall = measured(lambda: released.tally(quasi, []), processes)
    return {
        "row_types": len(counted.types.counts),
        "groups": len(tally),
        "rows": int(tally.sizes.sum()),
        "k": int(tally.sizes.min()),
        "stars": float(counted.problem.stars(solution.cost)),
        "split": len(np.unique(plan.types[plan.is_split])),
        "cpu": {stage: cpu for stage, (cpu, _) in start.items()}
        | {"count": count_cpu, "apply": apply_cpu, "tally": tally_cpu},
        "wall": {stage: wall for stage, (_, wall) in start.items()}
        | {"count": count_wall, "apply": apply_wall, "tally": tally_wall},
        "megabytes": peak_megabytes(),
    }


def in_a_process_of_its_own(name: str, data: Any, processes: list[int]) -> dict[str, Any]:
    words = [sys.executable, __file__, "--run", json.dumps([name, data, processes])]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--engine", action="append", choices=sorted(ENGINES))
    parser.add_argument("--run", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        print(json.dumps(run(*json.loads(asked.run))))
        return 0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        table = drawn(Path(folder) / "adult.csv", asked.rows)
        for name in asked.engine or sorted(ENGINES):
            engine = ENGINES[name]
            with engine.load(table) as (data, processes):
                found = in_a_process_of_its_own(name, data, processes)
            seconds, megabytes = sum(found["cpu"].values()), found["megabytes"]
            target = engine.cpu_seconds * asked.rows / ROWS
            missed = seconds > target or (engine.megabytes is not None and megabytes > engine.megabytes)
            wrong += missed
            stages = ", ".join(f"{stage} {cpu:.1f}" for stage, cpu in found["cpu"].items())
            print(
                f"{name}: {found['rows']:,} rows, {found['row_types']:,} row types, {found['stars']:,.0f} stars in "
                f"{found['groups']:,} groups, {found['split']:,} row types split, k={found['k']}: "
                f"{seconds:.1f} CPU s ({stages}; at most {target:.1f}), "
                f"{sum(found['wall'].values()):.1f} s, Python {megabytes:.0f} MB at most"
                + (f" (of {engine.megabytes:.0f})" if engine.megabytes else "")
                + (": MISSED" if missed else "")
            )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
