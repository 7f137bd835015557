"""Parts that executors solve: the same release and bound as in this process, and clear words where they cannot."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import kilt
from kilt.certificates.proof.in_database import evaluate_bound_in
from kilt.commands import executors as commands
from kilt.errors import InputError, KiltError
from kilt.run.stopping import never
from kilt.solvers.split.solver import Split

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kilt.sources.sql.spark.executors import Executors

TABLE = pl.DataFrame(np.random.default_rng(5).integers(0, 7, (150, 3)).astype(str), [f"q{j}" for j in range(3)])
GIVEN: dict[str, Any] = {"quasi": TABLE.columns, "policy": kilt.Policy(k=4), "iterations": 2_000}


@pytest.fixture
def executors(spark: SparkSession) -> Executors:
    from kilt.sources.sql.spark.engine import SparkEngine
    from kilt.sources.sql.spark.executors import Executors

    return Executors(SparkEngine(spark))


@pytest.fixture
def frame(spark: SparkSession, tmp_path: Path) -> Any:
    TABLE.write_parquet(tmp_path / "table.parquet")
    return spark.read.parquet(str(tmp_path / "table.parquet"))


def only_here() -> Any:
    """Return a module with a function that executors do not have."""
    module = ModuleType("only_here")
    exec("def work(task): return task", module.__dict__)
    return module


def test_tasks_are_done_in_order_and_elsewhere(executors: Executors) -> None:
    assert executors.slots == 2
    answers = executors.do(lambda task: task + str(os.getpid()).encode(), [b"a", b"b"], never)
    assert answers is not None
    assert [answer[:1] for answer in answers] == [b"a", b"b"]
    assert str(os.getpid()).encode() not in {answer[1:] for answer in answers}


def test_what_executors_cannot_do_is_told_without_a_cell(executors: Executors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "only_here", only_here())
    with pytest.raises(InputError, match=r"cannot import 'only_here': install kilt\[spark\] .* PYSPARK_PYTHON"):
        executors.do(sys.modules["only_here"].work, [b"a"], never)
    with pytest.raises(KiltError, match="Spark failed") as failed:
        executors.do(lambda task: task + int(b"secret"), [b"a"], never)
    assert "secret" not in str(failed.value)
    monkeypatch.setattr("kilt.sources.sql.spark.executors.NUMBER", "0.0.0")
    with pytest.raises(InputError, match=r"have another version of kilt: install kilt\[spark\] 0\.0\.0"):
        executors.do(bytes.upper, [b"a"], never)


def test_a_split_is_solved_by_executors_and_is_the_same(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from kilt.sources.sql.spark.executors import Executors

    sent, bounded, do = [], [], Executors.do

    def watched(self: Executors, work: Any, tasks: Any, interrupted: Any) -> Any:
        sent.append(len(tasks))
        return do(self, work, tasks, interrupted)

    def watched_bound(*given: Any) -> int:
        bounded.append(given)
        return evaluate_bound_in(*given)

    monkeypatch.setattr(Executors, "do", watched)
    monkeypatch.setattr(commands, "evaluate_bound_in", watched_bound)
    monkeypatch.setattr(commands, "MAX_BOUNDED_HERE", 0)
    here = kilt.anonymize(TABLE, **GIVEN, solver=Split(0, 3, steps=0))
    there = kilt.anonymize(frame, **GIVEN, solver="split", parts=3)
    assert sent == [2, 1, 2, 1]  # two rounds of three parts, two at a time
    assert len(bounded) == 1
    assert 0 < here.bound <= here.stars
    assert (there.stars, there.bound) == (here.stars, here.bound)


def test_an_interrupted_split_is_released_as_far_as_it_is(frame: Any) -> None:
    started = time.monotonic()
    release = kilt.anonymize(
        frame,
        **{**GIVEN, "iterations": None},
        time=600,
        gap=0,
        solver="split",
        parts=3,
        interrupted=lambda: time.monotonic() > started + 2,
    )
    assert release.verdict.met
    assert release.seconds < 400
