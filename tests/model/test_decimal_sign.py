"""Decimal commas: numbers of text columns are read with the sign that is given, those of typed columns as they are."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

import kilt
from kilt.certificates.serialize import ladder_of, ladder_plain, space_of, space_plain
from kilt.model.decimal_sign import with_decimal
from kilt.model.ladders import Bands, Limited, Priced
from kilt.model.measure import DEFAULT
from kilt.model.roles import Roles

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


BANDS = Priced(Limited(Bands((5, 10)), least="5"), Fraction(2))


def test_ladders_inside_of_others_are_told_too():
    told = with_decimal(Roles({"q": BANDS}, {}), ",", ["q"]).quasi["q"]
    assert told == Priced(Limited(Bands((5, 10), decimal=","), least="5"), Fraction(2))
    assert with_decimal(Roles({"q": BANDS}, {}), ",", []).quasi["q"] == BANDS
    assert ladder_of(ladder_plain(told), DEFAULT) == told
    assert ladder_of(ladder_plain(BANDS), DEFAULT) == BANDS
    with pytest.raises(kilt.InputError, match="decimal sign"):
        ladder_of({**ladder_plain(BANDS), "decimal": ";"}, DEFAULT)


def test_bands_of_numbers_with_commas(tmp_path):
    (tmp_path / "in.csv").write_text("height;s\n1,52;a\n1,58;b\n1,71;a\n1,79;b\n")
    options = {"quasi": "height:bands=0.1,0.2", "policy": kilt.Policy(k=2), "keep": "s"}
    with pytest.raises(kilt.InputError, match=r"'height' are not: with a decimal comma they all are: give 'decimal'"):
        kilt.anonymize(tmp_path / "in.csv", **options)
    paths = {"output": tmp_path / "out.csv", "certificate": tmp_path / "proof.json"}
    kilt.anonymize(tmp_path / "in.csv", **options, **paths, decimal=",")
    assert paths["output"].read_text() == "height;s\n1,5-<1,6;a\n1,5-<1,6;b\n1,7-<1,8;a\n1,7-<1,8;b\n"
    assert kilt.check(paths["certificate"], original=tmp_path / "in.csv", release=paths["output"]).passed
    verdict = kilt.verify(paths["output"], original=tmp_path / "in.csv", quasi=options["quasi"], decimal=",")
    assert verdict.met
