"""Moves of the search keep every group legal, and what is undone was never there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kilt import Policy
from kilt.kernels.search.assignment import COST, LOGGED, undo
from support.fields import assert_consistent, assert_no_row_is_lost, field_of
from support.problems import random_problem, searchable


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_every_move_leaves_legal_groups_and_undoing_leaves_no_trace(data):
    problem = searchable(data)
    field = field_of(problem, seed=data.draw(st.integers(0, 99)))
    multipliers = np.array([data.draw(st.floats(-2, 6)) * problem.unit for _ in problem.counts])
    field.build(multipliers)
    assert_consistent(field)
    for _ in range(6):
        field.anneal(40, data.draw(st.sampled_from([0.01, 0.5, 3.0])))
        assert_consistent(field)
    partition = field.partition()
    assert partition.cost <= field.cost
    assert problem.rules.meets(partition.as_groups(problem)).all()


@pytest.mark.parametrize("policy", [Policy(k=5, t="0.3"), Policy(k=20), Policy(k=3, l=3, diversity="distinct")])
def test_patterns_of_many_row_types_lose_no_row(policy):
    problem = random_problem(4000, 5, 6, policy)
    field = field_of(problem)
    field.build(np.full(len(problem.counts), 4.0))
    assert np.diff(field.index.first).max() > 2_000
    for temperature in (2.0, 0.5, 0.1):
        field.anneal(30_000, temperature)
        assert_no_row_is_lost(field, field.assignment.copies)
        assert problem.rules.meets(field.partition().as_groups(problem)).all()


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_undone_was_never_there(data):
    problem = searchable(data)
    field = field_of(problem)
    before = (field.assignment.copies.copy(), field.cost)
    from kilt.kernels.search.assignment import move

    field.assignment.total[LOGGED] = 0
    for u in range(len(problem.counts)):
        first, last = field.index.starts[u], field.index.starts[u + 1] - 1
        if field.assignment.copies[last] > 0:
            move(field.index, field.assignment, last, first, 1)
    undo(field.index, field.assignment)
    assert field.assignment.copies.tolist() == before[0].tolist()
    assert int(field.assignment.total[COST]) == before[1]
