"""Equally filled bands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kilt import InputError
from kilt.model.ladders import Domain, parse_ladder
from kilt.model.measure import MEASURES


def labels(text, values, counts=None):
    domain = Domain("q", values, np.array(counts or [1] * len(values)))
    ladder = parse_ladder(text)
    ladder.encode(domain)
    return [list(level) for level in ladder.labels(domain)]


def test_bands_have_about_as_many_rows():
    numbers = [str(number) for number in range(1, 17)]
    fine, coarse = labels("groups=4,2", numbers)
    assert fine == ["1-4"] * 4 + ["5-8"] * 4 + ["9-12"] * 4 + ["13-16"] * 4
    assert coarse == ["1-8"] * 8 + ["9-16"] * 8
    assert labels("groups=2", ["1", "2", "3"], [8, 1, 1]) == [["1", "2-3", "2-3"]]
    assert labels("groups=2", ["-3", "-2", "10", "9"]) == [["-3 to -2", "-3 to -2", "9-10", "9-10"]]
    assert labels("groups=2", ["b", "a", None, "d", "c", ""]) == [["a to b", "a to b", None, "c to d", "c to d", ""]]


def test_a_band_costs_the_share_of_its_values():
    domain = Domain.of(["1", "2", "3", "4"])
    (column,) = parse_ladder("groups=2").encode(domain, MEASURES["loss"]).columns
    assert column.costs[1] == (Fraction(1, 3),) * 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("groups=1", "at least 2"),
        ("groups=16,5", "5 does not divide 16"),
        ("groups=4,8", "8 does not divide 4"),
        ("groups=x", "groups=16,4"),
    ],
)
def test_wrong_numbers_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_ladder(text)
