"""Files and frames: every cell that is not suppressed comes back as it was, in the kind that was given."""

from __future__ import annotations

import csv
import datetime
import decimal
import gzip

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kilt
from strategies import LADDERS, SPACES, policies, tables

CONSTRUCTORS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=CONSTRUCTORS)
def make(request):
    return CONSTRUCTORS[request.param]


def cells(frame, name) -> list[object]:
    if isinstance(frame, pd.DataFrame):
        return [None if pd.isna(cell) else cell for cell in frame[name].tolist()]
    return frame[name].to_pylist() if isinstance(frame, pa.Table) else frame[name].to_list()


def read(path, delimiter=",") -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


# frames


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


# files


TRICKY = [
    ["zip", "rate", "note", "sex"],
    ["02139", "1.50", "a,b", "f"],
    ["02139", "1.50", 'say "hi"', "f"],
    ["02139", "1.50", "two\nlines", " f "],
    ["02139", "1.50", "NULL", " f "],
    ["00501", "1e3", "#not a comment", "m"],
    ["00501", "1e3", "ünïcödé ★", "m"],
]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "'"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_cells_that_are_not_suppressed_come_back_byte_for_byte(tmp_path, delimiter, end):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, lineterminator=end).writerows(TRICKY)
    release = kilt.anonymize(source, quasi="zip,rate,sex", policy=kilt.Policy(k=2), delimiter=delimiter, output=target)
    assert release.stars == 0
    assert read(target, delimiter) == TRICKY


