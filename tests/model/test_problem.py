"""Problems: rules that ask for a size in other words, and parts of a table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Metric, Policy, TCloseness
from kilt.model.rules import SizeRule
from support import naive
from support.problems import problem_of


@given(st.integers(1, 7), st.fractions(0, 1, max_denominator=20), st.booleans())
def test_closeness_to_values_that_are_all_different_is_a_size(rows, t, as_metric):
    distance = [[int(i != j) for j in range(rows)] for i in range(rows)]
    problem = problem_of([("a", str(i)) for i in range(rows)], ["suppress"], ["equal"], Policy(t=t))
    if as_metric and rows > 1:
        policy = Policy(TCloseness(t, Metric.of([str(i) for i in range(rows)], distance)))
        problem = problem_of([("a", str(i)) for i in range(rows)], ["suppress"], ["equal"], policy)
    (rule,) = problem.presolved.rules
    assert isinstance(rule, SizeRule)
    assert problem.presolved.sizes == ()
    for size in range(1, rows + 1):
        group = np.array([[1] * size + [0] * (rows - size)])
        assert problem.rules.meets(problem.groups(group))[0] == (size >= rule.k)
        assert (naive.emd(group[0], [1] * rows, distance) <= t + 1e-9) == (size >= rule.k)


@pytest.mark.parametrize(
    ("values", "space", "policy"),
    [
        ("0123", "ordered", Policy(t="0.3")),  # not equally far apart
        ("0012", "equal", Policy(t="0.3")),  # a value of two rows
        ("0123", "equal", Policy(l=2)),
        ("0123", "equal", Policy(l=2, t="0.5")),
    ],
)
def test_other_rules_stay_as_they_are(values, space, policy):
    problem = problem_of([("a", value) for value in values], ["suppress"], [space], policy)
    assert problem.presolved is problem


@pytest.mark.parametrize("spaces", [["equal"], ["equal", "ordered"]])
def test_a_part_of_a_table_may_lack_values(spaces):
    rows = [("a", *"123"[i : i + 1] * len(spaces)) for i in range(3)] * 2
    problem = problem_of(rows, ["suppress"], spaces, Policy(t="0.9"))
    part = problem.part(np.flatnonzero(problem.sensitive[:, 0] != 1), np.array([2, 2]))
    groups = part.groups(part.sensitive_totals[None, :])
    assert [counts.tolist() for counts in groups.counts] == [[[2, 0, 2]]] * len(spaces)
