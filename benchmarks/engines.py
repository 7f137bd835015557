"""Ten million rows where they are: counting row types, applying a plan and tallying the release, engine by engine.

Run alone: python benchmarks/engines.py [--rows 10000000] [--engine duckdb] [--engine postgresql] [--engine spark]
[--end-to-end].
Adult is drawn with replacement; the plan is that of `greedy` for a k of a ten thousandth of the rows. CPU seconds are
those of Python and of the processes of the engine together; what it takes to load the table, and to find the plan, is
not among them, but the start of Spark (`local[2]`, a folder of Parquet) is. Every engine runs in a process of its own,
whose peak memory is that of Python alone where the engine is another process.

With --end-to-end, Spark alone (`local[2]`, 6 GB) draws Adult itself, and `kilt.anonymize` releases the folder as a new
one, with verification: a tenth of the rows first, then all of them, so that the growth is seen, and the disk that it
takes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import kilt
from data import QUASI_A, adult, drawn

ROOT = Path(__file__).parent.parent
ROWS = 10_000_000
K_SHARE = 10_000  # k is one row of so many
GROWTH = 11  # at most, of CPU seconds for ten times the rows
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


def draw_in_spark(folder: Path, rows: int) -> Path:
    """Let Spark draw rows of Adult with replacement, into a folder of Parquet."""
    from kilt.sources.sql.spark.session import open_session

    session = open_session("local[2]")
    adult_rows = session.read.csv(str(adult()), sep=";", header=True)
    names, known = adult_rows.columns, adult_rows.collect()
    numbered = session.createDataFrame([(i, *row) for i, row in enumerate(known)], ["drawn", *names])
    numbered.createOrReplaceTempView("adult")
    drawn_rows = f"SELECT CAST(floor(rand(1) * {len(known)}) AS BIGINT) AS drawn FROM range({rows})"
    chosen = ", ".join(f"adult.`{name}`" for name in names)
    table = session.sql(f"SELECT /*+ BROADCAST(adult) */ {chosen} FROM ({drawn_rows}) JOIN adult USING (drawn)")
    table.write.parquet(str(folder / "adult"))
    return folder / "adult"


def run_end_to_end(folder: Path, rows: int) -> dict[str, Any]:
    """Draw, release and verify in this process, and say what the release took."""
    from kilt.sources.spark_folder import SparkFolder

    data = SparkFolder(str(draw_in_spark(folder, rows)), "local[2]")
    given: dict[str, Any] = {"quasi": QUASI_A, "keep": "salary-class", "policy": kilt.Policy(k=rows // K_SHARE)}
    with watched_disk(folder) as most:
        release, cpu, wall = measured(
            lambda: kilt.anonymize(data, **given, solver="greedy", output=str(folder / "release")), []
        )
    return {"rows": rows, "stars": release.stars, "groups": len(release.groups), "cpu": cpu, "wall": wall} | {
        "megabytes": peak_megabytes(),
        "gigabytes_on_disk": most[0] / 1e9,
        "gigabytes_in": bytes_in(folder / "adult") / 1e9,
        "gigabytes_out": bytes_in(folder / "release") / 1e9,
    }


def bytes_in(folder: Path) -> int:
    """Return the bytes of all files of a folder, some of which may vanish meanwhile."""
    found = subprocess.run(["du", "-sb", str(folder)], capture_output=True, text=True, check=False).stdout
    return int(found.split()[0]) if found else 0


@contextmanager
def watched_disk(folder: Path) -> Iterator[list[int]]:
    """Look every few seconds at what is in a folder; yield a list with the most bytes that were there."""
    most, over = [0], threading.Event()

    def look() -> None:
        while not over.wait(5):
            most[0] = max(most[0], bytes_in(folder))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def end_to_end(rows: int) -> int:
    """Release a tenth of the rows and all of them; return whether the time grew by more than it should."""
    found = []
    for number in (rows // 10, rows):
        with tempfile.TemporaryDirectory() as folder:
            settings = {
                "SPARK_LOCAL_DIRS": f"{folder}/spark",
                "PYSPARK_SUBMIT_ARGS": "--driver-memory 6g pyspark-shell",
            }
            words = [sys.executable, __file__, "--run-end-to-end", folder, "--rows", str(number)]
            done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **settings})
        found.append(json.loads(done.stdout))
        print(
            "{rows:,} rows: {stars:,} stars in {groups:,} groups, released and verified in {cpu:,.0f} CPU s, "
            "{wall:,.0f} s; Python {megabytes:.0f} MB, disk {gigabytes_on_disk:.1f} GB at most "
            "(input {gigabytes_in:.2f}, release {gigabytes_out:.2f})".format(**found[-1]),
            flush=True,
        )
    growth = found[1]["cpu"] / found[0]["cpu"]
    missed = growth > GROWTH
    print(
        f"ten times the rows take {growth:.1f} times the CPU seconds (at most {GROWTH}){': MISSED' if missed else ''}"
    )
    return int(missed)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--engine", action="append", choices=sorted(ENGINES))
    parser.add_argument("--end-to-end", action="store_true")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--run-end-to-end", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run_end_to_end:
        print(json.dumps(run_end_to_end(asked.run_end_to_end, asked.rows)))
        return 0
    if asked.end_to_end:
        return end_to_end(asked.rows)
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
