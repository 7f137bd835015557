"""Cuts: parts are legal, about equally large, hold whole groups, and follow columns that are seldom hidden."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.solvers.split.cuts import Items, draw_parts, hidden_shares
from support.problems import problem_of, random_problem, searchable, solved
from support.profiles import examples


@given(st.data(), st.integers(1, 5))
@examples(60)
def test_parts_of_row_types_are_legal(data, parts):
    problem = searchable(data)
    costs = np.array([data.draw(st.floats(0, 1)) for _ in problem.columns])
    labels, used = draw_parts(problem, Items.of_row_types(problem), parts, costs)
    number = int(labels.max()) + 1
    assert sorted(set(labels.tolist())) == list(range(number))
    assert number <= parts
    assert used.any() == (number > 1)
    by_class = np.zeros((number, len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class, (labels, problem.sensitive_class), problem.counts)
    assert problem.is_legal(by_class).all()


def test_parts_are_balanced():
    problem = random_problem(3_000, 6, 2, Policy(k=3))
    for parts in (2, 3, 4, 7, 16):
        for items in (
            Items.of_row_types(problem),
            Items.of_groups(problem, solved("greedy", problem).partition),
        ):
            labels, _ = draw_parts(problem, items, parts, np.zeros(6))
            work = np.bincount(labels, items.work)
            assert len(work) == parts
            assert work.max() <= 1.4 * work.mean()


def test_a_value_gets_its_share_of_the_parts():
    rows = [("common" if i % 4 else "rare", str(i)) for i in range(400)]
    problem = problem_of(rows, ["suppress", "suppress"], [], Policy(k=2))
    labels, used = draw_parts(problem, Items.of_row_types(problem), 4, np.array([0.0, 0.2]))
    assert used.all()
    assert np.bincount(labels).tolist() == [100] * 4
    rare = problem.codes[:, 0] == problem.codes[np.argmin(np.bincount(problem.codes[:, 0])[problem.codes[:, 0]]), 0]
    assert len(set(labels[rare].tolist())) == 1
    assert not set(labels[rare].tolist()) & set(labels[~rare].tolist())


def test_the_column_that_costs_least_is_cut():
    problem = random_problem(3_000, 4, 2, Policy(k=3))
    for cheap in range(4):
        costs = np.ones(4)
        costs[cheap] = 0
        _, used = draw_parts(problem, Items.of_row_types(problem), 4, costs)
        assert used.tolist() == [column == cheap for column in range(4)]


def test_numbers_and_ladders_stay_together():
    rows = [(str(i % 10), "0123"[i % 4], str(i)) for i in range(2_000)]
    problem = problem_of(rows, ["bands", "taxonomy", "suppress"], [], Policy(k=2))
    for column, at_level in ((0, 0), (1, 1)):
        costs = np.ones(len(problem.columns))
        costs[column] = 0
        labels, _ = draw_parts(problem, Items.of_row_types(problem), 2, costs)
        order = problem.columns[column].levels[at_level][problem.codes[:, column]]
        if column == 0:
            numbers = np.array([float(n) for n in problem.columns[0].numbers])[problem.codes[:, 0]]
            assert numbers[labels == 0].max() < numbers[labels == 1].min()
        else:
            assert not set(order[labels == 0].tolist()) & set(order[labels == 1].tolist())


def test_what_is_hidden_is_counted_by_rows():
    rows = [("a", "x"), ("a", "y"), ("b", "z"), ("b", "z")]
    problem = problem_of(rows, ["suppress", "suppress"], [], Policy(k=2))
    partition = solved("exhaustive", problem).partition
    assert hidden_shares(problem, partition).tolist() == [0, 0.5]
