"""Stars and bounds over a range of policies."""

from __future__ import annotations

from fractions import Fraction

import pytest

import kilt
from kilt import InputError
from kilt.commands.frontier import frontier_text

QUASI = "Zipcode:characters,Age:characters,Education"


def test_every_combination_is_a_policy(hospital):
    points = kilt.frontier(hospital, quasi=QUASI, sensitive="Disease", k="2,3", t="0.1:0.3:0.2")
    assert [(str(p.policy), p.exact_stars) for p in points] == [
        ("k=2, t=0.1", 64),
        ("k=2, t=0.3", 52),
        ("k=3, t=0.1", 64),
        ("k=3, t=0.3", 63),
    ]
    assert all(p.exact_bound == p.exact_stars for p in points)


def test_what_cannot_be_met_is_shown(hospital):
    points = kilt.frontier(hospital, quasi=QUASI, sensitive="Disease", l=[2, 9])
    assert points[0].to_dict() == {
        "policy": "l=2",
        "stars": 50,
        "bound": 50,
        "status": "optimal",
        "proof": "exact",
        "infeasible": None,
    }
    assert "l=9 on 'Disease' cannot be met" in str(points[1].infeasible)
    assert frontier_text(points).splitlines()[2].split() == ["l=9", "cannot", "be", "met"]


def test_a_gap_is_shown(hospital):
    points = kilt.frontier(
        hospital, quasi=QUASI, sensitive="Disease", k=3, t=Fraction(3, 10), solver="greedy", time=600
    )
    assert frontier_text(points).splitlines()[1].split() == ["k=3,", "t=0.3", "64", "61", "4.7%"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"t": "0.5:0.1"}, "'t' must go up"),
        ({"k": "2:x"}, "'k' must be a number, a list"),
        ({"k": "2,x"}, "'k' must be"),
        ({"k": "1:500"}, "500 policies; 200 are the most"),
        ({}, "the policy asks for nothing"),
    ],
)
def test_ranges_that_make_no_sense(hospital, given, message):
    with pytest.raises(InputError, match=message):
        kilt.frontier(hospital, quasi=QUASI, sensitive="Disease", **given)


def test_identifiers_and_marks_are_those_of_the_release(hospital):
    roles = {"quasi": "Zipcode,Age", "sensitive": "Disease", "k": 3}
    with pytest.raises(InputError, match="did you mean 'Education'"):
        kilt.frontier(hospital, **roles, identifier="Educatio")
    assert kilt.frontier(hospital, **roles, identifier="Education")[0].exact_stars is not None
    with pytest.raises(InputError, match="already holds the mark"):
        kilt.frontier(hospital, **roles, mark=_a_value(hospital, 0))


def test_it_ends_when_it_is_interrupted(hospital):
    calls = iter(range(100))
    points = kilt.frontier(hospital, quasi=QUASI, k="2,3,4", interrupted=lambda: next(calls) > 0)
    assert len(points) < 3


def _a_value(path, column):
    return path.read_text().splitlines()[1].split(",")[column]
