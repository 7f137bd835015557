"""The solver over all multisets of rows against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.subsets import Lattice
from support.problems import drawn_problem, problem_of, solved
from support.profiles import examples


@given(st.data())
@examples(100)
def test_what_multisets_cost_and_which_are_legal(data):
    problem = drawn_problem(data, most_rows=6)
    lattice = Lattice.of(problem)
    for _ in lattice.fill():
        pass
    sizes = []
    for index in range(1, len(lattice.cost)):
        copies = index // lattice.strides % (problem.counts + 1)
        types = np.repeat(np.arange(len(copies)), copies)
        assert lattice.cost[index] == Columns.of(problem, types, np.array([len(types)])).cost[0]
        by_class = np.bincount(problem.sensitive_class, copies, len(problem.sensitive_totals)).astype(np.int64)
        legal = problem.rules.meets(problem.groups(by_class[None]))[0]
        assert lattice.legal[index] == legal
        sizes += [len(types)] * bool(legal)
    assert lattice.smallest == min(sizes)


@given(st.data())
@examples(400)
def test_subsets_agree_with_brute_force(data):
    problem = drawn_problem(data)
    optimum = solved("exhaustive", problem).partition.cost
    found = solved("subsets", problem)
    assert found.partition.cost == found.bound.cost == optimum


@pytest.mark.compiled
def test_subsets_and_the_program_agree_on_fourteen_rows():
    rng = np.random.default_rng(1)
    for policy in (Policy(k=3), Policy(t="0.3"), Policy(k=2, l=2), Policy(l=2, diversity="entropy")):
        rows = [tuple(map(str, row)) for row in np.column_stack([rng.integers(0, 3, (14, 4)), rng.integers(0, 3, 14)])]
        problem = problem_of(rows, ["suppress"] * 4, ["equal"], policy)
        assert solved("subsets", problem).partition.cost == solved("milp", problem).partition.cost
