"""Roles: texts, lists and mappings say the same, and all mistakes are reported together."""

from __future__ import annotations

from fractions import Fraction

import pytest

import kilt
from kilt.model.ladders import Bands, Characters, Prefix, Priced, Suppression, parse_ladder
from kilt.model.roles import Roles
from kilt.model.spaces import Ordered


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
    assert Roles.read(columns, "a", weights="a=2.5").quasi == {"a": Priced(Suppression(), Fraction(5, 2))}


@pytest.mark.parametrize(
    "spec",
    [
        "age:bands=5,10,b,zip:prefix=4,2!,day:date=month,year/from=month",
        ["age:bands=5,10", "b", "zip:prefix=4,2!,day:date=month,year/from=month"],
        {"age": Bands((5, 10)), "b": None, "zip": "prefix=4,2!", "day": "date=month,year/from=month"},
    ],
)
def test_a_comma_may_go_on_with_a_ladder(spec):
    found = Roles.read(["age", "b", "zip", "day", "20"], spec).quasi
    texts = {"age": "bands=5,10", "b": "suppress", "zip": "prefix=4,2!", "day": "date=month,year/from=month"}
    assert found == {name: parse_ladder(text) for name, text in texts.items()}
    assert set(Roles.read(["age", "20"], "age:bands=5,10,20").quasi) == {"age", "20"}


def test_a_word_that_is_neither_a_column_nor_part_of_a_ladder_is_named():
    with pytest.raises(kilt.InputError, match=r"'sx', which is neither a column nor goes on .*'bands=5,10': .*'sex'"):
        Roles.read(["age", "sex"], "age:bands=5,10,sx")
    with pytest.raises(kilt.InputError, match="12 is none of 5"):
        Roles.read(["age", "sex"], "age:bands=5,12,sex")


def test_all_problems_are_reported_together():
    with pytest.raises(kilt.InputError) as error:
        Roles.read(["a", "b"], "c,a:blur", sensitive="a", identifier="d")
    text = str(error.value)
    assert all(part in text for part in ("names 'c'", "'blur' is not a ladder", "two roles", "names 'd'"))
