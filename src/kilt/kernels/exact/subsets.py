"""Dynamic programming over the sub-multisets of a small table.

A multiset of row types is an index in mixed radix: ``sum(count[i] * stride[i])``, so that the index of a
difference is the difference of the indices. With one copy of each row type an index is a bit mask.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.patterns.bits import ByteWeights

from kilt.arrays.bits import Words
from kilt.numbers import BoolArray, IntArray

INFINITE = cython.declare(cython.longlong, 1 << 61)  # two of them still fit


@cython.final
@cython.cclass
class GroupCosts:
    """What all multisets cost as one group, counted up: entry i of all but ``digit`` belongs to the digits from i on.

    ``member`` is a row type in it (-1 if there is none), ``size`` its rows, ``steps`` the steps up the ladders that it
    takes as one group, and ``weight`` what these cost a row. ``differs[i, j]`` are the steps that row types i and j
    make a group take; ``weights`` has what they cost on the path of every row type, all of which lead to the label of
    the group, and ``base`` what a row type pays by itself.
    """

    counts: cython.longlong[::1]
    differs: cython.ulonglong[:, :, ::1]
    weights: ByteWeights
    base: cython.longlong[::1]
    digit: cython.longlong[::1]
    member: cython.longlong[::1]
    size: cython.longlong[::1]
    steps: cython.ulonglong[:, ::1]
    weight: cython.longlong[::1]

    def __init__(self, counts: IntArray, differs: Words, weights: IntArray, base: IntArray) -> None:
        places = len(counts) + 1
        self.counts, self.differs, self.weights, self.base = counts, differs, ByteWeights(weights), base
        self.digit, self.size, self.weight = np.zeros((3, places), dtype=np.int64)
        self.member = np.full(places, -1)
        self.steps = np.zeros((places, differs.shape[2]), dtype=np.uint64)

    def fill(self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, cost: cython.longlong[::1]) -> None:
        """Fill in what multisets from ``begin`` to ``end`` cost, counting up from the one before."""
        with cython.nogil:
            for index in range(begin, end):
                place: cython.Py_ssize_t = 0
                while self.digit[place] == self.counts[place]:
                    self.digit[place] = 0
                    place += 1
                self.digit[place] += 1
                while place >= 0:
                    self.add_digit(place)
                    place -= 1
                cost[index] = self.size[0] * self.weight[0]

    @cython.cfunc
    @cython.nogil
    def add_digit(self, i: cython.Py_ssize_t) -> cython.void:
        """Find the numbers of the digits from i on from those of the digits after it."""
        other: cython.Py_ssize_t = self.member[i + 1]
        differs: cython.bint = self.digit[i] > 0 and other >= 0
        weight: cython.longlong = self.weight[i + 1]
        for w in range(self.steps.shape[1]):
            steps: cython.ulonglong = self.steps[i + 1, w]
            if differs:
                fresh = self.differs[i, other, w] & ~steps
                if fresh:
                    steps |= fresh
                    weight += self.weights.of_word(other * self.steps.shape[1] + w, fresh)
            self.steps[i, w] = steps
        if self.digit[i] > 0 and other < 0:
            other, weight = i, self.base[i]
        self.weight[i], self.member[i] = weight, other
        self.size[i] = self.size[i + 1] + self.digit[i]


@cython.cfunc
@cython.nogil
def size_of(rows: cython.longlong) -> cython.int:
    """Return how many rows a set of up to 32 has, given as a bit mask: bits are added up in pairs, fours and bytes."""
    rows -= (rows >> 1) & 0x55555555
    rows = (rows & 0x33333333) + ((rows >> 2) & 0x33333333)
    rows = (rows + (rows >> 4)) & 0x0F0F0F0F
    rows += rows >> 8
    rows += rows >> 16
    return rows & 0x3F


@cython.final
@cython.cclass
class SetPartitions:
    """The cheapest partition of sets of different rows: what it costs, and the group of the first row that it has.

    A set is *needed* as a group if it is legal and not the union of two legal sets; no other group ever is. The needed
    groups whose first row is i are ``groups[starts[i]:starts[i + 1]]``, in ascending order.
    """

    legal: cython.uchar[::1]
    needed: cython.uchar[::1]
    cost: cython.longlong[::1]
    groups: cython.longlong[::1]
    starts: cython.longlong[::1]
    smallest: cython.int
    best: cython.longlong[::1]
    choice = cython.declare(cython.longlong[::1], visibility="readonly")

    def __init__(self, legal: BoolArray, cost: IntArray, smallest: int) -> None:
        size = len(legal)
        self.legal, self.cost, self.smallest = legal.view(np.uint8), cost, smallest
        self.best, self.choice = np.full(size, INFINITE, dtype=np.int64), np.zeros(size, dtype=np.int64)
        self.best[0] = 0
        needed = np.zeros(size, dtype=np.uint8)
        self.needed = needed
        with cython.nogil:
            for rows in range(1, self.legal.shape[0]):
                self.needed[rows] = self.legal[rows] and not self.splits(rows)
        groups = np.flatnonzero(needed)
        first = (np.frexp(groups & -groups)[1] - 1).astype(np.int8)  # the exponent of a power of 2, exactly
        order = np.argsort(first, kind="stable")
        self.groups = groups[order]
        self.starts = np.searchsorted(first[order], np.arange(size.bit_length()))

    @cython.cfunc
    @cython.nogil
    def splits(self, rows: cython.longlong) -> cython.bint:
        """Say whether a set is the union of two legal sets."""
        first = rows & -rows
        others = rows ^ first
        if not others or size_of(rows) < 2 * self.smallest:
            return False
        part = (others - 1) & others
        while True:
            group = part | first
            if self.legal[group] and self.legal[rows ^ group]:
                return True
            if not part:
                return False
            part = (part - 1) & others

    def fill(self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> None:
        """Fill in the cheapest partition of sets from ``begin`` to ``end``: of the table, and of what it may leave.

        A group of the first row leaves a set without that row, and without as many rows as the smallest group has. A
        set that is not legal has no legal partition, and a needed one no other.
        """
        table = self.best.shape[0] - 1
        with cython.nogil:
            most = size_of(table) - self.smallest
            for rows in range(begin, end):
                if rows != table and (rows & 1 or size_of(rows) > most):
                    continue
                if self.needed[rows]:
                    self.best[rows], self.choice[rows] = self.cost[rows], rows
                elif self.legal[rows]:
                    self.divide(rows)

    @cython.cfunc
    @cython.nogil
    def divide(self, rows: cython.longlong) -> cython.void:
        """Find the cheapest partition of a set by the needed groups of its first row, or by all, if these are fewer."""
        place: cython.Py_ssize_t = 0
        while not (rows >> place) & 1:
            place += 1
        start, stop = self.starts[place], self.starts[place + 1]
        if stop - start < cython.cast(cython.longlong, 1) << (size_of(rows) - 1):
            self.try_needed(rows, start, stop)
        else:
            self.try_all(rows)

    @cython.cfunc
    @cython.nogil
    def try_needed(self, rows: cython.longlong, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Try the needed groups between two places, as far as they are inside of a set."""
        lowest: cython.longlong = INFINITE
        taken: cython.longlong = 0
        for index in range(start, stop):
            group = self.groups[index]
            if group > rows:
                break
            if group & ~rows == 0:
                total = self.cost[group] + self.best[rows ^ group]
                if total < lowest:
                    lowest, taken = total, group
        self.best[rows], self.choice[rows] = lowest, taken

    @cython.cfunc
    @cython.nogil
    def try_all(self, rows: cython.longlong) -> cython.void:
        """Try all subsets with the first row of a set."""
        lowest: cython.longlong = INFINITE
        taken: cython.longlong = 0
        first = rows & -rows
        others = rows ^ first
        part = others
        while True:
            group = part | first
            if self.needed[group]:
                total = self.cost[group] + self.best[rows ^ group]
                if total < lowest:
                    lowest, taken = total, group
            if not part:
                break
            part = (part - 1) & others
        self.best[rows], self.choice[rows] = lowest, taken


