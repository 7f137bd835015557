"""Runs that are killed while they write and publish: the older release stays, or the new one is there, whole."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import duckdb
import pytest

from support import profiles
from support import spark as support
from support.command import PATIENCE, RUN
from support.spark import MASTER, SUBMIT

KILLS = 20 if profiles.is_thorough() else 1
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


def staged(folder: Path) -> set[str]:
    """Return the hidden folders that runs have written to."""
    return {path.name for path in folder.iterdir() if path.name.startswith(".kilt-")}


def wait_for_writing(process: subprocess.Popen[bytes], folder: Path, before: set[str]) -> None:
    """Wait until a run begins to write, or ends."""
    started = time.monotonic()
    while process.poll() is None and staged(folder) <= before:
        assert time.monotonic() - started < PATIENCE
        time.sleep(0.01)


def fill(folder: Path, name: str) -> str:
    """Write a table that carries a name."""
    table = f"SELECT (i % 3)::VARCHAR AS zip, i % 5 AS age, '{name} ' || i AS note FROM range(40) t(i)"
    folder.mkdir(exist_ok=True)
    duckdb.connect().execute(f"COPY ({table}) TO '{folder}/part.parquet' (FORMAT parquet)")
    return name


@pytest.mark.skipif(not support.is_here(), reason=support.MISSING)
def test_killed_at_any_moment_a_release_is_whole(tmp_path: Path) -> None:
    drawn, release = random.Random(0), tmp_path / "release"
    fill(release, "old")
    (release / "_SUCCESS").touch()
    fill(tmp_path / "patients", "new")
    whole, writing = 8.0, 2.0  # seconds of a run, and of what comes after it begins to write; measured if there is time
    if profiles.is_thorough():
        started, process = time.monotonic(), start(tmp_path)
        wait_for_writing(process, tmp_path, set())
        begun = time.monotonic()
        assert process.wait(PATIENCE) == 0
        whole, writing = time.monotonic() - started, time.monotonic() - begun
        shutil.rmtree(release)
        fill(release, "old")
        (release / "_SUCCESS").touch()
    killed = runs = 0
    while killed < KILLS:  # a run may end before it is killed
        assert runs < 3 * KILLS
        before, process = staged(tmp_path), start(tmp_path)
        if runs % 4 == 3:
            time.sleep(whole * drawn.uniform(0.4, 1))
        else:
            wait_for_writing(process, tmp_path, before)
            time.sleep(1.05 * writing * drawn.random())
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        runs += 1
        visible = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
        assert visible <= {"patients", "release"}
        found = rows(release if "release" in visible else tmp_path / ".kilt-old-release")
        assert len(found) == 40
        assert len({str(note).split()[0] for *_, note in found}) == 1
    if profiles.is_thorough():
        assert start(tmp_path).wait(PATIENCE) == 0
        assert all(str(note).startswith("new ") for *_, note in rows(release))
        assert not (tmp_path / ".kilt-old-release").exists()