def test_the_delimiter_is_found_out(tmp_path):
    for delimiter in ",;\t|":
        (tmp_path / "in.csv").write_text(delimiter.join("ab") + "\n" + delimiter.join("12") + "\n")
        kilt.anonymize(tmp_path / "in.csv", quasi="a", policy=kilt.Policy(k=1), output=tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_text() == (tmp_path / "in.csv").read_text()


def test_null_and_empty_text_stay_apart_in_a_file(tmp_path):
    (tmp_path / "in.csv").write_text('q,o\n,1\n"",2\n,3\n"",4\n')
    release = kilt.anonymize(tmp_path / "in.csv", quasi="q", policy=kilt.Policy(k=2), output=tmp_path / "out.csv")
    assert release.stars == 0
    assert (tmp_path / "out.csv").read_text() == 'q,o\n,1\n"",2\n,3\n"",4\n'


def test_compressed_files(tmp_path):
    with gzip.open(tmp_path / "in.csv.gz", "wt") as file:
        file.write("q,o\na,1\nb,2\n")
    kilt.anonymize(tmp_path / "in.csv.gz", quasi="q", policy=kilt.Policy(k=2), output=tmp_path / "out.csv.gz")
    with gzip.open(tmp_path / "out.csv.gz", "rt") as file:
        assert file.read() == "q,o\n*,1\n*,2\n"
    kilt.anonymize(tmp_path / "out.csv.gz", quasi="o", policy=kilt.Policy(k=2), output=tmp_path / "o.tsv.zst")
    kilt.anonymize(tmp_path / "o.tsv.zst", quasi="q", policy=kilt.Policy(k=2), output=tmp_path / "o.csv", mark="?")
    assert (tmp_path / "o.csv").read_text() == "q\to\n*\t*\n*\t*\n"


def test_parquet_keeps_its_types(tmp_path):
    duckdb.sql(
        "SELECT * FROM (VALUES (39, 1.50::DECIMAL(9,2), 'a', [1,2]), (39, 1.50, 'a', [3]), (40, 2.25, 'b', NULL), "
        "(41, 2.25, 'b', [])) t(age, rate, word, list)"
    ).write_parquet(str(tmp_path / "in.parquet"))
    release = kilt.anonymize(
        tmp_path / "in.parquet", quasi="age,rate,word", policy=kilt.Policy(k=2), output=tmp_path / "out.parquet"
    )
    assert release.stars == 2
    before, after = (duckdb.read_parquet(str(tmp_path / f"{name}.parquet")) for name in ("in", "out"))
    assert before.types == after.types
    assert [row[0] for row in after.fetchall()] == [39, 39, None, None]
    assert [row[1:] for row in after.fetchall()] == [row[1:] for row in before.fetchall()]


def test_parquet_to_csv_writes_the_mark(tmp_path):
    duckdb.sql("SELECT unnest([1, 2]) AS age, 'x' AS s").write_parquet(str(tmp_path / "in.parquet"))
    kilt.anonymize(tmp_path / "in.parquet", quasi="age", policy=kilt.Policy(k=2), output=tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "age,s\n*,x\n*,x\n"


def test_nulls_in_typed_parquet_need_a_mark(tmp_path):
    duckdb.sql("SELECT unnest([1, 2, NULL]) AS age").write_parquet(str(tmp_path / "in.parquet"))
    with pytest.raises(kilt.InputError, match="'age' has missing values"):
        kilt.anonymize(tmp_path / "in.parquet", quasi="age", policy=kilt.Policy(k=2), output=tmp_path / "o.parquet")
    assert not (tmp_path / "o.parquet").exists()
    release = kilt.anonymize(tmp_path / "in.parquet", quasi="age", policy=kilt.Policy(k=3), mark="*")
    assert release.frame.fetchall() == [("*",), ("*",), ("*",)]


def test_file_names_with_wildcards_and_quotes_are_taken_literally(tmp_path):
    (tmp_path / "a1.csv").write_text("q\nwrong\n")
    name = "a[1]*?'x.csv"
    (tmp_path / name).write_text("q\nright\n")
    release = kilt.anonymize(tmp_path / name, quasi="q", policy=kilt.Policy(k=1), output=tmp_path / "out'[1].csv")
    assert release.frame.fetchall() == [("right",)]
    assert (tmp_path / "out'[1].csv").read_text() == "q\nright\n"


def test_column_names_that_look_like_sql(tmp_path):
    (tmp_path / "in.csv").write_text('"a ""b""; DROP",c0,"x:prefix","p,q"\n1,2,3,4\n')
    kilt.anonymize(
        tmp_path / "in.csv",
        quasi=['a "b"; DROP', "c0", "x:prefix", "p,q"],
        policy=kilt.Policy(k=1),
        output=tmp_path / "out.csv",
    )
    assert read(tmp_path / "out.csv") == [['a "b"; DROP', "c0", "x:prefix", "p,q"], ["1", "2", "3", "4"]]


def test_many_rows_keep_their_order(tmp_path):
    rng = np.random.default_rng(0)
    quasi = rng.integers(0, 50, 300_000)
    with (tmp_path / "in.csv").open("w") as file:
        file.write("q,number\n")
        file.writelines(f"{q},{i}\n" for i, q in enumerate(quasi))
    kilt.anonymize(tmp_path / "in.csv", quasi="q", policy=kilt.Policy(k=5), output=tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "in.csv").read_bytes()


def test_files_and_frames_give_the_same_release(tmp_path, adult):
    quasi = "sex,age,race,marital-status"
    frame = pd.read_csv(adult, sep=";", dtype=str).head(2000)
    frame.to_csv(tmp_path / "in.csv", index=False)
    asked = {"quasi": quasi, "sensitive": "salary-class", "policy": kilt.Policy(k=5, t="0.3"), "iterations": 5_000}
    from_file = kilt.anonymize(tmp_path / "in.csv", **asked)
    from_frame = kilt.anonymize(frame, **asked)
    assert from_file.frame.fetchall() == list(from_frame.frame.itertuples(index=False, name=None))


@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_release_of_a_random_table_under_a_random_policy_verifies(data, tmp_path_factory):
    """Through files and frames, shuffled or not: what comes out meets the policy, by a count of our own."""
    rows, quasi, sensitive = data.draw(tables(most_rows=25))
    policy = data.draw(policies(len(sensitive)))
    names = [f"q{i}" for i in range(len(quasi))] + [f"s{i}" for i in range(len(sensitive))]
    frame = pl.DataFrame(
        {name: [row[i] for row in rows] for i, name in enumerate(names)}, schema=dict.fromkeys(names, pl.String)
    )
    roles = {
        "quasi": {f"q{i}": LADDERS[name] for i, name in enumerate(quasi)},
        "sensitive": {f"s{i}": SPACES[name] for i, name in enumerate(sensitive)},
    }
    shuffle = data.draw(st.booleans())
    try:
        release = kilt.anonymize(frame, policy=policy, shuffle=shuffle, **roles)
    except kilt.InfeasibleError:
        return
    again = kilt.verify(release.frame, policy=policy, **roles)
    assert again.met
    assert again.k == release.verdict.k
    if not data.draw(st.sampled_from([True, False, False, False])):
        return
    folder = tmp_path_factory.mktemp("random")
    frame.write_csv(folder / "in.csv", null_value="", quote_style="non_numeric")
    from_file = kilt.anonymize(folder / "in.csv", policy=policy, shuffle=shuffle, output=folder / "out.csv", **roles)
    assert from_file.stars == release.stars
    if not shuffle:
        assert kilt.verify(folder / "out.csv", policy=policy, original=folder / "in.csv", **roles).met
