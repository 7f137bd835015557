"""Pricing: the minimal group of least reduced cost under every pattern, given a multiplier for each row type.

Multipliers are integers, ``scale`` of them to a unit of cost. The *reduced cost* of a group is its cost less the
multipliers of its rows. If no minimal group has a negative reduced cost, the multipliers of all rows together are at
most the cost of any legal partition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kilt.certificates.proof.evidence import Evidence
from kilt.kernels.bounds.incidence import by_type
from kilt.kernels.exact.pricing import GroupListing, PatternLists
from kilt.model.problem import Problem
from kilt.numbers import ROOM, BoolArray, FloatArray, IntArray
from kilt.patterns.pool import Pool
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups

MAX_SCALE = 1_000_000  # multipliers to a unit of cost, if there is room
BOX = 32  # multipliers stay within so many times the cost of a row with all cells hidden


@dataclass(frozen=True)
class Multipliers:
    """Feasible multipliers: no reduced cost is negative, so every legal partition costs at least ``total``, scaled.

    ``least_unlisted`` is a lower bound on the reduced cost of a group that is larger than all listed minimal groups
    (None if there are none).
    """

    values: IntArray
    total: int
    scale: int
    least_unlisted: int | None = None

    @property
    def bound(self) -> int:
        """The least cost of a legal partition is at least this."""
        return max(0, -(-self.total // self.scale))

    def evidence(self, problem: Problem) -> Evidence:
        """Return the multipliers as what can be written down; what they prove then is for the proof to say."""
        return Evidence(tuple(range(len(problem.columns))), self.values, self.scale)

    def max_reduced_cost(self, cost: int) -> int:
        """Return the largest reduced cost that a group of a partition below this cost can have."""
        return (cost - 1) * self.scale - self.total


@dataclass(frozen=True)
class PricingResult:
    """For every pattern the least reduced cost, the minimal group that has it (-1 if none fits), and its row types."""

    reduced_cost: IntArray
    minimal_group: IntArray
    lists: IntArray


@dataclass(frozen=True)
class Pricing:
    """The patterns of a pool, by row type, and the minimal groups that may be formed under them."""

    problem: Problem
    pool: Pool
    minimal_groups: MinimalGroups

    @cached_property
    def scale(self) -> int:
        """How many multipliers make a unit of cost."""
        return self.problem.multiplier_scale(MAX_SCALE)

    def rounded(self, multipliers: FloatArray) -> IntArray:
        """Return multipliers in units of cost as integers, within the box."""
        highest = BOX * self.problem.highest_cost
        return np.rint(np.clip(multipliers, -highest, highest) * self.scale).astype(np.int64)

    def find_cheapest(self, multipliers: IntArray) -> PricingResult:
        """Find for every pattern the minimal group of least reduced cost."""
        lists, cost = self._lists(multipliers), self.pool.cost * self.scale
        reduced_cost, minimal_group = lists.cheapest_groups(multipliers, cost, self.minimal_groups.vectors)
        return PricingResult(reduced_cost, minimal_group, np.asarray(lists.types))

    def columns(self, cheapest: PricingResult, patterns: IntArray) -> Columns:
        """Return the cheapest minimal groups of these patterns as columns."""
        vectors = self.minimal_groups.vectors[cheapest.minimal_group[patterns]]
        lengths = np.diff(self._offsets)
        place = np.arange(self._offsets[-1]) - np.repeat(self._offsets[:-1], lengths)
        taken = place < np.repeat(vectors, lengths, axis=1)
        return Columns.of(self.problem, cheapest.lists[patterns][taken].astype(np.int64), vectors.sum(axis=1))

    def feasible(self, multipliers: IntArray, least: int) -> Multipliers:
        """Lower multipliers, whose least reduced cost is this, until none is negative."""
        lowered = multipliers - max(0, -(least // self.minimal_groups.least))
        total = int(lowered @ self.problem.counts)
        if self.minimal_groups.largest is None:
            return Multipliers(lowered, total, self.scale)
        larger = self._bound_larger(lowered, self.minimal_groups.largest + 1)
        return Multipliers(lowered, total + int(np.minimum(larger, 0).sum()), self.scale, int(larger.min(initial=ROOM)))

    def with_patterns(self, kept: BoolArray) -> Pricing:
        """Return the same with some of the patterns."""
        return replace(self, pool=self.pool.kept(kept))

    def list_groups(self, multipliers: IntArray, limit: int, most: int) -> Columns | None:
        """List every group whose reduced cost is at most a limit; None if they are more than ``most``."""
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
        sensitive_class, vectors = minimal_groups.sensitive_class, minimal_groups.vectors
        listing = GroupListing(members, starts, sensitive_class, vectors, minimal_groups.distinct)
        number = listing.list_within(limit, multipliers, pool.cost * self.scale, found, under)
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
        """Where the list of each sensitive class starts in the list of a pattern."""
        return np.concatenate([[0], np.cumsum(self.minimal_groups.vectors.max(axis=0))])

    def _lists(self, multipliers: IntArray) -> PatternLists:
        """Return for every pattern its row types of largest multipliers by sensitive class."""
        order = np.argsort(-multipliers, kind="stable")
        starts, patterns = self._by_type
        lists, sensitive_class = PatternLists(len(self.pool), self._offsets), self.minimal_groups.sensitive_class
        if self.minimal_groups.distinct:
            lists.fill_distinct(order, sensitive_class, starts, patterns)
        else:
            lists.fill(order, self.problem.counts, sensitive_class, starts, patterns)
        return lists

    def _bound_larger(self, multipliers: IntArray, size: int) -> IntArray:
        """Bound from below the reduced cost of groups of so many rows, by pattern, as if all were legal."""
        pool = self.pool
        owner = pool.owner
        types = pool.types[np.lexsort((-multipliers[pool.types], owner))]
        copies, reduced_cost = self.problem.counts[types], pool.cost[owner] * self.scale - multipliers[types]
        before = np.cumsum(copies) - copies
        before -= np.repeat(before[pool.starts[:-1]], np.diff(pool.starts))
        taken = np.where(reduced_cost < 0, copies, np.clip(size - before, 0, copies))
        enough = np.add.reduceat(copies, pool.starts[:-1]) >= size
        return np.asarray(np.add.reduceat(taken * reduced_cost, pool.starts[:-1])[enough])
