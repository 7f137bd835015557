"""Stars and bounds over a range of policies."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest

import kilt
from kilt import FrontierPoint, InputError, Policy, TableDescription
from kilt.commands.frontier import frontier_text
from kilt.model.problem import Problem
from kilt.model.strictness import is_as_strict
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.search.state import one_group
from kilt.sources.registry import open_source

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


def test_it_says_what_comes_from_another_policy(hospital):
    points = kilt.frontier(hospital, quasi=QUASI, sensitive="Disease", k="2,3", t="0.1,0.3")
    assert [p.release_of for p in points] == [p.bound_of for p in points] == [None, None, points[0].policy, None]
    assert points[2].to_dict()["release_of"] == points[2].to_dict()["bound_of"] == "k=2, t=0.1"
    assert frontier_text(points).splitlines()[3].endswith("optimal  release and bound of k=2, t=0.1")


def test_remarks():
    k = [Policy(k=k) for k in (2, 3, 5)]
    points = [
        FrontierPoint(k[1], Fraction(9), Fraction(3), release_of=k[2], bound_of=k[0]),
        FrontierPoint(k[2], Fraction(9), Fraction(3), proof="float", bound_of=k[1]),
        FrontierPoint(k[2], Fraction(9), None, release_of=k[2]),
    ]
    assert [line.split("%  ")[1] for line in frontier_text(points).splitlines()[1:]] == [
        "release of k=5; bound of k=2",
        "bound of k=3; bound proved in floating point",
        "release of k=5",
    ]


def test_a_table_is_read_once(hospital, monkeypatch):
    opened, counted = [], []
    monkeypatch.setattr(
        "kilt.sources.counted_table.open_source", lambda *words: opened.append(1) or open_source(*words)
    )
    count = TableDescription.count
    monkeypatch.setattr(TableDescription, "count", lambda *words: counted.append(1) or count(*words))
    assert len(kilt.frontier(hospital, quasi=QUASI, sensitive="Disease", k="2,3,4", t="0.3,0.5")) == 6
    assert (len(opened), len(counted)) == (1, 1)


def test_what_cannot_be_met_is_shown(hospital):
    points = kilt.frontier(hospital, quasi=QUASI, sensitive="Disease", l=[2, 9])
    assert points[0].to_dict() == {
        "policy": "l=2",
        "stars": 50,
        "bound": 50,
        "status": "optimal",
        "proof": "exact",
        "release_of": None,
        "bound_of": None,
        "infeasible": None,
    }
    assert "l=9 on 'Disease' cannot be met" in str(points[1].infeasible)
    assert frontier_text(points).splitlines()[2].split() == ["l=9", "cannot", "be", "met"]


def test_a_gap_is_shown(hospital):
    points = kilt.frontier(
        hospital, quasi=QUASI, sensitive="Disease", k=3, t=Fraction(3, 10), solver="greedy", time=600
    )
    assert frontier_text(points).splitlines()[1].split() == ["k=3,", "t=0.3", "64", "63", "1.6%"]


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


class Hurried:
    """A solver that puts all rows into one group, and notes how much time it had."""

    brings_bound = True

    def __init__(self) -> None:
        self.rules: list[StoppingRule] = []

    def refuses(self, problem: Problem) -> None:
        """Take everything."""

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Take no time."""
        self.rules.append(stop)
        return Solution(one_group(problem))


def limits(hospital, **given) -> list[float | None]:
    """Return the seconds that a solver had for each policy; all rows in one group are legal, but not known as best."""
    solver = Hurried()
    kilt.frontier(hospital, quasi=QUASI, k="2,3,4,5", solver=solver, **given)
    return [rule.seconds for rule in solver.rules]


def test_the_time_is_shared_and_what_is_not_used_goes_on(hospital, monkeypatch):
    shared = pytest.approx([3e6, 4e6, 6e6, 12e6], rel=0.01)  # seconds, beside which those of a test are nothing
    with pytest.warns(FutureWarning, match="'time' is for the whole frontier now"):
        assert limits(hospital, time=12e6) == shared
    monkeypatch.setattr("kilt.commands.frontier.SECONDS", 3e6)
    assert limits(hospital) == shared
    assert limits(hospital, time=12e6, time_each=7) == [7, 7, 7, 7]
    assert limits(hospital, time_each="7.5") == [7.5] * 4
    assert limits(hospital, iterations=3) == [None] * 4
    with pytest.raises(InputError, match="'time_each' must be a number of at least 0, not '-1'"):
        limits(hospital, time_each=-1)
    with pytest.raises(InputError, match="'iterations' must be a whole number of at least 0, not -1"):
        limits(hospital, iterations=-1)


def test_the_same_iterations_and_seed_give_the_same_points():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({**{name: rng.integers(0, 4, 150) for name in "abcd"}, "s": rng.integers(0, 3, 150)})

    given = {"quasi": "a,b,c,d", "sensitive": "s", "k": "2,4", "t": "0.3,0.5", "solver": "search", "seed": 1}
    first = kilt.frontier(frame, **given, iterations=1_000)
    assert first == kilt.frontier(frame, **given, iterations=1_000)
    for strict, loose in product(first, repeat=2):
        if is_as_strict(strict.policy, loose.policy):
            assert strict.exact_stars >= loose.exact_stars
            assert strict.exact_bound >= loose.exact_bound


def test_identifiers_and_marks_are_those_of_the_release(hospital):
    roles = {"quasi": "Zipcode,Age", "sensitive": "Disease", "k": 3}
    with pytest.raises(InputError, match="did you mean 'Education'"):
        kilt.frontier(hospital, **roles, identifier="Educatio")
    assert kilt.frontier(hospital, **roles, identifier="Education")[0].exact_stars is not None
    with pytest.raises(InputError, match="already holds the mark"):
        kilt.frontier(hospital, **roles, mark=_a_value(hospital, 0))


def test_numbers_of_single_columns_are_the_same_in_all_policies(hospital):
    points = kilt.frontier(hospital, quasi=QUASI, sensitive="Disease", k="2,3", t={"Disease": "0.3"})
    assert [(str(p.policy), p.exact_stars) for p in points] == [
        ("k=2, t=0.3 on 'Disease'", 52),
        ("k=3, t=0.3 on 'Disease'", 63),
    ]


def test_it_ends_when_it_is_interrupted(hospital):
    calls = iter(range(100))
    points = kilt.frontier(hospital, quasi=QUASI, k="2,3,4", interrupted=lambda: next(calls) > 0)
    assert len(points) < 3


def _a_value(path, column):
    return path.read_text().splitlines()[1].split(",")[column]
