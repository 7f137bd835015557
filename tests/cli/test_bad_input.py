"""Bad input: each kind has its one clear sentence and its exit code, and nothing is written."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

from support.command import PATIENCE, RUN, Done, call, run, without_log
from support.profiles import is_thorough

SECRET = "Qx7secret"
TABLE = f"zip,age,disease,pay\n{SECRET},30,flu,10\n98765,31,cold,20\n98765,32,flu,30\n98764,33,cold,40\n"


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(TABLE)
    return path


def anonymize(table: Path, *words: object, quasi="zip,age", policy=("-k", "2"), out="out.csv") -> Done:
    output = table.parent / out
    chosen = ["--quasi", quasi] if quasi else []
    return call("anonymize", table, "-o", output, *chosen, *policy, *words)


def refused(result: Done, message: str, folder: Path, code: int = 2) -> None:
    assert result.returncode == code, result.stderr
    assert re.search(message, result.stderr), result.stderr
    lines = without_log(result.stderr).strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("kilt: ")
    assert SECRET not in result.stderr
    assert result.stdout == ""
    left = {path.name for path in folder.iterdir()}
    assert not any(name.startswith((".kilt", "out")) for name in left), left


def test_the_good_case_is_good(table):
    for result in (
        anonymize(table),
        run("anonymize", table, "-o", table.parent / "own.csv", "--quasi", "zip,age", "-k", "2"),
    ):
        assert result.returncode == 0, result.stderr
        assert "wrote" in result.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file '.*in.csv' is empty"),
        (b"\n\n", "has no header"),
        (b"zip,age\n", "has a header but no rows"),
        (b"zip,age", "has a header but no rows"),
        (b"zip,age\n1,2\n3\n", r"line 3 of '.*in.csv' has 1 cell where the header has 2"),
        (b"zip,age\n1,2,3\n3,4\n", r"line 2 of '.*in.csv' has 3 cells where the header has 2"),
        (b"zip,age,zip\n1,2,3\n", "the column name 'zip' of '.*' occurs twice"),
        (b"zip,Age,age\n1,2,3\n", "differs from 'Age' only in case"),
        (b"zip,age,\n1,2,3\n", "has a column without a name"),
        (b"zip,age\n1,\xff\xfe\n", r"line 2 of '.*in.csv' is not valid UTF-8"),
        ("zip,age\n1,2\n".encode("utf-16"), "is not UTF-8; it seems to be UTF-16: .*--encoding utf-16"),
        ("zip,age\n1,é\n".encode("cp1252"), "line 2 of '.*' is not valid UTF-8, and seems to be Windows-1252"),
        (b'zip,age\n1,"2\n3,4\n', r"line 2 of '.*in.csv' has a quote that is not closed"),
        (b'zip,age\n"1"x,2\n3,4\n', r"line 2 of '.*in.csv' has a quote that is not closed"),
        (b"zip,age\n1,2\r\n3,4\n", "lines end in different ways"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else re.sub(r"[^a-z ]", "", value)[:40],
)
def test_files_that_are_no_tables(tmp_path, text, message):
    path = tmp_path / "in.csv"
    path.write_bytes(text)
    refused(anonymize(path), message, tmp_path)


def test_a_missing_file(tmp_path):
    refused(anonymize(tmp_path / "in.csv"), "the file '.*in.csv' does not exist", tmp_path)


def test_a_folder_in_place_of_a_file(tmp_path):
    (tmp_path / "in.csv").mkdir()
    refused(anonymize(tmp_path / "in.csv"), "is a folder: give --engine spark", tmp_path)


def test_text_that_calls_itself_parquet(tmp_path):
    (tmp_path / "in.parquet").write_text(TABLE)
    refused(anonymize(tmp_path / "in.parquet"), "cannot be read as Parquet", tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b"\xef\xbb\xbf" + TABLE.encode())
    assert anonymize(path).returncode == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8-sig").startswith("zip,age")


def test_quoted_delimiters_and_newlines_in_cells(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('zip,note\n1,"a,b"\n1,"c\nd"\n')
    assert anonymize(path, quasi="zip").returncode == 0
    assert (tmp_path / "out.csv").read_text() == 'zip,note\n1,"a,b"\n1,"c\nd"\n'


def test_a_value_equal_to_the_mark(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("zip\n*\n1\n1\n")
    refused(anonymize(path, quasi="zip"), r"'zip' already holds the mark '\*'.*choose another 'mark'", tmp_path)
    assert anonymize(path, "--mark", "?", quasi="zip").returncode == 0
    assert (tmp_path / "out.csv").read_text() == "zip\n?\n?\n?\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--quasi", "zpi"], r"'quasi' names 'zpi', which is not a column: did you mean 'zip'\?"),
        (["--sensitive", "illness"], "'sensitive' names 'illness', which is not a column: there is 'zip'"),
        (["--sensitive", "age"], "'age' has two roles, quasi and sensitive"),
        (["--identifier", "zip"], "'zip' has two roles, quasi and identifier"),
        (["--quasi", "zip"], "'quasi' names 'zip' twice"),
        (["--weights", "age=0"], "'weights' must give 'age' a number above 0"),
        (["--weights", "pay=2"], "'weights' names 'pay', which is not a quasi column"),
        (["--solver", "gredy"], "'gredy' is not a solver: did you mean 'greedy'"),
        (["--time", "soon"], "'time' must be a number of at least 0, not 'soon'"),
        (["--gap", "-1"], "'gap' must be a number"),
        (["--seed", "-1"], "'seed' must be a whole number"),
        (["--seed", "x"], "Invalid value for '--seed'"),
        (["--encoding", "klingon"], "'encoding' must be one of text, such as utf-8.*, not 'klingon'"),
        (["--encoding", "rot13"], "'encoding' must be one of text"),
        (["--delimiter", ";;"], "'delimiter' must be a single character"),
        (["--mark", " "], "'mark' must have at least one visible character"),
        (["--diversity", "distinct"], "give -l too"),
        (["--colour", "red"], "No such option"),
        (["--config", "no.toml"], "the configuration 'no.toml' does not exist"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_words(table, words, message):
    refused(anonymize(table, *words), message, table.parent)


def test_no_quasi_column(table):
    refused(anonymize(table, quasi=""), "'quasi' needs at least one column", table.parent)


def test_a_mark_of_two_characters_cannot_mask_characters(table):
    refused(anonymize(table, "--mark", "##", quasi="zip:prefix"), "'mark' must be a single character", table.parent)


@pytest.mark.parametrize(
    ("policy", "message", "code"),
    [
        ([], "the policy asks for nothing", 2),
        (["-k", "0"], "'k' must be a whole number of at least 1, not 0", 2),
        (["-k", "2.5"], "'k' must be a whole number", 2),
        (["-k", "many"], "'k' must be a number, not 'many'", 2),
        (["-k", "5"], "k=5 cannot be met: the table has 4 rows; the largest k that it allows is 4", 3),
        (["-l", "0", "--sensitive", "disease"], "'l' must be at least 1, not 0", 2),
        (
            ["-l", "2.5", "--diversity", "distinct", "--sensitive", "disease"],
            "'l' must be a whole number in distinct",
            2,
        ),
        (["-l", "2", "--diversity", "distnct", "--sensitive", "disease"], "did you mean 'distinct'", 2),
        (
            ["-l", "3", "--sensitive", "disease"],
            "l=3 on 'disease' cannot be met: 50% of the rows share a value of 'disease'",
            3,
        ),
        (
            ["-l", "3", "--diversity", "distinct", "--sensitive", "disease", "-t", "0.5"],
            "'disease' has 2 different values; the largest l that this table allows is 2; the smallest t .* is 0",
            3,
        ),
        (["-t", "1.5", "--sensitive", "disease"], "'t' must be between 0 and 1, not 1.5", 2),
        (["-t", "-0.1", "--sensitive", "disease"], "'t' must be between 0 and 1, not -0.1", 2),
        (["-t", "near", "--sensitive", "disease"], "'t' must be a number, not 'near'", 2),
        (["-t", "nan", "--sensitive", "disease"], "'t' must be a number, not 'nan'", 2),
        (["-l", "2"], "'l' needs a sensitive column", 2),
        (["-t", "0.2"], "'t' needs a sensitive column", 2),
        (["-k", "0", "-t", "2", "-l", "0"], "'k' must.*; 'l' must.*; 't' must", 2),
        (["-t", "0.2", "--sensitive", "disease:ordered"], "'disease' has 2 of 2 values that are not numbers", 2),
        (["-t", "0.2", "--sensitive", "disease:numeric"], "which its numeric space needs", 2),
        (["-t", "0.2", "--sensitive", "disease:tree"], "'tree' is not a space", 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_policies(table, policy, message, code):
    refused(anonymize(table, policy=policy), message, table.parent, code)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (",flu,cold\nflu,0,1\ncold,2,0\n", "not a metric: it is not symmetric"),
        (",flu,cold\nflu,1,1\ncold,1,0\n", "a distance to itself"),
        (",flu,cold,x\nflu,0,9,1\ncold,9,0,1\nx,1,1,0\n", "triangle inequality"),
        (",flu,cold\nflu,0\ncold,2,0\n", "not a square matrix"),
        (",flu,x\nflu,0,1\nx,1,0\n", "the metric of 'disease' misses 1 of its 2 values"),
    ],
)
def test_a_metric_that_is_not_one(table, matrix, message):
    (table.parent / "metric.csv").write_text(matrix)
    words = ["--sensitive", f"disease:metric={table.parent / 'metric.csv'}", "-t", "0.5"]
    refused(anonymize(table, policy=words), message, table.parent)


def test_a_metric_is_normalised_with_a_note(table):
    (table.parent / "metric.csv").write_text(",flu,cold\nflu,0,4\ncold,4,0\n")
    result = anonymize(table, policy=["--sensitive", f"disease:metric={table.parent / 'metric.csv'}", "-t", "0.5"])
    assert "note: the distances of 'disease' were divided by 4" in result.stdout


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("98765;9876*;*\n98764;9876*;*\n", "the taxonomy of 'zip' misses 1 of the column's 3 values"),
        ("", "the taxonomy '.*' is empty"),
        ("98765;a;*\n98765;b;*\n", "lists a value twice"),
        ("98765;a;b;*\n98764;a;c;*\n", "is not a tree"),
    ],
)
def test_a_taxonomy_that_does_not_fit(table, lines, message):
    (table.parent / "taxonomy.csv").write_text(lines)
    refused(anonymize(table, quasi=f"zip:taxonomy={table.parent / 'taxonomy.csv'}"), message, table.parent)


def test_a_taxonomy_file_that_is_missing(table):
    refused(anonymize(table, quasi="zip:taxonomy=no.csv"), "the taxonomy file 'no.csv' does not exist", table.parent)


def test_a_label_with_two_meanings_is_refused(table):
    (table.parent / "taxonomy.csv").write_text(f"98765;98765;*\n98764;98765;*\n{SECRET};x;*\n")
    refused(anonymize(table, quasi=f"zip:taxonomy={table.parent / 'taxonomy.csv'}"), "read in two ways", table.parent)


def test_output_equal_to_input(table):
    result = anonymize(table, out="in.csv")
    refused(result, "is the input", table.parent)
    assert table.read_text() == TABLE
    (table.parent / "link.csv").symlink_to(table)
    refused(anonymize(table, out="link.csv"), "is the input", table.parent)
    assert table.read_text() == TABLE


def test_an_output_folder_that_is_missing(table):
    refused(anonymize(table, out="no/where.csv"), "the folder '.*no' of the output does not exist", table.parent)


def test_an_output_that_is_a_folder(table):
    (table.parent / "dir.csv").mkdir()
    refused(anonymize(table, out="dir.csv"), "is a folder", table.parent)


def test_an_output_of_unknown_kind(table):
    refused(anonymize(table, out="out.pdf"), "must end in one of .csv, .tsv", table.parent)


def test_an_output_folder_that_is_not_writable(table):
    folder = table.parent / "closed"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):  # a superuser may write everywhere but here
        result = call("anonymize", table, "-o", "/proc/out.csv", "--quasi", "zip", "-k", "2")
        assert result.returncode == 2
        assert "cannot be written" in result.stderr or "not writable" in result.stderr
    else:
        refused(anonymize(table, out="closed/out.csv"), "of the output is not writable", table.parent)


def test_a_disk_that_is_full_in_the_middle_of_writing(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("zip,note\n" + f"1,{'x' * 1000}\n" * 5000)
    small_disk = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)); "
    words = ["anonymize", str(path), "-o", str(tmp_path / "out.csv"), "--quasi", "zip", "-k", "2"]
    command = [sys.executable, "-c", small_disk + RUN[-1], *words]  # a limit set between fork and exec can hang
    for attempt in range(3):  # on a busy machine DuckDB was seen to hang over a full disk, rarely
        try:
            result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=40)
            break
        except subprocess.TimeoutExpired:
            assert attempt < 2
            for left in tmp_path.glob(".kilt-*"):  # it was killed
                left.unlink()
    refused(result, "cannot be written: File too large; nothing was written", tmp_path)


def test_an_older_output_survives_a_failure(table):
    (table.parent / "out.csv").write_text("older")
    assert anonymize(table, policy=["-k", "9"]).returncode == 3
    assert (table.parent / "out.csv").read_text() == "older"


def test_a_signal_leaves_no_partial_file(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("zip,age,o\n" + "".join(f"{i * 7919 % 99991},{i % 90},{i}\n" for i in range(400_000)))
    words = ["anonymize", path, "-o", tmp_path / "out.csv", "--quasi", "zip:characters,age", "--keep", "o", "-k", "3"]
    delays = (0.3, 0.8, 1.5)
    both = list(product([signal.SIGINT, signal.SIGTERM], delays))
    for sent, delay in both if is_thorough() else both[:: len(delays) - 1]:  # each delay, and each signal
        process = subprocess.Popen([*RUN, *map(str, words)], stderr=subprocess.PIPE, text=True)
        time.sleep(delay)
        process.send_signal(sent)
        _, errors = process.communicate(timeout=PATIENCE)
        if process.returncode != 0:
            assert process.returncode in (130, -sent), errors
            assert {p.name for p in tmp_path.iterdir()} == {"in.csv"}
        (tmp_path / "out.csv").unlink(missing_ok=True)  # it was finished before the signal came


def test_verify_says_no_with_exit_code_1(table):
    result = call("verify", table, "--quasi", "zip,age", "--sensitive", "disease", "-k", "2", "-t", "0.1")
    assert result.returncode == 1
    assert "is NOT met: 4 of 4 groups" in result.stdout
    assert call("verify", table, "--quasi", "zip,age").returncode == 0


def test_an_empty_input_word(tmp_path):
    for result in (call("anonymize", cwd=tmp_path), run("anonymize", cwd=tmp_path)):
        refused(result, "'input' is missing", tmp_path)
    refused(call("verify", cwd=tmp_path), "'table' is missing", tmp_path)
