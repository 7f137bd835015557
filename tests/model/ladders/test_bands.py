"""Bands: widths, edges, labels, and what a band costs."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import Bands, InputError
from kilt.model.ladders import Domain, parse_ladder
from kilt.model.measure import MEASURES
from support.profiles import examples

LOSS = MEASURES["loss"]


def shown(text, values, value):
    ladder, domain = parse_ladder(text), Domain.of(values, "age")
    ladder.encode(domain)
    return [ladder.show(value, [h], domain, "*") for h in range(1, len(ladder.names(domain)) + 2)]


@pytest.mark.parametrize(
    ("text", "values", "value", "labels"),
    [
        ("bands=5,10,20", ["23", "7"], "23", ["20-24", "20-29", "20-39", "*"]),
        ("bands=5,10,20", ["23.0", "7.0"], "23.0", ["20-24", "20-29", "20-39", "*"]),
        ("bands=5", ["23", "7.5"], "23", ["20-<25", "*"]),
        ("bands=0.5,1", ["20.3", "1"], "20.3", ["20.0-<20.5", "20.0-<21.0", "*"]),
        ("bands=5,10", ["-3", "7"], "-3", ["-5 to -1", "-10 to -1", "*"]),
        ("bands=2.5", ["-3", "7"], "-3", ["-5.0 to <-2.5", "*"]),
        ("bands=10@3", ["12", "7"], "12", ["3-12", "*"]),
        ("bands=10@-3", ["-4", "7"], "-4", ["-13 to -4", "*"]),
        ("bands=1,2", ["5", "7"], "5", ["5-5", "4-5", "*"]),
        ("bands=5,10,20|18..90", ["17", "18", "90"], "17", ["<18", "<18", "<18", "*"]),
        ("bands=5,10,20|18..90", ["17", "18", "90"], "18", ["18-19", "18-19", "18-19", "*"]),
        ("bands=5,10,20|18..90", ["17", "89", "90"], "89", ["85-89", "80-89", "80-89", "*"]),
        ("bands=5,10,20|18..90", ["17", "18", "90"], "90", ["90+", "90+", "90+", "*"]),
        ("bands=5|..90", ["17", "95"], "95", ["90+", "*"]),
        ("bands=5|18..", ["17", "95"], "17", ["<18", "*"]),
        ("bands=5", ["17", None], None, [None, "*"]),
        ("bands=5", ["17", " "], " ", [" ", "*"]),
    ],
)
def test_labels(text, values, value, labels):
    assert shown(text, values, value) == labels


def test_a_band_costs_its_extent_within_the_range():
    domain = Domain.of(["18", "19", "23", "38", None])
    (column,) = Bands((5, 20)).encode(domain, LOSS).columns
    assert column.numbers == (18, 18, 19, 23, 38)  # the missing value is the first
    fine = (0, Fraction(1, 20), Fraction(1, 20), Fraction(4, 20), Fraction(3, 20))
    assert column.costs == (
        (0,) * 5,
        fine,
        (0, Fraction(1, 20), Fraction(1, 20), Fraction(18, 20), Fraction(18, 20)),
        (1,) * 5,
    )
    (column,) = Bands((5,), bottom=20, top=30).encode(domain, LOSS).columns
    assert column.costs[1] == (0, Fraction(1, 20), Fraction(1, 20), Fraction(4, 20), Fraction(8, 20))
    (column,) = Bands((1,)).encode(Domain.of(["1.5", "2", "3.5"]), LOSS).columns
    assert column.costs[1] == (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))
    (column,) = Bands((10,)).encode(Domain.of(["4", "04", None]), LOSS).columns
    assert column.costs == ((0,) * 3, (0,) * 3, (1,) * 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bands=5,12", "12 is none of 5"),
        ("bands=10,5", "5 is none of 10"),
        ("bands=0", "widths above 0"),
        ("bands=-5", "widths above 0"),
        ("bands=x", "decimal numbers"),
        ("bands=1/3", "decimal numbers"),
        ("bands=5|90..18", "a bottom below its top"),
        ("bands=5|18", "bands=5,10|18..90"),
        ("bands=", "is not a ladder"),
        ("bands", "did you mean 'bands=5,10'"),
    ],
)
def test_wrong_bands_are_refused(text, message):
    with pytest.raises(InputError) as error:
        parse_ladder(text)
    assert message in str(error.value)


def test_what_is_not_a_number_is_counted_and_not_shown():
    with pytest.raises(InputError) as error:
        Bands((5,)).encode(Domain.of(["1", "old", "secret"], "age"))
    assert "2 different values of 'age' are not" in str(error.value)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "text", ["bands=5,10", "bands=0.5,1@0.25|-3..7", "bands=5|..90!", "bands=5,10|18../from=5/to=10"]
)
def test_bands_are_written_as_they_are_read(text):
    assert str(parse_ladder(text)) == text
    assert parse_ladder(str(parse_ladder(text))) == parse_ladder(text)


def slow_bands(at, width, origin, bottom, top):
    """Return the first number of a band and the first behind it, by the definition; None where there is none."""
    if bottom is not None and at < bottom:
        return None, bottom
    if top is not None and at >= top:
        return top, None
    low = origin
    while low > at:
        low -= width
    while low + width <= at:
        low += width
    return (
        low if bottom is None else max(low, bottom),
        low + width if top is None else min(low + width, top),
    )


numbers = st.fractions(-40, 40, max_denominator=4).filter(lambda number: 100 % number.denominator == 0)
edges = st.none() | st.integers(-20, 20).map(Fraction)


@given(
    st.lists(numbers, min_size=1, max_size=8, unique=True),
    st.sampled_from([(2, 4), (5,), (3, 6, 12), ("0.5", 1), ("0.25", "2.5")]),
    st.sampled_from([0, 1, "-0.5"]),
    edges,
    edges,
)
@examples(150)
def test_bands_and_their_costs_are_those_of_the_definition(drawn, widths, origin, bottom, top):
    assume(bottom is None or top is None or bottom < top)
    ladder = Bands(widths, origin, bottom, top)
    domain = Domain.of([str(Decimal(number.numerator) / number.denominator) for number in drawn], "x")
    given_numbers = [Fraction(number) for number in (*widths, origin, bottom or 0, top or 0)]
    step = int(all(number.denominator == 1 for number in (*drawn, *given_numbers)))
    least, most = min(drawn), max(drawn)
    for level, width in enumerate(map(Fraction, widths)):
        found = [slow_bands(at, width, Fraction(origin), bottom, top) for at in drawn]
        labels = ladder.labels(domain)[level]
        pairs = [(i, j) for i in range(len(drawn)) for j in range(i)]
        assert all((labels[i] == labels[j]) == (found[i] == found[j]) for i, j in pairs)
        for place, (low, high) in enumerate(found):
            begin = least if low is None else max(low, least)
            end = most if high is None else min(high - step, most)
            assert ladder.loss(level + 1, place, 1, domain) == ((end - begin) / (most - least) if most > least else 0)
