"""Partitions: their groups and their order."""

from __future__ import annotations

import numpy as np

from kilt import Policy
from kilt.model.partition import Partition
from support.problems import problem_of


def test_same_patterns_are_one_group_and_groups_come_in_order():
    problem = problem_of([("a", "0"), ("a", "1"), ("b", "0")], ["suppress"], ["equal"], Policy(k=1))
    partition = Partition.of(problem, np.array([2, 1, 0]), np.array([5, 3, 9]), np.array([1, 1, 1]))
    assert partition.groups.tolist() == [0, 0, 1]
    assert partition.types.tolist() == [0, 1, 2]
    assert partition.cost == 0
