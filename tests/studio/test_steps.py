"""The steps without a browser: every form, and what it says when something is wrong."""

from __future__ import annotations

import json
import os
import shlex
import signal
import time
import tomllib

import pytest

pytest.importorskip("starlette", reason="the studio is not installed: pip install 'kilt[studio]'")

import kilt
from support.command import call
from support.paths import HOSPITAL
from support.studio import read, visiting

CHARACTERS = {"ladder-0": "characters", "ladder-1": "other", "other-1": "characters"}


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    with visiting(tmp_path_factory.mktemp("studio")) as found:
        yield found


@pytest.fixture
def hospital(visitor):
    """The paper's ten rows, opened anew."""
    visitor.open(name="hospital")
    return visitor


def test_the_paper_from_opening_to_download(hospital, tmp_path):
    page = hospital.decide("columns", **CHARACTERS)
    assert "How well must people be hidden?" in page.text
    assert "Make the release" in hospital.decide("policy", k="3", l="", t="0.3").text
    hospital.release(certificate="yes")
    page = hospital.get("/result").text
    assert "byte for byte" in page
    for line in ("63 stars", "optimal: no release under k=3, t=0.3 can have fewer stars"):
        assert line in read(page)
    for what, name in (("table", "hospital.csv"), ("certificate", "certificate.json"), ("config", "kilt.toml")):
        (tmp_path / name).write_bytes(hospital.get(f"/result/file/{what}").body)
    released = hospital.get("/result/file/release")
    assert released.headers["content-disposition"] == 'attachment; filename="hospital-release.csv"'
    assert call(*shown_command(page), cwd=tmp_path).returncode == 0
    assert (tmp_path / "hospital-release.csv").read_bytes() == released.body
    (tmp_path / "hospital-release.csv").unlink()
    assert call("anonymize", "--config", "kilt.toml", cwd=tmp_path).returncode == 0
    assert (tmp_path / "hospital-release.csv").read_bytes() == released.body
    assert call("verify", "--config", "kilt.toml", "--original", "hospital.csv", cwd=tmp_path).returncode == 0
    (tmp_path / "certificate.json").write_bytes(hospital.get("/result/file/certificate").body)
    assert call("check", "certificate.json", "--original", "hospital.csv", cwd=tmp_path).returncode == 0
    report = hospital.get("/result/report")
    assert report.headers["content-security-policy"].startswith("sandbox")
    assert report.body == hospital.get("/result/file/report").body


def shown_command(page: str) -> list[str]:
    """Return the words behind `kilt` of the command that a page shows."""
    return shlex.split(read(page.partition('<pre id="command"')[2].partition(">")[2].partition("</pre>")[0]))[1:]


def test_the_table_of_the_tutorial_again(visitor, tmp_path):
    """A search, and columns with and without a ladder: the shown command writes the same bytes."""
    visitor.open(name="patients")
    visitor.decide("columns", **{"role-1": "identifier", "weight-3": "2"})
    visitor.decide("policy", k="5", l="", t="")
    visitor.release(iterations="500", seed="3")
    page = visitor.get("/result").text
    assert "byte for byte" in page
    (tmp_path / "patients.csv").write_bytes(visitor.get("/result/file/table").body)
    words = shown_command(page)
    assert words[words.index("--weights") : words.index("--weights") + 2] == ["--weights", "zip=2"]
    assert call(*words, cwd=tmp_path).returncode == 0
    assert (tmp_path / "patients-release.csv").read_bytes() == visitor.get("/result/file/release").body


def test_all_figures_are_those_of_the_command(hospital, tmp_path):
    hospital.decide("columns")
    hospital.decide("policy", k="4", l="", t="")
    hospital.release()
    config = hospital.get("/result/file/config").text
    (tmp_path / "kilt.toml").write_text(config)
    (tmp_path / "hospital.csv").write_bytes(HOSPITAL.read_bytes())
    said = json.loads(call("anonymize", "--config", "kilt.toml", "--json", cwd=tmp_path).stdout)
    found = hospital.session.run.result
    for name in ("stars", "bound", "gap", "status", "groups", "left", "k", "l", "t", "warnings", "notes", "solver"):
        assert found[name] == said[name]
    assert tomllib.loads(config)["k"] == "4"


