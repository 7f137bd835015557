"""Solvers against brute force: every release of a random table under a random policy."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from kilt import InfeasibleError, InputError, Policy
from kilt.model.partition import Partition
from kilt.model.problem import Problem, RowTypes
from kilt.model.rules import Groups
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.registry import choose, solver
from strategies import LADDERS, SPACES, policies, tables


def row_types(rows, quasi: int) -> RowTypes:
    counted = Counter(rows)
    keys = sorted(counted, key=lambda row: tuple((cell is not None, cell or "") for cell in row))
    values = [sorted({row[i] for row in keys}, key=lambda c: (c is not None, c or "")) for i in range(len(keys[0]))]
    codes = np.array([[values[i].index(cell) for i, cell in enumerate(row)] for row in keys], dtype=np.int32)
    return RowTypes(
        quasi=tuple(values[:quasi]),
        sensitive=tuple(values[quasi:]),
        quasi_codes=codes[:, :quasi],
        sensitive_codes=codes[:, quasi:],
        counts=np.array([counted[key] for key in keys]),
    )


def problem_of(rows, quasi, sensitive, policy) -> Problem:
    ladders = {f"q{i}": LADDERS[name] for i, name in enumerate(quasi)}
    spaces = {f"s{i}": SPACES[name] for i, name in enumerate(sensitive)}
    return Problem.build(row_types(rows, len(quasi)), ladders, spaces, policy)


def _column_cost(name, column) -> Fraction:
    if name in ("suppress", "weighted"):
        return Fraction(len(set(column)) > 1) * (Fraction(5, 2) if name == "weighted" else 1)
    if name == "taxonomy":
        paths = {"0": ("0", "low", "*"), "1": ("1", "low", "*"), "2": ("2", "2", "*"), "3": ("3", "high", "*")}
        return Fraction(next(h for h in range(3) if len({paths[c][h] for c in column}) == 1), 2)
    raise AssertionError(name)


def _masked_cost(name, column, width) -> Fraction:
    padded = [None if c is None else c.ljust(width, "\0") for c in column]
    agree = [len({None if c is None else c[i] for c in padded}) == 1 for i in range(width)]
    if name == "characters":
        return Fraction(agree.count(False))
    return Fraction(width - (agree.index(False) if False in agree else width))


def group_cost(rows, table, quasi) -> Fraction:
    total = Fraction(0)
    for i, name in enumerate(quasi):
        column = [row[i] for row in rows]
        if name in ("characters", "prefix"):
            width = max((len(row[i]) for row in table if row[i] is not None), default=0) or 1
            total += len(rows) * _masked_cost(name, column, width)
        else:
            total += len(rows) * _column_cost(name, column)
    return total


def legal_groups(problem: Problem, partition: Partition) -> bool:
    return bool(problem.rules.meets(partition.as_groups(problem)).all())


@given(st.data())
@settings(max_examples=600, deadline=None)
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
    optimum = solver("exhaustive").solve(problem, Stop(), silent)
    assert problem.stars(optimum.partition.cost) == best
    assert optimum.bound == optimum.partition.cost
    found = solver("greedy").solve(problem, Stop(), silent)
    for solution in (optimum, found):
        assert legal_groups(problem, solution.partition)
        placed = np.bincount(solution.partition.types, solution.partition.counts, len(problem.counts))
        assert placed.tolist() == problem.counts.tolist()
    assert problem.stars(found.partition.cost) >= best
    assert found.bound is None or found.bound <= optimum.partition.cost


@given(st.data())
@settings(max_examples=150, deadline=None)
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

    for stop in (Stop(), Stop(seconds=0), Stop(told=told)):
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
            cost += size * int(problem.costs[index][level])
    return cost


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_union_of_legal_groups_is_legal(data):
    rows, quasi, sensitive = data.draw(tables(most_rows=12))
    policy = data.draw(policies(len(sensitive)))
    try:
        problem = problem_of(rows, quasi, sensitive, policy)
    except InfeasibleError:
        assume(False)
    side = data.draw(st.lists(st.integers(0, 2), min_size=len(problem.counts), max_size=len(problem.counts)))
    by_class = np.zeros((3, len(problem.class_totals)), dtype=np.int64)
    np.add.at(by_class, (np.array(side), problem.class_of), problem.counts)
    first, second = by_class[:1], by_class[1:2]
    if first.any() and second.any() and problem.rules.meets(problem.groups(by_class[:2])).all():
        assert problem.rules.meets(problem.groups(first + second))[0]


def test_same_patterns_are_one_group_and_groups_come_in_order():
    problem = problem_of([("a", "0"), ("a", "1"), ("b", "0")], ["suppress"], ["equal"], Policy(k=1))
    partition = Partition.of(problem, np.array([2, 1, 0]), np.array([5, 3, 9]), np.array([1, 1, 1]))
    assert partition.groups.tolist() == [0, 0, 1]
    assert partition.types.tolist() == [0, 1, 2]
    assert partition.cost == 0


def test_a_wide_table_ends_legally_without_listing_all_level_vectors(monkeypatch):
    monkeypatch.setattr("kilt.solvers.greedy.MOST_VECTORS", 64)
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 3, (400, 20))]
    problem = problem_of(rows, ["suppress"] * 20, [], Policy(k=4))
    partition = solver("greedy").solve(problem, Stop(), silent).partition
    assert legal_groups(problem, partition)
    assert partition.cost < problem.rows * 20


def test_a_solver_that_refuses_names_those_that_do_not():
    problem = problem_of([(str(i),) for i in range(13)], ["suppress"], [], Policy(k=2))
    with pytest.raises(
        InputError,
        match="at most 12 rows, and this one has 13; these can: subsets, milp, matching, exact, search, greedy",
    ):
        choose("exhaustive", problem)
    with pytest.raises(InputError, match="did you mean 'greedy'"):
        choose("gredy", problem)
    assert choose("auto", problem).name == "exact"


def test_the_greedy_repeats_itself():
    rng = np.random.default_rng(3)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (300, 5))]
    problem = problem_of(rows, ["suppress"] * 4, ["equal"], Policy(k=3, t="0.3"))
    first, second = (solver("greedy").solve(problem, Stop(), silent).partition for _ in range(2))
    assert first.types.tolist() == second.types.tolist()
    assert first.groups.tolist() == second.groups.tolist()


@pytest.mark.parametrize("spaces", [["equal"], ["equal", "ordered"]])
def test_a_part_of_a_table_may_lack_values(spaces):
    rows = [("a", *"123"[i : i + 1] * len(spaces)) for i in range(3)] * 2
    problem = problem_of(rows, ["suppress"], spaces, Policy(t="0.9"))
    part = problem.part(np.flatnonzero(problem.sensitive[:, 0] != 1), np.array([2, 2]))
    groups = part.groups(part.class_totals[None, :])
    assert [counts.tolist() for counts in groups.counts] == [[[2, 0, 2]]] * len(spaces)
