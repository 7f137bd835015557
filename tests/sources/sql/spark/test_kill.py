"""Runs that are killed while they write and publish: the older release stays, or the new one is there, whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from support import profiles
from support import spark as support
from support.command import PATIENCE, RUN
from support.spark import MASTER, SUBMIT

KILLS = 20 if profiles.is_thorough() else 3
WORDS = (
    "--quasi",
    "zip,age",
    "--keep",
    "note",
    "-k",
    "2",
    "--engine",
    "spark",
    "--master",
    MASTER,
    "--solver",
    "greedy",
)


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Begin a release, in a group of processes of its own."""
    words = [*RUN, "anonymize", "patients", "-o", "release", *WORDS]
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": SUBMIT}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(words, cwd=folder, env=environment, start_new_session=True, **quiet)


def rows(release: Path) -> list[tuple[object, ...]]:
    assert (release / "_SUCCESS").exists()
    return sorted(
        duckdb.connect().execute(f"FROM read_parquet('{release}/*.parquet') SELECT zip, age, note").fetchall()
    )


def begun(folder: Path) -> bool:
    """Say whether a run has begun to write."""
    return any(path.name.startswith(".kilt-") for path in folder.iterdir())


def waiting(process: subprocess.Popen[bytes], folder: Path) -> Iterator[float]:
    """Wait until a run begins to write, or ends."""
    started = time.monotonic()
    while process.poll() is None and not begun(folder):
        assert time.monotonic() - started < PATIENCE
        time.sleep(0.01)
    yield time.monotonic()


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(not support.is_here(), reason=support.MISSING)
def test_killed_at_any_moment_a_release_is_whole(tmp_path: Path) -> None:
    table = "SELECT (i % 3)::VARCHAR AS zip, i % 5 AS age, '{}' || i AS note FROM range(40) t(i)"
    (tmp_path / "patients").mkdir()

    def make(name: str) -> None:
        duckdb.connect().execute(f"COPY ({table.format(name)}) TO '{tmp_path}/patients/p.parquet' (FORMAT parquet)")

    make("old ")
    first = start(tmp_path)
    (wrote,) = waiting(first, tmp_path)
    assert first.wait(PATIENCE) == 0
    length = time.monotonic() - wrote  # of what is killed: writing, verifying, publishing
    old = rows(tmp_path / "release")
    make("new ")
    drawn = random.Random(0)
    for _ in range(KILLS):
        process = start(tmp_path)
        list(waiting(process, tmp_path))
        time.sleep(drawn.uniform(0, 1.05 * length))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        visible = [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")]
        release = tmp_path / ("release" if "release" in visible else ".kilt-old-release")
        found = rows(release)
        assert found == old or all(str(note).startswith("new ") for *_, note in found)
        assert len(found) == 40
        assert set(visible) <= {"patients", "release"}
    final = start(tmp_path)
    assert final.wait(PATIENCE) == 0
    assert all(str(note).startswith("new ") for *_, note in rows(tmp_path / "release"))
    assert not (tmp_path / ".kilt-old-release").exists()
