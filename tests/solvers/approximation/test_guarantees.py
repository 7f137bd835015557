"""Solvers with a guarantee: their answers are legal, and at most as many times dearer than the optimum as they say."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import Policy
from kilt.solvers.registry import solver
from support.problems import drawn_problem, problem_of, solved
from support.profiles import examples

GUARANTEED = ["classes", "residue", "cover", "forest", "diameter", "diameter-balls"]


def assert_guaranteed(name, problem, most=None):
    optimum = solved("exhaustive", problem).partition.cost
    found = solved(name, problem)
    assert found.factor is not None
    assert found.partition.cost <= found.factor * optimum
    assert (found.bound.cost if found.bound else 0) <= optimum
    assert most is None or found.factor <= most
    return found, optimum


@pytest.mark.parametrize("name", GUARANTEED)
@given(data=st.data())
@examples(200)
def test_guarantees_hold(name, data):
    problem = drawn_problem(data)
    assume(solver(name).refuses(problem) is None)
    assert_guaranteed(name, problem)


def table(*classes):
    """Rows of two columns; class i has so many equal rows."""
    return [(f"a{i}", f"b{i % 2}") for i, size in enumerate(classes) for _ in range(size)]


@pytest.mark.parametrize(
    ("sizes", "k", "blurred"),
    [
        ((3, 4), 3, 0),  # no small class: nothing is blurred
        ((1, 1, 1, 5), 3, 3),  # case 1: small classes are enough
        ((1, 5), 3, 3),  # case 2: the class of five can spare two
        ((1, 3, 3), 3, 4),  # case 3: a whole class is taken up
        ((1, 3, 4), 3, 5),  # case 3: one can be spared, which is not enough; the larger class is nearer
        ((2, 2), 3, 4),  # k > n/2: one group is all there can be
        ((1, 3), 3, 4),
    ],
)
def test_the_cases_of_the_paper(sizes, k, blurred):
    rows = table(*sizes)
    problem = problem_of(rows, ["suppress", "suppress"], [], Policy(k=k))
    found, _ = assert_guaranteed("classes", problem, Fraction(2))
    assert int(found.partition.sizes()[found.partition.levels.any(axis=1)].sum()) == blurred
