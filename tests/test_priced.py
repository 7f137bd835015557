"""Greedy by prices: always legal, never worse than level greedy, and near the bound on a table of some size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kilt import Policy
from kilt.bounds.incidence import FINEST
from kilt.observe import silent
from kilt.proof import proved
from kilt.solvers import choose, solver
from kilt.solvers.priced import Priced, by_prices
from kilt.stop import Stop
from test_exact import drawn_problem, solved
from test_solvers import problem_of


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_priced_is_legal_and_never_worse_than_greedy(data):
    problem = drawn_problem(data)
    assume(Priced().refuses(problem) is None)
    found = solved("priced", problem)
    optimum = solved("exhaustive", problem).partition.cost
    assert found.bound <= optimum <= found.partition.cost <= solved("greedy", problem).partition.cost
    assert not found.parts or proved(problem, found.parts) >= found.bound


@given(st.data())
@settings(max_examples=500, deadline=None)
def test_any_prices_give_a_legal_partition(data):
    problem = drawn_problem(data)
    assume(Priced().refuses(problem) is None)
    prices = np.array([data.draw(st.integers(-3 * FINEST, 5 * FINEST)) for _ in problem.counts])
    partition = by_prices(problem, prices, FINEST)
    assert problem.rules.meets(partition.as_groups(problem)).all()
    placed = np.bincount(partition.types, partition.counts, len(problem.counts))
    assert placed.tolist() == problem.counts.tolist()


@pytest.mark.parametrize(("policy", "values"), [(Policy(k=4), 4), (Policy(k=4, t="0.2"), 2), (Policy(k=4, l="1.5"), 2)])
def test_prices_find_better_releases(policy, values):
    rng = np.random.default_rng(0)
    cells = np.column_stack([rng.integers(0, 4, (800, 5)), rng.integers(0, values, 800)])
    rows = [tuple(map(str, row)) for row in cells]
    problem = problem_of(rows, ["suppress"] * 5, ["equal"], policy)
    assert choose("auto", problem).name == "priced"
    found = solver("priced").solve(problem, Stop(), silent)
    level = solver("greedy").solve(problem, Stop(), silent)
    assert found.partition.cost < level.partition.cost
    again = solver("priced").solve(problem, Stop(), silent)
    assert (found.partition.cost, found.bound) == (again.partition.cost, again.bound)
    timed = solver("priced").solve(problem, Stop(seconds=2), silent)
    assert timed.partition.cost < level.partition.cost


def test_policies_on_many_values_are_left_to_greedy():
    rows = [(str(i % 3), str(i % 5)) for i in range(40)]
    problem = problem_of(rows, ["suppress"], ["equal"], Policy(k=2, t="0.5"))
    assert "two different sensitive values" in Priced().refuses(problem)
    assert choose("auto", problem).name == "greedy"