@cython.final
@cython.cclass
class MultisetPartitions:
    """The cheapest partition of multisets: what it costs, and a group with the first row type that it has.

    ``have`` and ``take`` are the copies of each row type in a multiset and in a group of it.
    """

    legal: cython.uchar[::1]
    cost: cython.longlong[::1]
    strides: cython.longlong[::1]
    smallest: cython.longlong
    rows: cython.longlong
    best: cython.longlong[::1]
    have: cython.longlong[::1]
    take: cython.longlong[::1]
    choice = cython.declare(cython.longlong[::1], visibility="readonly")

    def __init__(self, legal: BoolArray, cost: IntArray, smallest: int, counts: IntArray, strides: IntArray) -> None:
        self.legal, self.cost, self.smallest = legal.view(np.uint8), cost, smallest
        self.best, self.choice = np.full(len(legal), INFINITE, dtype=np.int64), np.zeros(len(legal), dtype=np.int64)
        self.best[0] = 0
        self.strides, self.rows = strides, counts.sum()
        self.have, self.take = np.zeros((2, len(counts)), dtype=np.int64)

    def fill(self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> None:
        """Fill in the cheapest partition of multisets from ``begin`` to ``end``.

        A multiset of fewer rows than two of the smallest groups has no other partition than itself; one of more rows
        than the table has without such a group is needed for nothing, but for the table itself.
        """
        table = self.best.shape[0] - 1
        with cython.nogil:
            for rows in range(begin, end):
                if not self.legal[rows]:
                    continue
                size = self.count(rows)
                if size < 2 * self.smallest:
                    self.best[rows], self.choice[rows] = self.cost[rows], rows
                elif size <= self.rows - self.smallest or rows == table:
                    self.divide(rows)

    @cython.cfunc
    @cython.nogil
    def count(self, rows: cython.longlong) -> cython.longlong:
        """Count the copies of each row type in a multiset, and return how many there are."""
        size: cython.longlong = 0
        rest = rows
        i = self.strides.shape[0]
        while i > 0:
            i -= 1
            self.have[i] = rest // self.strides[i]
            rest -= self.have[i] * self.strides[i]
            size += self.have[i]
            self.take[i] = 0
        return size

    @cython.cfunc
    @cython.nogil
    def divide(self, rows: cython.longlong) -> cython.void:
        """Try all groups of a multiset, which is counted, that have its first row type."""
        lowest: cython.longlong = INFINITE
        taken: cython.longlong = 0
        first: cython.Py_ssize_t = 0
        while self.have[first] == 0:
            first += 1
        self.take[first] = 1
        group = self.strides[first]
        while group > 0:
            if self.legal[group]:
                total = self.cost[group] + self.best[rows - group]
                if total < lowest:
                    lowest, taken = total, group
            group = self.next_group(group, first)
        self.best[rows], self.choice[rows] = lowest, taken

    @cython.cfunc
    @cython.nogil
    def next_group(self, group: cython.longlong, first: cython.Py_ssize_t) -> cython.longlong:
        """Count up the copies that a group takes, of the first row type at least one; return 0 after the last."""
        if self.take[first] < self.have[first]:
            self.take[first] += 1
            return group + self.strides[first]
        group -= (self.take[first] - 1) * self.strides[first]
        self.take[first] = 1
        for place in range(first + 1, self.take.shape[0]):
            if self.take[place] < self.have[place]:
                self.take[place] += 1
                return group + self.strides[place]
            group -= self.take[place] * self.strides[place]
            self.take[place] = 0
        return 0


def indecomposable_vectors(vectors: IntArray, strides: IntArray, legal: BoolArray, most: int) -> BoolArray:
    """Mark the vectors, given from small to large, that are not the sum of two legal ones; ``legal`` is by index.

    No more are marked than so many.
    """
    return Vectors(vectors, strides, legal).indecomposable(most)


@cython.final
@cython.cclass
class Vectors:
    """Vectors of counts from small to large, with their sums and their indices in mixed radix.

    ``atoms`` are those that are not the sum of two legal ones.
    """

    vectors: cython.longlong[:, ::1]
    strides: cython.longlong[::1]
    size: cython.longlong[::1]
    index: cython.longlong[::1]
    legal: cython.uchar[::1]
    atoms: cython.longlong[::1]

    def __init__(self, vectors: IntArray, strides: IntArray, legal: BoolArray) -> None:
        self.vectors, self.strides = np.ascontiguousarray(vectors, dtype=np.int64), strides
        self.legal = legal.view(np.uint8)
        self.size, self.index, self.atoms = np.empty((3, len(vectors)), dtype=np.int64)

    def indecomposable(self, most: cython.Py_ssize_t) -> BoolArray:
        """Mark those that are not the sum of two legal ones, no more than so many."""
        needed = np.zeros(len(self.atoms), dtype=np.uint8)
        found: cython.uchar[::1] = needed
        number: cython.Py_ssize_t = 0
        with cython.nogil:
            for i in range(self.atoms.shape[0]):
                if number == most:
                    break
                self.measure(i)
                if not self.splits(i, number):
                    found[i] = True
                    self.atoms[number] = i
                    number += 1
        return needed.view(np.bool_)

    @cython.cfunc
    @cython.nogil
    def measure(self, i: cython.Py_ssize_t) -> cython.void:
        """Find the sum and the index of a vector; those after the last that is marked need none."""
        size: cython.longlong = 0
        index: cython.longlong = 0
        for c in range(self.vectors.shape[1]):
            size += self.vectors[i, c]
            index += self.vectors[i, c] * self.strides[c]
        self.size[i], self.index[i] = size, index

    @cython.cfunc
    @cython.nogil
    def splits(self, i: cython.Py_ssize_t, number: cython.Py_ssize_t) -> cython.bint:
        """Say whether a vector is the sum of one of so many atoms and a legal vector."""
        for j in range(number):
            atom = self.atoms[j]
            if self.size[atom] + self.size[0] > self.size[i]:
                return False
            if self.fits(atom, i) and self.legal[self.index[i] - self.index[atom]]:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    def fits(self, inner: cython.Py_ssize_t, outer: cython.Py_ssize_t) -> cython.bint:
        """Say whether no entry of a vector is larger than that of another."""
        for c in range(self.vectors.shape[1]):
            if self.vectors[inner, c] > self.vectors[outer, c]:
                return False
        return True
