"""Excel workbooks: cells are read as they were typed, and a release is a workbook with the same cells."""

from __future__ import annotations

import datetime
import sys
import zipfile

import duckdb
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_source
from kilt.sources.workbook import read_sheet
from kilt.sources.workbook_writer import write_workbook
from support.profiles import examples

NAMES = ["zip", "age", "born", "admitted", "rate", "smokes", "code", "note"]
DAY, TIME = datetime.datetime(2000, 1, 2), datetime.datetime(2024, 5, 6, 7, 8, 9)
ROWS = [
    ["02139", 34, DAY, TIME, 1.5, True, 501, " x "],
    ["02139", 34, DAY, TIME, 2, False, 2139, "=1+1"],
    ["02138", 61, DAY, TIME, 0.1, True, 7, None],
]
TEXTS = [
    ("02139", "34", "2000-01-02", "2024-05-06 07:08:09", "1.5", "TRUE", "00501", " x "),
    ("02139", "34", "2000-01-02", "2024-05-06 07:08:09", "2", "FALSE", "02139", "=1+1"),
    ("02138", "61", "2000-01-02", "2024-05-06 07:08:09", "0.1", "TRUE", "00007", None),
]


def workbook(path, rows=(), *, name="patients", others=()):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = name
    for row in rows or [NAMES, *ROWS]:
        sheet.append(row)
    for row in sheet.iter_rows(min_row=2):
        for cell, column in zip(row, sheet[1], strict=True):
            cell.data_type = "s" if cell.value == "=1+1" else cell.data_type
            formats = {"born": "dd.mm.yyyy", "admitted": "dd.mm.yyyy hh:mm", "code": "00000"}
            cell.number_format = formats.get(str(column.value), cell.number_format)
    for title, cells in others:
        book.create_sheet(title).append(cells)
    book.save(path)
    return path


def test_cells_are_read_as_they_were_typed(tmp_path):
    source = open_source(workbook(tmp_path / "in.xlsx"))
    assert source.columns == NAMES
    assert source.native.fetchall() == TEXTS
    assert not any(source.typed(name) for name in NAMES)


def test_a_release_is_a_workbook_with_cells_of_the_same_kinds(tmp_path):
    workbook(tmp_path / "in.xlsx", others=[("names", ["Ann", "Bob"])])
    options = {"quasi": "zip,age,born", "policy": kilt.Policy(k=2)}
    release = kilt.anonymize(tmp_path / "in.xlsx", **options, output=tmp_path / "out.xlsx", mark="?")
    book = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert book.sheetnames == ["patients"]
    cells = [list(row) for row in book["patients"].iter_rows(values_only=True)]
    assert cells[0] == NAMES
    assert [row[3:6] for row in cells[1:]] == [row[3:6] for row in ROWS]
    assert [type(row[4]) for row in cells[1:]] == [float, int, float]
    assert {row[1] for row in cells[1:]} == {"?"}
    assert cells[2][7] == "=1+1"
    assert book["patients"].cell(3, 8).data_type == "s"
    verdict = kilt.verify(tmp_path / "out.xlsx", original=tmp_path / "in.xlsx", **options, mark="?")
    assert verdict.met
    assert verdict.fidelity.stars == release.exact_stars
    first = (tmp_path / "out.xlsx").read_bytes()
    kilt.anonymize(tmp_path / "in.xlsx", **options, output=tmp_path / "out.xlsx", mark="?")
    assert (tmp_path / "out.xlsx").read_bytes() == first


def test_between_workbooks_and_other_files(tmp_path):
    workbook(tmp_path / "in.xlsx")
    options = {"quasi": "zip", "policy": kilt.Policy(k=1)}
    kilt.anonymize(tmp_path / "in.xlsx", **options, output=tmp_path / "out.csv", delimiter=";", encoding="utf-16")
    assert (tmp_path / "out.csv").read_text("utf-16").startswith("zip;age;born")
    kilt.anonymize(tmp_path / "out.csv", **options, output=tmp_path / "again.xlsx", encoding="utf-16")
    assert open_source(tmp_path / "again.xlsx").native.fetchall() == TEXTS
    kilt.anonymize(tmp_path / "in.xlsx", **options, output=tmp_path / "out.parquet")
    assert duckdb.read_parquet(str(tmp_path / "out.parquet")).fetchall() == TEXTS
    duckdb.sql("SELECT 1.0::DOUBLE AS a, DATE '2000-01-02' AS b, true AS c").write_parquet(str(tmp_path / "in.parquet"))
    kilt.anonymize(tmp_path / "in.parquet", quasi="a", policy=kilt.Policy(k=1), output=tmp_path / "typed.xlsx")
    assert open_source(tmp_path / "typed.xlsx").native.fetchall() == [("1.0", "2000-01-02", "true")]


