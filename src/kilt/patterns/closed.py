"""Closed patterns by what they cover, for tables of few row types and many columns.

Under m columns there are 2^m level vectors or more, but a pattern is determined by the row types that it covers, and
often few sets of row types are covered by a pattern at all. They are listed from the whole table down: a set that
cannot hold a legal group is left out with all that is inside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kilt.arrays.bits import Words, byte_weights, packed, unpacked
from kilt.arrays.ragged import Ragged
from kilt.kernels.patterns.closed import Extension, lowest_levels
from kilt.model.patterns import useful_levels
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray


@dataclass(frozen=True)
class Params:
    """Limits on the work; a test is that of a set of row types against an item."""

    max_tests: int = 400_000_000  # in all: a second or two
    chunk_tests: int = 20_000_000  # at a time, so that limits are checked between
    chunk_sets: int = 1 << 18  # sets that are found at a time


PARAMS = Params()


@dataclass(frozen=True)
class Closed:
    """Closed patterns: the row types under each, and its levels."""

    under: Ragged
    levels: IntArray


@dataclass(frozen=True)
class Items:
    """Values of columns at levels below the top that some row types show, and others do not: their covers."""

    covers: Words
    columns: IntArray
    levels: IntArray
    tops: IntArray  # for every column the lowest level at which all row types look the same

    @classmethod
    def of(cls, problem: Problem) -> Items:
        """List the items that enough rows for a group show."""
        covers, places = [packed(np.zeros((0, len(problem.counts)), dtype=bool))], []
        tops = np.array([len(column.levels) - 1 for column in problem.columns], dtype=np.int16)
        for index, levels in enumerate(useful_levels(problem)):
            for level in levels:
                values, where = np.unique(
                    problem.columns[index].levels[level][problem.codes[:, index]], return_inverse=True
                )
                if len(values) == 1:
                    tops[index] = level
                    break
                common = np.flatnonzero(np.bincount(where, problem.counts) >= problem.rules.min_group_size)
                covers.append(packed(where == common[:, None]))
                places += [(index, level)] * len(common)
        columns, heights = np.array(places, dtype=np.int64).reshape(-1, 2).T.copy()
        return cls(np.concatenate(covers), columns, heights, tops)

    def levels_of(self, sets: Words) -> IntArray:
        """Return the lowest level of every column on which the row types of a set agree."""
        found = np.repeat(self.tops[None, :], len(sets), axis=0)
        lowest_levels(sets, self.covers, self.columns, self.levels, found)
        return found


def closed_patterns(problem: Problem, possible: Callable[[Ragged], BoolArray], most_entries: int) -> Closed | None:
    """List the closed patterns that can hold a legal group; None if they are too many.

    ``possible`` says which sets of row types can hold one; what is inside of a set that cannot, cannot either.
    """
    items, weights, least = Items.of(problem), byte_weights(problem.counts), problem.rules.min_group_size
    covers = np.unique(items.covers, axis=0)
    n_row_types, every = len(problem.counts), packed(np.ones((1, len(problem.counts)), dtype=bool))
    found = np.empty((max(PARAMS.chunk_sets, len(covers)), every.shape[1]), dtype=np.uint64)
    found_last = np.empty(len(found), dtype=np.int64)
    extension = Extension(covers, weights, least, found, found_last)
    parts, waiting, entries, tests = [every], [(every, np.array([-1]))], 0, 0
    while waiting:
        sets, last = waiting.pop()
        begin = 0
        while begin < len(sets):
            if entries > most_entries or tests > PARAMS.max_tests:
                return None
            begin = extension.extend(sets, last, begin, PARAMS.chunk_tests)
            number = extension.number
            new = _under(found[:number], n_row_types)
            kept = possible(new)
            entries, tests = entries + int(np.diff(new.starts)[kept].sum()), tests + extension.tests
            if kept.any():
                parts.append(found[:number][kept])
                waiting.append((parts[-1], found_last[:number][kept]))
    joined = np.concatenate(parts)
    return Closed(_under(joined, n_row_types), items.levels_of(joined))


def _under(sets: Words, n_row_types: int) -> Ragged:
    """Return the row types of every set."""
    owner, types = np.nonzero(unpacked(sets, n_row_types))
    return Ragged(types, np.searchsorted(owner, np.arange(len(sets) + 1)))