def test_what_is_proposed_is_what_inspect_proposes(hospital):
    profile = kilt.inspect(HOSPITAL).to_dict()
    for column in profile["columns"]:
        choice = hospital.session.columns[column["name"]]
        assert choice.role == column["proposal"]["role"]
        if "ladder" in column["proposal"]:
            assert choice.ladder == column["proposal"]["ladder"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2,3\n", "has 3 cells where the header has 2"),
        (b"a,b\n", "has a header but no rows"),
        (b"a,a\n1,2\n", "occurs twice"),
        (b"caf\xe9,b\n1,2\n", "is not valid UTF-8"),
        (b"PK\x03\x04\x00\xff", "is an Excel workbook"),
    ],
)
def test_a_wrong_file_is_explained(visitor, tmp_path, content, said):
    path = tmp_path / "wrong.csv"
    path.write_bytes(content)
    assert said in read(visitor.open(path=str(path)))
    assert visitor.get("/columns").headers["location"] == "/table"  # there is nothing to decide on


def test_a_missing_file_and_other_places_are_refused(visitor):
    assert "does not exist" in read(visitor.open(path="/nowhere/patients.csv"))
    assert "reads files" in read(visitor.open(path="postgresql://host/database"))
    assert "no file is named" in read(visitor.post("/table/open", path=" ").text).lower()


def test_an_encoding_can_be_corrected(visitor, tmp_path):
    path = tmp_path / "german.csv"
    path.write_bytes("Alter;Straße\n31;Süd\n31;Nord\n44;Süd\n".encode("cp1252"))
    assert "windows-1252" in read(visitor.open(path=str(path)))
    visitor.post("/table/correct", encoding="windows-1252", delimiter=";")
    text = read(visitor.wait("/table/live", "Continue"))
    assert "Straße" in text
    assert "semicolon" in text
    visitor.post("/table/correct", encoding="windows-1252", delimiter="|")
    assert "1 columns" in read(visitor.wait("/table/live", "Continue"))


def test_the_first_address_leads_to_where_one_was(hospital):
    """A table that is read quickly does not lead past the questions about it."""
    assert hospital.get("/").headers["location"] == "/table"
    hospital.decide("columns")
    assert hospital.get("/").headers["location"] == "/policy"
    hospital.get("/columns")
    assert hospital.get("/").headers["location"] == "/columns"


def test_a_column_has_one_role(hospital):
    version = hospital.session.version
    body = f"version={version}&role-1=quasi&role-1=sensitive".encode()
    answer = hospital.ask("POST", "/columns", body)
    assert answer.status == 422
    assert "'Age' has two roles, quasi and sensitive: give it one." in read(answer.text)
    assert hospital.session.columns["Age"].role == "quasi"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"role-0": "owner"}, "must be one of identifier, quasi, sensitive, keep"),
        ({"space-3": "round"}, "must be one of equal, ordered, numeric"),
        ({"role-9": "quasi"}, "there is no such column"),
        ({"ladder-1": "bands=x"}, "bands"),
        ({"ladder-1": "other", "other-1": "ladder"}, "is not a ladder"),
        ({"ladder-2": "bands=5"}, "'Education'"),
        ({"weight-1": "-1"}, "number above 0"),
        ({"mark-1": "?"}, "nobody asked for"),
        ({"role-0": "keep", "role-1": "keep", "role-2": "identifier"}, "no column is to be blurred"),
    ],
)
def test_wrong_columns_are_explained(hospital, fields, said):
    answer = hospital.decide("columns", **fields)
    assert answer.status == 422
    assert said.lower() in read(answer.text).lower()


def test_columns_are_saved_one_by_one(hospital):
    assert hospital.post("/columns/save", **{"role-2": "sensitive"}).status == 204
    assert hospital.post("/columns/save", **{"ladder-1": "bands=10", "other-1": ""}).status == 204
    assert hospital.session.columns["Education"].role == "sensitive"
    assert hospital.session.columns["Age"].ladder == "bands=10"
    assert hospital.post("/columns/save", **{"role-2": "quasi"}).status == 204
    answer = hospital.ask("POST", "/columns/save", b"weight-1=0", X_Studio="fetch")
    assert answer.status == 204  # whether the number is one is decided with the ladder
    page = hospital.get("/columns").text
    assert 'value="bands=10" selected' in page


def test_a_preview_shows_what_values_become(hospital):
    text = read(hospital.get("/columns/1/preview?ladder=bands%3D10%2C20&weight=2").text)
    assert "30-39" in text
    assert "20-39" in text
    assert "is not a ladder" in read(hospital.get("/columns/1/preview?ladder=x&weight=").text)
    assert "no such column" in read(hospital.get("/columns/77/preview?ladder=suppress&weight=").text)


