"""The figures of a report are those of the definitions, and those of the verifier."""

from __future__ import annotations

import json
import shlex
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.report.data.model import Report
from support import naive_report as naive
from support.command import call
from support.profiles import examples

FIRST, SECOND, THIRD = ("1", "2", "3"), ("x", "y", None), ("flu", "cold", "flu shot")
ROWS = st.lists(st.tuples(*map(st.sampled_from, (FIRST, SECOND, THIRD))), min_size=4, max_size=12)


def released(rows, ladder="suppress", **more) -> tuple[kilt.Release, list, list]:
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String, "c": pl.String}, orient="row")
    quasi = {"a": ladder, "b": "suppress"}
    release = kilt.anonymize(frame, quasi=quasi, sensitive="c", policy=kilt.Policy(k=2), **more)
    return release, [row[:2] for row in rows], [row[:2] for row in release.frame.rows()]


@examples(30)
@given(ROWS)
def test_a_twin_from_the_definitions(rows):
    release, before, after = released(rows)
    report = release.report(by="b")
    assert Counter(naive.sizes(after)) == Counter(release.sizes.tolist())
    for found, looks in ((report.risk_before, before), (report.risk_after, after)):
        for name, expected in naive.risk(looks, 2).items():
            assert getattr(found, name) == pytest.approx(float(expected), abs=2e-6)
    for found, looks in ((report.utility_before, before), (report.utility_after, after)):
        assert found.discernibility == naive.discernibility(looks)
        assert found.average_group == pytest.approx(len(rows) / len(set(looks)), abs=1e-3)
    lost = naive.lost(before, after)
    assert [each.rows for each in report.lost_rows] == [lost.count(cells) for cells in range(3)]
    for place, column in enumerate(report.columns):
        was, now = ([row[place] for row in looks] for looks in (before, after))
        assert column.entropy == pytest.approx(naive.entropy(was), abs=2e-6)
        assert column.entropy_left == pytest.approx(naive.entropy(was) * naive.entropy_kept(was, now), abs=2e-6)
        assert column.entropy_kept == pytest.approx(naive.entropy_kept(was, now), abs=2e-6)
        assert {level.name: level.cells for level in column.levels if level.cells} == Counter(
            "as it was" if one == other else "hidden" for one, other in zip(was, now, strict=True)
        )
    sensitive = [row[2] for row in rows]
    expected = naive.distances(after, sensitive)
    assert list(report.closeness[0].distances) == pytest.approx([float(each) for each in expected], abs=2e-6)
    check_associations(report, rows, [(*now, row[2]) for now, row in zip(after, rows, strict=True)])
    check_by(report, [row[1] for row in rows], lost)


def check_associations(report: Report, before, after) -> None:
    place = {"a": 0, "b": 1, "c": 2}
    for pair in report.associations:
        for found, rows in ((pair.before, before), (pair.after, after)):
            first, second = ([row[place[name]] for row in rows] for name in (pair.first, pair.second))
            assert found == pytest.approx(naive.cramers_v(first, second), abs=1e-5)


def check_by(report: Report, values, lost) -> None:
    """Every value of at least k rows is named, with what its rows have lost; together they are all rows."""
    (by,) = report.by
    assert sum(each.rows for each in by.values) == len(values)
    assert sum(each.rows * each.cells for each in by.values) == pytest.approx(sum(lost), abs=1e-3)
    for each in by.values:
        assert each.rows >= 2
        if each.value in values:
            assert each.rows == values.count(each.value)
            own = [cells for value, cells in zip(values, lost, strict=True) if value == each.value]
            assert each.cells == pytest.approx(sum(own) / len(own), abs=1e-5)


@examples(15)
@given(ROWS, st.booleans())
def test_levels_add_up_to_what_the_verifier_counted(rows, shuffle):
    release, _, _ = released(rows, ladder="bands=2", shuffle=shuffle)
    for column in release.report().columns:
        blurred = release.verdict.fidelity.columns[column.name]
        assert column.cells == blurred.cells
        assert sum(level.cells for level in column.levels) == len(rows)
        assert sum(level.cells for level in column.levels if level.name != "as it was") == blurred.cells
    assert sum(each.cells * each.rows for each in release.report().lost_rows) == release.verdict.fidelity.cells


ROLES = ("--quasi", "Zipcode:characters,Age:bands=5,10,Education", "--sensitive", "Disease", "-k", "3", "-t", "0.3")


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_figures_are_those_of_verify(hospital, tmp_path, shuffled):
    path = tmp_path / "report.json"
    words = [hospital, "-o", tmp_path / "release.csv", *ROLES, "--report", path, *(["--shuffle"] if shuffled else [])]
    assert call("anonymize", *words).returncode == 0
    beside = ["--original", hospital, *(["--shuffled"] if shuffled else [])]
    verified = json.loads(call("verify", tmp_path / "release.csv", *ROLES, *beside, "--json").stdout)
    again = call("report", tmp_path / "release.csv", *ROLES, *beside, "--json")
    assert again.returncode == 0, again.stderr
    for report in (json.loads(path.read_text()), json.loads(again.stdout)):
        assert report["rows"] == verified["rows"]
        assert report["groups"] == verified["groups"]
        assert report["policy"]["met"] == verified["met"]
        assert report["closeness"][0]["farthest"] == verified["t"]["Disease"]
        assert {name: report["risk_after"][name] for name in verified["risk"]} == verified["risk"]
        assert report["policy"]["principles"][0]["found"] == f"k={verified['k']}"
        if shuffled and report is not verified:
            continue  # the stars of one way to match rows need not be those of the run
        assert report["quality"]["stars"] == verified["fidelity"]["stars"]
        assert report["quality"]["cells"] == verified["fidelity"]["cells"]
        for column in report["columns"]:
            assert column["cells"] == verified["fidelity"]["columns"][column["name"]]["cells"]
            assert column["stars"] == verified["fidelity"]["columns"][column["name"]]["stars"]


@pytest.mark.parametrize("policy", [(), ("-l", "Disease=2", "-t", "Disease=0.6")])
def test_the_command_makes_the_same_release_again(policy, hospital, tmp_path):
    words = (*ROLES, "--weights", "Age=2", "--iterations", "200", "--time", "500", "--seed", "3", "--shuffle", *policy)
    done = call("anonymize", hospital, "-o", tmp_path / "r.csv", *words, "--report", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    command = json.loads((tmp_path / "r.json").read_text())["reproduction"]["command"]
    assert "--time 500" in command
    again = shlex.split(command)[1:]
    again[again.index("INPUT")], again[again.index("OUTPUT")] = hospital, tmp_path / "again.csv"
    assert call(*again).returncode == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "r.csv").read_bytes()
