"""Configuration files: all that flags say can stand there."""

from __future__ import annotations

import json

import pytest

from kilt.cli.commands import cli
from kilt.cli.config import KEYS, read_config
from kilt.errors import InputError
from support.command import call

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
    result = call("anonymize", "--config", tmp_path / "kilt.toml", cwd=elsewhere)
    assert json.loads(result.stdout)["stars"] == 63
    assert (tmp_path / "out.csv").exists()
    result = call("anonymize", "--config", tmp_path / "kilt.toml", "-t", "1", "-k", "2", cwd=elsewhere)
    assert json.loads(result.stdout)["stars"] == 46
    result = call("verify", "--config", tmp_path / "kilt.toml", "-t", "1", "-k", "2", "--original", tmp_path / "in.csv")
    assert result.returncode == 0, result.stderr


def test_every_flag_has_its_setting():
    flags = {name.name for command in ("anonymize", "verify") for name in cli.commands[command].params}
    assert flags - {"config", "table", "shuffled"} <= set(KEYS)  # a file says 'shuffle' for both


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
    result = call("anonymize", "--config", tmp_path / "kilt.toml", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["stars"] == 4
    assert json.loads(result.stdout)["policy"] == "k=2, t=0.1 on 'pay'"


def test_marks_and_how_files_are_written_can_stand_in_the_configuration(tmp_path):
    (tmp_path / "in.csv").write_bytes("ort;größe;pay\nKöln;1;1,5\nKöln;;1,5\nBonn;3;2,5\n".encode("cp1252"))
    (tmp_path / "kilt.toml").write_text(
        'input = "in.csv"\noutput = "out.csv"\nquasi = "ort,größe"\nsensitive = "pay:numeric"\nk = 3\n'
        'encoding = "windows-1252"\ndecimal = ","\n[mark]\nort = "?"\n"größe" = "indicator"\n',
        encoding="utf-8",
    )
    done = call("anonymize", "--config", tmp_path / "kilt.toml")
    assert done.returncode == 0, done.stderr
    expected = "ort;größe;pay;größe_hidden\n?;;1,5;true\n?;;1,5;true\n?;;2,5;true\n"
    assert (tmp_path / "out.csv").read_text(encoding="cp1252") == expected
    done = call("verify", "--config", tmp_path / "kilt.toml", "--original", tmp_path / "in.csv")
    assert done.returncode == 0, done.stdout


def test_single_columns_have_numbers_of_their_own_on_the_command_line_too(tmp_path):
    rows = "".join(f"{n % 3},{n % 2},{n % 4}\n" for n in range(24))
    (tmp_path / "in.csv").write_text('zip,disease,"cost, net"\n' + rows)
    words = ["anonymize", "in.csv", "-o", "out.csv", "--quasi", "zip", "--sensitive", 'disease,"cost, net"', "-k", "2"]
    done = call(*words, "-l", 'disease=2,"cost, net=3"', "-t", "disease=0.5", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["policy"] == "k=2, l=2 on 'disease', l=3 on 'cost, net', t=0.5 on 'disease'"
    for wrong, said in {
        "=2": "'l' must be a number, or one for each column as in disease=2,cost=3",
        "disease=2,3": "'l' must be a number, or one for each column as in disease=2,cost=3",
        "disease=two": "'l' must be a number, not 'two'",
        "illness=2": "'illness' is not a sensitive column",
    }.items():
        done = call(*words, "-l", wrong, cwd=tmp_path)
        assert (done.returncode, said in done.stderr) == (2, True)
