"""The command as a user meets it."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import kilt
from kilt.cli.commands import cli
from kilt.cli.config import KEYS, read_config
from kilt.errors import InputError

RUN = [sys.executable, "-c", "from kilt.cli.commands import main; main()"]
WORDS = ["--quasi", "Zipcode:characters,Age:characters,Education", "--sensitive", "Disease"]


def run(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RUN, *map(str, words)], capture_output=True, text=True, cwd=cwd, check=False, timeout=60)


def test_demo_finds_the_optimum_within_two_seconds_of_cpu():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run("demo")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.returncode == 0, result.stderr
    assert "63 stars" in result.stdout
    assert "optimal" in result.stdout
    assert "kilt anonymize" in result.stdout
    assert "\x1b[" not in result.stdout
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2


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
    result = run(
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
    )
    found = json.loads(result.stdout)
    assert found["status"] == "feasible"
    assert (found["stars"], found["bound"], found["proof"]) == (64, 61, "exact")
    assert found["gap"] == 3 / 64


def test_a_time_limit_of_0_still_releases(hospital, tmp_path):
    words = ["-k", "3", "--solver", "greedy", "--time", "0"]
    assert run("anonymize", hospital, "-o", tmp_path / "out.csv", *WORDS, *words).returncode == 0
    assert run("verify", tmp_path / "out.csv", *WORDS, "-k", "3").returncode == 0


def test_verify_with_json(hospital, tmp_path):
    run("anonymize", hospital, "-o", tmp_path / "out.csv", *WORDS, "-k", "3", "-t", "0.3")
    result = run("verify", tmp_path / "out.csv", *WORDS, "-k", "3", "-t", "0.3", "--original", hospital, "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["k"], found["t"], found["violations"]) == (3, {"Disease": 0.3}, [])
    assert set(found["l"]["Disease"]) == {"frequency", "distinct", "entropy", "recursive"}
    assert found["fidelity"]["stars"] == 63
    result = run("verify", tmp_path / "out.csv", *WORDS, "-k", "4", "--json")
    assert result.returncode == 1
    assert len(json.loads(result.stdout)["violations"]) == 2


def test_the_same_input_and_seed_give_the_same_bytes(adult, tmp_path):
    quasi = "sex,age,race,marital-status,education"
    words = ["--quasi", quasi, "--sensitive", "salary-class", "-k", "5", "-t", "0.3", "--shuffle", "--seed", "7"]
    words += ["--solver", "greedy"]  # the search has a test of its own
    for name in ("a.csv", "b.csv"):
        assert run("anonymize", adult, "-o", tmp_path / name, *words).returncode == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_adult_stays_within_its_stars_and_seconds(adult, tmp_path):
    quasi = "sex,age,race,marital-status,education,native-country,workclass,occupation"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run(
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
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert json.loads(result.stdout)["stars"] <= 33_500
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5


# configuration


CONFIG = """
input = "in.csv"
output = "out.csv"
quasi = ["Zipcode:characters", "Age:characters", "Education"]
sensitive = "Disease"
k = 3
t = 0.3
json = true
"""


def test_everything_that_flags_say_can_stand_in_a_file_and_flags_win(hospital, tmp_path):
    (tmp_path / "in.csv").write_bytes(hospital.read_bytes())
    (tmp_path / "kilt.toml").write_text(CONFIG)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    result = run("anonymize", "--config", tmp_path / "kilt.toml", cwd=elsewhere)
    assert json.loads(result.stdout)["stars"] == 63
    assert (tmp_path / "out.csv").exists()
    result = run("anonymize", "--config", tmp_path / "kilt.toml", "-t", "1", "-k", "2", cwd=elsewhere)
    assert json.loads(result.stdout)["stars"] == 46
    result = run("verify", "--config", tmp_path / "kilt.toml", "-t", "1", "-k", "2", "--original", tmp_path / "in.csv")
    assert result.returncode == 0, result.stderr


def test_every_flag_has_its_setting():
    flags = {name.name for command in ("anonymize", "verify") for name in cli.commands[command].params}
    assert flags - {"config", "table"} <= set(KEYS)


def test_t_in_a_file_is_read_as_decimal_text(tmp_path):
    (tmp_path / "kilt.toml").write_text("t = 0.1\n")
    assert str(read_config(tmp_path / "kilt.toml")["t"]) == "0.1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("quasy = 'a'", "'quasy' in '.*' is not a setting: did you mean 'quasi'"),
        ("k = [1]", "'k' in '.*' must be a number"),
        ("json = 1", "'json' in '.*' must be true or false"),
        ("seed = 1.5", "'seed' in '.*' must be a whole number"),
        ("k = ", "is not valid TOML"),
        ("[k]\na = 1", "'k' in '.*' must be a number"),
        ("[sensitive]\na = {list = []}", r"must be a space or \{order"),
    ],
)
def test_wrong_configurations(tmp_path, text, message):
    (tmp_path / "kilt.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_config(tmp_path / "kilt.toml")


def test_per_column_settings(tmp_path):
    (tmp_path / "in.csv").write_text(
        "q,s,pay\n" + "".join(f"{i},{'xy'[i % 2]},{['low', 'high'][i % 2]}\n" for i in range(8))
    )
    (tmp_path / "kilt.toml").write_text(
        'input = "in.csv"\noutput = "out.csv"\nk = 2\n[quasi]\nq = "prefix"\n[sensitive]\ns = "equal"\n'
        'pay = {order = ["low", "high"]}\n[t]\npay = "0.1"\n[weights]\nq = 0.5\n'
    )
    result = run("anonymize", "--config", tmp_path / "kilt.toml", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["stars"] == 4
    assert json.loads(result.stdout)["policy"] == "k=2, t=0.1 on 'pay'"


# help


@pytest.mark.parametrize("command", [[], ["anonymize"], ["verify"], ["demo"]])
def test_help_is_there(command):
    result = run(*command, "--help")
    assert result.returncode == 0
    assert "Usage: kilt" in result.stdout


def test_importing_kilt_loads_nothing_heavy():
    code = "import kilt, sys; print([m for m in ('duckdb', 'narwhals', 'pandas', 'rich', 'click') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_ctrl_c_ends_the_search_and_writes_the_best_release(tmp_path):
    rng = np.random.default_rng(1)
    rows = "".join(",".join(map(str, row)) + "\n" for row in rng.integers(0, 4, (300, 7)))
    (tmp_path / "in.csv").write_text("a,b,c,d,e,f,g\n" + rows)
    words = ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "a,b,c,d,e,f,g", "-k", "5", "--solver", "exact"]
    command = [sys.executable, "-m", "kilt", *words]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "stopping; the best release so far will be written" in errors
    assert "note: the search was stopped before its end" in said
    assert "no release under k=5 can have fewer than" in said
    assert (tmp_path / "out.csv").exists()


def test_an_interrupted_search_hands_over_a_release(hospital):
    release = kilt.anonymize(
        hospital, quasi="Zipcode,Age", policy=kilt.Policy(k=2), solver="exact", interrupted=lambda: True
    )
    assert release.notes == ("the search was stopped before its end",)
    assert release.bound <= release.stars
