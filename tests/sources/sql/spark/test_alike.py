"""The same table in DuckDB, in PostgreSQL and in Spark: the same stars, no altered cell, and the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import kilt

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.postgres import Cluster

FEW, MANY = 3_000, 1_000_000
ZIPS = """['02139', '00501', NULL, '', 'Ünï''s "★"', '  pad ', 'NULL', 'null', E'a\\nb', '*?', '\\N.']"""
NUMBERS = "['-Infinity', '-0.0', '0.0', '0.1', '12345678.5', '9.5', '1e20', 'NaN', NULL]"
CARELESS = "CREATE COLLATION IF NOT EXISTS careless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
COLUMNS = {  # name -> what it is in DuckDB, and its type in PostgreSQL; only doubles have texts of each engine's own
    "zip": (f"{ZIPS}[1 + (hash(i, 1) % 11)::BIGINT]", "text COLLATE careless"),
    "bmi": (f"{NUMBERS}[1 + greatest((hash(i, 8) % 40)::BIGINT - 32, 0)]::DOUBLE", "double precision"),
    "code": ("['a', 'A', 'b'][1 + greatest((hash(i, 9) % 24)::BIGINT - 21, 0)]", "char(4)"),
    "tiny": ("((hash(i, 2) % 3)::BIGINT * 0.000000001)::DECIMAL(20, 9)", "numeric(20, 9)"),
    "day": ("DATE '2020-02-28' + (hash(i, 3) % 4)::INT", "date"),
    "at": ("TIMESTAMP '1890-01-01 00:00:00.000001' + INTERVAL (hash(i, 4) % 2) DAY", "timestamp"),
    "flag": ("CASE hash(i, 5) % 3 WHEN 0 THEN NULL ELSE hash(i, 5) % 3 = 1 END", "boolean"),
    "small": ("floor(40 * pow((hash(i, 6) % 1000)::BIGINT / 1000.0, 4))::SMALLINT", "smallint"),
    "disease": ("['flu', 'cold', NULL][1 + (hash(i, 7) % 3)::BIGINT]", "text"),
    "cost": (f"{NUMBERS}[1 + (hash(i, 11) % 9)::BIGINT]::DOUBLE", "double precision"),
    "exact": ("(((hash(i, 12) % 2001)::BIGINT - 1000) * 0.000000001)::DECIMAL(38, 18)", "numeric(38, 18)"),
    "seen": ("TIMESTAMPTZ '1890-01-01 00:00:00.5+00' + INTERVAL (hash(i, 13) % 99) HOUR", "timestamptz"),
    "note": ("'row ' || i", "text"),
}
QUASI = ["zip", "bmi", "code", "tiny", "day", "at", "flag", "small"]
KEPT = ["cost", "exact", "seen", "note"]
GIVEN: dict[str, Any] = {"quasi": QUASI, "sensitive": "disease", "keep": KEPT, "mark": {"flag": "indicator"}}
SEARCH: dict[str, Any] = {"solver": "search", "iterations": 3_000}
HIDDEN = {name: f'r."{name}" IS NULL' for name in QUASI}
HIDDEN |= {"zip": "r.zip = '*'", "code": "r.code = '*'", "flag": "r.flag_hidden"}
POLICIES = {rows: kilt.Policy(k=k, l=2, diversity="distinct") for rows, k in ((FEW, 20), (MANY, 1_000))}


def drawn(path: Path, rows: int) -> Path:
    columns = ", ".join(f'{cell} AS "{name}"' for name, (cell, _) in COLUMNS.items())
    duckdb.connect().execute(f"COPY (SELECT {columns} FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)")
    return path


def copied(table: Path, cluster: Cluster) -> str:
    """Copy the table into PostgreSQL."""
    there = cluster.folder / "alike.csv"
    options = "FORMAT csv, HEADER false, NULLSTR '<null>'"
    duckdb.connect().execute(f"COPY (FROM '{table}') TO '{there}' ({options})")
    there.chmod(0o644)
    columns = ", ".join(f'"{name}" {kind}' for name, (_, kind) in COLUMNS.items())
    cluster.run(
        CARELESS,
        "DROP TABLE IF EXISTS alike",
        f"CREATE TABLE alike ({columns})",
        f"COPY alike FROM '{there}' WITH (FORMAT csv, NULL '<null>')",
    )
    there.unlink()
    return cluster.url("alike")


@pytest.mark.parametrize("rows", [FEW, pytest.param(MANY, marks=pytest.mark.thorough)])
def test_three_engines_release_the_same(spark: SparkSession, cluster: Cluster, rows: int, tmp_path: Path) -> None:
    table = drawn(tmp_path / "table.parquet", rows)
    given = {"duckdb": table, "postgresql": copied(table, cluster), "spark": spark.read.parquet(str(table))}
    places = {name: tmp_path / (name if name == "spark" else f"{name}.parquet") for name in given}
    releases = {
        name: kilt.anonymize(data, **GIVEN, **SEARCH, policy=POLICIES[rows], output=places[name])
        for name, data in given.items()
    }
    assert len({(release.stars, release.bound, len(release.groups)) for release in releases.values()}) == 1
    if rows == FEW:  # row types are dealt to several groups
        assert all(release.plan.is_split.any() for release in releases.values())
        roles = {name: GIVEN[name] for name in ("quasi", "sensitive", "mark")}
        for name, written in (("postgresql", "postgresql"), ("spark", "duckdb")):  # files of Parquet
            fidelity = kilt.verify(places[written], **roles, original=given[name]).fidelity
            assert fidelity is not None
            assert (fidelity.problems, fidelity.stars) == ((), releases["duckdb"].stars)
    there = duckdb.connect()
    there.execute("SET TimeZone = 'UTC'")
    cells = {name: f'"{name}"' for name in COLUMNS} | {"seen": "seen::TIMESTAMPTZ"}  # Spark writes another kind of them
    texts = ", ".join(f'{cell}::VARCHAR AS "{name}"' for name, cell in cells.items())
    there.execute(f"CREATE TABLE original AS SELECT {texts} FROM '{table}'")
    for name, place in places.items():
        files = f"{place}/*.parquet" if place.is_dir() else place
        there.execute(f"CREATE TABLE {name} AS SELECT {texts}, flag_hidden FROM '{files}'")
        assert there.execute(f"SELECT count(*) FROM {name}").fetchone() == (rows,)
        assert there.execute(f"FROM {name} EXCEPT ALL FROM duckdb").fetchall() == []
    kept = {name: f'o."{name}" IS NOT DISTINCT FROM r."{name}"' for name in COLUMNS}
    whole = [f"({kept[name]} OR {HIDDEN[name]})" for name in QUASI] + [kept[name] for name in ("disease", *KEPT)]
    stars = " + ".join(f"count(*) FILTER ({hidden})" for hidden in HIDDEN.values())
    found = there.execute(
        f"SELECT count(*) FILTER ({' AND '.join(whole)}), {stars} FROM original o JOIN duckdb r ON o.note = r.note"
    ).fetchone()
    assert found == (rows, releases["duckdb"].stars)
