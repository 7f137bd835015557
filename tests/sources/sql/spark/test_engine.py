from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kilt.errors import InputError, KiltError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kilt.sources.sql.spark.engine import SparkEngine


@pytest.fixture
def engine(spark: SparkSession) -> Iterator[SparkEngine]:
    from kilt.sources.sql.spark.engine import SparkEngine

    return SparkEngine(spark)


def stored(spark: SparkSession) -> int:
    """Return how many tables Spark keeps for somebody."""
    return len(spark.sparkContext._jsc.getPersistentRDDs())


def views(spark: SparkSession) -> set[str]:
    return {row.viewName for row in spark.sql("SHOW VIEWS").collect() if row.viewName.startswith("kilt_")}


def test_a_table_goes_up_and_comes_back(engine: SparkEngine) -> None:
    texts = ["b", None, "", "Z", "é", "\U0001f600", "￿"]
    flags = np.array([True, False] * 3 + [True])
    engine.upload("kilt_up", {"n": np.arange(7), "v": texts, "f": flags})
    ordered = engine.rows("SELECT v FROM kilt_up ORDER BY v NULLS FIRST")
    assert [row[0] for row in ordered] == [None, *sorted(text for text in texts if text is not None)]
    assert engine.integers("SELECT n, CAST(n AS INT) + 1 AS m FROM kilt_up ORDER BY n")["m"].tolist() == list(
        range(1, 8)
    )
    assert engine.rows("SELECT n FROM kilt_up WHERE f ORDER BY n") == [(0,), (2,), (4,), (6,)]
    pairs = f"SELECT count(*) FROM kilt_up a JOIN kilt_up b ON {engine.same('a.v', 'b.v')}"
    assert engine.rows(pairs) == [(7,)]
    engine.ingest("kilt_in", engine.arrow("SELECT v FROM kilt_up"))
    assert engine.rows("SELECT v FROM kilt_in ORDER BY v NULLS FIRST") == ordered
    engine.drop("kilt_up", "kilt_in")


def test_tables_are_freed(engine: SparkEngine, spark: SparkSession) -> None:
    before = stored(spark)
    engine.create("kilt_made", "SELECT id FROM range(10)")
    assert stored(spark) == before + 1
    engine.drop("kilt_made")
    assert stored(spark) == before
    assert "kilt_made" not in views(spark)


def test_a_table_is_computed_once(engine: SparkEngine) -> None:
    engine.create("kilt_once", "SELECT rand() AS r FROM range(100)")
    total = "SELECT sum(r) FROM kilt_once"
    assert engine.rows(total) == engine.rows(total)
    engine.drop("kilt_once")


def test_an_error_tells_no_cell(engine: SparkEngine, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KiltError, match=r"Spark failed \(CAST_INVALID_INPUT\)") as failed:
        engine.rows("SELECT CAST(s AS INT) FROM VALUES ('secret') AS t(s)")
    assert "secret" not in str(failed.value)
    assert "secret" not in capfd.readouterr().err  # Spark has a log of its own


def test_a_session_that_reads_our_sql_otherwise_is_refused(spark: SparkSession) -> None:
    from kilt.sources.sql.spark.engine import SparkEngine

    spark.conf.set("spark.sql.groupByOrdinal", "false")
    try:
        with pytest.raises(InputError, match=r"must have spark\.sql\.groupByOrdinal=true"):
            SparkEngine(spark)
    finally:
        spark.conf.set("spark.sql.groupByOrdinal", "true")


def test_ctrl_c_cancels_the_job(engine: SparkEngine, spark: SparkSession) -> None:
    tracker = spark.sparkContext.statusTracker()

    def interrupt() -> None:
        while not tracker.getActiveJobsIds():
            pass
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    watcher = threading.Thread(target=interrupt)
    try:
        watcher.start()
        with pytest.raises(KeyboardInterrupt):
            engine.rows("SELECT count(*) FROM range(1000000000) a CROSS JOIN range(1000000) b")
    finally:
        signal.signal(signal.SIGINT, handler)
    watcher.join()
    for _ in range(600):
        if not tracker.getActiveJobsIds():
            return
        threading.Event().wait(0.1)
    pytest.fail("the job goes on")
