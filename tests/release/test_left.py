"""What is left of each column is counted by the verifier, and what is hidden altogether is warned of."""

from __future__ import annotations

import json
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.release.left import ColumnLeft, warnings_of
from support.command import call, without_log
from support.profiles import examples
from support.strategies import LADDERS, tables

FRAME = pl.DataFrame({"zip": ["02139", "02138", "02139", "02138"], "sex": list("ffmm"), "age": list("1111")})


def left(release: kilt.Release) -> dict[str, tuple[Fraction, Fraction]]:
    return {name: (column.cells, column.detail) for name, column in release.left.items()}


def test_what_is_left_of_each_column():
    release = kilt.anonymize(FRAME, quasi="zip,sex,age", policy=kilt.Policy(k=2))
    assert sorted(left(release).values()) == [(0, 0), (1, 1), (1, 1)]
    release = kilt.anonymize(FRAME, quasi="zip:characters,age", identifier="sex", policy=kilt.Policy(k=4))
    assert left(release) == {"zip": (0, Fraction(4, 5)), "age": (1, 1)}
    assert "detail left: 'zip' 80% (0% of cells untouched), 'age' 100%" in release.summary()
    assert release.to_dict()["left"]["zip"] == {"cells": 0, "detail": 0.8}
    assert release.warnings == ()


def test_weights_change_what_a_column_costs_and_not_what_is_left_of_it():
    weighted = kilt.anonymize(FRAME, quasi="sex", keep="zip,age", policy=kilt.Policy(k=4), weights="sex=7/3")
    assert left(weighted) == {"sex": (0, 0)}
    assert weighted.warnings == ("everything is hidden",)


def test_a_share_of_the_detail_is_lost_where_cells_are_blurred_in_steps():
    table = pl.DataFrame({"zip": ["11", "12", "21", "22", "33", "33"]})
    release = kilt.anonymize(table, quasi="zip:prefix", policy=kilt.Policy(k=2))
    lines = release.summary().splitlines()
    assert lines[0] == "6 rows in 3 groups, 16.7% of the detail is lost; at least 16.7% must be"
    assert lines[1] == "optimal: no release under k=2 can lose less"
    assert lines[2] == "detail left: 'zip' 83.3% (33.3% of cells untouched)"
    assert (release.lost, release.must_be_lost) == (Fraction(1, 6), Fraction(1, 6))
    whole = kilt.anonymize(table, quasi="zip", policy=kilt.Policy(k=2)).summary().splitlines()
    assert whole[:2] == [
        "6 rows in 2 groups, 4 stars: 66.7% of the quasi cells are hidden; at least 66.7% must be",
        "optimal: no release under k=2 can have fewer stars",
    ]


@pytest.mark.parametrize(
    ("quasi", "weights", "what"),
    [
        ("zip,sex", None, "quasi cells"),
        ("zip,sex", "zip=0.5,sex=0.5", "quasi cells"),
        ("zip,sex", "zip=2", "detail"),
        ("zip:characters,sex", "zip=0.2", "detail"),
        ("zip:prefix,sex", None, "detail"),
    ],
)
def test_a_share_is_one_of_cells_only_where_every_cell_counts_the_same(quasi, weights, what):
    given = {"quasi": quasi, "keep": "age", "policy": kilt.Policy(k=3), "weights": weights}
    lost = "are hidden" if what == "quasi cells" else "is lost"
    assert f"% of the {what} {lost}; at least " in kilt.anonymize(FRAME, **given).summary()
    assert f"% of the {what}" in kilt.bound(FRAME, **given).summary()


def test_a_gap_is_told_as_a_share_of_what_is_lost():
    table = pl.DataFrame({"zip": [f"{i:03d}" for i in range(0, 900, 7)]})
    release = kilt.anonymize(table, quasi="zip:prefix", policy=kilt.Policy(k=3), solver="mondrian")
    assert release.status == "feasible"
    assert "another release under k=3 could lose at most that much less" in release.summary()


def test_many_columns_are_told_in_part():
    wide = pl.DataFrame({f"q{i}": ["a", "a", "b" if i < 3 else "a", "b"] for i in range(14)})
    release = kilt.anonymize(wide, quasi=wide.columns, policy=kilt.Policy(k=2))
    line = next(line for line in release.summary().splitlines() if line.startswith("detail left"))
    assert line.count("'q") == 10
    assert line.endswith(", and 4 columns with at least 50%")


