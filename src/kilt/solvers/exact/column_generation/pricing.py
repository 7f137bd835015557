"""Pricing: the cheapest atom under every pattern, given a price for each row type.

Prices are integers, ``scale`` of them to a unit of cost. The *value* of a group is its cost less the prices of its
rows. If no atom has a negative value, the prices of all rows together are at most the cost of any legal partition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kilt.kernels.bounds.incidence import by_type
from kilt.kernels.exact.pricing import cheapest_atoms, dearest_copies, dearest_distinct, groups_within
from kilt.model.problem import Problem
from kilt.numbers import ROOM, BoolArray, FloatArray, IntArray
from kilt.patterns.pool import Pool
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups

FINEST = 1_000_000  # prices to a unit of cost
HIGHEST = 32  # no price is beyond so many times the cost of a row that hides everything


@dataclass(frozen=True)
class Multipliers:
    """Prices under which no atom has a negative value: every legal partition costs at least ``total``, scaled.

    ``beyond`` is the least value of a group that is larger than all listed atoms (None if there are none).
    """

    values: IntArray
    total: int
    scale: int
    beyond: int | None = None

    @property
    def bound(self) -> int:
        """The least cost of a legal partition is at least this."""
        return max(0, -(-self.total // self.scale))

    def reach(self, cost: int) -> int:
        """Return the largest value that a group of a partition below this cost can have."""
        return (cost - 1) * self.scale - self.total


@dataclass(frozen=True)
class PricingResult:
    """For every pattern the least value of an atom, the atom (-1 if none fits), and the row types to make it of."""

    value: IntArray
    minimal_group: IntArray
    lists: IntArray


@dataclass(frozen=True)
class Pricing:
    """The patterns of a pool, by row type, and the atoms that go under them."""

    problem: Problem
    pool: Pool
    minimal_groups: MinimalGroups

    @cached_property
    def scale(self) -> int:
        """How many prices make a unit of cost."""
        return self.problem.multiplier_scale(FINEST)

    def rounded(self, multipliers: FloatArray) -> IntArray:
        """Return prices in units of cost as whole ones, within what there is room for."""
        highest = HIGHEST * (self.problem.most_cost // self.problem.rows)
        return np.rint(np.clip(multipliers, -highest, highest) * self.scale).astype(np.int64)

    def cheapest(self, multipliers: IntArray) -> PricingResult:
        """Find for every pattern the atom of least value."""
        lists, filled = self._lists(multipliers)
        value = np.empty(len(self.pool), dtype=np.int64)
        minimal_group = np.empty(len(self.pool), dtype=np.int64)
        cost, vectors = self.pool.cost * self.scale, self.minimal_groups.vectors
        cheapest_atoms(lists, filled, self._offsets, multipliers, cost, vectors, value, minimal_group)
        return PricingResult(value, minimal_group, lists)

    def columns(self, cheapest: PricingResult, patterns: IntArray) -> Columns:
        """Return the cheapest atoms of these patterns as groups."""
        vectors = self.minimal_groups.vectors[cheapest.minimal_group[patterns]]
        lengths = np.diff(self._offsets)
        place = np.arange(self._offsets[-1]) - np.repeat(self._offsets[:-1], lengths)
        taken = place < np.repeat(vectors, lengths, axis=1)
        return Columns.of(self.problem, cheapest.lists[patterns][taken].astype(np.int64), vectors.sum(axis=1))

    def feasible(self, multipliers: IntArray, least: int) -> Multipliers:
        """Lower prices, under which the least value of an atom is this, until none is negative."""
        lowered = multipliers - max(0, -(least // self.minimal_groups.least))
        total = int(lowered @ self.problem.counts)
        if self.minimal_groups.largest is None:
            return Multipliers(lowered, total, self.scale)
        larger = self._larger(lowered, self.minimal_groups.largest + 1)
        return Multipliers(lowered, total + int(np.minimum(larger, 0).sum()), self.scale, int(larger.min(initial=ROOM)))

    def among(self, kept: BoolArray) -> Pricing:
        """Keep some of the patterns."""
        return replace(self, pool=self.pool.kept(kept))

    def within(self, multipliers: IntArray, limit: int, most: int) -> Columns | None:
        """List every group whose value is at most a limit; None if they are more than ``most``."""
        pool, minimal_groups = self.pool, self.minimal_groups
        longest = int(minimal_groups.vectors.sum(axis=1).max())
        copies = np.minimum(self.problem.counts, longest)[pool.types]
        owner, types = np.repeat(pool.owner, copies), np.repeat(pool.types, copies)
        classes = (
            np.zeros(len(types), dtype=np.int64) if minimal_groups.distinct else minimal_groups.sensitive_class[types]
        )
        members = types[np.lexsort((types, -multipliers[types], classes, owner))]
        starts = np.searchsorted(owner, np.arange(len(pool) + 1))
        found, under = np.empty((most, longest), dtype=np.int32), np.empty(most, dtype=np.int64)
        cost, sensitive_class, vectors = pool.cost * self.scale, minimal_groups.sensitive_class, minimal_groups.vectors
        number = groups_within(
            members, multipliers, starts, cost, sensitive_class, vectors, minimal_groups.distinct, limit, found, under
        )
        if number < 0:
            return None
        groups, under = found[:number], under[:number]
        sizes = (groups >= 0).sum(axis=1)
        columns = Columns.of(self.problem, groups[groups >= 0].astype(np.int64), sizes)
        # a group that would fit under a cheaper pattern is listed there as well
        return columns.picked(np.flatnonzero(columns.cost == pool.cost[under] * sizes))

    @cached_property
    def _by_type(self) -> tuple[IntArray, IntArray]:
        """For every row type where its patterns start, and the patterns."""
        return by_type(self.pool.types, self.pool.starts, len(self.problem.counts))[:2]

    @cached_property
    def _offsets(self) -> IntArray:
        """Where the list of each class starts in the list of a pattern."""
        return np.concatenate([[0], np.cumsum(self.minimal_groups.vectors.max(axis=0))])

    def _lists(self, multipliers: IntArray) -> tuple[IntArray, IntArray]:
        """Return for every pattern its dearest row types by class, and how many there are."""
        order = np.argsort(-multipliers, kind="stable")
        starts, patterns = self._by_type
        lists = np.zeros((len(self.pool), self._offsets[-1]), dtype=np.int32)
        filled = np.zeros((len(self.pool), len(self._offsets) - 1), dtype=np.int32)
        counts, sensitive_class = self.problem.counts, self.minimal_groups.sensitive_class
        if self.minimal_groups.distinct:
            dearest_distinct(order, sensitive_class, starts, patterns, lists, filled)
        else:
            dearest_copies(order, counts, sensitive_class, starts, patterns, self._offsets, lists, filled)
        return lists, filled

    def _larger(self, multipliers: IntArray, size: int) -> IntArray:
        """Return for patterns with so many rows a lower limit on the value of their groups, as if all were legal."""
        pool = self.pool
        owner = pool.owner
        types = pool.types[np.lexsort((-multipliers[pool.types], owner))]
        copies, value = self.problem.counts[types], pool.cost[owner] * self.scale - multipliers[types]
        before = np.cumsum(copies) - copies
        before -= np.repeat(before[pool.starts[:-1]], np.diff(pool.starts))
        taken = np.where(value < 0, copies, np.clip(size - before, 0, copies))
        enough = np.add.reduceat(copies, pool.starts[:-1]) >= size
        return np.asarray(np.add.reduceat(taken * value, pool.starts[:-1])[enough])
