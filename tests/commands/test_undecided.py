"""Nothing slips through: a column without a role that could identify persons is refused, any other is named."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.sources.base import sample_of
from kilt.sources.registry import open_source
from support.command import call
from support.patients import patients
from support.profiles import examples

ROLES = {"quasi": "sex,nationality", "sensitive": "diagnosis"}
DATES = "birth_date,admission_date,zip,profession"
IDENTIFYING = ("name", "national_id", "email", "cost", "remark")
POLICY = kilt.Policy(k=5)


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("hospital") / "patients.csv"
    patients(12_000).write_csv(path)
    return path


@pytest.mark.parametrize("data", ["file", "polars", "pandas"])
def test_a_forgotten_name_is_refused(table, data, tmp_path):
    given = {"file": lambda: table, "polars": lambda: patients(12_000), "pandas": lambda: patients(12_000).to_pandas()}
    with pytest.raises(kilt.InputError) as error:
        kilt.anonymize(given[data](), **ROLES, keep=DATES, policy=POLICY)
    assert str(error.value) == (
        "'name' (looks like names of persons), 'national_id' (100% of its values differ), 'email' (looks like e-mail "
        "addresses), 'cost' (98.2% of its values differ) and 'remark' (is free text) have no role and could identify "
        "persons: give each to --identifier (dropped), --quasi (blurred) or --keep (released as it is)"
    )


def test_each_of_them_alone_is_refused_and_other_columns_are_named(table):
    for forgotten in IDENTIFYING:
        others = [name for name in IDENTIFYING if name != forgotten]
        with pytest.raises(kilt.InputError, match=f"^'{forgotten}' .* has no role"):
            kilt.anonymize(table, **ROLES, keep=DATES, identifier=others, policy=POLICY)
    release = kilt.anonymize(table, **ROLES, keep=DATES, identifier=list(IDENTIFYING), policy=POLICY)
    assert release.notes == (
        "'children' and 'height' have no role: they are released unchanged; --keep says that you want them so",
    )
    assert release.frame.columns == [name for name in patients(5).columns if name not in IDENTIFYING]


def test_what_is_kept_is_released_without_a_note(table):
    identifier = ["name", "national_id", "email"]
    keep = f"{DATES},children,height,cost,remark"
    release = kilt.anonymize(table, **ROLES, keep=keep, identifier=identifier, policy=POLICY)
    assert release.notes == ()
    kept = [name for name in patients(5).columns if name in keep.split(",")]
    assert release.frame.select(", ".join(kept)).fetchall() == patients(12_000).select(kept).rows()


def test_keep_names_columns_that_have_no_role():
    frame = pl.DataFrame({"q": list("aabb"), "o": list("wxyz")})
    with pytest.raises(kilt.InputError, match="'keep' names 'p', which is not a column"):
        kilt.anonymize(frame, quasi="q", keep="p", policy=kilt.Policy(k=2))
    with pytest.raises(kilt.InputError, match="'q' has two roles, quasi and keep: give it one"):
        kilt.anonymize(frame, quasi="q", keep="q", policy=kilt.Policy(k=2))
    described = kilt.TableDescription(frame, quasi="q", keep="o")
    assert described.undecided == ()
    assert kilt.anonymize(described, policy=kilt.Policy(k=2)).notes == ()
    with pytest.raises(kilt.InputError, match="'keep' is already in the TableDescription"):
        kilt.bound(described, keep="o", policy=kilt.Policy(k=2))


def test_only_what_releases_refuses(table):
    """Bounds, comparisons and frontiers take the table as it is: they show nothing of it."""
    described = kilt.TableDescription(table, **ROLES)
    assert kilt.bound(described, policy=POLICY).rows == 12_000
    assert kilt.frontier(described, k=5)[0].exact_stars is not None
    assert kilt.compare(described, policy=POLICY, solvers="greedy")[0].exact_stars is not None
    assert [each.name for each in described.undecided if each.identifies] == list(IDENTIFYING)


def test_the_command_refuses_and_writes_nothing(table, tmp_path):
    words = ["anonymize", table, "-o", tmp_path / "out.csv", "--quasi", "sex,nationality", "-k", "5"]
    done = call(*words, "--identifier", "name", "--keep", "email,cost", "--keep", "remark")
    assert done.returncode == 2
    assert done.stderr.startswith("kilt: 'national_id' (100% of its values differ) has no role")
    assert list(tmp_path.iterdir()) == []
    done = call(*words, "--identifier", "name,national_id", "--keep", "email,cost", "--keep", "remark", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["notes"][0].startswith("'birth_date', 'admission_date', 'zip', 'profession'")


def test_keep_stands_in_the_configuration(table, tmp_path):
    settings = f'input = "{table}"\noutput = "out.csv"\nquasi = "sex"\nk = 5\nidentifier = "name,national_id"\n'
    (tmp_path / "kilt.toml").write_text(settings + 'keep = ["email", "cost,remark"]\n')
    assert call("anonymize", "--config", tmp_path / "kilt.toml").returncode == 0
    done = call("anonymize", "--config", tmp_path / "kilt.toml", "--keep", "cost")
    assert done.returncode == 2
    assert "'email' (looks like e-mail addresses) and 'remark' (is free text) have no role" in done.stderr
    assert call("verify", "--config", tmp_path / "kilt.toml", "--original", table).returncode == 0


def test_commands_that_release_nothing_tell_what_would_be_refused(table):
    words = ["--quasi", "sex", "-k", "5", "--keep", f"national_id,cost,remark,nationality,{DATES}"]
    for command, *more in (["bound"], ["frontier"], ["compare", "--solvers", "greedy"]):
        done = call(command, table, *words, *more)
        assert done.returncode == 0
        assert done.stderr.splitlines() == [
            "note: kilt anonymize would refuse this table: 'name' (looks like names of persons) and 'email' (looks "
            "like e-mail addresses) have no role and could identify persons: give each to --identifier (dropped), "
            "--quasi (blurred) or --keep (released as it is)",
            "note: 'children', 'height' and 'diagnosis' have no role: they are released unchanged; --keep says that "
            "you want them so",
        ]
        assert call(command, table, *words, *more, "--json").stderr == ""


@given(st.lists(st.none() | st.text("ab\u00e4 ,\"'", max_size=3), min_size=1, max_size=40), st.integers(1, 12))
@examples(25)
def test_files_and_frames_take_the_same_sample(tmp_path_factory, cells, most):
    frame = pl.DataFrame({"c": cells, "o": ["x"] * len(cells)}, schema={"c": pl.String, "o": pl.String})
    path = tmp_path_factory.getbasetemp() / "sample.csv"
    frame.write_csv(path, quote_style="non_numeric")
    assert sample_of(open_source(path), "c", most) == sample_of(open_source(frame), "c", most)


def test_columns_of_any_type_are_looked_at():
    frame = pd.DataFrame({"q": ["a"] * 60, "n": range(60), "f": [i / 7 for i in range(60)], "l": [[1]] * 60})
    with pytest.raises(kilt.InputError, match=r"^'n' \(100% .*\) and 'f' \(100% .*\) have no role"):
        kilt.anonymize(frame, quasi="q", policy=kilt.Policy(k=2))
    assert kilt.anonymize(frame, quasi="q", keep="n,f", policy=kilt.Policy(k=2)).notes[0].startswith("'l' has no role")


@pytest.mark.parametrize("data", ["file", "frame"])
def test_an_identifier_among_blank_cells_is_refused(tmp_path, data):
    frame = pl.DataFrame(
        {"sex": ["f", "m"] * 500, "passport": [f"P{i}" if i < 60 else " " * (i % 2) for i in range(1000)]}
    )
    frame.write_csv(tmp_path / "t.csv", quote_style="always")
    with pytest.raises(kilt.InputError, match=r"'passport' .100% of its values differ. has no role"):
        kilt.anonymize(tmp_path / "t.csv" if data == "file" else frame, quasi="sex", policy=POLICY)
