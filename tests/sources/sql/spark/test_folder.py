"""Folders of Parquet: an older release is whole, in its place or beside it, whenever a run ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

import kilt
from kilt.errors import InputError, KiltError, VerificationError
from kilt.sources.spark_folder import SparkFolder
from support.command import call, without_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kilt.sources.sql.spark.folder import Folder


POLICY = kilt.Policy(k=2)
WORDS = ("--quasi", "zip,age", "-k", "2", "--engine", "spark")


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """A folder that is partitioned, with zip codes that begin with zeros."""
    rows = "SELECT ['02139', '00501'][1 + i % 2] AS zip, 30 + i % 3 AS age, 'row ' || i AS note FROM range(13) t(i)"
    folder = tmp_path / "patients"
    duckdb.connect().execute(f"COPY ({rows}) TO '{folder}' (FORMAT parquet, PARTITION_BY (zip))")
    return folder


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_the_command_releases_and_verifies_a_partitioned_folder(
    spark: SparkSession, patients: Path, tmp_path: Path
) -> None:
    target = tmp_path / "release"
    for _ in range(2):  # the second replaces the first
        done = call("anonymize", patients, "-o", target, *WORDS, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["output"] == str(target)
        assert [path.name for path in tmp_path.iterdir() if "kilt" in path.name] == []
    assert {row.zip for row in spark.read.parquet(str(target)).collect()} <= {"02139", "00501", "*"}
    done = call("verify", target, "--original", patients, *WORDS, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["k"] >= 2
    assert found["fidelity"]["kept"]


def test_what_inspect_writes_for_a_folder_is_what_anonymize_takes(
    spark: SparkSession, patients: Path, tmp_path: Path
) -> None:
    done = call("inspect", "patients", "--engine", "spark", "--write", "kilt.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert call("ladder", "patients", "zip:prefix", "--engine", "spark", cwd=tmp_path).returncode == 0
    done = call("anonymize", "--config", "kilt.toml", "-k", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "patients-release" / "_SUCCESS").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("anonymize", "patients", "-o", "out.csv", "--quasi", "zip", "-k", "2"), "--engine spark"),
        (("anonymize", "missing", "-o", "out", *WORDS), "'missing' does not exist where Spark reads it"),
        (("anonymize", "patients", "-o", "patients/out", *WORDS), "inside of it"),
        (("anonymize", "patients", "-o", "plain", *WORDS), "it has no _SUCCESS"),
        (("anonymize", "patients", "-o", "nowhere://x/out", *WORDS), "cannot use the address 'nowhere://x/out'"),
        (("anonymize", "patients", "-o", "out", "--quasi", "zip", "-k", "2", "--engine", "flink"), "must be spark"),
        (
            ("anonymize", "patients", "-o", "out", "--quasi", "zip", "-k", "2", "--master", "local"),
            "--engine spark too",
        ),
        (("anonymize", "text", "-o", "out", *WORDS), "'text' cannot be read, is every file in it Parquet?"),
        (("anonymize", "bare", "-o", "out", *WORDS), "'bare' has no Parquet file in it"),
        (("anonymize", "patients", "-o", "text/file.txt/out", *WORDS), "/text/file.txt' is a file, not a folder"),
        (("anonymize", "patients", "-o", "s3a://key:secret@x/out", *WORDS), "the address holds a password"),
        (("anonymize", "s3a://key:secret@x/in", "-o", "out", *WORDS), "the address holds a password"),
        (("anonymize", "patients", "-o", "postgresql://ann:secret@h/db?table=t", *WORDS), "not for a database"),
    ],
)
def test_what_cannot_be_read_or_written_is_refused(
    spark: SparkSession, patients: Path, words: tuple[str, ...], said: str
) -> None:
    for name in ("plain", "text"):
        (patients.parent / name).mkdir()
        (patients.parent / name / "file.txt").write_text("secret")
    (patients.parent / "bare").mkdir()
    done = call(*words, cwd=patients.parent)
    assert done.returncode == 2
    assert said in done.stderr
    assert "secret" not in done.stderr
    assert visible(patients.parent) == ["bare", "patients", "plain", "text"]


def test_a_frame_does_not_replace_what_it_is_read_from(spark: SparkSession, patients: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    kilt.anonymize(SparkFolder(str(patients)), quasi="zip,age", keep="note", policy=POLICY, output=first)
    frame = spark.read.parquet(str(first)).where("age IS NOT NULL")
    before = sorted(map(str, frame.collect()))
    given = {"quasi": "zip,age", "keep": "note", "policy": POLICY}
    with pytest.raises(InputError, match=r"/first' is the input, or a part of it: choose another folder"):
        kilt.anonymize(frame, **given, output=first)
    with pytest.raises(InputError, match=r"/first' is the input"):
        kilt.anonymize(frame, **given).write(first)
    assert sorted(map(str, frame.collect())) == before


def test_an_empty_folder_is_named(spark: SparkSession, patients: Path) -> None:
    spark.read.parquet(str(patients)).limit(0).write.parquet(str(patients.parent / "empty"))
    done = call("anonymize", "empty", "-o", "out", *WORDS, cwd=patients.parent)
    assert (done.returncode, without_log(done.stderr)) == (2, "kilt: 'empty' has no rows\n")


def test_a_folder_that_is_not_what_was_made_is_not_published(
    spark: SparkSession, patients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kilt.sources.sql.spark import writer

    written = writer._written

    def wrong(released, staging):
        found = written(released, staging)
        other = spark.read.parquet(str(staging)).selectExpr("zip", "age", "'x' AS note")
        again = type(found).of(other, found.engine)
        again.made = found.made
        return again

    monkeypatch.setattr(writer, "_written", wrong)
    with pytest.raises(VerificationError, match="what Spark wrote is not what was made"):
        kilt.anonymize(SparkFolder(str(patients)), quasi="zip,age", policy=POLICY, output=tmp_path / "release")
    assert [path.name for path in tmp_path.iterdir()] == ["patients"]


def test_addresses_are_handed_on_to_the_file_system_that_they_name(
    spark: SparkSession, patients: Path, tmp_path: Path
) -> None:
    """As hdfs:// and s3a:// would be; viewfs:// is a file system of Hadoop's that needs no server."""
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    settings.set("fs.viewfs.mounttable.clinic.link./data", f"file://{tmp_path}")
    settings.set("fs.viewfs.impl.disable.cache", "true")
    for root in ("viewfs://clinic/data", f"file://{tmp_path}"):  # the second replaces what the first wrote
        done = call("anonymize", f"{root}/{patients.name}", "-o", f"{root}/release", *WORDS, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["output"] == f"{root}/release"
        assert visible(tmp_path) == [patients.name, "release"]
        assert [path.name for path in tmp_path.iterdir() if "kilt" in path.name] == []
    done = call("verify", "viewfs://clinic/data/release", "--original", f"viewfs://clinic/data/{patients.name}", *WORDS)
    assert done.returncode == 0, done.stderr
    for address in ("s3a://bucket/patients", "lake://x/patients"):  # their classes are not installed
        done = call("anonymize", address, "-o", tmp_path / "release", *WORDS)
        assert f"Spark cannot use the address '{address}': is its file system installed?" in done.stderr


class KilledError(Exception):
    """A run that ends between two steps."""


def test_killed_between_any_two_steps_a_release_is_whole(spark: SparkSession, tmp_path: Path) -> None:
    from kilt.sources.sql.spark import folder as module

    def made(name: str) -> Folder:
        path = tmp_path / name
        path.mkdir(parents=True)
        (path / "_SUCCESS").touch()
        (path / "content").write_text(name)
        return module.Folder.of(spark, str(path))

    def killed_after(steps: int) -> Callable[[str], Callable[..., None]]:
        left = [steps]

        def replaced(name: str) -> Callable[..., None]:
            real = getattr(module.Folder, name)

            def step(self, *given):
                if left[0] == 0:
                    raise KilledError
                left[0] -= 1
                real(self, *given)

            return step

        return replaced

    for steps in range(4):
        target, new = made(f"{steps}/release"), made(f"{steps}/.new")
        with pytest.MonkeyPatch.context() as patch:
            replaced = killed_after(steps)
            for name in ("rename", "remove"):
                patch.setattr(module.Folder, name, replaced(name))
            try:
                module.replace(target, new)
            except KilledError:
                assert steps < 3
            else:
                assert steps == 3
        module.recover(target)
        expected = f"{steps}/release" if steps < 2 else f"{steps}/.new"
        assert (tmp_path / str(steps) / "release" / "content").read_text() == expected
        assert not target.aside.exists()


def test_what_a_killed_run_left_behind_is_removed_by_the_next(patients: Path, spark: SparkSession) -> None:
    from kilt.sources.sql.spark.folder import Folder

    named = Folder.of(spark, str(patients.parent / "release")).staging().name
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left = patients.parent / named.replace(f"-{os.getpid()}-", f"-{int(dead.stdout)}-")
    ours = patients.parent / named
    for folder in (left, ours):
        folder.mkdir()
        (folder / "part.parquet").touch()
    kilt.anonymize(
        SparkFolder(str(patients)), quasi="zip,age", keep="note", policy=POLICY, output=patients.parent / "release"
    )
    assert not left.exists()
    assert ours.exists()


def test_an_unfinished_folder_is_not_published(spark: SparkSession, tmp_path: Path) -> None:
    from kilt.sources.sql.spark import folder as module

    (tmp_path / "new").mkdir()
    with pytest.raises(KiltError, match="did not finish"):
        module.replace(module.Folder.of(spark, str(tmp_path / "out")), module.Folder.of(spark, str(tmp_path / "new")))
    (tmp_path / ".kilt-old-out").mkdir()
    with pytest.raises(InputError, match=r"\.kilt-old-out' is what a killed run left of it, rename it back"):
        kilt.verify(SparkFolder(str(tmp_path / "out")), quasi="a")
