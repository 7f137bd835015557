"""Standard input as the table, and standard output as the release: the same checks, and nothing before them."""

from __future__ import annotations

import io
import subprocess

import pytest

from support.command import PATIENCE, RUN, call

TABLE = b"zip;age;note\n02139;34;x\n02139;35;y\n02138;34;z\n02138;61;\n"
WORDS = ["--quasi", "zip,age", "-k", "2"]


def piped(content: bytes, *words: object, cwd=None) -> subprocess.CompletedProcess[bytes]:
    command = [*RUN, *map(str, words)]
    return subprocess.run(command, input=content, capture_output=True, cwd=cwd, check=False, timeout=PATIENCE)


def test_a_table_from_standard_input_is_released_like_a_file(tmp_path):
    done = piped(TABLE, "anonymize", "-", "-o", "out.csv", *WORDS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.csv").read_bytes() == TABLE.replace(b"34", b"*").replace(b"35", b"*").replace(b"61", b"*")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_standard_output_has_the_release_alone(tmp_path):
    table = TABLE.decode().replace("note", "größe").encode("windows-1252")
    done = piped(table, "anonymize", "-", "-o", "-", *WORDS, "--encoding", "windows-1252", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["zip;age;größe".encode("windows-1252"), b"02139;*;x"]
    assert b"4 rows in 2 groups" in done.stderr
    assert done.stderr.splitlines()[-1] == b"wrote standard output"
    assert not list(tmp_path.iterdir())


def test_a_release_from_standard_input_is_verified(tmp_path):
    (tmp_path / "in.csv").write_bytes(TABLE)
    done = piped(TABLE, "verify", "-", "--original", tmp_path / "in.csv", *WORDS)
    assert done.returncode == 1
    assert b"k=2 is not met" in done.stdout or b"violate" in done.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "kilt: standard input is empty"),
        (b"\n\n", "kilt: standard input has no header"),
        (b"zip,age\n", "kilt: standard input has a header but no rows"),
        (b"zip,age\n1,2\n3\n", "kilt: line 3 of standard input has 1 cell where the header has 2"),
        ("zip,age\n1,é\n".encode("latin-1"), "kilt: line 2 of standard input is not valid UTF-8, and seems to be"),
        (b"zip,age\n1,2\n3,4\n5,6\n", "kilt: k=9 cannot be met"),
    ],
)
@pytest.mark.parametrize("output", ["out.csv", "-"])
def test_what_is_wrong_with_standard_input_is_said_and_nothing_is_written(
    tmp_path, monkeypatch, content, message, output
):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    done = call("anonymize", "-", "-o", output, "--quasi", "zip,age", "-k", "9", cwd=tmp_path)
    assert done.returncode in (2, 3)
    assert done.stderr.startswith(message), done.stderr
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())


def test_a_configuration_can_name_standard_input(tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "kilt.toml").write_text('input = "-"\noutput = "out.csv"\nquasi = "zip,age"\nk = 2\n')
    done = piped(TABLE, "anonymize", "--config", "study/kilt.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "study" / "out.csv").exists()
