"""Sets of k to 2k-1 rows that cover a table, made disjoint as they come: the second half of every greedy cover.

A greedy cover by sets of up to so many rows is at most 1 + 1/2 + 1/3 + ... times dearer than the best. Where two sets
share a row, the larger one gives it up; if both have k rows, they become one, of at most 2k-1 rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.solvers.common.leftovers import place_leftovers

NONE = -1


def harmonic(number: int) -> Fraction:
    """Return 1 + 1/2 + ... + 1/number."""
    return sum((Fraction(1, size) for size in range(1, number + 1)), Fraction(0))


@dataclass
class DisjointCover:
    """Disjoint sets of rows. Rows of a row type have consecutive numbers; ``left`` says how many are in no set."""

    problem: Problem
    first: IntArray = field(init=False)
    owner: IntArray = field(init=False)
    left: IntArray = field(init=False)
    members: list[set[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.first = np.concatenate([[0], np.cumsum(self.problem.counts)])
        self.owner = np.full(self.problem.rows, NONE)
        self.left = self.problem.counts.copy()

    def add(self, types: IntArray, fewest: int, most: int) -> None:
        """Add a set of rows of these types: of those in no set up to the most, and if they are too few, of others."""
        uncovered = self._rows(types, self.left[types], most, covered=False)
        missing = max(0, fewest - len(uncovered))
        covered = self._rows(types, self.problem.counts[types] - self.left[types], missing, covered=True)
        self.add_rows([*uncovered, *covered])

    def add_rows(self, rows: Sequence[int]) -> None:
        """Add a set of these rows, and make it disjoint from the others."""
        new = len(self.members)
        self.members.append(set(rows))
        shared = [row for row in rows if self.owner[row] != NONE]
        for row in rows:
            if self.owner[row] == NONE:
                self.owner[row] = new
                self.left[np.searchsorted(self.first, row, "right") - 1] -= 1
        for row in shared:
            self._share(row, new)

    def _rows(self, types: IntArray, available: IntArray, most: int, *, covered: bool) -> list[int]:
        """Return up to so many rows of these types that are in a set, or in none."""
        found: list[int] = []
        for row_type in types[available > 0].tolist():
            if len(found) >= most:
                break
            rows = np.arange(self.first[row_type], self.first[row_type + 1])
            found += rows[(self.owner[rows] != NONE) == covered][: most - len(found)].tolist()
        return found

    def _share(self, row: int, new: int) -> None:
        """Make the new set disjoint from that of a row of it: the larger one gives it up, or they become one."""
        k, other = self.problem.rules.min_group_size, int(self.owner[row])
        if other == new:
            return
        if len(self.members[other]) > k:
            self.members[other].remove(row)
            self.owner[row] = new
        elif len(self.members[new]) > k:
            self.members[new].remove(row)
        else:
            self.owner[list(self.members[other])] = new
            self.members[new] |= self.members[other]
            self.members[other] = set()

    def partition(self) -> Partition:
        """Return the sets as groups; rows that are in no set join them."""
        type_of_row = np.repeat(np.arange(len(self.left)), self.problem.counts)
        taken = self.owner != NONE
        ones = np.ones(int(taken.sum()), dtype=np.int64)
        return place_leftovers(self.problem, type_of_row[taken], self.owner[taken], ones, self.left)
