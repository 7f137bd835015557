"""Greedy: it is legal on any table, whatever stops it, and repeats itself."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InfeasibleError, Policy
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.patterns.pool import every_pattern
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.greedy.solver import Greedy, Params
from kilt.solvers.registry import solver
from support.problems import drawn_problem, legal_groups, problem_of, solved
from support.profiles import examples
from support.strategies import policies, tables


@given(st.data())
@examples(150)
def test_greedy_over_all_patterns_is_legal(data):
    problem = drawn_problem(data)
    found = Greedy(every_pattern(problem)).solve(problem, StoppingRule(), silent)
    assert problem.rules.meets(found.partition.as_groups(problem)).all()
    assert np.bincount(found.partition.types, found.partition.counts).tolist() == problem.counts.tolist()
    assert found.partition.cost >= solved("exhaustive", problem).partition.cost


@given(st.data())
@examples(150)
def test_greedy_is_legal_on_larger_tables_whatever_stops_it(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=60))
    policy = data.draw(policies(len(sensitive)))
    try:
        problem = problem_of(rows, quasi, sensitive, policy)
    except InfeasibleError:
        assume(False)
    left = data.draw(st.integers(0, 6))

    def told() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    for stop in (StoppingRule(), StoppingRule(seconds=0), StoppingRule(interrupted=told)):
        partition = solver("greedy").solve(problem, stop, silent).partition
        assert legal_groups(problem, partition)
        placed = np.bincount(partition.types, partition.counts, len(problem.counts))
        assert placed.tolist() == problem.counts.tolist()
        assert partition.cost == _slow_partition_cost(problem, partition)


def _slow_partition_cost(problem: Problem, partition: Partition) -> int:
    cost = 0
    for group in range(len(partition)):
        members = partition.types[partition.groups == group]
        size = int(partition.counts[partition.groups == group].sum())
        for index, column in enumerate(problem.columns):
            codes = problem.codes[members, index]
            level = next(h for h in range(len(column.levels)) if len(set(column.levels[h][codes].tolist())) == 1)
            cost += size * int(problem.costs[index][level, codes[0]])
    return cost


def test_a_wide_table_ends_legally_without_listing_all_level_vectors(monkeypatch):
    monkeypatch.setattr("kilt.solvers.greedy.solver.PARAMS", Params(max_vectors=64))
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (400, 20))]
    problem = problem_of(rows, ["suppress"] * 20, [], Policy(k=4))
    partition = solver("greedy").solve(problem, StoppingRule(), silent).partition
    assert legal_groups(problem, partition)
    assert partition.cost < problem.rows * 20


def test_the_greedy_repeats_itself():
    rng = np.random.default_rng(3)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (300, 5))]
    problem = problem_of(rows, ["suppress"] * 4, ["equal"], Policy(k=3, t="0.3"))
    first, second = (solver("greedy").solve(problem, StoppingRule(), silent).partition for _ in range(2))
    assert first.types.tolist() == second.types.tolist()
    assert first.groups.tolist() == second.groups.tolist()
