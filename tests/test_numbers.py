"""Numbers are read as they are written, rounded to the safe side, and have room."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.numbers import DECIMALS, bound_number, decimal_text, json_number, rational, read_number, widen


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
    assert json_number(Fraction(7)) == 7
    assert json_number(Fraction(5, 2)) == 2.5


def test_arrays_widen_before_they_overflow():
    assert widen(np.array([1]), 2**61).dtype == np.int64
    assert widen(np.array([1]), 2**62).dtype == object


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [("1,5", ",", "3/2"), ("-0,25", ",", "-1/4"), ("7", ",", "7"), ("1.5", ".", "3/2"), ("1e3", ",", "1000")],
)
def test_a_number_is_read_with_its_decimal_sign(text, decimal, value):
    assert read_number(text, decimal) == Fraction(value)


@pytest.mark.parametrize(("text", "decimal"), [("1.5", ","), ("1,5", "."), ("1.234,5", ","), ("1,2,3", ","), ("", ",")])
def test_a_number_with_another_decimal_sign_is_none(text, decimal):
    with pytest.raises(ValueError, match="not a"):
        read_number(text, decimal)


def test_a_bound_that_equals_the_stars_is_shown_as_they_are():
    third = Fraction(1, 3)
    assert bound_number(third, third) == json_number(third, up=True) == 0.333334
    assert bound_number(third, None) == bound_number(third, Fraction(1, 2)) == 0.333333


@given(st.from_regex(r"\A[-+ ]?[0-9]{0,20}([.,][0-9]{0,20})?(e-?[0-9]{1,2})?\Z"), st.sampled_from(DECIMALS))
def test_plain_numbers_are_read_as_all_others_are(text, decimal):
    other = next(sign for sign in DECIMALS if sign != decimal)
    try:
        expected = rational("none" if other in text else text.replace(decimal, "."))
    except ValueError:
        with pytest.raises(ValueError, match="number"):
            read_number(text, decimal)
    else:
        assert read_number(text, decimal) == expected
