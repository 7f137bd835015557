"""The example tables: they are what they say, and a copy never replaces what somebody has."""

from __future__ import annotations

import csv
import io
import subprocess
import sys

import pytest

import kilt
from kilt.commands.example import EXAMPLES, example, write_example
from kilt.errors import InputError
from support.command import call
from support.paths import ROOT


def rows_of(name: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(example(name).decode()), delimiter=delimiter))


def test_the_patients_are_those_that_the_script_draws():
    script = ROOT / "scripts" / "patients_table.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_file_that_ships_is_an_example():
    assert {path.stem for path in (ROOT / "src" / "kilt" / "data").iterdir()} == EXAMPLES.keys()


def test_the_patients_look_like_a_table_of_a_hospital():
    header, *rows = rows_of("patients")
    assert header == ["name", "birth_date", "admission_date", "zip", "sex", "profession", "diagnosis", "cost"]
    assert len(rows) == 3_000
    assert sum(row[3].startswith("0") for row in rows) > 1_000
    assert len(example("patients")) < 250_000


@pytest.mark.parametrize(("taxonomy", "column"), [("professions", "profession"), ("diagnoses", "diagnosis")])
def test_a_taxonomy_has_every_value_and_its_figures_are_true(taxonomy, column):
    header, *rows = rows_of("patients")
    values = {row[header.index(column)] for row in rows}
    lines = rows_of(taxonomy, ";")
    assert values == {line[0] for line in lines}
    assert f"{len(lines)} values in {len({line[1] for line in lines})} " in EXAMPLES[taxonomy]


def test_the_command_lists_and_writes(tmp_path):
    listed = call("example").stdout
    assert all(name in listed for name in EXAMPLES)
    done = call("example", "hospital", "professions", cwd=tmp_path)
    assert done.stdout == "wrote hospital.csv\nwrote professions.csv\n"
    assert (tmp_path / "hospital.csv").read_bytes() == example("hospital")
    assert kilt.verify(tmp_path / "hospital.csv", quasi="Age", policy=kilt.Policy(k=1)).rows == 10


def test_a_copy_replaces_nothing_unless_told(tmp_path):
    mine = tmp_path / "patients.csv"
    mine.write_text("mine")
    done = call("example", "patients", cwd=tmp_path)
    assert done.returncode == 2
    assert "'patients.csv' exists already" in done.stderr
    assert mine.read_text() == "mine"
    assert call("example", "patients", "--force", cwd=tmp_path).returncode == 0
    assert mine.read_bytes() == example("patients")


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(InputError, match="there is no example 'patient': did you mean 'patients'"):
        example("patient")
    with pytest.raises(InputError, match="does not exist"):
        write_example("patients", tmp_path / "none" / "patients.csv")
    done = call("example", "patients", "hospital", "-o", "x.csv", cwd=tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
