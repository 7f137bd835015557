from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import kilt
from kilt.model.ladders import Characters, Prefix, Suppression, Weighted
from kilt.model.roles import Roles
from kilt.model.spaces import Ordered
from kilt.numbers import decimal_text, plain, rational, roomy


def test_specs_are_texts_lists_or_mappings():
    columns = ["a", "b", "zip", "x:y", "p,q", "s"]
    expected = {"a": Suppression(), "zip": Characters()}
    assert Roles.read(columns, "a, zip:characters").quasi == expected
    assert Roles.read(columns, ["a", "zip:characters"]).quasi == expected
    assert Roles.read(columns, {"a": None, "zip": "characters"}).quasi == expected
    assert Roles.read(columns, {"a": Suppression(), "zip": Characters()}).quasi == expected
    assert list(Roles.read(columns, ["x:y", "p,q"]).quasi) == ["x:y", "p,q"]
    assert Roles.read(columns, "x:y:prefix").quasi == {"x:y": Prefix()}
    assert list(Roles.read(columns, '"p,q",a').quasi) == ["p,q", "a"]
    assert Roles.read(columns, "a", sensitive="s:ordered").sensitive == {"s": Ordered()}
    assert Roles.read(columns, "a", weights="a=2.5").quasi == {"a": Weighted(Suppression(), Fraction(5, 2))}


def test_all_problems_are_reported_together():
    with pytest.raises(kilt.InputError) as error:
        Roles.read(["a", "b"], "c,a:blur", sensitive="a", identifier="d")
    text = str(error.value)
    assert all(part in text for part in ("names 'c'", "'blur' is not a ladder", "two roles", "names 'd'"))


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("0.2", "1/5"),
        (0.1, "1/10"),
        (Decimal("1e-3"), "1/1000"),
        ("1/3", "1/3"),
        (2, "2"),
        (np.float64(0.3), "3/10"),
        (" .5 ", "1/2"),
    ],
)
def test_numbers_are_read_as_they_are_written(given, value):
    assert rational(given) == Fraction(value)


@pytest.mark.parametrize("given", ["", "x", "nan", "inf", "1_000", True, "1e999999999", "²", "1/0"])
def test_what_is_no_number(given):
    with pytest.raises((ValueError, ZeroDivisionError)):
        rational(given)


def test_decimals_are_rounded_to_the_safe_side():
    assert decimal_text(Fraction(1, 3)) == "0.333333"
    assert decimal_text(Fraction(1, 3), up=True) == "0.333334"
    assert decimal_text(Fraction(3, 10), up=True) == "0.3"
    assert decimal_text(Fraction(70)) == "70"
    assert plain(Fraction(7)) == 7
    assert plain(Fraction(5, 2)) == 2.5


def test_arrays_widen_before_they_overflow():
    assert roomy(np.array([1]), 2**61).dtype == np.int64
    assert roomy(np.array([1]), 2**62).dtype == object


def test_a_policy_reads_like_its_flags():
    assert str(kilt.Policy(k=5, l=2, t="0.2")) == "k=5, l=2, t=0.2"
    assert str(kilt.Policy(l=2, diversity="distinct", t={"pay": "1/3"})) == "l=2 (distinct), t=1/3 on 'pay'"
    assert kilt.Policy(kilt.KAnonymity(5), kilt.TCloseness("0.2", "ordered", "pay")).columns(["pay", "x"]) == ["pay"]
    assert not kilt.Policy()


def test_several_sensitive_columns_each_with_its_own_space_and_threshold():
    rows = [{"q": str(i % 4), "s": "xyz"[i % 3], "pay": i % 5} for i in range(60)]
    import polars as pl

    frame = pl.DataFrame(rows)
    policy = kilt.Policy(k=3, l={"s": 2}, t={"s": "0.3", "pay": "0.2"})
    release = kilt.anonymize(frame, quasi="q", sensitive="s,pay:ordered", policy=policy)
    assert release.verdict.met
    assert release.verdict.t["pay"] <= Fraction(1, 5)
    with pytest.raises(kilt.InputError, match="'pya' is not a sensitive column: did you mean 'pay'"):
        kilt.anonymize(frame, quasi="q", sensitive="s,pay:ordered", policy=kilt.Policy(t={"pya": "0.2"}))


def test_releases_speak_for_themselves(hospital):
    release = kilt.anonymize(hospital, quasi="Education", sensitive="Disease", policy=kilt.Policy(k=2))
    assert repr(release) == "Release(10 rows in 3 groups, 0 stars, bound 0, optimal, k=2)"
    assert "optimal" in release.summary()
    html = release._repr_html_()
    assert html.count("<table>") == 2
    assert "Bachelor" in html
    assert release.frame.columns == ["Zipcode", "Age", "Education", "Disease"]
    assert [(g.pattern["Education"], g.size) for g in release.groups] == [
        ("Bachelor", 6),
        ("Doctorate", 2),
        ("Master", 2),
    ]
