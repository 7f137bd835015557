"""The command inspect: what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import json

import pytest

from support.command import call

ROWS = "\n".join(["age,sex,disease", *(f"{20 + i % 30},{'fm'[i % 2]},{('Flu', 'Cold')[i % 2]}" for i in range(60))])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(ROWS)
    return tmp_path


def test_json_is_all_that_is_printed(folder):
    done = call("inspect", "people.csv", "--json", "--write", "kilt.toml", cwd=folder)
    found = json.loads(done.stdout)
    assert (done.stderr, found["rows"], found["written"]) == ("", 60, "kilt.toml")
    assert [column["kind"] for column in found["columns"]] == ["number", "category", "category"]
    assert found["uniqueness"]["quasi"] == {"columns": ["age", "sex"], "unique_rows": 0}
    assert found["possible"]["largest_k"] == 60
    assert found["possible"]["sensitive"][0]["largest_l"]["frequency"] == 2


def test_a_file_is_never_replaced_unless_that_is_asked_for(folder):
    (folder / "kilt.toml").write_text("mine")
    done = call("inspect", "people.csv", "--write", "kilt.toml", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == "kilt: 'kilt.toml' exists already: choose another name, or replace it with --force\n"
    assert (folder / "kilt.toml").read_text() == "mine"
    assert call("inspect", "people.csv", "--write", "kilt.toml", "--force", "-q", cwd=folder).returncode == 0
    assert "[quasi]" in (folder / "kilt.toml").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["people.csv", "--force"], "'force' has no meaning without --write FILE: give both, or leave it out"),
        (
            ["people.csv", "--write", "people.csv", "--force"],
            "the configuration 'people.csv' is the table: choose another file",
        ),
        (
            ["people.csv", "--write", "people-release.csv"],
            "the configuration 'people-release.csv' would be replaced by the release: choose another name",
        ),
        (["people.csv", "--write", "no/kilt.toml"], "the folder 'no' of the configuration does not exist"),
        (["none.csv"], "the file 'none.csv' does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(folder, words, message):
    done = call("inspect", *words, cwd=folder)
    assert (done.returncode, done.stderr) == (2, f"kilt: {message}\n")
    assert (folder / "people.csv").read_text() == ROWS


def test_a_configuration_elsewhere_finds_its_table(folder):
    (folder / "study").mkdir()
    assert call("inspect", "people.csv", "--write", "study/kilt.toml", "-q", cwd=folder).returncode == 0
    done = call("anonymize", "--config", "study/kilt.toml", "--solver", "greedy", "--time", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "study" / "people-release.csv").exists()


def test_rare_values_are_shown_on_request_only(folder):
    assert "20 (2 rows)" not in call("inspect", "people.csv", cwd=folder).stdout
    assert "20 (2 rows)" in call("inspect", "people.csv", "--show-values", cwd=folder).stdout
