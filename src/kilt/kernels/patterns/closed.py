"""Closed sets of row types, each found once: a set is extended by one more item that its members share.

An *item* is a value of a column at some level, and its cover is the row types that show it. A closed set is an
intersection of covers. It is found from the set that lacks its last item, and only if the intersection with the cover
of that item brings no earlier item along: then no other way leads to it (prefix-preserving closure extension, Uno et
al. 2004).
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.patterns.bits import ByteWeights

from kilt.arrays.bits import Words
from kilt.numbers import IntArray


@cython.final
@cython.cclass
class Sets:
    """Sets of row types, each a row of bits in words."""

    words: cython.ulonglong[:, ::1]

    def __init__(self, words: Words) -> None:
        self.words = np.ascontiguousarray(words)

    @cython.cfunc
    @cython.nogil
    def is_inside(self, s: cython.Py_ssize_t, other: Sets, t: cython.Py_ssize_t) -> cython.bint:
        """Say whether set s has no members but those of set t of the others; mostly the first word decides."""
        if self.words[s, 0] & ~other.words[t, 0]:
            return False
        for w in range(1, self.words.shape[1]):
            if self.words[s, w] & ~other.words[t, w]:
                return False
        return True


@cython.final
@cython.cclass
class Extension:
    """Extends closed sets of at least so many rows by an item each.

    ``found`` has the sets that were found, ``number`` of them, and ``found_last`` the last item of each; ``tests``
    counts the tests of a set against an item that this took. ``open_items`` are those that a set is not inside of.
    """

    covers: Sets
    weights: ByteWeights
    least: cython.longlong
    sets: Sets
    last: cython.longlong[::1]
    open_items: cython.longlong[::1]
    meet: Sets
    found: cython.ulonglong[:, ::1]
    found_last: cython.longlong[::1]
    number = cython.declare(cython.Py_ssize_t, visibility="readonly")
    tests = cython.declare(cython.longlong, visibility="readonly")

    def __init__(self, covers: Words, weights: IntArray, least: int, found: Words, found_last: IntArray) -> None:
        self.covers, self.weights, self.least = Sets(covers), ByteWeights(weights), least
        self.found, self.found_last, self.number, self.tests = found, found_last, 0, 0
        self.open_items = np.empty(len(covers), dtype=np.int64)
        self.meet = Sets(np.empty((1, covers.shape[1]), dtype=np.uint64))

    def extend(self, sets: Words, last: IntArray, begin: cython.Py_ssize_t, most_tests: cython.longlong) -> int:
        """Extend sets from ``begin`` on, until there is no room for what may be found, or the tests are too many.

        Return the first set that was not extended.
        """
        self.sets, self.last, self.number, self.tests = Sets(sets), last, 0, 0
        s = begin
        with cython.nogil:
            while s < self.last.shape[0] and self.tests <= most_tests:
                count = self.find_open(s)
                if self.number + count > self.found_last.shape[0]:
                    break
                self.extend_one(s, count)
                s += 1
        return s

    @cython.cfunc
    @cython.nogil
    def find_open(self, s: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """List the items that a set is not inside of, and return how many there are."""
        count: cython.Py_ssize_t = 0
        for item in range(self.open_items.shape[0]):
            if not self.sets.is_inside(s, self.covers, item):
                self.open_items[count] = item
                count += 1
        self.tests += self.open_items.shape[0]
        return count

    @cython.cfunc
    @cython.nogil
    def extend_one(self, s: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
        """Extend a set by each of its open items after the last, as far as that leads to a closed set of its own."""
        for place in range(count):
            item = self.open_items[place]
            if item <= self.last[s] or not self.has_enough(s, item):
                continue
            earlier: cython.Py_ssize_t = 0
            while earlier < place and not self.meet.is_inside(0, self.covers, self.open_items[earlier]):
                earlier += 1
            self.tests += earlier + 1
            if earlier == place:
                for w in range(self.found.shape[1]):
                    self.found[self.number, w] = self.meet.words[0, w]
                self.found_last[self.number] = item
                self.number += 1

    @cython.cfunc
    @cython.nogil
    def has_enough(self, s: cython.Py_ssize_t, item: cython.Py_ssize_t) -> cython.bint:
        """Let a set meet the cover of an item, and say whether that has enough rows."""
        for w in range(self.found.shape[1]):
            self.meet.words[0, w] = self.sets.words[s, w] & self.covers.words[item, w]
        rows: cython.longlong = 0
        for w in range(self.found.shape[1]):
            if self.meet.words[0, w]:
                rows += self.weights.of_word(w, self.meet.words[0, w])
                if rows >= self.least:
                    return True
        return False


def lowest_levels(
    sets: Words, covers: Words, columns: cython.longlong[::1], levels: cython.longlong[::1], found: cython.short[:, ::1]
) -> None:
    """Lower the levels of every set to those of the items that it is inside of."""
    inner: cython.ulonglong[:, ::1] = np.ascontiguousarray(sets)
    outer: cython.ulonglong[:, ::1] = np.ascontiguousarray(covers)
    words = inner.shape[1]
    w: cython.Py_ssize_t
    with cython.nogil:
        for s in range(inner.shape[0]):
            for item in range(outer.shape[0]):
                if inner[s, 0] & ~outer[item, 0]:  # mostly the first word decides
                    continue
                w = 1
                while w < words and not inner[s, w] & ~outer[item, w]:
                    w += 1
                if w == words and levels[item] < found[s, columns[item]]:
                    found[s, columns[item]] = levels[item]