def test_a_sheet_is_chosen_by_its_name(tmp_path):
    path = workbook(tmp_path / "in.xlsx", name="first", others=[("Zweites Blatt", ["a", "b"])])
    book = openpyxl.load_workbook(path)
    book["Zweites Blatt"].append([1, 2])
    book.save(path)
    assert open_source(path, FileStyle(sheet="Zweites Blatt")).native.fetchall() == [("1", "2")]
    kilt.anonymize(path, quasi="a", policy=kilt.Policy(k=1), sheet="Zweites Blatt", output=tmp_path / "out.xlsx")
    assert openpyxl.load_workbook(tmp_path / "out.xlsx").sheetnames == ["Zweites Blatt"]
    with pytest.raises(
        kilt.InputError, match=r"'sheet' names 'frist', which is not a sheet of .*: did you mean 'first'\?"
    ):
        open_source(path, FileStyle(sheet="frist"))


def test_the_sheet_of_a_release_from_another_file_can_be_named(tmp_path):
    (tmp_path / "in.csv").write_text("a\n1\n")
    options = {"quasi": "a", "policy": kilt.Policy(k=1), "output": tmp_path / "out.xlsx"}
    kilt.anonymize(tmp_path / "in.csv", **options, sheet="x" * 40)
    assert openpyxl.load_workbook(tmp_path / "out.xlsx").sheetnames == ["x" * 31]
    with pytest.raises(kilt.InputError, match=r"'sheet' must be a name without any of .* and not 'a/b'"):
        kilt.anonymize(tmp_path / "in.csv", **options, sheet="a/b")


def test_an_indicator_in_a_workbook(tmp_path):
    workbook(tmp_path / "in.xlsx", [["age", "s"], [34, "a"], [None, "b"], [35, "c"]])
    options = {"quasi": "age", "policy": kilt.Policy(k=3), "mark": "indicator"}
    kilt.anonymize(tmp_path / "in.xlsx", **options, output=tmp_path / "out.xlsx", certificate=tmp_path / "proof.json")
    assert kilt.verify(tmp_path / "out.xlsx", original=tmp_path / "in.xlsx", **options).met
    assert kilt.check(tmp_path / "proof.json", original=tmp_path / "in.xlsx", release=tmp_path / "out.xlsx").passed


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[None]], "the sheet 'patients' of '.*in.xlsx' is empty"),
        ([["zip", "age"]], "'.*in.xlsx' has a header but no rows"),
        ([["zip", "zip"], [1, 2]], "the column name 'zip' of '.*in.xlsx' occurs twice"),
        ([["zip", None], [1, 2]], "the header of '.*in.xlsx' has a column without a name"),
        ([["zip"], ["=A1"]], "the sheet 'patients' of '.*' has 1 formula without a stored result: open the"),
    ],
)
def test_sheets_that_are_no_tables(tmp_path, rows, message):
    with pytest.raises(kilt.InputError, match=message):
        open_source(workbook(tmp_path / "in.xlsx", rows))


def test_empty_rows_and_columns_are_no_part_of_the_table(tmp_path):
    rows = [[None, None], ["a", "b", None], [1, 2], [None, None], [3, None], [None, None, None]]
    source = open_source(workbook_of_cells(tmp_path / "in.xlsx", rows))
    assert source.native.fetchall() == [("1", "2"), ("3", None)]


def workbook_of_cells(path, rows):
    book = openpyxl.Workbook()
    for i, row in enumerate(rows, 1):
        for j, value in enumerate(row, 1):
            book.active.cell(i, j, value)
    book.active.cell(len(rows) + 3, 6).number_format = "0.00"  # formatted, but without a value
    book.save(path)
    return path


