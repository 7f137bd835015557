"""The types of a release depend on its ladders and marks alone, never on which cells happen to be hidden."""

from __future__ import annotations

import datetime

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from support.profiles import examples

DAYS = [datetime.date(2000, 1, 1), datetime.date(1999, 2, 3), datetime.date(1980, 4, 5)]
VALUES = {
    "int64": [1, 2, 300],
    "float": [0.5, 1.0, 2.0],
    "bool": [True, False, True],
    "date": DAYS,
    "text": ["a", "b", "c"],
    "category": ["a", "b", "c"],
    "numbers": [7, 8, 9],
}
MASKING = ("prefix", "right", "characters")
LADDERS = ("suppress", *MASKING, "groups=2", "groups=2/from=2")
MARKS = (None, "?", "null", "indicator")


def pandas_frame(kind, values):
    if kind in ("category", "numbers"):
        return pd.DataFrame({"q": pd.Categorical(values, ordered=kind == "numbers")})
    return pd.DataFrame({"q": pd.Series(values, dtype="datetime64[us]" if kind == "date" else None)})


def polars_frame(kind, values):
    dtype = {"category": pl.Categorical, "numbers": pl.Enum(["7", "8", "9"])}.get(kind)
    return pl.DataFrame({"q": pl.Series(map(str, values) if kind == "numbers" else values, dtype=dtype)})


def pyarrow_frame(kind, values):
    array = pa.array(values)
    return pa.table({"q": array.dictionary_encode() if kind in ("category", "numbers") else array})


def parquet_file(kind, values, folder):
    path = folder / "in.parquet"
    duckdb.from_arrow(pyarrow_frame(kind, values)).write_parquet(str(path))
    return path


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": pyarrow_frame}


def schema_of(frame):
    if isinstance(frame, pd.DataFrame):
        return [(name, str(dtype)) for name, dtype in frame.dtypes.items()]
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return list(zip(frame.columns, map(str, frame.types), strict=True))
    return frame.schema


def released(data, ladder, mark, k):
    return schema_of(kilt.anonymize(data, quasi={"q": ladder}, policy=kilt.Policy(k=k), mark=mark).frame)


@given(
    st.sampled_from([*FRAMES, "parquet"]),
    st.sampled_from(list(VALUES)),
    st.lists(st.integers(0, 2), min_size=2, max_size=6),
    st.sampled_from(LADDERS),
    st.sampled_from(MARKS),
)
@examples(50)
def test_a_release_that_hides_nothing_has_the_types_of_one_that_hides_all(
    tmp_path_factory, source, kind, places, ladder, mark
):
    values = [VALUES[kind][place] for place in places]
    data = (
        parquet_file(kind, values, tmp_path_factory.mktemp("parquet"))
        if source == "parquet"
        else FRAMES[source](kind, values)
    )
    if ladder in MASKING and mark in ("null", "indicator"):
        with pytest.raises(kilt.InputError, match="must be a single character"):
            released(data, ladder, mark, 1)
    else:
        assert released(data, ladder, mark, 1) == released(data, ladder, mark, len(values))


@pytest.mark.parametrize("source", FRAMES)
@pytest.mark.parametrize("kind", ["category", "numbers"])
def test_categories_stay_categories_and_do_not_name_what_is_hidden(source, kind):
    first, *others = VALUES[kind]
    frame = FRAMES[source](kind, [first, first, *others])
    release = kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2), mark="*").frame
    if source == "pandas":
        assert release["q"].cat.categories.tolist() == [str(first), "*"]
        assert release["q"].cat.ordered == frame["q"].cat.ordered
    elif source == "polars":
        assert release.schema["q"] == pl.Categorical
    else:
        assert pa.types.is_dictionary(release.schema.field("q").type)
        assert release["q"].combine_chunks().dictionary.to_pylist() == [str(first), "*"]
    nulls = kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2), mark="null").frame
    if source == "pandas":
        assert nulls["q"].cat.categories.tolist() == [first]
    elif source == "pyarrow":
        assert nulls["q"].combine_chunks().dictionary.to_pylist() == [first]
    else:
        assert nulls.schema["q"] == pl.Categorical
        assert nulls["q"].to_list() == [str(first), str(first), None, None]


@pytest.mark.parametrize(
    ("before", "after"),
    [("int64", "Int64"), ("uint8", "UInt8"), ("bool", "boolean"), ("float32", "float32"), ("Int16", "Int16")],
)
def test_columns_of_pandas_that_hold_no_nulls_become_nullable_always(before, after):
    frame = pd.DataFrame({"q": [1, 1, 0]}, index=["x", "y", "z"]).astype(before)
    for k in (1, 2):
        release = kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=k))
        assert str(release.frame["q"].dtype) == after
        assert release.frame.index.tolist() == ["x", "y", "z"]


@pytest.mark.parametrize("dtype", [object, "string[python]", "string[pyarrow]", "str"])
def test_a_text_column_of_pandas_keeps_its_type(dtype):
    frame = pd.DataFrame({"q": pd.Series(["a", "b", None], dtype=dtype)})
    for k in (1, 3):
        assert kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=k)).frame["q"].dtype == frame["q"].dtype


def test_a_text_column_of_pyarrow_keeps_its_type():
    frame = pa.table({"q": pa.array(["a", "b"], pa.large_string())})
    assert kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2)).frame.schema.field("q").type == pa.large_string()


@pytest.mark.parametrize("measure", ["loss", "entropy"])
def test_a_column_that_is_never_hidden_keeps_its_type_whatever_the_mark(tmp_path, measure):
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "day": [DAYS[0], DAYS[0], None, None], "zip": ["1", "2", "1", "2"]})
    frame.write_parquet(tmp_path / "in.parquet")
    roles = {"quasi": "age:keep,day:keep,zip", "policy": kilt.Policy(k=2), "measure": measure}
    kilt.anonymize(tmp_path / "in.parquet", mark="?", output=tmp_path / "out.parquet", **roles)
    released = pl.read_parquet(tmp_path / "out.parquet")
    assert released.schema == frame.schema
    assert released["age"].to_list() == [1, 1, 2, 2]
    assert kilt.verify(tmp_path / "out.parquet", original=tmp_path / "in.parquet", mark="?", **roles).met
    assert kilt.anonymize(frame, mark="?", **roles).frame.schema == frame.schema
