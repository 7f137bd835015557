"""Moves of the search keep every group legal, and what is undone was never there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from support.problems import random_problem, searchable
from support.profiles import examples
from support.states import assert_consistent, assert_no_row_is_lost, state_of


@given(st.data())
@examples(150)
def test_every_move_leaves_legal_groups_and_undoing_leaves_no_trace(data):
    problem = searchable(data)
    state = state_of(problem, seed=data.draw(st.integers(0, 99)))
    multipliers = np.array([data.draw(st.floats(-2, 6)) * problem.unit for _ in problem.counts])
    state.build(multipliers)
    assert_consistent(state)
    for _ in range(6):
        state.anneal(40, data.draw(st.sampled_from([0.01, 0.5, 3.0])))
        assert_consistent(state)
    partition = state.partition()
    assert partition.cost <= state.cost
    assert problem.rules.meets(partition.as_groups(problem)).all()


@pytest.mark.compiled
@pytest.mark.parametrize("policy", [Policy(k=5, t="0.3"), Policy(k=20), Policy(k=3, l=3, diversity="distinct")])
def test_patterns_of_many_row_types_lose_no_row(policy):
    problem = random_problem(4000, 5, 6, policy)
    state = state_of(problem)
    state.build(np.full(len(problem.counts), 4.0))
    assert np.diff(np.asarray(state.index.first)).max() > 2_000
    for temperature in (2.0, 0.5, 0.1):
        state.anneal(30_000, temperature)
        assert_no_row_is_lost(state, state.copies)
        assert problem.rules.meets(state.partition().as_groups(problem)).all()


@given(st.data())
@examples(100)
def test_what_is_undone_was_never_there(data):
    problem = searchable(data)
    state = state_of(problem)
    before = (state.copies.copy(), state.cost)
    moved = 0
    for u in range(len(problem.counts)):
        first, last = state.index.starts[u], state.index.starts[u + 1] - 1
        if first != last and state.copies[last] > 0:
            state.assignment.try_move(last, first, 1)
            moved += 1
    assert moved == 0 or state.copies.tolist() != before[0].tolist()
    state.assignment.take_back()
    assert state.copies.tolist() == before[0].tolist()
    assert state.cost == before[1]
    assert_consistent(state)