@given(data=st.data())
@examples(40)
def test_the_stars_of_the_columns_are_those_of_the_release(data):
    rows, quasi, _ = data.draw(tables(most_rows=15))
    names = [f"q{i}" for i in range(len(quasi))]
    cells = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    frame = pl.DataFrame(cells, schema=dict.fromkeys(names, pl.String))
    ladders = {name: LADDERS[ladder] for name, ladder in zip(names, quasi, strict=True)}
    release = kilt.anonymize(frame, quasi=ladders, policy=kilt.Policy(k=min(2, len(rows))))
    fidelity = release.verdict.fidelity
    assert sum(column.stars for column in fidelity.columns.values()) == release.exact_stars
    before, after = frame.to_dict(as_series=False), release.frame.to_dict(as_series=False)
    for name in names:
        same = sum(was == now for was, now in zip(before[name], after[name], strict=True))
        assert release.left[name].cells == Fraction(same, len(rows))
        assert 0 <= release.left[name].detail <= 1
        assert fidelity.columns[name].cells == len(rows) - same
    hidden = all(column.detail == 0 for column in release.left.values())
    assert ("everything is hidden" in release.warnings) is hidden is (release.exact_stars == release.most_stars > 0)


# warnings


def test_what_is_warned_of():
    full, none = ColumnLeft(Fraction(1), Fraction(1)), ColumnLeft(Fraction(0), Fraction(0))
    some = ColumnLeft(Fraction(0), Fraction(1, 9))
    zero, one = Fraction(0), Fraction(1)
    assert warnings_of({"a": full, "b": some}, one, one, zero) == ()
    assert warnings_of({"a": full, "b": none}, one, one, zero) == ("'b' is hidden in all rows",)
    assert warnings_of({"a": none, "b": none, "c": some}, one, one, zero) == ("'a' and 'b' are hidden in all rows",)
    assert warnings_of({"a": none, "b": none}, one, one, zero) == ("everything is hidden",)
    assert warnings_of({"a": full}, Fraction(10), Fraction(5), zero) == ()
    assert warnings_of({"a": full}, Fraction(0), Fraction(0), zero) == ()
    assert warnings_of({"a": full}, Fraction(0), None, zero) == ()
    assert warnings_of({"a": full}, Fraction(1), None, zero) == ("no lower bound is known",)
    (gap,) = warnings_of({"a": full}, Fraction(10), Fraction(49, 10), zero)
    assert gap.startswith("the gap is 51%")


def test_warnings_stand_first_and_in_json(hospital, tmp_path):
    words = ["anonymize", hospital, "-o", tmp_path / "out.csv", "--quasi", "Zipcode,Age,Education", "-k", "2"]
    words += ["--sensitive", "Disease"]
    done = call(*words)
    assert done.returncode == 0
    assert done.stdout.startswith("WARNING: 'Zipcode' and 'Age' are hidden in all rows\n10 rows in ")
    assert json.loads(call(*words, "--json").stdout)["warnings"] == ["'Zipcode' and 'Age' are hidden in all rows"]
    release = kilt.anonymize(hospital, quasi="Zipcode,Age,Education", sensitive="Disease", policy=kilt.Policy(k=2))
    assert release.warnings == ("'Zipcode' and 'Age' are hidden in all rows",)
    assert "<strong>Warning</strong>: &#x27;Zipcode&#x27;" in release._repr_html_()


def test_strict_makes_them_errors_before_anything_is_written(hospital, tmp_path):
    words = ["anonymize", hospital, "-o", tmp_path / "out.csv", "--quasi", "Zipcode,Age,Education", "-k", "2"]
    done = call(*words, "--strict", "--certificate", tmp_path / "proof.json")
    assert done.returncode == 4
    assert done.stdout == ""
    assert without_log(done.stderr) == (
        "kilt: 'strict' makes warnings errors, nothing was written: 'Zipcode' and 'Age' are hidden in all rows\n"
    )
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "kilt.toml").write_text(
        f'input = "{hospital}"\noutput = "out.csv"\nquasi = "Age"\nk = 2\nstrict = true\n'
    )
    assert call("anonymize", "--config", tmp_path / "kilt.toml").returncode == 4
    with pytest.raises(kilt.StrictError, match="everything is hidden"):
        kilt.anonymize(FRAME, quasi="sex", keep="zip,age", policy=kilt.Policy(k=4), strict=True)
    assert kilt.anonymize(FRAME, quasi="sex", keep="zip,age", policy=kilt.Policy(k=2), strict=True).stars == 0


def test_a_large_gap_is_warned_of(hospital):
    class OneGroup:
        name = "one-group"

        def refuses(self, problem):
            return None

        def solve(self, problem, stop, observer):
            import numpy as np

            from kilt.model.partition import Partition
            from kilt.solvers.base import Solution

            types = np.arange(len(problem.counts))
            return Solution(Partition.of(problem, types, np.zeros_like(types), problem.counts))

    frame = pl.DataFrame({"q": ["a", "a", "b", "b"], "r": ["x", "x", "x", "x"]})
    release = kilt.anonymize(frame, quasi="q,r", policy=kilt.Policy(k=2), solver=OneGroup())
    assert release.warnings == (
        "'q' is hidden in all rows",
        "the gap is 100%, so that a much better release may exist: more time may help",
    )
    assert release.summary().startswith(f"WARNING: {'; '.join(release.warnings)}\n")
