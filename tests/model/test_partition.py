"""Partitions: their groups and their order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt import Policy
from kilt.model.partition import Partition
from kilt.model.plan import Plan
from kilt.model.row_types import encode
from support.problems import problem_of, row_types
from support.profiles import examples
from support.strategies import LADDERS, tables


def test_same_patterns_are_one_group_and_groups_come_in_order():
    problem = problem_of([("a", "0"), ("a", "1"), ("b", "0")], ["suppress"], ["equal"], Policy(k=1))
    partition = Partition.of(problem, np.array([2, 1, 0]), np.array([5, 3, 9]), np.array([1, 1, 1]))
    assert partition.groups.tolist() == [0, 0, 1]
    assert partition.types.tolist() == [0, 1, 2]
    assert partition.cost == 0


@given(st.data())
@examples(300)
def test_a_full_domain_partition_costs_what_it_shows(data):
    rows, quasi, _ = data.draw(tables(most_sensitive=0))
    problem, types = problem_of(rows, quasi, [], Policy(k=1)), row_types(rows, len(quasi))
    vector = tuple(data.draw(st.integers(0, len(column.levels) - 1)) for column in problem.columns)
    partition = Partition.full_domain(problem, vector)
    ladders = {f"q{i}": LADDERS[name] for i, name in enumerate(quasi)}
    plan = Plan.of(partition, types, ladders, encode(types, ladders), dict.fromkeys(ladders, "*"))
    stars = Fraction(0)
    for row_type, group, copies in zip(partition.types, partition.groups, partition.counts, strict=True):
        for index, ladder in enumerate(ladders.values()):
            domain, shown = types.domain(index, f"q{index}"), plan.columns[index].shown[group]
            value = domain.values[types.quasi_codes[row_type, index]]
            stars += 0 if shown == value else copies * ladder.stars(value, shown, domain, "*")
    assert problem.stars(partition.cost) == stars
    assert len(set(zip(*(column.shown for column in plan.columns), strict=True))) == len(partition)
    most = sum(int(problem.counts @ problem.costs_at(j, level)) for j, level in enumerate(vector))
    assert partition.tightened(problem).cost <= partition.cost <= most


def test_a_full_domain_partition_shows_every_group_at_the_same_level():
    rows = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "y")]
    problem = problem_of(rows, ["suppress", "suppress"], [], Policy(k=2))
    shown = Partition.full_domain(problem, (0, 1))
    assert shown.levels.tolist() == [[0, 1], [0, 1]]
    assert (shown.cost, shown.tightened(problem).cost) == (4, 2)


@pytest.mark.parametrize(
    ("ladder", "values", "vector", "cost"),
    [
        ("taxonomy", "02", (1,), Fraction(1, 3)),  # the value 2 has no label of its own at level 1
        ("prefix", ["a", "bb", "bc"], (1,), 1),  # the tail of a is masked only where there is one
        ("prefix", ["a", None], (1,), 2),  # at the top everything is hidden
        ("characters", ["ab", None], (1, 0), 1),  # what is missing has no characters
    ],
)
def test_what_looks_the_same_at_a_higher_level_costs_nothing(ladder, values, vector, cost):
    problem = problem_of([(value,) for value in values], [ladder], [], Policy(k=1))
    assert problem.stars(Partition.full_domain(problem, vector).cost) == cost
