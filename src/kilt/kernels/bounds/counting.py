"""Sets of row types in which more groups are used than fit: each is grown from the row types of one pattern."""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import IntArray

ONE = 1 << 20  # the use of a pattern that is used all the time
NOWHERE = cython.declare(cython.longlong, -(1 << 62))


@cython.final
@cython.cclass
class GrowingSets:
    """Sets that take in the row types of one pattern after the other, always of the one most used for what it adds.

    Pattern p has the row types at ``starts[p]`` to ``starts[p + 1]`` of ``types``; row type u is under those at
    ``type_starts[u]`` to ``type_starts[u + 1]`` of ``patterns``. Of the ``rows[p]`` under a pattern, ``outside[p]`` are
    not in the set. The set has the first ``size`` row types of ``members``; patterns that share some are ``touched``.
    """

    counts: cython.longlong[::1]
    types: cython.longlong[::1]
    starts: cython.longlong[::1]
    type_starts: cython.longlong[::1]
    patterns: cython.int[::1]
    use: cython.longlong[::1]
    rows: cython.longlong[::1]
    outside: cython.longlong[::1]
    is_member: cython.uchar[::1]
    members: cython.longlong[::1]
    touched: cython.longlong[::1]
    size: cython.longlong
    n_touched: cython.longlong
    n_rows: cython.longlong
    used_inside: cython.longlong
    min_group_size: cython.longlong
    one: cython.longlong

    def __init__(
        self,
        counts: IntArray,
        types: IntArray,
        starts: IntArray,
        type_starts: IntArray,
        patterns: IntArray,
        use: IntArray,
        min_group_size: int,
    ) -> None:
        self.counts, self.types, self.starts, self.type_starts, self.use = (
            np.ascontiguousarray(given, dtype=np.int64) for given in (counts, types, starts, type_starts, use)
        )
        self.patterns = patterns
        self.min_group_size, self.one = min_group_size, ONE
        self.size = self.n_touched = self.n_rows = self.used_inside = 0
        self.rows, self.outside, self.touched = np.zeros((3, len(use)), dtype=np.int64)
        self.members = np.zeros(len(counts), dtype=np.int64)
        self.is_member = np.zeros(len(counts), dtype=np.uint8)
        for p in range(self.rows.shape[0]):
            for i in range(self.starts[p], self.starts[p + 1]):
                self.rows[p] += self.counts[self.types[i]]
            self.outside[p] = self.rows[p]

    def grow(self, first: cython.Py_ssize_t, most: cython.longlong, violation: cython.longlong) -> IntArray:
        """Return the row types of the set that is violated most, in their order; none if none is by more than that.

        It takes in so many patterns besides the first one.
        """
        best: cython.longlong = 0
        with cython.nogil:
            place = first
            for _ in range(most + 1):
                self.take_in(place)
                over: cython.longlong = self.used_inside - self.n_rows // self.min_group_size * self.one
                if over > violation:
                    violation, best = over, self.size
                place = self.next_pattern()
                if place < 0:
                    break
        found = np.sort(np.asarray(self.members[:best]))
        self.forget()
        return found

    @cython.cfunc
    @cython.nogil
    def take_in(self, place: cython.Py_ssize_t) -> cython.void:
        """Add the row types of a pattern."""
        for i in range(self.starts[place], self.starts[place + 1]):
            u = self.types[i]
            if self.is_member[u]:
                continue
            self.is_member[u] = True
            self.members[self.size] = u
            self.size += 1
            self.n_rows += self.counts[u]
            for entry in range(self.type_starts[u], self.type_starts[u + 1]):
                p = self.patterns[entry]
                if self.outside[p] == self.rows[p]:
                    self.touched[self.n_touched] = p
                    self.n_touched += 1
                self.outside[p] -= self.counts[u]
                if self.outside[p] == 0:
                    self.used_inside += self.use[p]

    @cython.cfunc
    @cython.nogil
    def next_pattern(self) -> cython.Py_ssize_t:
        """Return the pattern that is used most for the rows that it adds; -1 if more groups would fit into these."""
        best: cython.longlong = NOWHERE
        place: cython.Py_ssize_t = -1
        for i in range(self.n_touched):
            p: cython.Py_ssize_t = self.touched[i]
            if self.outside[p] == 0:
                continue
            gain: cython.longlong = self.use[p] * self.min_group_size - self.outside[p] * self.one
            if gain > best or (gain == best and p < place):
                best, place = gain, p
        return place if best >= -self.min_group_size * self.one else -1

    @cython.cfunc
    def forget(self) -> cython.void:
        """Empty the set."""
        for i in range(self.size):
            self.is_member[self.members[i]] = False
        for i in range(self.n_touched):
            self.outside[self.touched[i]] = self.rows[self.touched[i]]
        self.size = self.n_touched = self.n_rows = self.used_inside = 0
