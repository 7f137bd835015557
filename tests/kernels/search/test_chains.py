"""Chains: their ends are those that a plain search finds, and moves by chains keep every group legal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import Policy
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.registry import solver
from kilt.solvers.search.state import SearchState
from support.problems import random_problem, searchable
from support.profiles import examples
from support.states import assert_consistent, assert_no_row_is_lost, state_of

MANY = 10_000  # larger than any group
NO_SINK = 1e18


def built(data) -> SearchState:
    """Draw a problem that asks for more than a size, and a state of it with some groups."""
    problem = searchable(data)
    state = state_of(problem, seed=data.draw(st.integers(0, 99)))
    assume(state.annealing.has_chains)
    state.build(np.array([data.draw(st.floats(-2, 6)) * problem.unit for _ in problem.counts]))
    return state


def steps(state: SearchState, sensitive_class: int) -> set[tuple[int, int]]:
    """Return the pairs of groups such that a row of a class in the first fits into the second."""
    row_types, patterns, copies = state.row_type_of, state.pattern_of, state.copies
    of_class = state.problem.sensitive_class[row_types] == sensitive_class
    return {
        (int(patterns[home]), int(patterns[other]))
        for home in np.flatnonzero(of_class & (copies > 0))
        for other in np.flatnonzero(row_types == row_types[home])
        if state.sizes[patterns[other]] > 0
    }


def reachable(first: int, pairs: set[tuple[int, int]]) -> set[int]:
    """Return the groups to which steps lead."""
    found, more = {first}, {first}
    while more:
        more = {b for a, b in pairs if a in more} - found
        found |= more
    return found


def ends(state: SearchState) -> tuple[np.ndarray, np.ndarray]:
    """Return the costs of the dearest source and of the cheapest sink of every pattern and class, found one by one."""
    by_class, problem = np.asarray(state.assignment.by_class.of), state.problem
    source, sink = np.full(by_class.shape, -1.0), np.full(by_class.shape, NO_SINK)
    for c in range(by_class.shape[1]):
        pairs = steps(state, c)
        for p in np.flatnonzero(state.sizes > 0).tolist():
            less, more = by_class[[p]].copy(), by_class[[p]].copy()
            less[0, c] -= 1
            more[0, c] += 1
            if by_class[p, c] > 0 and (less.sum() == 0 or problem.is_legal(less)[0]):
                for q in reachable(p, pairs):
                    source[q, c] = max(source[q, c], state.pool.cost[p])
            if problem.is_legal(more)[0]:
                for q in reachable(p, {(b, a) for a, b in pairs}):
                    sink[q, c] = min(sink[q, c], state.pool.cost[p])
    return source, sink


@given(st.data())
@examples(75)
def test_the_ends_of_chains_are_those_that_a_plain_search_finds(data):
    state = built(data)
    found, plain = state.annealing.chains.chains.ends(), ends(state)
    assert found[0].T.tolist() == plain[0].tolist()
    assert found[1].T.tolist() == plain[1].tolist()


@given(st.data())
@examples(150)
def test_every_move_by_chains_leaves_legal_groups(data):
    state = built(data)
    for _ in range(4):
        temperature = data.draw(st.sampled_from([1e-9, 0.5, 3.0]))
        before = state.cost
        state.annealing.chains.anneal(state.patterns, state.row_types, 30, temperature, MANY)
        assert_consistent(state)
        assert temperature > 1e-9 or state.cost <= before
    partition = state.partition()
    assert problem_is_met(state, partition)


def problem_is_met(state: SearchState, partition) -> bool:
    """Return whether all groups of a partition are legal."""
    return bool(state.problem.rules.meets(partition.as_groups(state.problem)).all())


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("policy", "values"),
    [(Policy(k=4, t="0.3"), 6), (Policy(k=4, t="0.2"), 2), (Policy(k=3, l=3, diversity="distinct"), 5)],
)
def test_chains_improve_what_level_greedy_found(policy, values):
    problem = random_problem(1000, 5, values, policy)
    start = solver("greedy").solve(problem, StoppingRule(), silent).partition
    state = state_of(problem, start)
    state.annealing.chains.anneal(state.patterns, state.row_types, 3_000, 1e-9, MANY)
    assert state.cost < 0.99 * start.cost
    assert_no_row_is_lost(state, state.copies)
    assert problem_is_met(state, state.partition())


def test_there_are_no_chains_where_only_sizes_matter():
    state = state_of(random_problem(50, 3, 3, Policy(k=4)))
    assert not state.annealing.has_chains
    assert state.annealing.chains is None
