"""The pool of patterns that an exact method needs: closed ones, in which a legal group may fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.model.partition import Partition
from kilt.model.patterns import (
    Levels,
    buckets,
    costs_of,
    least_costs,
    level_vectors,
    n_level_vectors,
    tightest,
    useful_levels,
)
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.patterns.closed import closed_patterns


@dataclass(frozen=True)
class Params:
    """Which tables have too many patterns, and which have them listed by what they cover."""

    max_entries: int = 8_000_000  # row types under patterns, if all patterns must be listed: they are held in memory
    few_row_types: int = 1_000  # up to which patterns are listed faster by what they cover than by level vectors
    few_vectors: int = 4_096  # level vectors: with more, the same holds up to
    max_row_types: int = 5_000
    max_priced: int = 2_000_000  # pairs of a row type and a level vector whose cost is looked at to choose a ceiling


PARAMS = Params()


@dataclass(frozen=True)
class Pool:
    """Patterns: pattern p covers the row types in list p of ``covers`` and costs ``cost[p]`` a row.

    A pattern is *closed* if it is the tightest for all that it covers; the tightest pattern of any group is closed,
    so no other is needed. Two closed patterns never cover the same row types. Patterns are in the order of their cost;
    ``ceiling`` is the least cost of those that were not listed for lack of room (None if all are), for all row types or
    for each.
    """

    covers: Ragged
    levels: IntArray
    cost: IntArray
    ceiling: int | IntArray | None = None

    @property
    def types(self) -> IntArray:
        """The row types, pattern by pattern."""
        return self.covers.values

    @property
    def starts(self) -> IntArray:
        """Where the row types of each pattern start."""
        return self.covers.starts

    @property
    def owner(self) -> IntArray:
        """The pattern of every entry."""
        return self.covers.owner

    @classmethod
    def of(
        cls,
        problem: Problem,
        most_entries: int | None = None,
        enough: Callable[[], bool] = lambda: False,
    ) -> Pool:
        """List the closed patterns that can hold a legal group, from cheap to dear, until memory or time is used up."""
        every = np.arange(len(problem.counts))
        covers, shapes = (
            [Ragged(every[:0], np.zeros(1, dtype=np.int64))],
            [np.zeros((0, len(problem.columns)), dtype=np.int16)],
        )
        entries, affordable = 0, None if most_entries is None else Affordable.of(problem, most_entries)
        ceiling = None if affordable is None else affordable.ceiling
        for cost, levels in level_vectors(problem, least_costs(problem)):
            if enough() or (most_entries is not None and entries > most_entries):
                ceiling = cost if ceiling is None else min(cost, ceiling)
                break
            types = every if affordable is None else affordable.row_types(levels)
            if not len(types):
                continue
            found = buckets(problem, levels, types)
            found = _large_enough(problem, Ragged(types[found.values], found.starts))
            closed = (tightest(problem, found.values, found.starts) == np.array(levels)).all(axis=1)
            found = found.kept(closed & can_hold(problem, found))
            covers.append(found)
            entries += len(found.values)
            shapes.append(np.broadcast_to(np.array(levels, dtype=np.int16), (len(found), len(levels))))
        return cls.sorted(problem, Ragged.joined(covers), np.concatenate(shapes), ceiling)

    @classmethod
    def sorted(cls, problem: Problem, covers: Ragged, levels: IntArray, ceiling: int | None = None) -> Pool:
        """Put patterns in the order of their cost."""
        cost = costs_of(problem, covers.first, levels)
        if not (cost[1:] < cost[:-1]).any():
            return cls(covers, levels, cost, ceiling)
        order = np.argsort(cost, kind="stable")
        return cls(covers.picked(order), levels[order], cost[order], ceiling)

    def __len__(self) -> int:
        return len(self.cost)

    def kept(self, kept: BoolArray) -> Pool:
        """Keep some of the patterns."""
        return Pool(self.covers.kept(kept), self.levels[kept], self.cost[kept], self.ceiling)

    def entries_of(self, partition: Partition) -> IntArray:
        """Return for every entry of a partition its entry in the pool (-1 if its pattern is not there)."""
        entries = np.full(len(partition.types), -1)
        by_type = np.argsort(self.types, kind="stable")
        first = np.searchsorted(self.types[by_type], np.arange(int(self.types.max(initial=0)) + 2))
        owner = self.owner
        for i, (row_type, group) in enumerate(zip(partition.types.tolist(), partition.groups.tolist(), strict=True)):
            mine = by_type[first[row_type] : first[row_type + 1]]
            same = mine[(self.levels[owner[mine]] == partition.levels[group]).all(axis=1)]
            entries[i] = same[0] if len(same) else -1
        return entries


@dataclass(frozen=True)
class Affordable:
    """Patterns that cost less than the ceiling; ``costs[j][h]`` is what every row type pays in column j at level h."""

    ceiling: int
    costs: list[list[IntArray]]

    @classmethod
    def of(cls, problem: Problem, most_entries: int) -> Affordable | None:
        """Choose the ceiling so that about so many pairs of a row type and a pattern that covers it are below.

        None if there are no more in all, or if all labels of a level cost the same: whole level vectors are cheap or
        dear then.
        """
        vectors, n_row_types = n_level_vectors(problem), len(problem.counts)
        if vectors * n_row_types <= most_entries or vectors > PARAMS.max_priced or _costs_by_level(problem):
            return None
        columns = enumerate(problem.columns)
        costs = [[problem.costs_at(j, h) for h in range(len(column.levels))] for j, column in columns]
        return cls(_cost_below(problem, most_entries / (vectors * n_row_types)), costs)

    def row_types(self, levels: Levels) -> IntArray:
        """Return the row types that pay less than the ceiling at these levels."""
        total = sum(of_column[level] for of_column, level in zip(self.costs, levels, strict=True))
        return np.flatnonzero(np.asarray(total) < self.ceiling)


def _cost_below(problem: Problem, share: float) -> int:
    """Return a cost below which such a share of all row types under all level vectors is; a sample tells."""
    vectors, n_row_types = n_level_vectors(problem), len(problem.counts)
    sample = np.linspace(0, n_row_types - 1, max(1, PARAMS.max_priced // vectors), dtype=np.int64)
    costs = np.zeros((len(sample), 1), dtype=np.int64)
    for index, levels in enumerate(useful_levels(problem)):
        each = problem.costs[index][levels][:, problem.codes[sample, index]].T
        costs = (costs[:, :, None] + each[:, None, :]).reshape(len(sample), -1)
    place = int(costs.size * share)
    return max(1, int(np.partition(costs.ravel(), place)[place]))


def _costs_by_level(problem: Problem) -> bool:
    """Say whether all labels of a level cost the same."""
    return all((cost == cost[:, :1]).all() for cost in problem.costs)


def _large_enough(problem: Problem, found: Ragged) -> Ragged:
    """Keep the buckets that have enough rows for a legal group."""
    rows = found.sums(problem.counts[found.values])
    return found.kept(rows >= problem.rules.min_group_size)


def can_hold(problem: Problem, found: Ragged) -> BoolArray:
    """Decide for each bucket a necessary condition for a legal group: enough of the values are there."""
    possible = np.ones(len(found), dtype=bool)
    owner = found.owner
    for rule in problem.rules:
        if rule.column is not None:
            present = np.zeros((len(found), problem.sizes[rule.column]), dtype=bool)
            present[owner, problem.sensitive[found.values, rule.column]] = True
            possible &= rule.possible(present)
    return possible


def every_pattern(problem: Problem, enough: Callable[[], bool] = lambda: False) -> Pool | None:
    """List all closed patterns that can hold a legal group; None if they are too many, or if it is stopped."""
    vectors, n_row_types = n_level_vectors(problem), len(problem.counts)
    if n_row_types <= PARAMS.few_row_types or (vectors > PARAMS.few_vectors and n_row_types <= PARAMS.max_row_types):
        pool = _by_covers(problem)
        if pool is not None:
            return pool
    if vectors * n_row_types > PARAMS.max_entries:
        return None
    pool = Pool.of(problem, enough=enough)
    return pool if pool.ceiling is None else None


_LISTED: WeakKeyDictionary[Problem, Pool | None] = WeakKeyDictionary()  # a list lives no longer than its problem


def _by_covers(problem: Problem) -> Pool | None:
    """List patterns by what they cover, once: whoever asks whether they are too many often needs them next."""
    if problem not in _LISTED:
        found = closed_patterns(problem, partial(can_hold, problem), PARAMS.max_entries)
        _LISTED[problem] = None if found is None else Pool.sorted(problem, found.under, found.levels)
    return _LISTED[problem]


def too_many_patterns(problem: Problem, most_entries: int = PARAMS.max_entries) -> str | None:
    """Say why the patterns of a problem are too many for a method that needs all of them; None if they are not."""
    if n_level_vectors(problem) * len(problem.counts) <= most_entries:
        return None
    pool = every_pattern(problem)
    if pool is not None and len(pool.types) <= most_entries:
        return None
    size = f"{len(problem.counts):,} different rows and {len(problem.columns)} columns"
    return f"it lists all patterns, and those of {size} with these ladders are too many"
