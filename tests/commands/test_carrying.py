"""Releases and bounds are carried from policy to policy: always legal, always true, and monotone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy, VerificationError
from kilt.certificates.proof.evidence import Bound
from kilt.commands.carrying import Carrier
from kilt.commands.frontier import Frontier, FrontierPoint
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.model.scale import IN_STARS
from kilt.model.strictness import is_as_strict
from kilt.run.budget import Budget
from kilt.run.progress import Observer, silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.search.state import one_group
from support import naive
from support.paper_brute_force import BruteForce, Demands, Quasi, Sensitive
from support.problems import Row, groups_of, problem_of, solved
from support.profiles import examples

FORMS = {
    "frequency": ["1.5", "2", "3"],
    "distinct": ["1", "2", "3"],
    "entropy": ["1.5", "2"],
    "recursive:2": ["2", "3"],
}
TS = ("0", "0.2", "1/3", "0.5", "1")
ROWS = st.lists(st.tuples(*(st.sampled_from("ab") for _ in range(3)), st.sampled_from("012")), min_size=2, max_size=6)


@dataclass(frozen=True)
class PlainTable:
    """Rows of three quasi cells and a sensitive one, as a frontier sees a table."""

    rows: list[Row]
    policy: Policy | None = None
    scale = IN_STARS

    def under(self, policy: Policy) -> PlainTable:
        return replace(self, policy=policy)

    @property
    def problem(self) -> Problem:
        return problem_of(self.rows, ["suppress"] * 3, ["equal"], self.policy)


@dataclass(frozen=True)
class Moody:
    """A solver that is sometimes good and sometimes bad; its bounds are right, unless they are in floating point."""

    moods: st.DataObject
    brings_bound: bool = True
    takes_release_rules: bool = True

    def refuses(self, problem: Problem) -> None:
        """Take everything."""

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Return the optimum, something else, or all rows in one group."""
        best = solved("exhaustive", problem, stop, observer)
        mood = self.moods.draw(st.sampled_from(["best", "greedy", "whole"]))
        found = {"best": best.partition, "greedy": solved("greedy", problem).partition, "whole": one_group(problem)}[
            mood
        ]
        least = self.moods.draw(st.sampled_from([0, best.cost // 2, best.cost, None]))
        if least is not None:
            return Solution(found, Bound(least))
        return Solution(found, self.moods.draw(st.sampled_from([None, Bound(found.cost, arithmetic="float")])))


def run(rows: list[Row], policies: list[Policy], solver: object) -> tuple[list[FrontierPoint], dict[int, Partition]]:
    """Return the points of a frontier, and the partition of each."""
    frontier = Frontier(PlainTable(rows), policies, solver, 0, silent)
    points = frontier.points(Budget(None))
    return points, {place: known.release.partition for place, known in frontier.carrier.known().items()}


def assert_monotone(points: list[FrontierPoint]) -> None:
    for strict, loose in product(points, repeat=2):
        if is_as_strict(strict.policy, loose.policy) and strict.exact_stars is not None:
            assert strict.exact_stars >= loose.exact_stars
            assert (strict.exact_bound or 0) >= (loose.exact_bound or 0)


@given(st.data())
@examples(100)
def test_points_are_legal_and_monotone_and_bounds_are_right(data):
    rows = data.draw(ROWS)
    form = data.draw(st.sampled_from(list(FORMS)))
    asked = data.draw(st.sampled_from(["k", "l", "t", "kl", "kt", "lt", "klt"]))
    ks = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)) if "k" in asked else [None]
    ls = data.draw(st.lists(st.sampled_from(FORMS[form]), min_size=1, max_size=2)) if "l" in asked else [None]
    ts = data.draw(st.lists(st.sampled_from(TS), min_size=1, max_size=2)) if "t" in asked else [None]
    combinations = list(product(ks, ls, ts))
    policies = [Policy(k=k, l=l, t=t, diversity=form) for k, l, t in combinations]
    points, partitions = run(rows, policies, Moody(data))
    assert [point.policy for point in points] == policies
    assert_monotone(points)
    name, _, c = form.partition(":")
    for place, (point, (k, l, t)) in enumerate(zip(points, combinations, strict=True)):
        demands = Demands(k, l and Fraction(l), name, Fraction(c or 1), t and Fraction(t))
        brute = BruteForce(rows, [Quasi()] * 3, [Sensitive()], demands)
        optimum = brute.optimum()
        assert (optimum is None) == (point.infeasible is not None)
        if optimum is None:
            continue
        prices = [brute.price(group) for group in groups_of(rows, partitions[place])]
        assert None not in prices
        assert sum(prices) == point.exact_stars >= optimum
        if point.proof == "exact":
            assert (point.exact_bound or 0) <= optimum
        assert point.exact_bound is None or point.exact_bound <= point.exact_stars


@given(st.data())
@examples(50)
def test_average_t_is_decided_for_the_release_as_a_whole(data):
    rows = data.draw(ROWS)
    bits = data.draw(st.lists(st.sampled_from(["0", "0.1", "1/3", "0.5", "1", "2"]), min_size=2, max_size=4))
    points, partitions = run(rows, [Policy(k=k, average_t=t) for k in (1, 2) for t in bits], Moody(data))
    assert_monotone(points)
    for place, t in enumerate([*bits, *bits]):
        shown = groups_of(rows, partitions[place])
        counts = [naive.counts([rows[i] for i in group], 3, sorted({row[3] for row in rows})) for group in shown]
        assert naive.average(counts, Fraction(t))
        assert min(map(sum, counts)) > place // len(bits)


ROWS_OF_PAIRS = [(a, a, a, s) for a in "abc" for s in "01"]  # three pairs, and all of them are 1-close


def carrier_of(*ks: int) -> tuple[Carrier, list[Problem]]:
    policies = [Policy(k=k) for k in ks]
    return Carrier(policies), [PlainTable(ROWS_OF_PAIRS, policy).problem for policy in policies]


def whole(problem: Problem, bound: Bound | None = None) -> Solution:
    return Solution(one_group(problem), bound)


def pairs(problem: Problem, bound: Bound | None = None) -> Solution:
    return Solution(Partition.of(problem, np.arange(6), np.arange(6) // 2, np.ones(6, dtype=np.int64)), bound)


def test_the_loosest_comes_first():
    assert Carrier([Policy(k=5), Policy(k=2), Policy(k=10)]).loosest_first() == [1, 0, 2]
    grid = [Policy(k=k, t=t) for k in (2, 3) for t in ("0.1", "0.2")]
    assert Carrier(grid).loosest_first() == [1, 0, 3, 2]


def test_a_release_of_a_looser_policy_that_happens_to_be_legal_is_a_start():
    carrier, (one, two, three) = carrier_of(1, 2, 3)
    carrier.add(0, one, None, pairs(one, Bound(0)))
    assert carrier.start(1, two).place == 0
    assert carrier.start(2, three) is None
    carrier.add(1, two, carrier.start(1, two), None)
    assert (carrier.known()[1].release.place, carrier.known()[1].bound.place) == (0, 0)


def test_of_equal_bounds_the_own_one_is_named_unless_another_is_exact():
    carrier, (one, two) = carrier_of(1, 2)
    carrier.add(0, one, None, whole(one, Bound(0)))
    carrier.add(1, two, None, pairs(two, Bound(0)))
    assert carrier.known()[1].bound.place == 1
    assert carrier.known()[0].release.place == 1
    carrier.add(1, two, None, pairs(two, Bound(0, arithmetic="float")))
    assert carrier.known()[1].bound.place == 0


def test_a_bound_in_floating_point_that_a_release_refutes_is_dropped():
    carrier, (one, two) = carrier_of(1, 2)
    carrier.add(0, one, None, whole(one, Bound(18, arithmetic="float")))
    assert carrier.known()[0].bound.bound.arithmetic == "float"
    carrier.add(1, two, None, pairs(two))
    assert carrier.known()[0].bound is None
    assert carrier.known()[1].bound is None


def test_an_exact_bound_that_a_release_refutes_is_an_error():
    carrier, (one, two) = carrier_of(1, 2)
    carrier.add(0, one, None, whole(one, Bound(18)))
    carrier.add(1, two, None, pairs(two))
    with pytest.raises(VerificationError, match="this is an error in kilt"):
        carrier.known()
