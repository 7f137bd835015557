"""Limits and typed columns, from a table to its verified release."""

from __future__ import annotations

from datetime import date, datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kilt

BORN = [
    *(date(1980, 3, 5), date(1981, 4, 6), date(1985, 7, 8), date(1990, 1, 1)),
    *(date(1999, 9, 9), date(1995, 5, 5), None, None),
]
ZIPS = ["02139", "02138", "02139", "10001", "10002", "10001", "10002", "10003"]
ROWS = {"born": BORN, "zip": ZIPS, "sex": list("ffffmmmm")}
MEASURES = ["loss", "level", "entropy"]
QUASI = "born:date=year,decade/from=year,zip:prefix=3,2,sex"


@pytest.mark.parametrize("quasi", [QUASI, f"{QUASI}:keep"], ids=["least", "highest"])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_limits_are_kept(frame, measure, quasi):
    table = frame(ROWS)
    release = kilt.anonymize(table, quasi=quasi, policy=kilt.Policy(k=2), measure=measure)
    shown = [group.pattern for group in release.groups]
    assert {each["sex"] for each in shown} <= ({"f", "m"} if quasi.endswith("keep") else {"f", "m", "*"})
    assert all(each["born"] is None or each["born"] == "*" or len(each["born"]) in (4, 5) for each in shown)
    assert kilt.verify(release.frame, quasi=quasi, policy=kilt.Policy(k=2), measure=measure, original=table).met


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamptz"])
def test_typed_columns_of_parquet_work_as_they_are(kind, tmp_path):
    types = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "timestamptz": pa.timestamp("us", tz="UTC")}
    noons = [None if day is None else datetime(day.year, day.month, day.day, 12) for day in BORN]
    path, output = tmp_path / "table.parquet", tmp_path / "release.csv"
    born = pa.array(BORN if kind == "date" else noons, types[kind])
    age = pa.array([34.5, 36, 31, 33, 52, 58, None, 1], pa.float64())
    pq.write_table(pa.table({"born": born, "age": age}), path)
    quasi = "born:date=year,decade,age:bands=10,20/from=10"
    release = kilt.anonymize(path, quasi=quasi, policy=kilt.Policy(k=2), output=output)
    assert release.verdict.fidelity.kept
    assert kilt.verify(output, quasi=quasi, policy=kilt.Policy(k=2), original=path).met
    assert "30-<40" in output.read_text()


@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        ("born", "1980-03-05", "'born' shows 1 value that its least level hides"),
        ("born", "1980-03", "'born' differs from the original in 1 cell"),
        ("zip", "*****", "'zip' differs from the original in 1 cell"),
        ("sex", "*", "'sex' differs from the original in 1 cell"),
    ],
)
def test_a_release_that_breaks_a_limit_is_refused(column, cell, problem):
    table = pd.DataFrame({**ROWS, "born": [None if day is None else str(day) for day in BORN]})
    quasi = "born:date=year,decade/from=year,zip:prefix=3,2!,sex:keep"
    born, zips = ["1980s"] * 3 + ["1990s"] * 3 + [None] * 2, ["02***"] * 3 + ["10***"] * 5
    released = pd.DataFrame({"born": born, "zip": zips, "sex": ROWS["sex"]})
    policy = kilt.Policy(k=1)
    assert kilt.verify(released, quasi=quasi, policy=policy, original=table, mark="*").fidelity.kept
    released.loc[0, column] = cell
    found = kilt.verify(released, quasi=quasi, policy=policy, original=table, mark="*").fidelity
    assert not found.kept
    assert problem in "; ".join(found.problems)


def test_a_search_ends_where_nothing_is_paid_but_the_least_levels():
    rows = [("1899-04-17", "022"), ("1905-07-12", "022"), ("1900-08-23", "010"), ("1896-06-29", "022")]
    frame = pl.DataFrame(rows, schema=["born", "zip"], orient="row")
    quasi = {"born": "date=quarter,year,decade/from=decade", "zip": "prefix=2,1/from=2"}
    for k in (1, 2):
        release = kilt.anonymize(frame, quasi=quasi, policy=kilt.Policy(k=k), solver="search", time=1)
        assert release.exact_stars >= release.exact_least > 0
        assert release.exact_bound >= release.exact_least


@pytest.mark.parametrize("limits", ["/from=4/to=2", "/to=2/from=4"])
def test_limits_may_be_given_in_any_order(limits):
    release = kilt.anonymize(
        pl.DataFrame(ROWS), quasi=f"zip:prefix=4,2{limits}", keep="born,sex", policy=kilt.Policy(k=2)
    )
    assert {len(group.pattern["zip"].rstrip("*")) for group in release.groups} <= {2, 4}


def test_a_column_that_is_kept_is_called_so():
    assert str(kilt.model.ladders.parse_ladder("keep")) == "keep"
    assert "sex: keep," in kilt.ladder(pl.DataFrame(ROWS), "sex:keep").summary()
    with pytest.raises(kilt.InputError, match="the ladder 'keep' has no levels that could be limited"):
        kilt.ladder(pl.DataFrame(ROWS), "sex:keep!")
