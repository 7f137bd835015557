"""Groups of two sensitive classes: the least reduced cost under every pattern, in integers."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.bounds.incidence import Covers

from kilt.numbers import BoolArray, IntArray


@cython.final
@cython.cclass
class PairGroups:
    """Groups of two sensitive classes: b rows of the second allow ``lowest[b]`` to ``highest[b]`` of the first.

    The b rows of the second class are those of largest multipliers. Of the first there are as many as have multipliers
    above the cost, or the nearest allowed number; so every b is tried, and nothing else.

    ``members`` has the row types of active patterns by falling multipliers: the first class from the left, up to
    ``middle[p]``, and the second from the right. ``sums`` adds up the reduced costs of the first rows of the first
    class; ``summed`` of them are summed so far, up to the copy ``sum_copy`` of the member ``sum_place``.
    """

    covers: Covers
    is_second: cython.uchar[::1]
    lowest: cython.longlong[::1]
    highest: cython.longlong[::1]
    multipliers: cython.longlong[::1]
    active: cython.uchar[::1]
    near = cython.declare(cython.uchar[::1], visibility="readonly")
    margin: cython.longlong
    members: cython.int[::1]
    middle: cython.longlong[::1]
    right: cython.longlong[::1]
    rows: cython.longlong[::1]
    sums: cython.longlong[::1]
    summed: cython.longlong
    sum_place: cython.Py_ssize_t
    sum_copy: cython.longlong
    number: cython.longlong
    second_number: cython.longlong

    def __init__(self, covers: Covers, is_second: BoolArray, lowest: IntArray, highest: IntArray) -> None:
        self.covers, self.lowest, self.highest = covers, lowest, highest
        self.is_second = is_second.view(np.uint8)
        patterns = covers.cost.shape[0]
        self.active, self.near = np.zeros((2, patterns), dtype=np.uint8)
        self.members = np.empty(covers.types.shape[0], dtype=np.int32)
        self.middle, self.right, self.rows = np.zeros((3, patterns), dtype=np.int64)
        self.count_first()
        self.sums = np.zeros(np.max(self.rows, initial=0) + 1, dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    def count_first(self) -> cython.void:
        """Count the rows of the first class under each pattern."""
        for p in range(self.rows.shape[0]):
            for i in range(self.covers.starts[p], self.covers.starts[p + 1]):
                u = self.covers.types[i]
                if not self.is_second[u]:
                    self.rows[p] += self.covers.counts[u]

    def least(
        self,
        multipliers: cython.longlong[::1],
        order: cython.longlong[::1],
        everywhere: cython.bint,
        margin: cython.longlong,
    ) -> tuple[int, IntArray]:
        """Return the same as for other groups; ``order`` has the row types by falling multipliers.

        If everywhere, it is noted under which patterns a reduced cost is below the margin; else only these are tried.
        """
        self.multipliers, self.margin = multipliers, margin if everywhere else 0
        copies = np.zeros(multipliers.shape[0], dtype=np.int64)
        taken: cython.longlong[::1] = copies
        total: cython.longlong = 0
        with cython.nogil:
            self.choose(everywhere)
            self.sort_members(order)
            for p in range(self.active.shape[0]):
                if not self.active[p]:
                    continue
                value = self.best_pair(p)
                if everywhere:
                    self.near[p] = value < margin
                if value < 0:
                    total += value
                    self.take(p, taken)
        return total, copies

    @cython.cfunc
    @cython.nogil
    def choose(self, everywhere: cython.bint) -> cython.void:
        """Choose the active patterns, or those of them that were near before."""
        self.active[:] = False
        self.covers.mark_active(self.multipliers, self.active)
        for p in range(self.active.shape[0]):
            if everywhere:
                self.near[p] = False
            elif not self.near[p]:
                self.active[p] = False

    @cython.cfunc
    @cython.nogil
    def sort_members(self, order: cython.longlong[::1]) -> cython.void:
        """List the row types of active patterns in a given order."""
        for p in range(self.middle.shape[0]):
            self.middle[p], self.right[p] = self.covers.starts[p], self.covers.starts[p + 1]
        for i in range(order.shape[0]):
            u = order[i]
            if self.is_second[u]:
                for entry in range(self.covers.type_starts[u], self.covers.type_starts[u + 1]):
                    p = self.covers.patterns[entry]
                    if self.active[p]:
                        self.right[p] -= 1
                        self.members[self.right[p]] = u
            else:
                for entry in range(self.covers.type_starts[u], self.covers.type_starts[u + 1]):
                    p = self.covers.patterns[entry]
                    if self.active[p]:
                        self.members[self.middle[p]] = u
                        self.middle[p] += 1

    @cython.cfunc
    @cython.nogil
    def best_pair(self, p: cython.Py_ssize_t) -> cython.longlong:
        """Return the least reduced cost, or the margin if that is less, and note the numbers of rows of each class."""
        cost, first, place = self.covers.cost[p], self.middle[p], self.covers.starts[p + 1] - 1
        profitable = self.sum_profitable(p)
        best: cython.longlong = self.margin
        spent: cython.longlong = 0
        b: cython.longlong = 0
        copy: cython.longlong = 0
        self.number = self.second_number = 0
        while True:
            most: cython.longlong = min(self.highest[b], self.rows[p])
            if self.lowest[b] <= most:
                a: cython.longlong = min(max(profitable, self.lowest[b]), most)
                if a > self.summed:
                    self.sum_up_to(p, a)
                if spent + self.sums[a] < best:
                    best = spent + self.sums[a]
                    self.number, self.second_number = a, b
            if place < first:
                return best
            u = self.members[place]
            each = cost - self.multipliers[u]
            if each >= 0 and spent + each + self.sums[profitable] >= best:
                return best  # from here on the second class only adds
            spent += each
            b += 1
            copy += 1
            if copy == self.covers.counts[u]:
                place -= 1
                copy = 0

    @cython.cfunc
    @cython.nogil
    def sum_profitable(self, p: cython.Py_ssize_t) -> cython.longlong:
        """Sum up the negative reduced costs of the first class; return how many there are."""
        self.summed, self.sum_place, self.sum_copy = 0, self.covers.starts[p], 0
        rows: cython.longlong = 0
        for place in range(self.covers.starts[p], self.middle[p]):
            u = self.members[place]
            if self.multipliers[u] <= self.covers.cost[p]:
                break
            rows += self.covers.counts[u]
        self.sum_up_to(p, rows)
        return rows

    @cython.cfunc
    @cython.nogil
    def sum_up_to(self, p: cython.Py_ssize_t, rows: cython.longlong) -> cython.void:
        """Sum up the reduced costs of so many rows of the first class, from where the sums end."""
        while self.summed < rows:
            u = self.members[self.sum_place]
            each = self.covers.cost[p] - self.multipliers[u]
            here: cython.longlong = min(self.covers.counts[u] - self.sum_copy, rows - self.summed)
            for i in range(self.summed, self.summed + here):
                self.sums[i + 1] = self.sums[i] + each
            self.summed += here
            self.sum_copy += here
            if self.sum_copy == self.covers.counts[u]:
                self.sum_place += 1
                self.sum_copy = 0

    @cython.cfunc
    @cython.nogil
    def take(self, p: cython.Py_ssize_t, taken: cython.longlong[::1]) -> cython.void:
        """Count the copies in the group of least reduced cost."""
        left: cython.longlong = self.number
        place: cython.Py_ssize_t = self.covers.starts[p]
        while left > 0:
            u = self.members[place]
            taken[u] += min(self.covers.counts[u], left)
            left -= self.covers.counts[u]
            place += 1
        left = self.second_number
        place = self.covers.starts[p + 1] - 1
        while left > 0:
            u = self.members[place]
            taken[u] += min(self.covers.counts[u], left)
            left -= self.covers.counts[u]
            place -= 1
