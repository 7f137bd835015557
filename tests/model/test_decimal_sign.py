"""Decimal commas: numbers of text columns are read with the sign that is given, those of typed columns as they are."""

from __future__ import annotations

import csv
from fractions import Fraction

import openpyxl
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt.certificates.serialize import ladder_of, ladder_plain, space_of, space_plain
from kilt.model.decimal_sign import in_decimal, with_decimal
from kilt.model.ladders import Priced, parse_ladder
from kilt.model.measure import DEFAULT
from kilt.model.roles import Roles
from kilt.numbers import DECIMALS

COMMAS = "q;pay\na;1,5\na;3\nb;1,5\nb;3,00\n"
TOO_FAR = kilt.Policy(k=2, t="0.2")


@pytest.fixture
def table(tmp_path):
    (tmp_path / "in.csv").write_text(COMMAS)
    return tmp_path / "in.csv"


@pytest.mark.parametrize("space", ["numeric", "ordered"])
def test_numbers_with_commas_are_as_far_apart_as_with_points(table, space):
    with_points = table.with_name("points.csv")
    with_points.write_text(COMMAS.replace(",", "."))
    verdicts = [
        kilt.verify(path, quasi="q", sensitive=f"pay:{space}", policy=TOO_FAR, decimal=decimal)
        for path, decimal in ((table, ","), (with_points, None), (with_points, "."))
    ]
    assert {verdict.t["pay"] for verdict in verdicts} == {Fraction(0)}  # 3 and 3,00 are the same number


def test_commas_without_the_option_are_refused_with_a_hint(table):
    with pytest.raises(
        kilt.InputError, match=r"'pay' has 2 of 3 values that are not numbers.*as in --decimal ,"
    ) as error:
        kilt.verify(table, quasi="q", sensitive="pay:numeric")
    assert "1,5" not in str(error.value)
    table.write_text(COMMAS.replace("3,00", "none"))
    with pytest.raises(kilt.InputError, match=r"'pay' has 2 of 3 values .* its numeric space needs$"):
        kilt.verify(table, quasi="q", sensitive="pay:numeric")
    with pytest.raises(kilt.InputError, match="'pay' has 1 of 3 values that are not numbers"):
        kilt.verify(table, quasi="q", sensitive="pay:numeric", decimal=",")


def test_another_sign_is_refused(table):
    with pytest.raises(kilt.InputError, match="'decimal' must be a point or a comma, as in --decimal , and not ';'"):
        kilt.verify(table, quasi="q", sensitive="pay:numeric", decimal=";")


def test_a_typed_column_has_points_whatever_is_said():
    frame = pl.DataFrame({"q": ["a", "a"], "pay": [1.5, 2.5], "tax": ["1,5", "2,5"]})
    verdict = kilt.verify(frame, quasi="q", sensitive="pay:numeric,tax:numeric", decimal=",")
    assert verdict.t == {"pay": 0, "tax": 0}


def test_a_certificate_knows_the_decimal_sign(table):
    options = {"quasi": "q", "sensitive": "pay:numeric", "policy": kilt.Policy(k=2, t="0.5"), "decimal": ","}
    paths = {"output": table.with_name("out.csv"), "certificate": table.with_name("proof.json")}
    kilt.anonymize(table, **options, **paths)
    found = kilt.check(paths["certificate"], original=table, release=paths["output"], **options)
    assert found.passed
    assert "sensitive: pay:numeric with ',' as decimal sign" in found.summary()
    other = kilt.check(paths["certificate"], original=table, quasi="q", sensitive="pay:numeric")
    assert "the space of 'pay' is numeric with ',' as decimal sign, and not numeric" in other.summary()


@pytest.mark.parametrize(
    "space", [kilt.Numeric(","), kilt.Ordered(decimal=","), kilt.Numeric(), kilt.Ordered(("a", "b"))]
)
def test_spaces_are_described_and_read_again(space):
    assert space_of(space_plain(space)) == space


@pytest.mark.parametrize("plain", [{"space": "numeric", "decimal": ";"}, {"space": "equal", "decimal": ","}])
def test_a_description_with_another_sign_is_refused(plain):
    with pytest.raises(kilt.InputError, match="decimal sign"):
        space_of(plain)


def test_ladders_inside_of_others_are_told_too():
    ladder = Priced(kilt.Limited(kilt.Bands([5]), highest="5"), Fraction(2))
    told = with_decimal(Roles({"q": ladder}, {}), ",", ["q"]).quasi["q"]
    assert told == Priced(kilt.Limited(kilt.Bands([5], decimal=","), highest="5"), Fraction(2))


