"""The smallest residue: the dynamic program and the integer program agree."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kilt
from kilt import Policy
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.approximation.residue import smallest
from kilt.solvers.approximation.residue.smallest import smallest_kept
from kilt.solvers.approximation.residue.solver import of_classes
from kilt.solvers.exact.milp.solver import PatternMilp
from support.problems import classes_of, drawn_problem, drawn_table, rows_of, solved, table_of
from support.profiles import examples
from support.strategies import policies


@given(st.data())
@examples(100)
def test_the_dynamic_program_agrees_with_the_integer_program(data):
    assert_programs_agree(drawn_problem(data, most_rows=10))


@given(st.data())
@examples(100)
def test_the_dynamic_program_agrees_where_classes_are_large(data):
    assert_programs_agree(drawn_table(data, data.draw(policies(1)), classes=3, most=3))


def assert_programs_agree(problem):
    kept = smallest_kept(problem, classes_of(problem))
    assert problem.rows - kept.sum() == PatternMilp().solve(of_classes(problem), StoppingRule(), silent).partition.cost
    assert solved("residue", problem).bound.arithmetic == "exact"


@pytest.mark.parametrize(
    ("counts", "policy", "blurred"),
    [
        ([[1, 0], [3, 0], [0, 5]], Policy(k=3), 3),  # two of the five rows are fewer than the whole class of three
        ([[1, 0], [3, 0], [0, 4]], Policy(k=3), 4),  # only one of four can go
        ([[2, 0, 0], [0, 3, 3], [1, 1, 1]], Policy(l=2), 4),
        ([[1, 1], [2, 1], [1, 0]], Policy(t=0), 3),
        ([[2, 1], [4, 2], [1, 0], [1, 1]], Policy(t=0), 3),
        ([[2, 2], [1, 1]], Policy(k=2, t=0), 0),
    ],
)
def test_smallest_residues(counts, policy, blurred):
    problem = table_of(counts, policy)
    assert problem.rows - smallest_kept(problem, classes_of(problem)).sum() == blurred
    assert_programs_agree(problem)


@pytest.mark.parametrize("limit", ["MOST_CELLS", "MOST_COUNTS", "MOST_PARTS", "MOST_WORK"])
def test_what_is_too_much_for_the_dynamic_program_is_left_to_the_integer_program(limit, monkeypatch):
    problem = table_of([[3, 1, 0], [2, 2, 2], [0, 1, 2], [1, 1, 1]], Policy(k=3, l=2))
    before = solved("residue", problem)
    monkeypatch.setattr(smallest, limit, 2)
    assert smallest_kept(problem, classes_of(problem)) is None
    after = solved("residue", problem)
    assert (after.bound.cost, after.factor, after.bound.arithmetic) == (before.bound.cost, before.factor, "float")
    assert (before.factor_proof, after.factor_proof) == ("exact", "float")


def test_a_guarantee_says_that_it_relies_on_floats(monkeypatch):
    rows = [{"a": row[0], "b": row[1], "s": row[2]} for row in rows_of([[3, 1, 0], [2, 2, 2], [0, 1, 2], [1, 1, 1]])]
    asked = {"quasi": "a,b", "sensitive": "s", "policy": Policy(k=3, l=2), "solver": "residue"}
    exact = kilt.anonymize(pl.DataFrame(rows), **asked)
    monkeypatch.setattr(smallest, "MOST_COUNTS", 0)
    floating = kilt.anonymize(pl.DataFrame(rows), **asked)
    assert exact.guarantee == "at most 2 times the optimum"
    assert floating.guarantee == "at most 2 times the optimum (floating point)"
