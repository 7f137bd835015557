"""The configuration that is proposed is taken by kilt anonymize as it is, and tells no rare value."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from hospital import hospital as hospital_table
from kilt.cli.config import read_config
from support.command import call
from support.profiles import examples

UGLY = ['a"b', "a\nb", "[k]", "x = 1 # y", "a,b:c", "\x1b[31mred", "<script>alert(1)</script>", "\x7f", "ö.ä", "=1+1"]


def released(folder: Path, *words: object) -> dict[str, object]:
    """Write the proposals, release the table as they say, and return what the release says."""
    done = call("inspect", *words, "--write", "kilt.toml", "-q", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = call("anonymize", "--config", "kilt.toml", "--solver", "greedy", "--time", "1", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_table_of_a_hospital_goes_round(tmp_path):
    hospital_table(200).write_csv(tmp_path / "stays.csv")
    found = released(tmp_path, "stays.csv")
    assert found["rows"] == 200
    table = pl.read_csv(tmp_path / "stays-release.csv", infer_schema=False)
    assert {"name", "national_id", "remark"}.isdisjoint(table.columns)
    settings = read_config(tmp_path / "kilt.toml")
    assert settings["quasi"]["birth_date"] == "date=month,year,decade"
    assert settings["sensitive"] == {"diagnosis": "equal", "cost": "numeric"}
    assert settings["l"] == {"diagnosis": 2}
    done = call("verify", "--config", "kilt.toml", "--original", "stays.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_the_paper_s_table_goes_round(tmp_path, hospital):
    (tmp_path / "hospital.csv").write_bytes(hospital.read_bytes())
    assert released(tmp_path, "hospital.csv")["rows"] == 10


def test_typed_columns_with_nulls_go_round(tmp_path):
    frame = pl.DataFrame(
        {
            "age": [20 + i % 9 if i % 5 else None for i in range(60)],
            "sex": [("f", "m", "*")[i % 3] for i in range(60)],
            "smoker": [bool(i % 2) if i % 7 else None for i in range(60)],
            "born": [None if i % 11 == 0 else f"19{50 + i % 40}-03-04" for i in range(60)],
            "income": [1000.5 * (i % 17) if i % 13 else None for i in range(60)],
        }
    ).with_columns(pl.col("born").str.to_date())
    frame.write_parquet(tmp_path / "typed.parquet")
    assert released(tmp_path, "typed.parquet")["rows"] == 60
    assert (tmp_path / "typed-release.parquet").exists()


def test_a_table_of_a_database_goes_round(tmp_path):
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.execute("CREATE TABLE stays AS SELECT 20 + i % 9 AS age, i % 2 = 0 AS smoker FROM range(40) t(i)")
    assert released(tmp_path, "clinic.duckdb?table=stays")["rows"] == 40
    assert (tmp_path / "clinic-release.csv").exists()


def test_nested_columns_are_dropped(tmp_path):
    frame = pl.DataFrame({"sex": ["f", "m"] * 10, "codes": [[1, 2], [3]] * 10})
    frame.write_parquet(tmp_path / "nested.parquet")
    released(tmp_path, "nested.parquet")
    assert read_config(tmp_path / "kilt.toml")["identifier"] == ["codes"]


def test_other_ways_of_writing_go_round(tmp_path):
    lines = [f"0{1000 + i % 30};{i % 40},5;{1 + i % 28:02}.03.19{50 + i % 40};Köln" for i in range(80)]
    (tmp_path / "people.csv").write_bytes("\n".join(["PLZ;Größe;geboren;Ort", *lines]).encode("windows-1252"))
    released(tmp_path, "people.csv", "--encoding", "windows-1252")
    settings = read_config(tmp_path / "kilt.toml")
    assert (settings["decimal"], settings["encoding"]) == (",", "windows-1252")
    assert settings["keep"] == ["Ort"]
    assert settings["quasi"] == {
        "PLZ": "prefix",
        "Größe": "bands=2,4,8",
        "geboren": "date(%d.%m.%Y)=month,year,decade",
    }


def test_ugly_names_go_round_and_do_no_harm(tmp_path):
    frame = pl.DataFrame({name: [("v", "w")[(i + j) % 2] for i in range(40)] for j, name in enumerate(UGLY)})
    frame.write_csv(tmp_path / "ugly.csv")
    found = released(tmp_path, "ugly.csv")
    assert set(found["left"]) == set(UGLY)
    text = (tmp_path / "kilt.toml").read_text()
    said = call("inspect", "ugly.csv", cwd=tmp_path).stdout
    for shown in (text, said):
        assert not {"\x1b", "\x7f"} & set(shown)
    assert "a\\nb" in said
    assert "\\x1b[31mred" in said
    assert tomllib.loads(text)["k"] == 5


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6), min_size=1, max_size=4))
@examples(60)
def test_any_name_can_be_written_as_a_key(names):
    columns = {name: ["a", "b"] * 6 for name in names}
    text = kilt.inspect(pl.DataFrame(columns)).config()
    assert text.replace("\n", "").isprintable()  # nothing that an editor obeys, such as a change of direction
    written = tomllib.loads(text)
    named = {*written.get("quasi", {}), *written.get("sensitive", {}), *written.get("identifier", [])}
    assert named == set(columns)


MARKERS = st.from_regex(r"(zq|ZQ)[a-z0-9]{4}( zq[a-z]{3}\.)?", fullmatch=True) | st.integers(10**6, 10**7).map(
    lambda number: f"7{number}"
)


@given(st.lists(st.lists(MARKERS, min_size=1, max_size=9, unique=True), min_size=1, max_size=3), st.integers(1, 9))
@examples(60)
def test_no_rare_value_is_told(rare, times):
    rows = 40
    columns = {
        f"c{place}": [*[marker for marker in markers for _ in range(times)], *["common", "usual"] * rows][:rows]
        for place, markers in enumerate(rare)
    }
    profile = kilt.inspect(pl.DataFrame(columns))
    config = profile.config() if profile.with_role("quasi") else ""
    told = profile.summary() + json.dumps(profile.to_dict()) + config + repr(profile)
    assert not [marker for markers in rare for marker in markers if marker in told]


def test_values_are_told_if_ten_rows_have_them_or_if_they_are_asked_for():
    cells = ["often"] * 10 + ["seldom"] * 9
    frame = pl.DataFrame({"answer": cells, "mail": [f"ann{i // 12}@example.org" for i in range(19)]})
    answer, mail = kilt.inspect(frame).columns
    assert (answer.values, mail.values) == ((("often", 10),), ())
    answer, mail = kilt.inspect(frame, show_values=True).columns
    assert answer.values == (("often", 10), ("seldom", 9))
    assert mail.values == (("ann0@example.org", 12), ("ann1@example.org", 7))


def test_a_frame_has_no_file_to_name_and_an_address_may_hold_a_password():
    frame = pl.DataFrame({"sex": ["f", "m"] * 5})
    text = kilt.inspect(frame).config()
    assert "input" not in tomllib.loads(text)
    assert kilt.inspect(frame).settings == {}


@pytest.mark.parametrize(
    ("given", "output"),
    [
        ("a/patients.csv", "patients-release.csv"),
        ("b.c.tsv.gz", "b.c-release.tsv.gz"),
        ("x.duckdb?table=visits", "x-release.csv"),
        ("-", "release.csv"),
        ("plain", "plain-release.csv"),
        ("book.xlsm", "book-release.csv"),
    ],
)
def test_the_release_is_named_after_the_table(given, output, tmp_path):
    from dataclasses import replace

    profile = replace(kilt.inspect(pl.DataFrame({"sex": ["f", "m"] * 5})), settings={"input": given})
    assert tomllib.loads(profile.config(tmp_path))["output"] == output


def test_a_table_of_which_nothing_could_be_blurred_has_no_configuration():
    with pytest.raises(kilt.InputError, match="no column could be blurred"):
        kilt.inspect(pl.DataFrame({"mail": ["a@example.org", "b@example.org"]})).config()


def test_a_report_is_named_after_the_release(tmp_path):
    hospital_table(60).write_csv(tmp_path / "release-data.csv")
    text = kilt.inspect(tmp_path / "release-data.csv").config(tmp_path)
    assert tomllib.loads(text)["report"] == "release-data-report.html"
