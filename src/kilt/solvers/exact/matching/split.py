"""Splitting: every group that is legal under k=2 or l=2 falls into pairs and triples, at no cost.

Under 2-diversity, as long as a group has four rows or more, one row of its most frequent value and one of the next
leave it as a pair; what is left is 2-diverse (lemma 2 of the paper). Under 2-anonymity any two rows do.
"""

from __future__ import annotations

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups


def pairs_and_triples(problem: Problem, partition: Partition, minimal_groups: MinimalGroups) -> Columns:
    """Split the groups of a partition."""
    groups = Columns.of_partition(problem, partition)
    found: list[list[int]] = []
    for start, end in zip(groups.starts.tolist(), groups.starts[1:].tolist(), strict=False):
        rows = groups.types[start:end].tolist()
        found += (
            split_diverse(rows, minimal_groups.sensitive_class.tolist()) if minimal_groups.distinct else split(rows)
        )
    sizes = np.array([len(group) for group in found])
    return Columns.of(problem, np.array([row for group in found for row in group]), sizes)


def split(rows: list[int]) -> list[list[int]]:
    """Split rows into pairs, and a triple if their number is odd."""
    whole = len(rows) - (3 if len(rows) % 2 else 0)
    pairs = [rows[i : i + 2] for i in range(0, whole, 2)]
    return pairs if len(rows) % 2 == 0 else [*pairs, rows[whole:]]


def split_diverse(rows: list[int], value: list[int]) -> list[list[int]]:
    """Split rows of which no value has more than half into pairs and triples of different values."""
    by_value: dict[int, list[int]] = {}
    for row in rows:
        by_value.setdefault(value[row], []).append(row)
    left, groups = len(rows), []
    while left >= 4:
        first, second = sorted(by_value, key=lambda v: (-len(by_value[v]), v))[:2]
        groups.append([by_value[first].pop(), by_value[second].pop()])
        left -= 2
    return [*groups, [row for mine in by_value.values() for row in mine]]
