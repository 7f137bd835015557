"""The command as a user meets it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile

import pytest
from click.testing import CliRunner

from kilt.cli.browser import open_in_browser
from kilt.cli.commands import cli
from kilt.cli.group import ORDER, first_sentence
from kilt.commands import demo
from support.command import call, run

WORDS = ["--quasi", "Zipcode:characters,Age:characters,Education", "--sensitive", "Disease"]


def test_demo_finds_the_optimum_and_loads_no_compiler():
    code = (
        "import sys, kilt.commands.demo as demo; demo.SECONDS = 0.3; from kilt.cli.main import main; main(); "
        "print('cython' in sys.modules, file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code, "demo"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "63 stars" in result.stdout
    assert "optimal" in result.stdout
    assert "3,000 rows in " in result.stdout
    assert "kilt anonymize" in result.stdout
    assert "\x1b[" not in result.stdout
    assert result.stderr.splitlines()[-1] == "False"


@pytest.fixture
def short_demo(monkeypatch):
    monkeypatch.setattr(demo, "SECONDS", 0.3)


@pytest.mark.usefixtures("short_demo")
def test_the_report_of_the_demo_is_opened_on_request(monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr("kilt.cli.releasing.open_in_browser", lambda page: not opened.append(page))
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    assert call("demo").returncode == 0
    assert opened == []
    done = call("demo", "--open")
    assert opened == [tmp_path / "report.html"]
    assert "browser" not in done.stderr
    assert f"wrote {tmp_path / 'report.html'}" in done.stdout
    assert "<html" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(("ends", "opens"), [("exit 0", True), ("exit 3", False), ("sleep 3", True)])
def test_what_an_opener_says_is_not_shown(ends, opens, monkeypatch, tmp_path, capfd):
    (tmp_path / "xdg-open").write_text(f"#!/bin/sh\necho no browser here; echo nor here >&2\n{ends}\n")
    (tmp_path / "xdg-open").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("kilt.cli.browser.PATIENCE", 1.0)
    assert open_in_browser(tmp_path / "report.html") == opens
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("short_demo")
def test_demo_shows_stars_in_colour_on_a_terminal():
    result = CliRunner().invoke(cli, ["demo"], color=True)
    assert "\x1b[33m\x1b[1m*\x1b[0m" in result.output


def test_anonymize_with_json_prints_one_object_only(hospital, tmp_path):
    result = run("anonymize", hospital, "-o", tmp_path / "out.csv", *WORDS, "-k", "3", "-t", "0.3", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert {"rows", "groups", "stars", "bound", "gap", "status", "solver", "seconds"} <= set(found)
    assert (found["rows"], found["stars"], found["bound"], found["gap"]) == (10, 63, 63, 0)
    assert (found["status"], found["solver"]) == ("optimal", "exhaustive")
    assert result.stdout.count("\n") == 1


def test_a_heuristic_claims_no_optimum(hospital, tmp_path):
    result = call(
        "anonymize",
        hospital,
        "-o",
        tmp_path / "out.csv",
        *WORDS,
        "-k",
        "3",
        "-t",
        "0.3",
        "--json",
        "--solver",
        "greedy",
        "--time",
        "600",
    )
    found = json.loads(result.stdout)
    assert found["status"] == "feasible"
    assert (found["stars"], found["bound"], found["proof"]) == (64, 63, "exact")
    assert found["gap"] == 1 / 64


def test_a_time_limit_of_0_still_releases(hospital, tmp_path):
    words = ["-k", "3", "--solver", "greedy", "--time", "0"]
    assert call("anonymize", hospital, "-o", tmp_path / "out.csv", *WORDS, *words).returncode == 0
    assert call("verify", tmp_path / "out.csv", *WORDS, "-k", "3").returncode == 0


def test_verify_with_json(hospital, tmp_path):
    call("anonymize", hospital, "-o", tmp_path / "out.csv", *WORDS, "-k", "3", "-t", "0.3")
    result = call("verify", tmp_path / "out.csv", *WORDS, "-k", "3", "-t", "0.3", "--original", hospital, "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["k"], found["t"], found["violations"]) == (3, {"Disease": 0.3}, [])
    assert set(found["l"]["Disease"]) == {"frequency", "distinct", "entropy", "recursive"}
    assert found["fidelity"]["stars"] == 63
    result = call("verify", tmp_path / "out.csv", *WORDS, "-k", "4", "--json")
    assert result.returncode == 1
    assert len(json.loads(result.stdout)["violations"]) == 2


def test_average_t_is_an_option_and_a_setting(hospital, tmp_path):
    out = tmp_path / "out.csv"
    result = call("anonymize", hospital, "-o", out, *WORDS, "-k", "2", "--average-t", "0.3", "--json")
    assert result.returncode == 0, result.stderr
    assert (json.loads(result.stdout)["stars"], json.loads(result.stdout)["policy"]) == (56, "k=2, average t=0.3")
    config = tmp_path / "kilt.toml"
    config.write_text("k = 2\n[average_t]\nDisease = 0.2\n")
    result = call("verify", out, *WORDS, "--config", config)
    assert result.returncode == 1
    assert "NOT met: the table as a whole violates average t=0.2 on 'Disease'" in result.stdout
    result = call("frontier", hospital, *WORDS, "-k", "2", "--average-t", "0.2,0.3", "--json")
    assert [point["stars"] for point in json.loads(result.stdout)] == [60, 56]


def test_the_time_of_a_frontier(hospital, tmp_path):
    words = ["frontier", hospital, *WORDS, "-k", "2,3", "--json"]
    result = run(*words, "--time", 60)
    assert "kilt: 'time' is for the whole frontier now, and no longer for each policy" in result.stderr
    stars = [46, 54]
    assert [point["stars"] for point in json.loads(result.stdout)] == stars
    config = tmp_path / "kilt.toml"
    config.write_text("time_each = 60\nseed = 3\n")
    for more in (["--config", config], ["--time", 60, "--time-each", 60], ["--iterations", 10, "--seed", 1]):
        result = call(*words, *more)
        assert (result.returncode, result.stderr) == (0, "")
        assert [point["stars"] for point in json.loads(result.stdout)] == stars
    result = call(*words, "--time-each", "soon")
    assert (result.returncode, result.stderr) == (
        2,
        "kilt: 'time_each' must be a number of at least 0, not 'soon'\n",
    )


def test_the_same_input_and_seed_give_the_same_bytes(adult, tmp_path):
    quasi = "sex,age,race,marital-status,education"
    words = ["--quasi", quasi, "--sensitive", "salary-class", "-k", "5", "-t", "0.3", "--shuffle", "--seed", "7"]
    words += ["--solver", "greedy"]  # the search has a test of its own
    rows = adult.read_bytes().splitlines(keepends=True)
    (tmp_path / "table.csv").write_bytes(b"".join(rows[:2000]))
    for name in ("a.csv", "b.csv"):  # each in a process of its own, in which Python hashes otherwise
        assert run("anonymize", tmp_path / "table.csv", "-o", tmp_path / name, *words).returncode == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_adult_stays_within_its_stars(adult, tmp_path):
    quasi = "sex,age,race,marital-status,education,native-country,workclass,occupation"
    result = call(
        "anonymize",
        adult,
        "-o",
        tmp_path / "out.csv",
        "--quasi",
        quasi,
        "--sensitive",
        "salary-class",
        "-k",
        "5",
        "--json",
        "--solver",
        "greedy",
    )
    assert json.loads(result.stdout)["stars"] <= 33_500


@pytest.mark.parametrize("command", [[], ["anonymize"], ["verify"], ["demo"]])
def test_help_is_there(command):
    result = call(*command, "--help")
    assert result.returncode == 0
    assert "Usage: kilt" in result.stdout


def test_help_has_whole_sentences_in_the_order_in_which_commands_are_needed():
    shown = call("--help").stdout.split("Commands:\n")[1]
    listed = re.findall(r"^  (\w+)  ", shown, re.MULTILINE)
    assert listed[: len(ORDER)] == list(ORDER)
    assert set(listed) == set(cli.commands)
    whole = " ".join(shown.split())
    assert all(first_sentence(command) in whole for command in cli.commands.values())
    assert all(first_sentence(command).endswith(".") for command in cli.commands.values())
    assert "..." not in whole


def test_importing_kilt_loads_nothing_heavy():
    code = "import kilt, sys; print([m for m in ('duckdb', 'narwhals', 'pandas', 'rich', 'click') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
