"""Frames: every cell that is not suppressed comes back as it was, in the kind that was given."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from support.profiles import examples

CONSTRUCTORS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=CONSTRUCTORS)
def make(request):
    return CONSTRUCTORS[request.param]


def cells(frame, name) -> list[object]:
    if isinstance(frame, pd.DataFrame):
        return [None if pd.isna(cell) else cell for cell in frame[name].tolist()]
    return frame[name].to_pylist() if isinstance(frame, pa.Table) else frame[name].to_list()


def test_the_same_kind_comes_back(make):
    frame = make({"q": ["a", "a", "b"], "s": ["x", "y", "x"], "o": [1, 2, 3], "name": ["A", "B", "C"]})
    release = kilt.anonymize(frame, quasi="q", identifier="name", policy=kilt.Policy(k=3))
    assert type(release.frame) is type(frame)
    assert cells(release.frame, "q") == ["*", "*", "*"]
    assert cells(release.frame, "s") == ["x", "y", "x"]
    assert cells(release.frame, "o") == [1, 2, 3]
    assert list(getattr(release.frame, "column_names", release.frame.columns)) == ["q", "s", "o"]
    assert cells(frame, "q") == ["a", "a", "b"]


def test_suppressed_cells_of_typed_columns_are_null_and_the_others_keep_their_type(make):
    big = 2**60 + 1
    frame = make(
        {
            "age": [big, big, big, 7],
            "paid": [True, True, True, False],
            "born": [datetime.date(2000, 1, 2)] * 3 + [datetime.date(1999, 1, 1)],
            "rate": [1.5, 1.5, 1.5, 2.5],
        }
    )
    release = kilt.anonymize(frame, quasi="age,paid,born,rate", policy=kilt.Policy(k=2))
    assert release.stars == 8
    for name in ("age", "paid", "born", "rate"):
        assert cells(release.frame, name) == [*cells(frame, name)[:2], None, None]
    doubled = make({"age": [big, big, 7, 8], "sex": ["f", "f", "m", "m"]})
    release = kilt.anonymize(doubled, quasi="age,sex", policy=kilt.Policy(k=2))
    assert cells(release.frame, "age") == [big, big, None, None]
    assert all(type(cell) is int for cell in cells(release.frame, "age")[:2])


def test_nulls_in_a_typed_column_are_refused_until_a_mark_is_chosen(make):
    frame = make({"age": [1, None, 2, 2]})
    with pytest.raises(kilt.InputError, match=r"'age' has missing values.*choose a 'mark'"):
        kilt.anonymize(frame, quasi="age", policy=kilt.Policy(k=2))
    if not isinstance(frame, pd.DataFrame):  # pandas reads 1, None as 1.0, NaN
        release = kilt.anonymize(frame, quasi="age", policy=kilt.Policy(k=2), mark="*")
        assert cells(release.frame, "age") == ["*", "*", "2", "2"]


def test_null_is_a_value_of_its_own(make):
    frame = make({"q": [None, None, "a", "a"]})
    release = kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2))
    assert release.stars == 0
    assert cells(release.frame, "q") == [None, None, "a", "a"]


def test_a_mark_that_is_there_already_is_refused(make):
    frame = make({"q": ["*", "a", "a"], "zip": ["1*", "22", "33"]})
    with pytest.raises(kilt.InputError, match="'q' already holds the mark '\\*'"):
        kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2))
    with pytest.raises(kilt.InputError, match="'zip' already holds the mark"):
        kilt.anonymize(frame, quasi="zip:characters", policy=kilt.Policy(k=2))
    release = kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2), mark="?")
    assert cells(release.frame, "q") == ["?", "?", "?"]


def test_shuffled_rows_are_the_same_rows(make):
    frame = make({"q": list("aabbcc"), "o": list("123456")})
    release = kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2), shuffle=True, seed=1)
    rows = list(zip(cells(release.frame, "q"), cells(release.frame, "o"), strict=True))
    assert sorted(rows) == sorted(zip("aabbcc", "123456", strict=True))
    assert rows != sorted(rows)


def test_a_shuffle_does_not_depend_on_the_order_of_the_original(make):
    one = make({"q": list("aabbcc"), "o": list("123456")})
    other = make({"q": list("ccbbaa"), "o": list("654321")})
    shuffled = [kilt.anonymize(f, quasi="q", policy=kilt.Policy(k=2), shuffle=True).frame for f in (one, other)]
    assert cells(shuffled[0], "o") == cells(shuffled[1], "o")


def test_hidden_values_do_not_stay_in_the_memory_of_a_frame():
    frame = pd.DataFrame({"c": pd.Categorical([11, 11, 77, 78])})
    release = kilt.anonymize(frame, quasi="c", policy=kilt.Policy(k=2))
    assert release.frame["c"].cat.categories.tolist() == [11]
    words = pd.DataFrame({"c": pd.Categorical(["one", "one", "two", "three"])})
    release = kilt.anonymize(words, quasi="c", policy=kilt.Policy(k=2))
    assert release.frame["c"].tolist() == ["one", "one", "*", "*"]
    numbers = pl.DataFrame({"n": [5, 5, 123456789, 987654321]})
    released = kilt.anonymize(numbers, quasi="n", policy=kilt.Policy(k=2)).frame
    assert released["n"].to_arrow().buffers()[1].to_pybytes().find((123456789).to_bytes(8, "little")) == -1


def test_what_python_calls_equal_but_looks_different_is_different():
    frame = pd.DataFrame({"q": pd.Series([1, True, 1.0, "1"], dtype=object)})
    assert kilt.verify(frame, quasi="q").k == 1
    zeros = pl.DataFrame({"q": [0.0, -0.0]})
    assert kilt.verify(zeros, quasi="q").k == 1
    nans = pl.DataFrame({"q": [float("nan"), float("nan"), None, None]})
    assert kilt.verify(nans, quasi="q").k == 2
    decimals = pd.DataFrame({"q": pd.Series([decimal.Decimal("1.5"), decimal.Decimal("1.50")], dtype=object)})
    assert kilt.verify(decimals, quasi="q").k == 1


def test_labels_and_index_of_a_pandas_frame_are_kept():
    frame = pd.DataFrame({0: list("aab"), 1: list("xyz")}, index=["r", "r", "s"])
    frame.columns.name = "field"
    release = kilt.anonymize(frame, quasi=[0], policy=kilt.Policy(k=3))
    assert release.frame.columns.tolist() == [0, 1]
    assert release.frame.index.tolist() == ["r", "r", "s"]
    assert release.frame[1].tolist() == ["x", "y", "z"]


@pytest.mark.parametrize(
    "data", [42, [{"q": 1}], np.zeros(3), pl.LazyFrame({"q": [1]}), pd.Series([1])], ids=lambda d: type(d).__name__
)
def test_what_is_not_a_frame_is_refused(data):
    with pytest.raises(kilt.InputError, match="'data' must be a path or an eager pandas, polars or pyarrow frame"):
        kilt.anonymize(data, quasi="q", policy=kilt.Policy(k=2))


@pytest.mark.parametrize("frame", [pd.DataFrame({"q": []}), pd.DataFrame(), pl.DataFrame({"q": []})])
def test_empty_frames_are_refused(frame):
    with pytest.raises(kilt.InputError, match="the frame has no"):
        kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2))


def test_duplicate_columns_are_refused():
    with pytest.raises(kilt.InputError, match="two columns of the same name"):
        kilt.verify(pd.DataFrame([[1, 2]], columns=["a", "a"]), quasi="a")
    with pytest.raises(kilt.InputError, match="two columns of the same name"):
        kilt.verify(pd.DataFrame([[1, 2]], columns=[1, "1"]), quasi="1")


@given(st.lists(st.tuples(*[st.none() | st.text(max_size=4)] * 2), min_size=1, max_size=8))
@examples(40)
def test_the_hash_by_which_rows_are_dealt_is_that_of_databases(rows):
    from kilt.sources.duck.connection import Database
    from kilt.sources.frame import _digest
    from kilt.sources.sql.engine import digest

    rows = [tuple(None if cell is None else cell.replace("\0", "") for cell in row) for row in rows]
    database = Database()
    database.upload("given", {"r": np.arange(len(rows)), "a": [row[0] for row in rows], "b": [row[1] for row in rows]})
    found = database.rows(f"SELECT {digest(database, ['a', 'b'])} FROM given ORDER BY r")
    assert [row[0] for row in found] == [_digest(row) for row in rows]


def test_floating_point_numbers_are_ordered_and_dealt_as_in_files(tmp_path):
    numbers = [-0.0, 0.0, 9.5, 12345678.5, 1e20, float("nan"), None, 0.1]
    draw = np.random.default_rng(1).integers
    frame = pl.DataFrame(
        {
            "a": [numbers[i] for i in draw(6, size=400)],
            "b": draw(4, size=400),
            "c": [int(40 * (i / 100) ** 4) for i in draw(100, size=400)],
            "s": [str(i) for i in draw(2, size=400)],
            "cost": [numbers[i] for i in draw(8, size=400)],
            "note": [f"row {i}" for i in range(400)],
        }
    )
    frame.write_parquet(tmp_path / "table.parquet")
    places = {"output": tmp_path / "release.parquet", "certificate": tmp_path / "proof.json"}
    given = {"quasi": "a,b,c", "sensitive": "s", "keep": "cost,note", "policy": kilt.Policy(k=8)}
    given |= {"solver": "search", "iterations": 3_000}
    release = kilt.anonymize(frame, **given)
    assert release.plan.is_split.any()
    assert kilt.anonymize(tmp_path / "table.parquet", **given, **places).stars == release.stars
    assert pl.read_parquet(places["output"]).equals(release.frame)
    assert kilt.check(places["certificate"], original=frame).problems == ()


@pytest.mark.parametrize("cell", [["a"], {"a": 1}])
def test_columns_of_nested_cells_are_refused_by_name_unless_they_are_dropped(cell):
    frame = pl.DataFrame({"q": ["a", "a"], "tags": [cell, cell]})
    with pytest.raises(kilt.InputError, match=r"'tags' has the type (List|Struct), which kilt does not compare"):
        kilt.anonymize(frame, quasi="q", keep="tags", policy=kilt.Policy(k=2))
    assert kilt.anonymize(frame, quasi="q", identifier="tags", policy=kilt.Policy(k=2)).frame.columns == ["q"]
