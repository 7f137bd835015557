"""The patterns that matter to a proof where level vectors are many: row types are divided column by column.

Buckets of row types that look the same at the levels chosen so far are given up, with all that is inside them, if no
group of enough rows can have a negative reduced cost there, even if it paid the least in all columns to come; or if
they look the same one level lower in a column that is done, since their patterns are not closed then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.evidence import Evidence, Levels
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray

CHUNK_ENTRIES = 400_000  # row types in buckets that are divided at a time: all of them may have no room in memory
FEW_COLUMNS = 16  # up to which columns with few values come first: with more, buckets must become small soon


@dataclass(frozen=True)
class Buckets:
    """Row types that look the same, by falling multiplier; the levels chosen so far, and what a row pays at these."""

    members: Ragged
    levels: IntArray
    cost: IntArray

    def kept(self, kept: BoolArray) -> Buckets:
        """Keep some of the buckets."""
        return Buckets(self.members.kept(kept), self.levels[kept], self.cost[kept])

    def chunks(self) -> Iterator[Buckets]:
        """Yield them in pieces of a fair size."""
        begin, starts = 0, self.members.starts
        while begin < len(self.members):
            end = int(np.searchsorted(starts, starts[begin] + CHUNK_ENTRIES, "right")) - 1
            end = max(begin + 1, end)
            yield self.part(begin, end)
            begin = end

    def part(self, begin: int, end: int) -> Buckets:
        """Return the buckets from one to another."""
        starts = self.members.starts[begin : end + 1]
        members = Ragged(self.members.values[starts[0] : starts[-1]], starts - starts[0])
        return Buckets(members, self.levels[begin:end], self.cost[begin:end])

    def by_levels(self) -> Iterator[tuple[Levels, Buckets]]:
        """Yield the buckets of each level vector."""
        vectors, which = np.unique(self.levels, axis=0, return_inverse=True)
        order = np.argsort(which.ravel(), kind="stable")
        mine = Buckets(self.members.picked(order), self.levels[order], self.cost[order])
        ends = np.cumsum(np.bincount(which.ravel(), minlength=len(vectors))).tolist()
        for vector, begin, end in zip(vectors.tolist(), [0, *ends], ends, strict=False):
            yield tuple(vector), mine.part(begin, end)


@dataclass(frozen=True)
class Columns:
    """The columns of a table, whose rows are in the order of their multipliers, the largest first.

    Row u shows ``shown[j][h, u]`` in column j at level h, and pays ``costs[j][h, u]``. In the columns from ``order[i]``
    on it pays ``floors[i]`` at least.
    """

    shown: list[IntArray]
    costs: list[IntArray]
    order: list[int]
    floors: list[int]
    counts: IntArray
    multipliers: IntArray
    min_group_size: int

    @classmethod
    def of(cls, problem: Problem, evidence: Evidence, by_multiplier: IntArray) -> Columns:
        """Look the columns up in the order of the multipliers."""
        codes = problem.codes[by_multiplier]
        shown = [np.array([h[codes[:, j]] for h in column.levels]) for j, column in enumerate(problem.columns)]
        costs = [np.array([cost[codes[:, j]] for cost in by_level]) for j, by_level in enumerate(problem.costs)]
        widths = [len(np.unique(codes[:, j])) for j in range(codes.shape[1])]
        order = sorted(range(len(widths)), key=lambda j: widths[j] if len(widths) <= FEW_COLUMNS else -widths[j])
        least = [int(costs[j][0].min()) * evidence.scale for j in order]
        floors = [sum(least[i:]) for i in range(len(least) + 1)]
        scaled = [cost * evidence.scale for cost in costs]
        numbers = (problem.counts[by_multiplier], evidence.multipliers[by_multiplier])
        return cls(shown, scaled, order, floors, *numbers, max(1, problem.rules.min_group_size))

    def refined(self, found: Buckets, place: int) -> Iterator[Buckets]:
        """Divide buckets by the column at a place and those after it; yield those of the patterns that matter."""
        if place == len(self.order):
            yield found
            return
        for chunk in found.chunks():
            for level, divided in self._divided(chunk, place):
                ending = self._ending(divided, place, level)
                if len(ending.members):
                    yield from self.refined(ending, place + 1)

    def _divided(self, found: Buckets, place: int) -> Iterator[tuple[int, Buckets]]:
        """Yield the parts of buckets at each level of a column, from the top down, as far as there is hope inside."""
        column = self.order[place]
        for level in range(len(self.shown[column]) - 1, -1, -1):
            if self.shown[column][level].any():  # if all look the same, they stay together, as promising as before
                found = self._split(found, column, level)
                found = found.kept(self._is_promising(found, found.cost + self.floors[place]))
            if not len(found.members):
                return
            yield level, found

    def _split(self, found: Buckets, column: int, level: int) -> Buckets:
        """Part buckets by what is shown in a column at a level; keep the parts that have enough rows."""
        label, owner = self.shown[column][level][found.members.values], found.members.owner
        key = owner * (int(label.max()) + 1) + label
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        starts = np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, [len(key)]])
        parent = owner[order[starts[:-1]]]
        parts = Buckets(Ragged(found.members.values[order], starts), found.levels[parent], found.cost[parent])
        return parts.kept(parts.members.sums(self.counts[parts.members.values]) >= self.min_group_size)

    def _ending(self, found: Buckets, place: int, level: int) -> Buckets:
        """Choose a level of a column: keep the buckets that differ one level lower, and still do in columns before."""
        column = self.order[place]
        cost = found.cost + self.costs[column][level][found.members.first]
        levels = found.levels.copy()
        levels[:, column] = level
        ending = replace(found, levels=levels, cost=cost)
        ending = ending.kept(self._is_promising(ending, cost + self.floors[place + 1]))
        for done in self.order[place::-1]:
            if not len(ending.members):
                break
            ending = ending.kept(self._differs_below(ending, done))
        return ending

    def _differs_below(self, found: Buckets, column: int) -> BoolArray:
        """Say which buckets look different in a column one level lower than chosen, or cannot go lower."""
        above = found.levels[:, column] > 0
        some, differs = found.members.kept(above), ~above
        if len(some):
            below = np.repeat(found.levels[above, column] - 1, some.lengths)
            label, starts = self.shown[column][below, some.values], some.starts[:-1]
            differs[above] = np.minimum.reduceat(label, starts) < np.maximum.reduceat(label, starts)
        return differs

    def _is_promising(self, found: Buckets, cost: IntArray) -> BoolArray:
        """Say in which buckets a group of enough rows has a negative reduced cost, if a row pays this or more."""
        promising = self.multipliers[found.members.first] > cost
        some = found.members.kept(promising)
        if not len(some):
            return promising
        counts = self.counts[some.values]
        each = np.repeat(cost[promising], some.lengths) - self.multipliers[some.values]
        missing = np.maximum(self.min_group_size - some.before(counts), 0)
        taken = np.where(each < 0, counts, np.minimum(counts, missing))
        promising[promising] = some.sums(taken * each) < 0
        return promising


def refined_buckets(problem: Problem, evidence: Evidence, by_multiplier: IntArray) -> Iterator[tuple[Levels, Buckets]]:
    """Yield the closed patterns under which a group of enough rows has a negative reduced cost, by level vector.

    Their row types are places in ``by_multiplier``, which has all row types by falling multiplier.
    """
    columns = Columns.of(problem, evidence, by_multiplier)
    if int(problem.counts.sum()) < columns.min_group_size:
        return
    every = Ragged(np.arange(len(by_multiplier)), np.array([0, len(by_multiplier)]))
    whole = Buckets(every, np.zeros((1, len(problem.columns)), dtype=np.int16), np.zeros(1, dtype=np.int64))
    for found in columns.refined(whole, 0):
        yield from found.by_levels()
