"""Frames of Spark Connect, in a process of its own: a process has one kind of session."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import spark as support
from support.command import PATIENCE

SCRIPT = """
import kilt
from pyspark.sql import SparkSession

session = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
frame = session.createDataFrame([(i, f"0{i % 3}", ["flu", None][i % 2]) for i in range(12)],
                                "id int, zip string, disease string")
release = kilt.anonymize(frame, quasi="zip", sensitive="disease", identifier="id", policy=kilt.Policy(k=3))
assert type(release.frame) is type(frame)
assert sorted(map(str, release.frame.collect())) == sorted(map(str, frame.drop("id").collect()))
split = kilt.anonymize(frame, quasi="zip,disease", identifier="id", policy=kilt.Policy(k=2), solver="split", parts=2,
                       iterations=200)
assert split.solver == "split" and split.verdict.met
try:
    release.write("folder")
except kilt.KiltError as error:
    print(error)  # and then the process ends, though it still has frames that are frozen on the server
"""


@pytest.mark.thorough
@pytest.mark.skipif(not support.has_connect(), reason=support.NO_CONNECT if support.is_here() else support.MISSING)
def test_a_frame_of_spark_connect_is_released_as_one(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert "a folder cannot be written through Spark Connect" in done.stdout, done.stderr