def test_two_tabs_do_not_overwrite_each_other(hospital):
    version = str(hospital.session.version)
    assert hospital.post("/columns", version=version, **{"role-2": "keep"}).status == 200
    answer = hospital.post("/columns", version=version, **{"role-2": "identifier"})
    assert answer.status == 422
    assert "another tab" in answer.text
    assert hospital.session.columns["Education"].role == "keep"


def test_an_impossible_policy_is_explained(hospital):
    hospital.decide("columns")
    hospital.post("/policy/save", k="3", l="4", t="")
    text = read(hospital.wait("/policy/live", "cannot be met"))
    assert "the largest l that this table allows is 2.5" in text
    answer = hospital.decide("policy", k="3", l="4", t="")
    assert (answer.status, "yet. l=4 on 'Disease' cannot be met" in read(answer.text)) == (422, True)
    hospital.post("/policy/save", k="eleven", l="", t="")
    assert "'k' must be a number" in read(hospital.wait("/policy/live", "This cannot be asked for"))
    assert "asks for nothing" in read(hospital.decide("policy", k="", l="", t="").text)
    hospital.post("/policy/save", k="11", l="", t="")
    assert "11" in read(hospital.wait("/policy/live", "cannot be met"))


def test_an_estimate_says_what_the_command_finds(hospital):
    hospital.decide("columns", **CHARACTERS)
    hospital.post("/policy/save", k="3", l="", t="0.3")
    text = read(hospital.wait("/policy/live", "best there is"))
    assert "stars, about 63" in text
    assert "100% of the 10 rows are unique" in text
    assert "Disease : l up to 2.5" in text


def test_a_preview_does_not_wait_for_an_estimate(hospital):
    """The process that estimates stands still: all others answer."""
    hospital.decide("columns")
    process = hospital.session._scales._process.pid
    os.kill(process, signal.SIGSTOP)
    try:
        hospital.post("/policy/save", k="4", l="", t="")
        assert "30-39" in hospital.get("/columns/1/preview?ladder=bands%3D10&weight=1").text
        assert "Estimating" in hospital.get("/policy").text
    finally:
        os.kill(process, signal.SIGCONT)
    hospital.wait("/policy/live", "best there is", "An estimate")


def test_a_frontier_is_that_of_the_command(hospital):
    hospital.decide("columns", **CHARACTERS)
    hospital.post("/policy/save", k="3", l="", t="0.3")
    hospital.post("/policy/frontier", vary="t")
    text = hospital.wait("/policy/frontier", "All policies are compared")
    points = kilt.frontier(
        HOSPITAL,
        quasi="Zipcode:characters,Age:characters,Education",
        sensitive="Disease",
        k=3,
        t="0.1,0.2,0.3,0.4,0.5",
        time_each=4,
    )
    assert hospital.session.frontier.result == [point.to_dict() for point in points]
    assert text.count('class="dot') == 5
    assert 'class="dot chosen"' in text
    hospital.post("/policy/choose", number="0.2")
    assert hospital.session.policy.t == "0.2"
    assert hospital.post("/policy/choose", number="0.7").status == 422
    assert hospital.post("/policy/frontier", vary="age").status == 422


def test_a_run_can_be_stopped_in_the_middle(visitor):
    visitor.open(name="patients")
    visitor.decide("columns")
    visitor.decide("policy", k="5", l="", t="")
    visitor.post("/run/start", limit="time", time="300")
    visitor.wait("/run/live", "<polyline")
    assert visitor.get("/", Origin=None).headers["location"] == "/run"
    assert "A run is under way" in visitor.post("/run/start", limit="time", time="1").text
    begun = time.monotonic()
    visitor.get("/columns/1/preview?ladder=suppress&weight=1")
    visitor.get("/policy")
    visitor.post("/run/take")
    visitor.wait("/run/live", "/result")
    assert time.monotonic() - begun < 290  # long before its time is over
    page = read(visitor.get("/result").text)
    assert "stopped by hand: this command gives a similar release" in page
    assert "name" not in visitor.session.run.result["left"]
    visitor.wait("/result?from=21", "Rows 21 to 40 of 3,000")
    visitor.wait("/result/rows?from=99999", "Rows 3000 to 3000")