def test_results_of_formulas_are_read(tmp_path):
    path = workbook(tmp_path / "in.xlsx", [["a", "b"], [1, "=A2+1"], [2, "=A3+1"]])
    with zipfile.ZipFile(path) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    sheet = entries["xl/worksheets/sheet1.xml"].replace(b"<v></v>", b"<v>7</v>").replace(b"<v />", b"<v>7</v>")
    with zipfile.ZipFile(path, "w") as new:
        for name, content in entries.items():
            new.writestr(name, sheet if name == "xl/worksheets/sheet1.xml" else content)
    assert open_source(path).native.fetchall() == [("1", "7"), ("2", "7")]


@pytest.mark.parametrize("content", [b"no archive", b"\xd0\xcf\x11\xe0 old", b"PK\x03\x04 broken"])
def test_what_is_no_workbook_is_refused(tmp_path, content):
    (tmp_path / "in.xlsx").write_bytes(content)
    with pytest.raises(
        kilt.InputError, match=r"'.*in.xlsx' cannot be read as an Excel workbook: it is damaged, protected"
    ):
        open_source(tmp_path / "in.xlsx")


def test_other_archives_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "in.xlsx", "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(kilt.InputError, match="cannot be read as an Excel workbook"):
        open_source(tmp_path / "in.xlsx")


def test_a_date_that_is_none_is_refused(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.active.append([1e9])
    book.active["A2"].number_format = "yyyy-mm-dd"
    book.save(tmp_path / "in.xlsx")
    with pytest.raises(kilt.InputError, match="formatted as dates, but are none"):
        open_source(tmp_path / "in.xlsx")


@pytest.mark.parametrize("name", ["in.xls", "in.ods", "in.xlsb"])
def test_older_workbooks_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(kilt.InputError, match=r"a workbook of a kind that kilt does not know: save it as .xlsx"):
        open_source(tmp_path / name)


def test_a_workbook_with_the_name_of_a_text_file_is_told(tmp_path):
    workbook(tmp_path / "in.xlsx").rename(tmp_path / "in.csv")
    with pytest.raises(
        kilt.InputError, match="is an Excel workbook or another ZIP archive: give a workbook a name that"
    ):
        open_source(tmp_path / "in.csv")


def test_without_openpyxl_the_error_says_what_to_install(tmp_path, monkeypatch):
    workbook(tmp_path / "in.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(kilt.InputError, match=r"needs openpyxl: pip install 'kilt\[excel\]', or use a CSV file"):
        open_source(tmp_path / "in.xlsx")
    (tmp_path / "in.csv").write_text("a\n1\n")
    with pytest.raises(kilt.InputError, match=r"'.*out.xlsx' is an Excel workbook, which needs openpyxl"):
        kilt.anonymize(tmp_path / "in.csv", quasi="a", policy=kilt.Policy(k=1), output=tmp_path / "out.xlsx")


@pytest.mark.parametrize(
    "cells", ['1,""\n', "1,a\x01b\n", '1,"a\rb"\n', "1," + "x" * 40_000 + "\n", ",\n1,2\n"], ids=range(5)
)
def test_what_a_workbook_cannot_hold_is_refused_and_nothing_is_left(tmp_path, cells):
    (tmp_path / "in.csv").write_text("a,b\n1,c\n" + cells, newline="")
    with pytest.raises(kilt.InputError, match="write CSV or Parquet instead"):
        kilt.anonymize(tmp_path / "in.csv", quasi="a", policy=kilt.Policy(k=1), output=tmp_path / "out.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_workbook_is_not_compressed_twice(tmp_path):
    with pytest.raises(kilt.InputError, match="is an Excel workbook, which is compressed by itself"):
        kilt.anonymize(workbook(tmp_path / "in.xlsx"), quasi="zip", policy=kilt.Policy(k=1), output="out.xlsx.gz")


TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), min_size=1
)
CELL = st.one_of(
    TEXT,
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.integers().map(str),
    st.datetimes().map(str),
    st.dates().map(str),
    st.sampled_from(
        ["TRUE", "FALSE", "=1", "#N/A", "_x000D_", "1e5", "1E5", "+1", "0x1", "1_0", " 1", "007", "-0", "-0.0"]
    ),
)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5), st.sampled_from(["number", "date", "truth", "text"]))
@examples(150)
def test_every_text_is_read_as_it_was_written_whatever_its_column_held(tmp_path_factory, rows, kind):
    path = tmp_path_factory.mktemp("book") / "out.xlsx"
    write_workbook(path, "s", ["a", "b"], rows, {"a": kind})
    assert [tuple(row) for row in read_sheet(path, None, "it").rows] == [("a", "b"), *rows]
