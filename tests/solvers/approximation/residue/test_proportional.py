"""The smallest residue under t=0: units of the table, against the dynamic program and with many values."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.solvers.approximation.residue.proportional import proportional_kept
from kilt.solvers.approximation.residue.smallest import smallest_kept
from support.problems import classes_of, drawn_problem, solved, table_of
from support.profiles import examples


@st.composite
def balanced(draw):
    """Classes with some units of (1, 2) or (1, 1, 1) each and a few more rows, and one that makes up for these."""
    unit = draw(st.sampled_from([(1, 1), (1, 2), (1, 1, 1)]))
    units = draw(st.lists(st.integers(0, 4), min_size=2, max_size=4))
    more = draw(st.lists(st.tuples(*(st.integers(0, 1) for _ in unit)), min_size=len(units), max_size=len(units)))
    counts = [[n * u + extra for u, extra in zip(unit, each, strict=True)] for n, each in zip(units, more, strict=True)]
    totals = [sum(column) for column in zip(*counts, strict=True)]
    level = max(-(-total // u) for total, u in zip(totals, unit, strict=True)) + draw(st.integers(0, 1))
    return [*counts, [level * u - total for total, u in zip(totals, unit, strict=True)]]


@given(balanced(), st.integers(1, 12))
@examples(400)
def test_units_agree_with_the_dynamic_program(counts, k):
    rows = sum(map(sum, counts))
    if rows:
        problem = table_of(counts, Policy(k=min(k, rows), t=0))
        cells = classes_of(problem)
        assert proportional_kept(problem, cells).sum() == smallest_kept(problem, cells).sum()
        assert solved("residue", problem).bound.arithmetic == "exact"


@given(st.data())
@examples(200)
def test_only_t_0_of_a_single_column_has_units(data):
    problem = drawn_problem(data)
    cells = classes_of(problem)
    kept = proportional_kept(problem, cells)
    assert kept is None or kept.sum() == smallest_kept(problem, cells).sum()


@pytest.mark.parametrize(
    ("counts", "k", "blurred"),
    [
        ([[2, 2], [3, 3], [1, 1]], 4, 4),  # one unit is left, and the class of three can spare one
        ([[2, 2], [2, 2], [1, 1]], 4, 6),  # nobody can spare any: a whole class goes
        ([[2, 2], [1, 1], [1, 1]], 4, 4),  # two units are left, which is enough
        ([[2, 2], [2, 2]], 4, 0),
    ],
)
def test_cases_of_k(counts, k, blurred):
    problem = table_of(counts, Policy(k=k, t=0))
    assert problem.rows - proportional_kept(problem, classes_of(problem)).sum() == blurred
    assert problem.rows - smallest_kept(problem, classes_of(problem)).sum() == blurred


def test_many_values_take_no_program():
    rng = random.Random(1)
    counts = [[rng.randint(0, 3) + (i % 3) * 2 for _ in range(60)] for i in range(30)]
    most = max(map(sum, zip(*counts, strict=True)))
    counts.append([most - sum(column) for column in zip(*counts, strict=True)])
    problem = table_of(counts, Policy(t=0))
    assert smallest_kept(problem, classes_of(problem)) is None
    found = solved("residue", problem)
    assert found.bound.arithmetic == "exact"
    assert found.bound.cost == problem.rows - 60 * sum(min(each) for each in counts)
    assert found.factor == 2
