"""Files: every cell that is not suppressed comes back as it was."""

from __future__ import annotations

import csv
import gzip

import duckdb
import numpy as np
import pytest

import kilt


def read(path, delimiter=",") -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


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
        "SELECT * FROM (VALUES (39, 1.50::DECIMAL(9,2), 'a', true), (39, 1.50, 'a', false), (40, 2.25, 'b', NULL), "
        "(41, 2.25, 'b', true)) t(age, rate, word, flag)"
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
    files = {"data": tmp_path / "in.csv", "output": tmp_path / "out.csv"}
    kilt.anonymize(**files, quasi="q", keep="number", policy=kilt.Policy(k=5))
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "in.csv").read_bytes()


def test_a_column_name_that_occurs_twice_is_refused_however_short(tmp_path):
    path = tmp_path / "twice.csv"
    for header in ("x,a,a", "x,ab,ab", "a,x,A"):
        path.write_text(f"{header}\n1,5,2\n1,5,4\n")
        with pytest.raises(kilt.InputError, match=r"occurs twice|only in case"):
            kilt.anonymize(path, quasi="x", policy=kilt.Policy(k=2))
