"""Roles: texts, lists and mappings say the same, and all mistakes are reported together."""

from __future__ import annotations

from fractions import Fraction

import pytest

import kilt
from kilt.model.ladders import Characters, Prefix, Priced, Suppression
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


def test_all_problems_are_reported_together():
    with pytest.raises(kilt.InputError) as error:
        Roles.read(["a", "b"], "c,a:blur", sensitive="a", identifier="d")
    text = str(error.value)
    assert all(part in text for part in ("names 'c'", "'blur' is not a ladder", "two roles", "names 'd'"))
