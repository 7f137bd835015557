"""Frames of Spark Connect, in a process of its own: a process has one kind of session."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
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
try:
    release.write("folder")
except kilt.KiltError as error:
    print(error)
"""


@pytest.mark.thorough
@pytest.mark.skipif(not support.is_here() or find_spec("grpc") is None, reason=f"{support.MISSING}, and grpcio")
def test_a_frame_of_spark_connect_is_released_as_one(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert "a folder cannot be written through Spark Connect" in done.stdout, done.stderr
