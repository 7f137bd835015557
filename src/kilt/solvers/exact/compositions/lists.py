"""The compositions that matter: how many rows of each sensitive class a group may hold under each pattern.

Given multipliers, a partition that costs at most so much has only groups of small reduced cost. Their compositions are
few, and once they are chosen, the rows that fill them are a transportation problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.by_size import reference_of
from kilt.kernels.exact.compositions import CompositionListing, reduced_costs
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule
from kilt.numbers import ROOM, BoolArray, IntArray
from kilt.patterns.pool import Pool
from kilt.run.stopping import StoppingRule

NEVER = 1 << 55  # the reduced cost of what is not allowed


@dataclass(frozen=True)
class Members:
    """The rows under each pattern, as a program sees them: those of a class under the same patterns are the same.

    ``sort`` has the number of each row type of the problem here; ``counts`` are the copies of a sort, and ``sorts`` the
    sorts under each pattern.
    """

    sort: IntArray
    counts: IntArray
    sensitive_class: IntArray
    sorts: Ragged
    cost: IntArray

    @classmethod
    def of(cls, problem: Problem, pool: Pool) -> Members:
        """Find the sorts of row types."""
        under = np.zeros((len(problem.counts), len(pool)), dtype=np.uint8)
        under[pool.types, pool.owner] = 1
        keys = np.column_stack([problem.sensitive_class, np.packbits(under, axis=1)])
        _, first, sort = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        sort = sort.ravel().astype(np.int64)
        is_first = np.isin(pool.types, first)
        lengths = np.bincount(pool.owner[is_first], minlength=len(pool))
        counts = np.bincount(sort, problem.counts).astype(np.int64)
        sorts = Ragged.of_lengths(sort[pool.types[is_first]], lengths)
        return cls(sort, counts, problem.sensitive_class[first], sorts, pool.cost)

    @property
    def classes(self) -> int:
        """How many sensitive classes there are."""
        return int(self.sensitive_class.max()) + 1

    def multipliers(self, of_row_types: IntArray, counts: IntArray) -> IntArray:
        """Return the mean of the multipliers of each sort, rounded down."""
        total = np.zeros(len(self.counts), dtype=np.int64)
        np.add.at(total, self.sort, of_row_types * counts)
        return total // self.counts

    def by_class(self, multipliers: IntArray) -> Sorted:
        """Sort the copies under each pattern."""
        sorts = self.sorts.values
        place = self.sorts.owner * self.classes + self.sensitive_class[sorts]
        order = np.lexsort((sorts, -multipliers[sorts], place))
        copies = np.repeat(order, self.counts[sorts[order]])
        begin = np.searchsorted(place[copies], np.arange(len(self.cost) * self.classes + 1))
        return Sorted(sorts[copies], begin, np.concatenate([[0], np.cumsum(multipliers[sorts[copies]])]))


@dataclass(frozen=True)
class Sorted:
    """The copies under each pattern by class, those of high multipliers first, and their sums."""

    sorts: IntArray
    begin: IntArray  # for every pattern and class, and the end
    sums: IntArray  # of the multipliers before each copy


@dataclass(frozen=True)
class Compositions:
    """Compositions by pattern: the i-th is of the pattern ``owner[i]`` and has ``rows[i, c]`` rows of class c.

    A group of it has the cost ``cost[i]``. Those of the pattern ``listed[j]`` begin at ``starts[j]``.
    """

    members: Members
    scale: int
    owner: IntArray
    rows: IntArray
    cost: IntArray
    listed: IntArray = field(init=False)
    starts: IntArray = field(init=False)

    def __post_init__(self) -> None:
        starts = np.flatnonzero(np.diff(self.owner, prepend=-1))
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "listed", self.owner[starts])

    @classmethod
    def of(cls, members: Members, scale: int, owner: IntArray, rows: IntArray) -> Compositions:
        """Say what the groups cost."""
        return cls(members, scale, owner, rows, members.cost[owner] * rows.sum(axis=1).astype(np.int64))

    def __len__(self) -> int:
        return len(self.owner)

    def picked(self, which: IntArray | BoolArray) -> Compositions:
        """Keep some of the compositions, in their order."""
        return Compositions(self.members, self.scale, self.owner[which], self.rows[which], self.cost[which])

    def features(self, which: IntArray) -> IntArray:
        """Return what compositions are divided by: how many rows they have, and how many of each class."""
        rows = self.rows[which]
        return np.column_stack([rows.sum(axis=1), rows]).astype(np.int64)

    def least(self, reduced: IntArray) -> IntArray:
        """Return the least reduced cost under every pattern; a large number where there is no composition."""
        found = np.full(len(self.members.cost), NEVER)
        if len(reduced):
            found[self.listed] = np.minimum.reduceat(reduced, self.starts)
        return found

    def reduced_costs(self, by_class: Sorted) -> IntArray:
        """Return what the cheapest group of each composition costs less the multipliers of its rows."""
        found = np.empty(len(self), dtype=np.int64)
        reduced_costs(self.owner, self.rows, self.cost * self.scale, by_class.begin, by_class.sums, found)
        return found

    def group(self, by_class: Sorted, which: int) -> IntArray:
        """Return the sorts of the rows of the cheapest group of a composition."""
        first = by_class.begin[self.owner[which] * self.members.classes + np.arange(self.members.classes)]
        return np.concatenate([by_class.sorts[a : a + n] for a, n in zip(first, self.rows[which], strict=True)])


@dataclass(frozen=True)
class Lister:
    """Lists compositions whose groups are close to the shares of the table, up to a reduced cost."""

    members: Members
    kernel: CompositionListing
    max_compositions: int
    max_visits: int
    stop: StoppingRule

    @classmethod
    def of(
        cls, problem: Problem, rule: ClosenessRule, members: Members, most: int, visits: int, stop: StoppingRule
    ) -> Lister:
        """Tabulate how much excess each size allows."""
        totals, rows = reference_of(problem, rule)
        sizes = range(problem.rows + 1)
        allowed = np.array([rule.t.numerator * rows * n // rule.t.denominator for n in sizes], dtype=np.int64)
        kernel = CompositionListing(totals, rows, allowed, max(1, problem.rules.min_group_size))
        return cls(members, kernel, most, visits, stop)

    def least(self, multipliers: IntArray, scale: int) -> IntArray | None:
        """Return the least reduced cost under every pattern where it is negative; None if that takes too long."""
        found = []
        for each in self._patterns(multipliers, scale):
            found.append(self.kernel.cheapest(*each, -1, self.max_visits))
            if found[-1] <= -ROOM or self.stop():
                return None
        return np.array(found, dtype=np.int64)

    def within(self, multipliers: IntArray, scale: int, limits: IntArray) -> Compositions | None:
        """List the compositions up to the limits of their patterns; None if they are too many."""
        left, classes = self.max_compositions, self.members.classes
        room, costs = np.empty((left, classes), dtype=np.int32), np.empty(left, dtype=np.int64)
        parts = []
        for p, each in enumerate(self._patterns(multipliers, scale)):
            number = self.kernel.list_within(*each, limits[p], self.max_visits, room[:left], costs[:left])
            if number < 0 or self.stop():
                return None
            left -= number
            parts.append(room[:number].copy())
        owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        return Compositions.of(self.members, scale, owner, np.concatenate(parts))

    def _patterns(self, multipliers: IntArray, scale: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield for every pattern the reduced costs of its copies by class, rising, and where each class begins."""
        classes = self.members.classes
        by_class = self.members.by_class(multipliers)
        for p, cost in enumerate(self.members.cost):
            begin = by_class.begin[p * classes : (p + 1) * classes + 1]
            sorts = by_class.sorts[begin[0] : begin[-1]]
            yield cost * scale - multipliers[sorts], begin - begin[0]
