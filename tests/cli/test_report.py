"""Reports by the command: where they may be written, and that nothing half written is left."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest

import kilt
from support.command import call

ROLES = ("--quasi", "Zipcode:characters,Age:characters,Education", "--sensitive", "Disease", "-k", "3", "-t", "0.3")
CONFIG = """
input = "hospital.csv"
output = "release.csv"
report = "report.html"
certificate = "proof.json"
quasi = "Education"
sensitive = "Disease"
keep = ["Zipcode", "Age"]
k = 3
by = ["Education"]
detail = "internal"
"""


@pytest.fixture
def folder(hospital: Path, tmp_path: Path) -> Path:
    (tmp_path / "hospital.csv").write_bytes(hospital.read_bytes())
    return tmp_path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_configuration_serves_both_commands(folder):
    (folder / "kilt.toml").write_text(CONFIG)
    done = call("anonymize", "--config", "kilt.toml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "wrote release.csv and proof.json and report.html" in done.stdout
    first = (folder / "report.html").read_text()
    salt = done.stdout.partition("digest is ")[2][:32]
    assert salt in first  # it is internal
    again = call("report", "--config", "kilt.toml", "--salt", salt, "-o", "again.html", cwd=folder)
    assert again.returncode == 0, again.stderr
    second = (folder / "again.html").read_text()
    for text in (first, second):
        assert "The policy is met." in text
        assert "<dt>bound</dt><dd>4</dd>" in text  # afterwards, by the certificate
        assert "This release is optimal" in text
        assert "By <bdi>Education</bdi>" in text
    digest = first.partition("digest of the original</dt><dd><code>")[2][:64]
    assert len(digest) == 64
    assert digest in second
    assert files(folder) == {"hospital.csv", "kilt.toml", "release.csv", "proof.json", "report.html", "again.html"}


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("hospital.csv", "must be a file whose name ends in .html or .json"),
        ("nowhere/report.html", "the folder 'nowhere' of the report does not exist"),
    ],
)
def test_where_a_report_cannot_be_written(folder, report, said):
    done = call("anonymize", "hospital.csv", "-o", "release.csv", *ROLES, "--report", report, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert files(folder) == {"hospital.csv"}


def test_it_is_never_written_over_the_input(folder):
    (folder / "table.html").write_bytes((folder / "hospital.csv").read_bytes())
    (folder / "table.csv").symlink_to(folder / "table.html")
    same = call("anonymize", "hospital.csv", "-o", "table.csv", *ROLES, "--report", "table.html", cwd=folder)
    assert (same.returncode, "is the output: choose another file" in same.stderr) == (2, True)
    done = call("anonymize", "table.csv", "-o", "release.csv", *ROLES, "--report", "table.html", cwd=folder)
    assert (done.returncode, "is the input: choose another file" in done.stderr) == (2, True)
    again = call("report", "table.csv", "--original", "hospital.csv", *ROLES, "-o", "table.html", cwd=folder)
    assert (again.returncode, "is the release: choose another file" in again.stderr) == (2, True)
    assert (folder / "table.html").read_bytes() == (folder / "hospital.csv").read_bytes()


def test_nothing_is_written_if_the_report_cannot_be_made(folder):
    words = ("hospital.csv", "-o", "release.csv", *ROLES, "--report", "report.html")
    wrong = call("anonymize", *words, "--by", "Educatoin", cwd=folder)
    assert wrong.returncode == 2
    assert "'by' names 'Educatoin', which is not a column that is released: did you mean 'Education'?" in wrong.stderr
    with mock.patch("kilt.report.page.html.report_html", side_effect=RuntimeError):
        assert call("anonymize", *words, cwd=folder).returncode == 2
    assert files(folder) == {"hospital.csv"}


def test_a_report_on_a_table_that_is_no_release(folder):
    done = call("report", "hospital.csv", "--original", "hospital.csv", *ROLES, "-o", "report.html", cwd=folder)
    assert done.returncode == 1
    text = (folder / "report.html").read_text()
    assert "The policy is NOT met." in text
    assert "10 of 10 groups violate the policy" in text
    figures = call("report", "hospital.csv", "--original", "hospital.csv", *ROLES, "--json", cwd=folder)
    assert figures.returncode == 1
    assert json.loads(figures.stdout)["policy"]["broken_groups"] == 10


def test_what_is_missing_is_named(folder):
    done = call("report", "hospital.csv", *ROLES, cwd=folder)
    assert done.returncode == 2
    assert "'original' is missing: kilt report RELEASE --original TABLE" in done.stderr


def test_a_certificate_of_another_policy_is_refused(folder):
    made = call(
        "anonymize", "hospital.csv", "-o", "r.csv", *ROLES[:4], "-k", "2", "--certificate", "p.json", cwd=folder
    )
    assert made.returncode == 0, made.stderr
    beside = ("--original", "hospital.csv", "--certificate", "p.json", "-o", "report.html")
    done = call("report", "r.csv", *beside, *ROLES, cwd=folder)
    assert (done.returncode, "is about another policy" in done.stderr) == (2, True)


COLUMNS = ("--quasi", "Zipcode,Age,Education", "--keep", "Disease")


def test_a_frontier_is_shown_in_the_report(folder):
    found = call("frontier", "hospital.csv", *COLUMNS, "-k", "2,3,11", "--json", cwd=folder)
    (folder / "frontier.json").write_text(found.stdout)
    words = ("anonymize", "hospital.csv", "-o", "release.csv", *COLUMNS, "-k", "3", "--frontier", "frontier.json")
    assert call(*words, "--report", "report.json", cwd=folder).returncode == 0
    assert call(*words, "--report", "report.html", cwd=folder).returncode == 0
    points = json.loads((folder / "report.json").read_text())["frontier"]
    assert [point["policy"] for point in points] == ["k=2", "k=3", "k=11"]
    assert [point["stars"] for point in points] == [20, 24, None]
    page = (folder / "report.html").read_text()
    assert "k=3</bdi> (this report)" in page
    assert "cannot be met" in page
    words = ("report", "release.csv", "--original", "hospital.csv", *COLUMNS[:2], "-k", "3", "-o", "again.html")
    assert call(*words, cwd=folder).returncode == 0
    assert "What other policies would cost" not in (folder / "again.html").read_text()


def test_python_hands_the_points_over(hospital, tmp_path):
    about = {"quasi": "Zipcode,Age,Education", "keep": "Disease"}
    points = kilt.frontier(hospital, **about, k="2,3")
    release = kilt.anonymize(hospital, **about, policy=kilt.Policy(k=3))
    report = release.report(tmp_path / "r.html", frontier=points)
    assert [(point.stars, point.bound) for point in report.frontier] == [(20, 20), (24, 24)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "must hold what"),
        ("[]", "must hold what"),
        ("[1]", "must hold what"),
        ('[{"policy": "k=3", "stars": "many"}]', "must hold what"),
        ("no JSON", "cannot be read"),
        ('[{"policy": "k=3", "stars": 1, "bound": 1}]', "is not that of this table"),
        ('[{"policy": "k=3", "stars": 30, "bound": 29}]', "is not that of this table"),
        ('[{"policy": "k=2", "stars": 31}]', "is not that of this table"),
    ],
)
def test_a_wrong_frontier_is_refused(text, said, folder):
    (folder / "frontier.json").write_text(text)
    words = ("anonymize", "hospital.csv", "-o", "release.csv", *COLUMNS, "-k", "3", "--report", "report.html")
    done = call(*words, "--frontier", "frontier.json", cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert files(folder) == {"hospital.csv", "frontier.json"}
