from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import kilt
from kilt.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


CELLS = {  # what is written in SQL, its type and its text
    "double('NaN')": ("double", "NaN"),
    "-0.0d": ("double", "-0.0"),
    "0.0d": ("double", "0.0"),
    "1e20d": ("double", "1.0E20"),
    "float(0.1)": ("float", "0.1"),
    "1.50bd": ("decimal(3,2)", "1.50"),
    "CAST(0 AS DECIMAL(38,18))": ("decimal(38,18)", "0.000000000000000000"),
    "CAST(-0.000000123 AS DECIMAL(20,9))": ("decimal(20,9)", "-0.000000123"),
    "CAST(12345.000000001 AS DECIMAL(20,9))": ("decimal(20,9)", "12345.000000001"),
    "CAST(-1 AS DECIMAL(20,0))": ("decimal(20,0)", "-1"),
    "X'00FF'": ("binary", "00ff"),
    "TIMESTAMP '2020-06-01 12:00:00.5 UTC'": ("timestamp", "2020-06-01 12:00:00.5+00"),
    "TIMESTAMP '1890-01-01 00:00:00 UTC'": ("timestamp", "1890-01-01 00:00:00+00"),
    "TIMESTAMP_NTZ '2020-06-01 12:00:00'": ("timestamp_ntz", "2020-06-01 12:00:00"),
    "DATE '0001-01-01'": ("date", "0001-01-01"),
    "true": ("boolean", "true"),
    "tinyint(-1)": ("tinyint", "-1"),
    "INTERVAL '1' DAY": ("interval day", "INTERVAL '1' DAY"),
    "'a  '": ("string", "a  "),
    "'Ä' COLLATE UTF8_LCASE": ("string collate UTF8_LCASE", "Ä"),
    "CAST(NULL AS DECIMAL(38,18))": ("decimal(38,18)", None),
    "CAST(NULL AS TIMESTAMP)": ("timestamp", None),
    "NULL": ("void", None),
}


@pytest.mark.parametrize(("ansi", "zone"), [("true", "UTC"), ("false", "Asia/Kolkata")])
def test_text_does_not_depend_on_the_settings_of_the_session(spark: SparkSession, ansi: str, zone: str) -> None:
    from kilt.sources.sql.spark.engine import SparkEngine
    from kilt.sources.sql.spark.text import text

    settings = {"spark.sql.ansi.enabled": ansi, "spark.sql.session.timeZone": zone}
    before = {name: spark.conf.get(name) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        frame = spark.sql("SELECT " + ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(CELLS)))
        kinds = dict(frame.dtypes)
        assert [kinds[f"c{i}"] for i in range(len(CELLS))] == [kind for kind, _ in CELLS.values()]
        frame.createOrReplaceTempView("cells")
        texts = ", ".join(text(cell, kind) for cell, kind in kinds.items())
        assert SparkEngine(spark).rows(f"SELECT {texts} FROM cells") == [tuple(said for _, said in CELLS.values())]
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def test_nested_columns_are_refused_by_name_unless_they_are_dropped(spark: SparkSession) -> None:
    nested = {"b": "array(id)", "c": "map(1, 2)", "d": "named_struct('x', 1)", "e": "parse_json('1')"}
    frame = spark.range(4).selectExpr("1 AS a", *(f"{cell} AS {name}" for name, cell in nested.items()))
    for roles in ({"quasi": "a,b"}, {"quasi": "a", "keep": "b,c,d,e"}, {"quasi": "a"}):
        with pytest.raises(InputError) as refused:
            kilt.anonymize(frame, **roles, policy=kilt.Policy(k=2))
        said = (
            "the columns 'b' (array), 'c' (map), 'd' (struct) and 'e' (variant) have types that kilt does not compare"
        )
        assert said in str(refused.value)
    with pytest.raises(InputError, match="the column 'b' has the type array, which kilt does not compare"):
        kilt.anonymize(frame.select("a", "b"), quasi="a", policy=kilt.Policy(k=2))
    assert [column.kind for column in kilt.inspect(frame).columns] == ["constant", *["nested"] * 4]
    release = kilt.anonymize(frame, quasi="a", identifier=list(nested), policy=kilt.Policy(k=2))
    assert [tuple(row) for row in release.frame.collect()] == [(1,)] * 4
