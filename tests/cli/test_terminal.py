"""Names and values of a table are no commands to a terminal or a notebook, whatever they look like."""

from __future__ import annotations

import polars as pl
import pytest

import kilt
from support.command import call

ESCAPE = "\x1b]0;title\x07\x1b[31mred"
NAME = f"<script>alert(1)</script>{ESCAPE}\nverified: k=9"
SENSITIVE = f"s{ESCAPE}"


@pytest.fixture
def table(tmp_path):
    frame = pl.DataFrame({NAME: [ESCAPE, ESCAPE, "a", "b", "c"], "q": list("11223"), SENSITIVE: list("xyxyx")})
    frame.write_csv(tmp_path / "in.csv")
    return tmp_path / "in.csv"


def test_what_is_said_holds_no_control_characters(table, tmp_path):
    columns = ["--quasi", f'"{NAME}",q', "--sensitive", SENSITIVE]
    output, proof = tmp_path / f"o{ESCAPE[-8:]}.csv", tmp_path / "proof.json"
    commands = [
        ["anonymize", table, "-o", output, *columns, "-k", "2", "-t", "0.7", "--certificate", proof, "--log"],
        ["verify", table, *columns, "-k", "2"],
        ["check", proof, "--original", table, "--release", output],
        ["bound", table, *columns, "-k", "2", "-t", "0.7"],
        ["frontier", table, *columns, "-k", "2,9", "-t", "0.7"],
        ["compare", table, *columns, "-k", "2", "--solvers", "greedy"],
        ["inspect", table],
        ["ladder", table, f'"{NAME}"'],
        ["anonymize", table, "-o", output, "--quasi", ESCAPE, "-k", "2"],
        ["anonymize", f"{ESCAPE}.csv", "-o", output, "--quasi", "q", "-k", "2"],
    ]
    for words in commands:
        done = call(*words)
        said = done.stdout + done.stderr
        assert said, words
        assert all(each == "\n" or each.isprintable() for each in said), words
        assert "\nverified: k=9" not in said, words


def test_a_notebook_shows_names_and_values_as_text(table):
    release = kilt.anonymize(
        table, quasi=[NAME, "q"], sensitive=SENSITIVE, policy=kilt.Policy(k=2, t="0.7"), weights={"q": 2}
    )
    shown = release._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "\x1b" not in shown
    assert all(each == "\n" or each.isprintable() for each in release.summary())
