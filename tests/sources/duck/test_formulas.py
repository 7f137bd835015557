"""Cells that a spreadsheet would take for formulas: they are warned of, and escaped where that is asked for."""

from __future__ import annotations

import csv
import json

import openpyxl
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.sources.duck.connection import Database
from kilt.sources.duck.formulas import (
    escaped,
    escaped_cell,
    formula_columns,
    is_formula,
    unescaped,
    unescaped_cell,
)
from support.command import call
from support.profiles import examples

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=\n", "-5-", "+1 2", "-,"]
HARMLESS = ["-5", "+3", "-1,234.50", "-.5", "+2e-7", "-5%", "=", "-", "+", "@", "", "a=1", "*", "'=1", "5-3", "''-1+2"]
texts = st.text(alphabet="'=+-@\t\r\n1a., \u00e9", max_size=6)


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_escaped(text):
    assert is_formula(text)
    assert escaped(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_and_texts_are_no_formulas(text):
    assert not is_formula(text)


@given(text=texts)
@examples(200)
def test_what_is_escaped_can_be_unescaped_and_nothing_else_changes(text):
    assert unescaped(escaped(text)) == text
    assert not is_formula(escaped(text))
    if unescaped(text) != text:
        assert escaped(unescaped(text)) == text


def test_sql_says_the_same():
    cells = [*FORMULAS, *HARMLESS, *map(escaped, FORMULAS), None]
    database = Database()
    database.connection.execute("CREATE TABLE t AS SELECT unnest(?::VARCHAR[]) AS c", [cells])
    rows = database.rows(f"SELECT c, {escaped_cell('c')}, {unescaped_cell('c')} FROM t")
    assert len(rows) == len(cells)
    for cell, quoted, plain in rows:
        assert (quoted, plain) == (None, None) if cell is None else (escaped(cell), unescaped(cell))
    assert formula_columns(database, "t", ["c"]) == [0]
    database.connection.execute("DELETE FROM t WHERE left(c, 1) <> ''''")
    assert formula_columns(database, "t", ["c"]) == []


@pytest.fixture
def table(tmp_path):
    notes = [*FORMULAS[:4], "-5", "+3", "'=1", "plain"]
    ages = ["30", "30", "-1+1", "-1+1", "31", "31", "31", "30"]
    frame = pl.DataFrame({"=age": ages, "note": notes})
    frame.write_csv(tmp_path / "in.csv")
    return tmp_path / "in.csv"


WORDS = ["--quasi", "=age", "--keep", "note", "-k", "2"]


def test_a_release_with_formulas_is_warned_of_and_refused_by_strict(table, tmp_path):
    done = call("anonymize", table, "-o", tmp_path / "out.csv", *WORDS, "--json")
    (warning,) = json.loads(done.stdout)["warnings"]
    assert warning.startswith("a spreadsheet would take cells of '=age' and 'note' for formulas: --escape-formulas ")
    strict = call("anonymize", table, "-o", tmp_path / "strict.csv", *WORDS, "--strict")
    assert strict.returncode == 4
    assert not (tmp_path / "strict.csv").exists()


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz"])
def test_an_escaped_release_is_verified_against_the_original(name, table, tmp_path):
    output = tmp_path / name
    done = call("anonymize", table, "-o", output, *WORDS, "--escape-formulas", "--json")
    assert json.loads(done.stdout)["warnings"] == []
    words = ["verify", output, "--original", table, "--quasi", "=age", "-k", "2"]
    assert call(*words, "--escape-formulas").returncode == 0
    if name == "out.csv":
        with output.open(newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["'=age", "note"]
        assert not any(is_formula(cell) for row in rows for cell in row)
        assert [row[1] for row in rows[1:]] == list(map(escaped, pl.read_csv(table, infer_schema=False)["note"]))
        plain = call(*words)  # nobody said that cells are escaped: they are not what they were
        assert plain.returncode != 0


def test_a_forged_cell_is_found_behind_an_escape(table, tmp_path):
    output = tmp_path / "out.csv"
    call("anonymize", table, "-o", output, *WORDS, "--escape-formulas")
    output.write_text(output.read_text().replace("'=1+1", "'=1+2"))
    done = call("verify", output, "--original", table, "--quasi", "=age", "-k", "2", "--escape-formulas")
    assert done.returncode == 1
    assert "'note' differs from the original in 1 cell" in done.stdout


def test_certificate_and_report_take_an_escaped_release(table, tmp_path):
    output, proof = tmp_path / "out.csv", tmp_path / "proof.json"
    call("anonymize", table, "-o", output, *WORDS, "--escape-formulas", "--certificate", proof)
    checked = call("check", proof, "--original", table, "--release", output, "--escape-formulas")
    assert checked.returncode == 0, checked.stdout
    words = ["--original", table, "--quasi", "=age", "-k", "2", "--escape-formulas", "-o", tmp_path / "r.html"]
    assert call("report", output, *words).returncode == 0


def test_python_writes_and_verifies_it_too(table, tmp_path):
    release = kilt.anonymize(table, quasi="=age", keep="note", policy=kilt.Policy(k=2))
    assert release.warnings == ()  # nothing was written
    release.write(tmp_path / "out.csv", escape_formulas=True)
    asked = {"quasi": "=age", "original": table, "policy": kilt.Policy(k=2)}
    assert kilt.verify(tmp_path / "out.csv", **asked, escape_formulas=True).met


def test_a_workbook_keeps_formulas_as_texts(table, tmp_path):
    output = tmp_path / "out.xlsx"
    done = call("anonymize", table, "-o", output, *WORDS, "--escape-formulas", "--json")
    assert json.loads(done.stdout)["warnings"] == []
    cells = [cell for row in openpyxl.load_workbook(output).active.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert "=1+1" in [cell.value for cell in cells]
