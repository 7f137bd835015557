"""Brute force against definitions spelled out: every release of a random table under a random policy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from kilt import InfeasibleError
from kilt.model.rules import Groups
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.registry import solver
from support import naive
from support.problems import legal_groups, problem_of
from support.profiles import examples
from support.strategies import policies, tables


def _column_cost(name, column) -> Fraction:
    if name in ("suppress", "weighted"):
        return Fraction(len(set(column)) > 1) * (Fraction(5, 2) if name == "weighted" else 1)
    if name == "taxonomy":
        paths = {"0": ("0", "low", "*"), "1": ("1", "low", "*"), "2": ("2", "2", "*"), "3": ("3", "high", "*")}
        level = next(h for h in range(3) if len({paths[c][h] for c in column}) == 1)
        return Fraction(sum(path[level] == paths[column[0]][level] for path in paths.values()) - 1, 3)
    raise AssertionError(name)


def _masked_cost(name, column, width, values) -> Fraction:
    padded = [None if c is None else c.ljust(width, "\0") for c in column]
    agree = [len({None if c is None else c[i] for c in padded}) == 1 for i in range(width)]
    if name == "characters":
        return Fraction(agree.count(False))
    if all(agree):
        return Fraction(0)
    visible = agree.index(False)
    if not visible:
        return Fraction(1)
    alike = {c for c in values if c is not None and c[:visible] == column[0][:visible]}
    return Fraction(len(alike) - 1, len(values) - 1)


def group_cost(rows, table, quasi) -> Fraction:
    total = Fraction(0)
    for i, name in enumerate(quasi):
        column = [row[i] for row in rows]
        if name in ("characters", "prefix"):
            width = max((len(row[i]) for row in table if row[i] is not None), default=0) or 1
            total += len(rows) * _masked_cost(name, column, width, {row[i] for row in table})
        else:
            total += len(rows) * _column_cost(name, column)
    return total


@given(st.data())
@examples(300)
def test_exhaustive_finds_the_optimum_and_greedy_a_legal_partition(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=6))
    policy = data.draw(policies(len(sensitive)))
    try:
        problem = problem_of(rows, quasi, sensitive, policy)
    except InfeasibleError:
        assume(False)
    values = [sorted({row[len(quasi) + i] for row in rows}) for i in range(len(sensitive))]

    def legal(group: list[int]) -> bool:
        chosen = [rows[i] for i in group]
        counts = tuple(np.array([naive.counts(chosen, len(quasi) + i, v)]) for i, v in enumerate(values))
        return bool(problem.rules.meets(Groups(np.array([len(chosen)]), counts))[0])

    best = naive.cheapest(len(rows), legal, lambda group: group_cost([rows[i] for i in group], rows, quasi))
    optimum = solver("exhaustive").solve(problem, StoppingRule(), silent)
    assert problem.stars(optimum.partition.cost) == best
    assert optimum.bound.cost == optimum.partition.cost
    found = solver("greedy").solve(problem, StoppingRule(), silent)
    for solution in (optimum, found):
        assert legal_groups(problem, solution.partition)
        placed = np.bincount(solution.partition.types, solution.partition.counts, len(problem.counts))
        assert placed.tolist() == problem.counts.tolist()
    assert problem.stars(found.partition.cost) >= best
    assert found.bound is None or found.bound.cost <= optimum.partition.cost
