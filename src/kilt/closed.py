"""Closed patterns by what they cover, for tables of few row types and many columns.

Under m columns there are 2^m level vectors or more, but patterns are told apart by the row types that they cover, and
often few sets of row types are covered by a pattern at all. They are listed from the whole table down: a set that
cannot hold a legal group is left out with all that is inside it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kilt.bits import Words, byte_weights, packed, unpacked
from kilt.kernels.closed import extended
from kilt.keys import Buckets
from kilt.numbers import BoolArray
from kilt.patterns import useful_levels
from kilt.problem import Problem

MOST_TESTS = 1_000_000_000  # of a set against an item: some seconds
ROOM, TESTS = 1 << 18, 20_000_000  # sets that are found between two looks at the clock, and tests


def closed_sets(
    problem: Problem,
    possible: Callable[[Buckets], BoolArray],
    most_entries: int,
    enough: Callable[[], bool] = lambda: False,
) -> Buckets | None:
    """List the row types under every closed pattern that can hold a legal group; None if they are too many.

    ``possible`` says which sets can hold one; what is inside of a set that cannot, cannot either.
    """
    covers, weights, least = _covers(problem), byte_weights(problem.counts), problem.rules.least_size
    every = packed(np.ones((1, len(problem.counts)), dtype=bool))
    found = np.empty((max(ROOM, len(covers)), every.shape[1]), dtype=np.uint64)
    found_last = np.empty(len(found), dtype=np.int64)
    parts, waiting, entries, tests = [_buckets(every, len(problem.counts))], [(every, np.array([-1]))], 0, 0
    while waiting:
        sets, last = waiting.pop()
        begin = 0
        while begin < len(sets):
            if enough() or entries > most_entries or tests > MOST_TESTS:
                return None
            begin, number, more = extended(sets, last, begin, covers, weights, least, TESTS, found, found_last)
            new = _buckets(found[:number], len(problem.counts))
            kept = possible(new)
            parts.append(new.chosen(kept))
            entries, tests = entries + len(parts[-1].order), tests + more
            if kept.any():
                waiting.append((found[:number][kept], found_last[:number][kept]))
    return _joined(parts)


def _covers(problem: Problem) -> Words:
    """Return the different sets of row types that show the same value of a column, at some level below the top."""
    covers = [packed(np.zeros((0, len(problem.counts)), dtype=bool))]
    for index, levels in enumerate(useful_levels(problem)):
        column = problem.columns[index]
        for level in levels:
            shown = column.levels[level][problem.codes[:, index]]
            values, where = np.unique(shown, return_inverse=True)
            if len(values) > 1:
                rows = np.bincount(where, problem.counts)
                common = np.flatnonzero(rows >= problem.rules.least_size)
                covers.append(packed(where == common[:, None]))
    return np.unique(np.concatenate(covers), axis=0)


def _buckets(sets: Words, kinds: int) -> Buckets:
    owner, types = np.nonzero(unpacked(sets, kinds))
    return Buckets(types, np.searchsorted(owner, np.arange(len(sets) + 1)))


def _joined(parts: list[Buckets]) -> Buckets:
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    return Buckets(np.concatenate([part.order for part in parts]), np.concatenate([[0], np.cumsum(sizes)]))
