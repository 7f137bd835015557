"""Closed sets of row types, each found once: a set is extended by one more item that its members share.

An *item* is a value of a column at some level, and its cover is the row types that show it. A closed set is an
intersection of covers. It is found from the set that lacks its last item, and only if the intersection with the cover
of that item brings no earlier item along: then no other way leads to it (prefix-preserving closure extension, Uno et
al. 2004).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.arrays.bits import Words
from kilt.kernels.patterns.bits import weight_of
from kilt.numbers import IntArray


@njit(cache=True)
def extended(
    sets: Words,
    last: IntArray,
    begin: int,
    covers: Words,
    weights: IntArray,
    least: int,
    most_tests: int,
    found: Words,
    found_last: IntArray,
) -> tuple[int, int, int]:  # pragma: no cover - compiled
    """Extend sets from ``begin`` on, until there is no room for what may be found, or the tests are too many.

    Sets of fewer than ``least`` rows are left out. Return the first set that was not extended, how many were found, and
    how many tests of a set against an item that took.
    """
    open_ = np.empty(len(covers), dtype=np.int64)
    meet = np.empty(covers.shape[1], dtype=np.uint64)
    number, tests = 0, 0
    for s in range(begin, len(sets)):
        if tests > most_tests:
            return s, number, tests
        count = 0
        for item in range(len(covers)):
            if not _is_inside(sets[s], covers[item]):
                open_[count] = item
                count += 1
        tests += len(covers)
        if number + count > len(found):
            return s, number, tests
        for place in range(count):
            item = open_[place]
            if item <= last[s]:
                continue
            for w in range(len(meet)):
                meet[w] = sets[s, w] & covers[item, w]
            if weight_of(meet, weights) < least:
                continue
            earlier = 0
            while earlier < place and not _is_inside(meet, covers[open_[earlier]]):
                earlier += 1
            tests += earlier + 1
            if earlier == place:
                found[number] = meet
                found_last[number] = item
                number += 1
    return len(sets), number, tests


@njit(cache=True)
def lowest_levels(
    sets: Words, covers: Words, columns: IntArray, levels: IntArray, found: IntArray
) -> None:  # pragma: no cover - compiled
    """Lower the levels of every set to those of the items that it is inside of."""
    for s in range(len(sets)):
        for item in range(len(covers)):
            if _is_inside(sets[s], covers[item]):
                found[s, columns[item]] = min(found[s, columns[item]], levels[item])


@njit(cache=True)
def _is_inside(some: Words, other: Words) -> bool:  # pragma: no cover - compiled
    w = 0
    while w < len(some) and not some[w] & ~other[w]:
        w += 1
    return w == len(some)
