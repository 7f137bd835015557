"""Figures as a person reads them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from kilt.numbers import bound_percent, percent

shares = st.fractions(0, 1, max_denominator=10**9)


def read(text: str) -> Fraction:
    return Fraction(text.removesuffix("%")) / 100


@given(shares, shares)
def test_a_bound_is_never_shown_above_itself_nor_above_what_was_reached(one, other):
    bound, reached = sorted((one, other))
    shown = read(bound_percent(bound, reached))
    assert shown <= read(percent(reached))
    if bound < reached:
        assert bound - bound / 100 - Fraction(1, 10**40) <= shown <= bound
    else:
        assert shown == read(percent(reached))


def test_a_bound_has_three_digits():
    assert bound_percent(Fraction(48699, 10**6)) == "4.86%"
    assert bound_percent(Fraction(1, 3)) == "33.3%"
    assert bound_percent(Fraction(9999, 10**4)) == "99.9%"
    assert bound_percent(Fraction(2, 3), Fraction(2, 3)) == "66.7%"
    assert bound_percent(Fraction(0), Fraction(1)) == "0%"


def test_small_shares_are_written_without_exponents():
    assert percent(Fraction(1, 5_000_000)) == "0.00002%"
    assert percent(Fraction(1)) == "100%"
