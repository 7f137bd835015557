"""Two copies: under k=2 no more than two copies of a row type are needed in groups with other row types.

``docs/simplex_matching.md`` proves that some optimum has this form, where a group is *mixed* if it has different row
types:

- A row type with three copies or more is in one mixed pair at the most, and in no mixed triple; all other copies are a
  group of their own. So it is one vertex, which may also stay alone.
- A row type with two copies has them together, as a pair or in a triple with another row; or one is in a pair and the
  other one in a triple, both mixed, and the pair costs its rows more. So it is two vertices, one for mixed pairs and
  one for mixed triples.

The vertices tell copies apart, so that parity cuts bite, and the linear program over these edges is tighter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups
from kilt.solvers.exact.column_generation.pricing import Pricing


@dataclass(frozen=True)
class TwoCopies:
    """The vertices of the row types of a problem: the first of each has its number.

    A second one is at ``last``, which is the first where there is none. ``nearest`` is the least that a row of each
    type pays beside another.
    """

    problem: Problem
    last: IntArray
    nearest: IntArray

    @classmethod
    def of(cls, problem: Problem, pool: Pool) -> TwoCopies:
        """Number the vertices, given the patterns."""
        number = len(problem.counts)
        last = np.arange(number)
        twins = np.flatnonzero(problem.counts == 2)
        last[twins] = number + np.arange(len(twins))
        mixed = pool.covers.kept(pool.covers.lengths > 1)
        nearest = np.full(number, problem.highest_cost)
        np.minimum.at(nearest, mixed.values, pool.cost[pool.covers.lengths > 1][mixed.owner])
        return cls(problem, last, nearest)

    @cached_property
    def type_of(self) -> IntArray:
        """The row type of each vertex."""
        return np.concatenate([np.arange(len(self.problem.counts)), self._twins])

    @property
    def counts(self) -> IntArray:
        """Each vertex is one copy."""
        return np.ones_like(self.type_of)

    @property
    def cost_of_the_rest(self) -> int:
        """What those copies pay, in units, for which there is no vertex: they are never mixed."""
        return int((self.problem.base * (self.problem.counts - 1))[self._many].sum())

    @cached_property
    def unmixed(self) -> Columns:
        """The edges inside row types: two copies as a pair, and the one vertex of many copies alone."""
        pairs = np.column_stack([self._twins, self.last[self._twins]])
        members = Ragged.of_lengths(
            np.concatenate([pairs.ravel(), self._many]), np.repeat([2, 1], [len(self._twins), len(self._many)])
        )
        return Columns(members, np.concatenate([2 * self.problem.base[self._twins], self.problem.base[self._many]]))

    def edges(self, groups: Columns) -> Columns:
        """Return the mixed edges that pairs and triples of row types stand for, without those that are not needed."""
        return Columns.joined([self._pairs(groups), self._triples(groups)])

    def _pairs(self, groups: Columns) -> Columns:
        pairs = groups.picked(np.flatnonzero(groups.members.lengths == 2))
        types = pairs.types.reshape(-1, 2)
        is_far = (self.problem.counts[types] != 2) | ((pairs.cost // 2)[:, None] > self.nearest[types])
        return pairs.picked(np.flatnonzero(is_far.all(axis=1) & (types[:, 0] != types[:, 1])))

    def _triples(self, groups: Columns) -> Columns:
        triples = groups.picked(np.flatnonzero(groups.members.lengths == 3))
        types = np.sort(triples.types.reshape(-1, 3), axis=1)
        vertices = self.last[types]
        is_twin = np.diff(types, axis=1) == 0
        vertices[:, :2][is_twin] = types[:, :2][is_twin]
        needed = (self.problem.counts[types] <= 2).all(axis=1)
        return Columns(Ragged.of_lengths(vertices[needed].ravel(), np.full(needed.sum(), 3)), triples.cost[needed])

    def list_edges(self, pricing: Pricing, values: IntArray, limit: int, most: int) -> Columns | None:
        """List all edges that cost at most a limit more than these numbers of their vertices, and some others."""
        counts, last = self.problem.counts, values[self.last]
        first = values[: len(counts)]
        pairs = self._list_groups(pricing, 2, np.ones_like(counts), first, limit, most)
        in_triples = np.maximum(last, -(-(first + last) // 2))  # the second copy, or both
        triples = self._list_groups(pricing, 3, np.where(counts <= 2, counts, 0), in_triples, limit, most)
        if pairs is None or triples is None:
            return None
        return Columns.joined([self.unmixed, self.edges(pairs), self.edges(triples)])

    def _list_groups(
        self, pricing: Pricing, size: int, counts: IntArray, values: IntArray, limit: int, most: int
    ) -> Columns | None:
        """List groups of one size, with so many copies of the row types."""
        sizes = MinimalGroups(np.zeros_like(counts), np.array([[size]]), None)
        return Pricing(replace(self.problem, counts=counts), pricing.pool, sizes).list_groups(values, limit, most)

    def partition(self, edges: Columns) -> Partition:
        """Return the partition of the table that a perfect matching stands for."""
        mixed = edges.picked(np.flatnonzero(edges.members.lengths > 1))
        types = self.type_of[mixed.types]
        left = self.problem.counts - np.bincount(types, minlength=len(self.problem.counts))
        rest = np.flatnonzero(left)
        return Partition.of(
            self.problem,
            np.concatenate([types, rest]),
            np.concatenate([mixed.members.owner, len(mixed) + np.arange(len(rest))]),
            np.concatenate([np.ones(len(types), dtype=np.int64), left[rest]]),
        )

    @cached_property
    def _twins(self) -> IntArray:
        return np.flatnonzero(self.problem.counts == 2)

    @cached_property
    def _many(self) -> IntArray:
        return np.flatnonzero(self.problem.counts >= 3)