HEIGHTS = "height;s\n9,5;x\n9,75;y\n10,25;x\n10,5;y\n"


@pytest.fixture
def heights(tmp_path):
    (tmp_path / "heights.csv").write_text(HEIGHTS)
    return tmp_path / "heights.csv"


@pytest.mark.parametrize(
    ("ladder", "labels"),
    [("bands=0.5,1", ["9,5-<10,0"] * 2 + ["10,0-<11,0"] * 2), ("groups=2", ["9,5-9,75"] * 2 + ["10,25-10,5"] * 2)],
)
def test_ladders_read_and_show_commas(heights, ladder, labels):
    options = {"quasi": f"height:{ladder}", "policy": kilt.Policy(k=2), "decimal": ","}
    paths = {"output": heights.with_name("out.csv"), "certificate": heights.with_name("proof.json")}
    release = kilt.anonymize(heights, **options, **paths)
    released = csv.DictReader(paths["output"].read_text().splitlines(), delimiter=";")
    assert [row["height"] for row in released] == labels
    assert kilt.verify(paths["output"], original=heights, **options).fidelity.stars == release.exact_stars
    assert kilt.bound(heights, **options).exact_stars == release.exact_stars
    found = kilt.check(paths["certificate"], original=heights, release=paths["output"], **options)
    assert found.passed
    assert f"height:{ladder} with ',' as decimal sign" in found.summary()
    del options["decimal"]
    if ladder == "groups=2":  # in the order of text
        assert "and not groups=2" in kilt.check(paths["certificate"], original=heights, **options).summary()


def test_bands_of_commas_without_the_option_are_refused_with_a_hint(heights):
    with pytest.raises(kilt.InputError, match=r"'bands' needs numbers.*give 'decimal', as in --decimal ,") as error:
        kilt.ladder(heights, "height:bands=1")
    assert "9,5" not in str(error.value)
    levels = kilt.ladder(heights, "height:bands=1", decimal=",", show_values=True).levels
    assert [label for label, _ in levels[1].examples] == ["10-<11", "9-<10"]


def test_suppressed_columns_are_cut_in_the_order_of_their_numbers(heights):
    plain = ladder_plain(with_decimal(Roles({"q": kilt.Suppression()}, {}), ",", ["q"]).quasi["q"])
    assert plain == {"ladder": "suppress", "weight": "1"}  # no label depends on the sign
    table = kilt.TableDescription(heights, quasi="height", decimal=",").count(kilt.Policy(k=2))
    assert list(map(str, table.encodings[0].columns[0].numbers)) == ["19/2", "39/4", "41/4", "21/2"]


def test_the_original_says_whether_a_column_is_typed():
    frame = pl.DataFrame({"height": [9.5, 9.75, 10.25, 10.5]})
    options = {"quasi": "height:bands=1", "policy": kilt.Policy(k=2), "decimal": ","}
    release = kilt.anonymize(frame, **options)
    assert release.frame["height"].to_list() == ["9-<10"] * 2 + ["10-<11"] * 2
    assert kilt.verify(release.frame, original=frame, **options).met


def test_numbers_of_a_workbook_have_points_and_its_texts_commas(tmp_path):
    book = openpyxl.Workbook()
    for row in (["height", "pay"], [9.5, "1,5"], [9.75, "1,75"], [10.25, "3,0"], [10.5, "3,25"]):
        book.active.append(row)
    book.save(tmp_path / "in.xlsx")
    options = {"quasi": "height:bands=1,pay:bands=1", "policy": kilt.Policy(k=2), "decimal": ","}
    kilt.anonymize(tmp_path / "in.xlsx", **options, output=tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines == ["height,pay", "9-<10,1-<2", "9-<10,1-<2", "10-<11,3-<4", "10-<11,3-<4"]
    assert kilt.verify(tmp_path / "out.csv", original=tmp_path / "in.xlsx", **options).met


@pytest.mark.parametrize("plain", [{"decimal": ";"}, {"decimal": None}])
def test_a_ladder_with_another_sign_is_refused(plain):
    with pytest.raises(kilt.InputError, match="decimal sign"):
        ladder_of({"ladder": "bands=5", "weight": "1", **plain}, DEFAULT)


@given(
    st.sampled_from(["bands=0.5,1|-2..7.5/from=0.5", "groups=4,2!", "prefix", "suppress"]), st.sampled_from(DECIMALS)
)
def test_ladders_are_described_and_read_again(text, decimal):
    ladder = Priced(in_decimal(parse_ladder(text), decimal), Fraction(3, 2))
    assert ladder_of(ladder_plain(ladder), DEFAULT) == ladder
