"""DataFrames of Spark's come back as such, and as DuckDB would release the same rows."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import kilt
from kilt.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


NASTY = """
    SELECT i AS id, ['02139', '00501', NULL, '', 'Ünï''s "★"', '  pad '][1 + i % 6] AS "zip.code",
        [1.5, -0.0, 0.0, 'NaN', 1e20][1 + i % 5]::DOUBLE AS num, ((i % 3) * 0.000000001)::DECIMAL(20, 9) AS tiny,
        DATE '2020-02-28' + (i % 3)::INT AS day, TIMESTAMP '2020-01-01 00:00:00.000001' + INTERVAL (i % 2) DAY AS at,
        i % 2 = 0 AS flag, [('\\x00\\xFF')::BLOB, ''::BLOB][1 + i % 2] AS bytes, (i % 4)::TINYINT AS small,
        ['flu', 'cold', NULL][1 + i % 7 % 3] AS disease, 'row ' || i AS note
    FROM range(90) t(i)
"""
ROLES: dict[str, Any] = {
    "quasi": ["zip.code", "num", "tiny", "day", "at", "flag", "bytes", "small"],
    "sensitive": "disease",
    "identifier": "id",
    "keep": "note",
}
SPLIT = """
    SELECT CASE WHEN i < 7 THEN '02139' WHEN i = 7 THEN '02138' ELSE '02140' END AS zip, i % 2 AS sex,
        'row ' || i AS note FROM range(9) t(i) UNION ALL SELECT '99999', i % 2, NULL FROM range(8) t(i)
"""


def parquet(path: Path, sql: str) -> Path:
    duckdb.connect().execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")
    return path


def bag(rows: list[tuple[Any, ...]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(map(str, row)) for row in rows)


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return parquet(tmp_path_factory.mktemp("nasty") / "nasty.parquet", NASTY)


def test_a_nasty_table_has_as_many_stars_as_in_duckdb(spark: SparkSession, nasty: Path) -> None:
    frame = spark.read.parquet(str(nasty))
    policy = kilt.Policy(k=4)
    found = kilt.anonymize(frame, **ROLES, policy=policy, solver="greedy", mark={"num": "indicator"})
    assert (
        found.stars == kilt.anonymize(nasty, **ROLES, policy=policy, solver="greedy", mark={"num": "indicator"}).stars
    )
    assert found.stars > 0
    kinds = dict(frame.drop("id").dtypes)
    assert found.frame.dtypes == [*kinds.items(), ("num_hidden", "boolean")]
    kept = bag(frame.select("disease", "note").collect())
    assert bag(found.frame.select("disease", "note").collect()) == kept
    changed = [
        (was, now)
        for was, now in zip(*(each.orderBy("note").collect() for each in (frame, found.frame)), strict=True)
        for name in ROLES["quasi"]
        if str(was[name]) != str(now[name]) and now[name] not in ("*", None)
    ]
    assert changed == []


def test_row_types_that_are_split_are_dealt_as_in_duckdb(spark: SparkSession, tmp_path: Path) -> None:
    path = parquet(tmp_path / "split.parquet", SPLIT)
    given: dict[str, Any] = {"quasi": "zip", "policy": kilt.Policy(k=3), "keep": "sex,note", "mark": "?"}
    here = kilt.anonymize(path, **given)
    there = kilt.anonymize(spark.read.parquet(str(path)).repartition(3), **given, shuffle=True)
    assert here.plan.is_split.any()
    assert here.stars == there.stars == 3
    assert bag(here.frame.fetchall()) == bag(there.frame.collect())


def test_what_the_run_made_is_freed_and_the_frame_stays(spark: SparkSession) -> None:
    def left() -> list[str]:
        return [row.viewName for row in spark.sql("SHOW VIEWS").collect() if row.viewName.startswith("kilt_")]

    def stored() -> set[int]:
        return set(spark.sparkContext._jsc.getPersistentRDDs())

    gc.collect()
    views, kept = left(), stored()
    data = spark.createDataFrame([(x % 3,) for x in range(9)], "zip int")
    frame = kilt.anonymize(data, quasi="zip", policy=kilt.Policy(k=2)).frame
    gc.collect()
    assert left() == views
    assert len(stored() - kept) == 1
    assert frame.count() == 9
    assert frame.columns == ["zip"]


def test_a_frame_that_is_not_the_same_twice_is_refused(spark: SparkSession) -> None:
    now = "CAST(unix_micros(current_timestamp()) AS STRING)"
    frame = spark.sql(f"SELECT {now} AS zip, 'x' AS note FROM range(9)")
    with pytest.raises(InputError, match="changed while it was"):
        kilt.anonymize(frame, quasi="zip", policy=kilt.Policy(k=2), keep="note")
    frame = spark.sql(f"SELECT id % 3 AS zip, {now} AS note FROM range(9)")
    with pytest.raises(InputError, match="not the same each time that Spark computes it"):
        kilt.anonymize(frame, quasi="zip", policy=kilt.Policy(k=2), keep="note")


def test_a_release_can_be_written_to_a_csv_file(spark: SparkSession, tmp_path: Path) -> None:
    data = spark.sql(
        "SELECT CAST(id % 3 AS STRING) AS zip, id % 2 = 0 AS flag, TIMESTAMP '2020-01-01' AS at FROM range(9)"
    )
    target = tmp_path / "out.csv"
    kilt.anonymize(data, quasi="zip", policy=kilt.Policy(k=3), keep="flag,at", output=target)
    assert sorted(target.read_text().splitlines()[1:4])[0] == "0,true,2020-01-01 00:00:00+00"
    assert len(target.read_text().splitlines()) == 10


def test_frames_without_rows_or_with_equal_names_are_refused(spark: SparkSession) -> None:
    with pytest.raises(InputError, match="the frame has no rows"):
        kilt.anonymize(spark.createDataFrame([], "a int"), quasi="a", policy=kilt.Policy(k=2))
    with pytest.raises(InputError, match="two columns of the same name"):
        kilt.anonymize(spark.sql("SELECT 1 AS a, 2 AS A"), quasi="a", policy=kilt.Policy(k=2))


def test_a_session_that_has_ended_is_told(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark.range(9).toDF("zip")
    with monkeypatch.context() as patch:
        patch.setattr(spark.sparkContext, "_jsc", None)  # as it is once it was stopped
        with pytest.raises(InputError, match="the session of Spark has ended: start another one"):
            kilt.anonymize(frame, quasi="zip", policy=kilt.Policy(k=2))
    assert kilt.anonymize(frame, quasi="zip", policy=kilt.Policy(k=2)).verdict.met
