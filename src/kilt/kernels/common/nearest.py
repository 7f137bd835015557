"""Distances of rows by brute force: the distance of two rows is what their tightest pattern costs a row."""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import IntArray

FAR = cython.declare(cython.longlong, 1 << 62)
FEW = cython.declare(cython.Py_ssize_t, 16)  # numbers that are sorted one by one


@cython.cclass
class Ladders:
    """``shown[j, h, code]`` is the code of column j at level h, ``costs[j, h, code]`` its cost, ``tops[j]`` the top."""

    def __init__(self, shown: IntArray, costs: IntArray, tops: IntArray) -> None:
        self.shown, self.costs, self.tops = shown, costs, tops

    @cython.cfunc
    @cython.nogil
    def agreeing(
        self, j: cython.Py_ssize_t, h: cython.Py_ssize_t, a: cython.Py_ssize_t, b: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Return the lowest level, from h on, at which two codes of column j look the same."""
        while a != b and h < self.tops[j] and self.shown[j, h, a] != self.shown[j, h, b]:
            h += 1
        return h


Numbered = tuple[IntArray, IntArray, IntArray]


def number_codes(codes: IntArray, ladders: Ladders) -> Numbered:
    """Number the different codes of all columns; return them, their columns, and the numbers of those of every row."""
    width = ladders.shown.shape[2]
    numbered, places = np.unique(codes + width * np.arange(codes.shape[1]), return_inverse=True)
    return numbered % width, numbered // width, places.reshape(codes.shape[0], codes.shape[1]).astype(np.int32)


@cython.cclass
class TightestPattern:
    """The tightest pattern of some rows of a table, and what it costs a row if it is to cover one more.

    The different codes of all columns are numbered: ``values`` has them, ``columns`` their columns, and ``places`` the
    numbers of those of a row: see ``number_codes``. The pattern has ``levels`` and covers a row, the ``first``; with a
    row that has the code of a number, the level of that column would have the cost ``costs``.
    """

    def __init__(self, codes: IntArray, ladders: Ladders, numbered: Numbered | None = None) -> None:
        self.ladders = ladders
        self.values, self.columns, self.places = number_codes(codes, ladders) if numbered is None else numbered
        self.levels = np.zeros(codes.shape[1], dtype=np.int64)
        self.costs = np.zeros(len(self.values), dtype=np.int64)
        self.first = 0

    @cython.cfunc
    @cython.nogil
    def start(self, u: cython.Py_ssize_t) -> cython.void:
        """Begin with the pattern of row u alone."""
        self.first = u
        for j in range(self.levels.shape[0]):
            self.levels[j] = 0
        self.find_costs()

    @cython.cfunc
    @cython.nogil
    def cover(self, v: cython.Py_ssize_t) -> cython.void:
        """Let the pattern cover row v too."""
        raised: cython.bint = False
        for j in range(self.levels.shape[0]):
            level = self.level_with(self.places[v, j])
            raised |= level != self.levels[j]
            self.levels[j] = level
        if raised:
            self.find_costs()

    @cython.cfunc
    @cython.nogil
    def cost_with(self, v: cython.Py_ssize_t) -> cython.longlong:
        """Return what the pattern would cost a row if it covered row v too."""
        cost: cython.longlong = 0
        for j in range(self.places.shape[1]):
            cost += self.costs[self.places[v, j]]
        return cost

    @cython.cfunc
    @cython.nogil
    def level_with(self, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the level that the column of a code would have if the pattern covered a row with that code."""
        j = self.columns[place]
        return self.ladders.agreeing(j, self.levels[j], self.values[self.places[self.first, j]], self.values[place])

    @cython.cfunc
    @cython.nogil
    def find_costs(self) -> cython.void:
        """Find what the levels would cost with every code."""
        for place in range(self.costs.shape[0]):
            j = self.columns[place]
            first = self.values[self.places[self.first, j]]
            self.costs[place] = self.ladders.costs[j, self.level_with(place), first]


@cython.final
@cython.cclass
class Distances:
    """The distances of the rows of a table, given as codes; ``keys`` is scratch space for those from one row.

    Threads that look at the same table can share its ``numbered`` codes.
    """

    pattern: TightestPattern
    rows: cython.Py_ssize_t
    keys: cython.longlong[::1]

    def __init__(self, codes: IntArray, ladders: Ladders, numbered: Numbered | None = None) -> None:
        self.pattern, self.rows = TightestPattern(codes, ladders, numbered), len(codes)
        self.keys = np.zeros(len(codes), dtype=np.int64)

    def of(self, u: cython.Py_ssize_t) -> IntArray:
        """Return the distances of all rows from row u."""
        found = np.empty(self.rows, dtype=np.int64)
        distances: cython.longlong[::1] = found
        with cython.nogil:
            self.pattern.start(u)
            for v in range(self.rows):
                distances[v] = self.pattern.cost_with(v)
        return found

    def nearest_outside(self, part: cython.longlong[::1], u: cython.Py_ssize_t) -> int:
        """Return the row that is nearest to row u, of those in another part; -1 if there is none."""
        found: cython.Py_ssize_t = -1
        with cython.nogil:
            self.pattern.start(u)
            mine = part[u]
            least: cython.longlong = FAR
            for v in range(self.rows):
                if part[v] != mine:
                    distance = self.pattern.cost_with(v)
                    if distance < least:
                        least, found = distance, v
        return found

    def count_within(self, near: cython.longlong[:, ::1], u: cython.Py_ssize_t, copies: cython.longlong) -> None:
        """Add copies of row u to what every row v has ``near[v, d]`` of at distance d."""
        with cython.nogil:
            self.pattern.start(u)
            for v in range(self.rows):
                self.keys[v] = self.pattern.cost_with(v)
            for v in range(self.rows):
                near[v, self.keys[v]] += copies

    def find_nearest(self, near: cython.int[:, ::1], block: cython.longlong[::1], is_inside: cython.char[::1]) -> None:
        """Write for the rows of a block the others that are nearest, from near to far, as many as there is room for.

        They are the nearest of the block, which is marked, and of those that are there already; -1 where there are too
        few. Of rows at the same distance the first is nearest. The cost of all rows together has less than 62 bits, and
        so have distances times rows.
        """
        with cython.nogil:
            for i in range(block.shape[0]):
                u = block[i]
                self.pattern.start(u)
                others: cython.Py_ssize_t = 0
                for j in range(block.shape[0]):
                    if j != i:
                        self.keys[others] = self.key(block[j])
                        others += 1
                for j in range(near.shape[1]):
                    if near[u, j] >= 0 and not is_inside[near[u, j]]:
                        self.keys[others] = self.key(near[u, j])
                        others += 1
                self.sort_least(0, others, min(others, near.shape[1]))
                for j in range(near.shape[1]):
                    near[u, j] = self.keys[j] % self.rows if j < others else -1

    @cython.cfunc
    @cython.nogil
    def key(self, v: cython.Py_ssize_t) -> cython.longlong:
        """Return a number that is greater for rows that are further from the pattern or, at one distance, later."""
        return self.pattern.cost_with(v) * self.rows + v

    @cython.cfunc
    @cython.nogil
    def sort_least(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, number: cython.Py_ssize_t) -> cython.void:
        """Move the least keys, so many, to the front in order; those between two places are not sorted yet."""
        while stop - start > FEW and start < number:
            middle = self.divide(start, stop)
            self.sort_least(start, middle, number)
            start = middle
        if start < number:
            self.sort_few(start, stop)

    @cython.cfunc
    @cython.nogil
    def sort_few(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Sort the keys between two places by insertion."""
        for i in range(start + 1, stop):
            key, j = self.keys[i], i
            while j > start and self.keys[j - 1] > key:
                self.keys[j] = self.keys[j - 1]
                j -= 1
            self.keys[j] = key

    @cython.cfunc
    @cython.nogil
    def divide(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Move lower keys between two places before higher ones, and return where the higher ones begin."""
        a, pivot, c = self.keys[start], self.keys[(start + stop) // 2], self.keys[stop - 1]
        pivot = max(min(a, pivot), min(max(a, pivot), c))
        low, high = start, stop - 1
        while True:
            while self.keys[low] < pivot:
                low += 1
            while self.keys[high] > pivot:
                high -= 1
            if low >= high:
                return low
            self.keys[low], self.keys[high] = self.keys[high], self.keys[low]
            low += 1
            high -= 1
