"""The pool of patterns that an exact method needs: closed ones, in which a legal group may fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kilt.keys import Buckets
from kilt.numbers import BoolArray, IntArray
from kilt.partition import Partition
from kilt.patterns import buckets, costs_of, level_vectors, tightest
from kilt.problem import Problem

MOST_LISTED = 8_000_000  # row types times level vectors, if all patterns must be listed


@dataclass(frozen=True)
class Pool:
    """Patterns: pattern p covers the row types ``types[starts[p]:starts[p + 1]]`` and costs ``cost[p]`` a row.

    A pattern is *closed* if it is the tightest for all that it covers; the tightest pattern of any group is closed,
    so no other is needed. Two closed patterns never cover the same row types. Patterns are in the order of their cost;
    ``ceiling`` is the least cost of those that were not listed for lack of room (None if all are).
    """

    types: IntArray
    starts: IntArray
    levels: IntArray
    cost: IntArray
    ceiling: int | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        most_entries: int | None = None,
        enough: Callable[[], bool] = lambda: False,
    ) -> Pool:
        """List the closed patterns that can hold a legal group, from cheap to dear, until room or time is over."""
        every = np.arange(len(problem.counts))
        types, lengths, shapes = [every[:0]], [every[:0]], [np.zeros((0, len(problem.columns)), dtype=np.int16)]
        entries, ceiling = 0, None
        for cost, levels in level_vectors(problem):
            if enough() or (most_entries is not None and entries > most_entries):
                ceiling = cost
                break
            found = _large_enough(problem, buckets(problem, levels, every))
            closed = (tightest(problem, found.order, found.starts) == np.array(levels)).all(axis=1)
            found = found.chosen(closed & _can_hold(problem, found))
            types.append(found.order)
            lengths.append(np.diff(found.starts))
            entries += len(found.order)
            shapes.append(np.broadcast_to(np.array(levels, dtype=np.int16), (len(found), len(levels))))
        starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
        shape = np.concatenate(shapes)
        return cls(np.concatenate(types), starts, shape, costs_of(problem, shape), ceiling)

    def __len__(self) -> int:
        return len(self.cost)

    def entries_of(self, partition: Partition) -> IntArray:
        """Return for every entry of a partition its entry in the pool (-1 if its pattern is not there)."""
        entries = np.full(len(partition.types), -1)
        by_type = np.argsort(self.types, kind="stable")
        first = np.searchsorted(self.types[by_type], np.arange(int(self.types.max(initial=0)) + 2))
        owner = self.owner()
        for i, (kind, group) in enumerate(zip(partition.types.tolist(), partition.groups.tolist(), strict=True)):
            mine = by_type[first[kind] : first[kind + 1]]
            same = mine[(self.levels[owner[mine]] == partition.levels[group]).all(axis=1)]
            entries[i] = same[0] if len(same) else -1
        return entries

    def owner(self) -> IntArray:
        """Return the pattern of every entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def _large_enough(problem: Problem, found: Buckets) -> Buckets:
    """Keep the buckets that have enough rows for a legal group."""
    rows = np.add.reduceat(problem.counts[found.order], found.starts[:-1])
    return found.chosen(rows >= problem.rules.least_size)


def _can_hold(problem: Problem, found: Buckets) -> BoolArray:
    """Decide for each bucket whether it has the values that a legal group needs."""
    possible = np.ones(len(found), dtype=bool)
    owner = found.of_each()
    for rule in problem.rules:
        if rule.column is not None:
            present = np.zeros((len(found), problem.sizes[rule.column]), dtype=bool)
            present[owner, problem.sensitive[found.order, rule.column]] = True
            possible &= rule.possible(present)
    return possible


def too_many_patterns(problem: Problem, most_listed: int = MOST_LISTED) -> str | None:
    """Say why the patterns of a problem are too many for a method that needs all of them; None if they are not."""
    vectors = math.prod(len(column.levels) for column in problem.columns)
    most, kinds = most_listed // vectors, len(problem.counts)
    if kinds <= most:
        return None
    return f"with these ladders it takes up to {most:,} different rows, and this table has {kinds:,}"
