"""Solvers with a guarantee: their answers are legal, and at most as many times dearer than the optimum as they say.

Those of tuple minimization are in ``tp/test_tp.py``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.solvers.approximation import classes, cover, diameter, diameter_balls, forest
from kilt.solvers.approximation.disjoint_cover import DisjointCover
from kilt.solvers.approximation.residue import smallest
from kilt.solvers.approximation.residue.solver import row_costs
from kilt.solvers.registry import SOLVERS
from support.lines import lines_not_run
from support.problems import classes_of, drawn_problem, problem_of, solved
from support.profiles import examples, scaled
from support.strategies import tables


def of_rows(problem):
    least, most = row_costs(problem)
    return Fraction(most, least or 1)


def of_diameters(problem):
    k = problem.rules.min_group_size
    return 2 * (2 * k - 1) * (k - 1) / k * (1 + math.log(2 * k - 1))


# what `kilt solvers` promises
PROMISED = {
    "classes": of_rows,
    "residue": of_rows,
    "cover": lambda problem: 2 * (1 + math.log(2 * problem.rules.min_group_size - 1)),
    "forest": lambda problem: 3 * problem.rules.min_group_size - 3,
    "diameter": of_diameters,
    "diameter-balls": lambda problem: 2 * of_diameters(problem),
}


def test_every_promise_is_tested():
    assert [*PROMISED, "tp", "tp+"] == [name for name, info in SOLVERS.items() if info.kind == "guaranteed"]


def assert_guaranteed(name, problem, optimum):
    found = solved(name, problem)
    assert found.factor is not None
    assert found.factor <= max(1, PROMISED[name](problem))
    assert found.partition.cost <= found.factor * optimum
    assert (found.bound.cost if found.bound else 0) <= optimum
    return found


def assert_all_guaranteed(problem):
    optimum = solved("exhaustive", problem).partition.cost
    for name in PROMISED:
        assert_guaranteed(name, problem, optimum)


@given(data=st.data(), k=st.integers(1, 4))
@examples(300)
def test_guarantees_under_k(data, k):
    rows, quasi, _ = data.draw(tables(most_rows=9, most_sensitive=0))
    repeated = data.draw(st.integers(k, 9)) - len(rows)
    rows += [data.draw(st.sampled_from(rows)) for _ in range(repeated)]
    assert_all_guaranteed(problem_of(rows, quasi, [], Policy(k=k)))


@given(data=st.data())
@examples(300)
def test_the_guarantee_under_any_policy(data):
    problem = drawn_problem(data)
    assert_guaranteed("residue", problem, solved("exhaustive", problem).partition.cost)


def test_a_guarantee_counts_what_rows_pay_that_are_not_blurred():
    problem = problem_of([("0",), ("0",), ("2",), ("2",), ("3",)], ["from labels"], [], Policy(k=2))
    optimum = solved("exhaustive", problem).partition.cost
    for name in ("residue", "classes"):
        assert_guaranteed(name, problem, optimum)


@given(data=st.data())
@examples(60)
def test_the_guarantee_of_a_residue_by_a_program(data):
    problem = drawn_problem(data, most_rows=8)
    with mock.patch.object(smallest, "MOST_COUNTS", 0):
        assert smallest.smallest_kept(problem, classes_of(problem)) is None
        assert_guaranteed("residue", problem, solved("exhaustive", problem).partition.cost)


# what is run in full by the tables below: all cases of the proofs
PATHS = {
    "classes": [classes.Classes.solve, classes._filled_up, classes._with_a_class, classes._cheapest],
    "cover": [cover._cover, DisjointCover.add, DisjointCover.add_rows, DisjointCover._rows, DisjointCover._share],
    "forest": [forest.Trees.link, *(getattr(forest.Cut, n) for n in ("cut", "_add", "_own", "_join")), forest._taken],
    "diameter": [diameter.AllSets.of, diameter.AllSets.best, diameter._cover, DisjointCover._share],
    "diameter-balls": [diameter_balls.Balls.best, diameter_balls._cover, DisjointCover._share],
    "residue": [smallest._reached, smallest._kept, smallest._legal_parts],
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", PATHS)
def test_guarantees_on_all_paths(name):
    rng = np.random.default_rng(0)

    def run():
        for _ in range(scaled(600)):
            problem = random_table(rng)
            assert_guaranteed(name, problem, solved("exhaustive", problem).partition.cost)

    assert lines_not_run(PATHS[name], run) == []


def random_table(rng):
    """Draw up to nine rows, in every other table with many that are equal, and k up to four."""
    size, columns, k = rng.integers(2, 10), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    cells = rng.integers(0, rng.integers(2, 5), (max(size, k), columns))
    if rng.integers(2):
        cells = cells[np.minimum(rng.geometric(0.5, len(cells)) - 1, len(cells) - 1)]
    return problem_of([tuple(map(str, row)) for row in cells], ["suppress"] * columns, [], Policy(k=k))


def table(*sizes):
    """Rows of two columns; class i has so many equal rows."""
    return [(f"a{i}", f"b{i % 2}") for i, size in enumerate(sizes) for _ in range(size)]


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
    problem = problem_of(table(*sizes), ["suppress", "suppress"], [], Policy(k=k))
    found = assert_guaranteed("classes", problem, solved("exhaustive", problem).partition.cost)
    assert int(found.partition.sizes()[found.partition.levels.any(axis=1)].sum()) == blurred


@pytest.mark.parametrize(("rows", "k", "number"), [(10, 3, 582), (4, 3, 5), (100, 2, 166_650), (1_000, 300, math.inf)])
def test_how_many_sets_there_are(rows, k, number):
    assert diameter.number_of_sets(rows, k) == number


def test_all_sets_are_too_many_for_a_large_table():
    rows = [(str(i),) for i in range(182)]
    problem = problem_of(rows, ["suppress"], [], Policy(k=2))
    assert "1,000,000 sets of k to 2k-1" in diameter.Diameter().refuses(problem)
    assert diameter.Diameter().refuses(problem_of(rows[:181], ["suppress"], [], Policy(k=2))) is None