def test_a_run_can_be_abandoned(visitor, tmp_path):
    visitor.open(name="patients")
    visitor.decide("columns")
    visitor.decide("policy", k="5", l="", t="")
    visitor.post("/run/start", limit="time", time="300")
    visitor.wait("/run/live", "stars, best so far")
    visitor.post("/run/abandon")
    assert visitor.session.run.state == "idle"
    assert visitor.get("/result").headers["location"] == "/run"
    assert visitor.get("/result/file/release").status == 404


@pytest.mark.parametrize("fields", [{"iterations": "many"}, {"iterations": "-1"}, {"seed": "x"}, {"seed": "1e3"}])
def test_wrong_limits_are_explained(hospital, fields):
    hospital.decide("columns")
    answer = hospital.post("/run/start", **fields)
    assert (answer.status, "must be a whole number" in answer.text) == (422, True)


def test_a_time_that_is_none_is_explained(hospital):
    hospital.decide("columns")
    assert "'time' must be a number" in read(hospital.release(limit="time", time="soon"))


def test_signs_of_html_do_no_harm(visitor, tmp_path):
    """Script tags in every cell and column name; nothing of it may come out as it went in."""
    evil = [f"<script>alert({n})</script>" for n in range(3)]
    rows = "".join(f'"{evil[0]}{n % 2}","{evil[1]}","{evil[2]}{n % 3}"\n' for n in range(12))
    path = tmp_path / "<img src=x onerror=alert(1)>.csv"
    path.write_text(f'"{evil[0]}","{evil[1]}""x","{evil[2]}"\n{rows}')
    pages = [visitor.open(path=str(path))]
    pages += [visitor.get("/table").text, visitor.get("/columns").text]
    pages += [visitor.get(f"/columns/{n}/preview?ladder=suppress&weight=1").text for n in range(3)]
    fields = {"role-0": "quasi", "role-1": "keep", "role-2": "sensitive", "ladder-0": "suppress"}
    pages += [visitor.decide("columns", **fields).text, visitor.get("/policy").text]
    visitor.decide("policy", k="2", l="", t="")
    pages += [visitor.wait("/policy/live", "about", "cannot"), visitor.release(), visitor.get("/result").text]
    assert "byte for byte" in pages[-1]
    for page in pages:
        assert "<script>alert" not in page
        assert "<img" not in page


def test_names_that_flags_cannot_say_are_left_to_the_configuration(visitor, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text('" age","a,""b:c",x=y\n1,2,u\n1,2,v\n1,3,u\n2,3,v\n')
    visitor.open(path=str(path))
    fields = {"role-0": "quasi", "role-1": "quasi", "role-2": "quasi", "weight-2": "2"}
    visitor.decide("columns", **fields, **{f"ladder-{n}": "suppress" for n in range(3)})
    visitor.decide("policy", k="2", l="", t="")
    visitor.release()
    page = visitor.get("/result").text
    assert ">kilt anonymize --config kilt.toml</pre>" in page
    (tmp_path / "kilt.toml").write_bytes(visitor.get("/result/file/config").body)
    assert call("anonymize", "--config", "kilt.toml", cwd=tmp_path).returncode == 0
    assert (tmp_path / "odd-release.csv").read_bytes() == visitor.get("/result/file/release").body


def test_a_result_is_kept_when_something_else_is_chosen(hospital):
    hospital.decide("columns")
    hospital.decide("policy", k="2", l="", t="")
    hospital.release()
    hospital.decide("policy", k="3", l="", t="")
    page = read(hospital.get("/result").text)
    assert "under k=2" in page
    assert "The settings were changed since" in page
    hospital.open(name="patients")
    assert "another table is open now" in read(hospital.get("/result").text).lower()


@pytest.mark.thorough
def test_adult_stays_responsive_while_a_search_runs(visitor, adult):
    visitor.open(path=str(adult))
    visitor.decide("columns")
    visitor.decide("policy", k="5", l="", t="")
    visitor.post("/run/start", limit="time", time="60")
    visitor.wait("/run/live", "stars, best so far")
    longest = 0.0
    for _ in range(50):
        for address in ("/run/live", "/table", "/columns", "/columns/1/preview?ladder=suppress&weight=1", "/policy"):
            begun = time.monotonic()
            assert visitor.get(address).status == 200
            longest = max(longest, time.monotonic() - begun)
    visitor.post("/run/take")
    visitor.wait("/run/live", "/result")
    assert longest < 0.5
