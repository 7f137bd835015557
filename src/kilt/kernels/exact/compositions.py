"""Compositions: how many rows of each sensitive class a legal group may hold, if its reduced cost is within a limit.

Groups are those close to the shares of the table, with equal distances: in a group of N rows, a class with R of the n
rows of the table has R N / n rows for nothing, and what its other rows add is *excess*, counted in n-ths of a row. For
every size all compositions are tried by depth-first search, class by class, and the search turns back where the rows
that are missing would cost too much: alone, with ``theta`` for their excess, or where their excess is too much. All
numbers are integers.
"""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import IntArray

INFINITY = cython.declare(cython.longlong, 1 << 62)
MOST_THETA = cython.declare(
    cython.longlong, 1 << 58
)  # times the size and the rows of the table: there is room for sums
HALVINGS = cython.declare(cython.int, 12)  # of the interval of the best theta


@cython.final
@cython.cclass
class CompositionListing:
    """Lists the compositions of groups of at least ``smallest`` rows; one of N rows may have the excess ``allowed[N]``.

    The members of the pattern at hand are sorted by class and reduced cost: those of class c begin at ``begin[c]``, and
    ``most[c]`` of them may be in a group of the size at hand. ``rest[kind, c, m]`` is the least that m rows of class c
    and those after it cost: what they add to the reduced cost (0), their excess (1), or both, with theta (2).
    """

    totals: cython.longlong[::1]
    rows: cython.longlong
    allowed: cython.longlong[::1]
    smallest: cython.Py_ssize_t
    n_classes: cython.Py_ssize_t
    begin: cython.longlong[::1]
    reduced_costs: cython.longlong[::1]
    sums: cython.longlong[::1]
    most: cython.longlong[::1]
    free: cython.longlong[::1]
    room: cython.longlong[::1]
    rest: cython.longlong[:, :, ::1]
    chosen: cython.longlong[::1]
    size: cython.Py_ssize_t
    limit: cython.longlong
    theta: cython.longlong
    visits: cython.longlong
    is_minimizing: cython.bint
    found: cython.int[:, ::1]
    costs: cython.longlong[::1]
    number: cython.Py_ssize_t

    def __init__(self, totals: IntArray, rows: int, allowed: IntArray, smallest: int) -> None:
        classes = len(totals)
        self.is_minimizing = False
        self.totals, self.rows, self.allowed, self.smallest = totals, rows, allowed, smallest
        self.n_classes = classes
        self.most, self.free, self.chosen = np.zeros((3, classes), dtype=np.int64)
        self.room = np.zeros(classes + 1, dtype=np.int64)
        self.rest = np.zeros((3, classes + 1, len(allowed)), dtype=np.int64)

    def list_within(
        self,
        reduced_costs: cython.longlong[::1],
        begin: cython.longlong[::1],
        limit: cython.longlong,
        visits: cython.longlong,
        found: cython.int[:, ::1],
        costs: cython.longlong[::1],
    ) -> int:
        """List the compositions under a pattern whose cheapest groups are within a limit, and what these cost.

        Return how many there are, or -1 if there is no room for them, or so many visits are not enough.
        """
        self.reduced_costs, self.begin, self.limit, self.visits = reduced_costs, begin, limit, visits
        self.found, self.costs, self.number = found, costs, 0
        self.sums = np.zeros(len(reduced_costs) + self.n_classes, dtype=np.int64)
        fits: cython.bint = True
        with cython.nogil:
            self.add_up()
            for size in range(self.smallest, min(reduced_costs.shape[0] + 1, self.allowed.shape[0])):
                if self.set_size(size):
                    fits = self.choose(0, size, 0, 0)
                if not fits:
                    break
        return self.number if fits else -1

    def cheapest(
        self,
        reduced_costs: cython.longlong[::1],
        begin: cython.longlong[::1],
        limit: cython.longlong,
        visits: cython.longlong,
    ) -> int:
        """Return the least reduced cost under a pattern if it is within the limit, else the next number above that.

        If so many visits are not enough, it is a number below all of them.
        """
        self.is_minimizing = True
        nothing, no_costs = np.zeros((1, self.n_classes), dtype=np.int32), np.zeros(1, dtype=np.int64)
        number = self.list_within(reduced_costs, begin, limit, visits, nothing, no_costs)
        self.is_minimizing = False
        return -INFINITY if number < 0 else self.limit + 1

    @cython.cfunc
    @cython.nogil
    def add_up(self) -> cython.void:
        """Add up the reduced costs of the members of each class."""
        for c in range(self.n_classes):
            self.sums[self.begin[c] + c] = 0
            for i in range(self.begin[c], self.begin[c + 1]):
                self.sums[i + c + 1] = self.sums[i + c] + self.reduced_costs[i]

    @cython.cfunc
    @cython.nogil
    def set_size(self, size: cython.Py_ssize_t) -> cython.bint:
        """Set the size; say whether groups of this size may be within the limit."""
        self.size = size
        for c in range(self.n_classes):
            self.free[c] = self.totals[c] * size // self.rows
            close = (self.totals[c] * size + self.allowed[size]) // self.rows
            self.most[c] = min(close, size, self.begin[c + 1] - self.begin[c])
        self.room[self.n_classes] = 0
        for c in range(self.n_classes - 1, -1, -1):
            self.room[c] = self.room[c + 1] + self.most[c]
        if self.room[0] < size:
            return False
        self.add_rest(0, 0)
        if self.rest[0, 0, size] > self.limit:
            return False
        self.add_rest(1, 0)
        if self.rest[1, 0, size] > self.allowed[size]:
            return False
        return self.find_theta()

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def marginal(
        self, kind: cython.Py_ssize_t, c: cython.Py_ssize_t, number: cython.Py_ssize_t, theta: cython.longlong
    ) -> cython.longlong:
        """Return what a row of a class adds that has so many rows in the group."""
        excess: cython.longlong = 0
        if number > self.free[c]:
            excess = self.rows
        elif number == self.free[c]:
            excess = (number + 1) * self.rows - self.totals[c] * self.size
        if kind == 1:
            return excess
        each = self.reduced_costs[self.begin[c] + number]
        return each if kind == 0 else each * self.rows + theta * excess

    @cython.cfunc
    @cython.nogil
    def add_rest(self, kind: cython.Py_ssize_t, theta: cython.longlong) -> cython.void:
        """Find what rows of the last classes cost at least: the costs of each class rise, so the least are merged."""
        self.rest[kind, self.n_classes, 0] = 0
        for c in range(self.n_classes - 1, -1, -1):
            own: cython.Py_ssize_t = 0
            later: cython.Py_ssize_t = 0
            self.rest[kind, c, 0] = 0
            for m in range(1, min(self.room[c], self.size) + 1):
                mine: cython.longlong = INFINITY
                others: cython.longlong = INFINITY
                if own < self.most[c]:
                    mine = self.marginal(kind, c, own, theta)
                if later < self.room[c + 1]:
                    others = self.rest[kind, c + 1, later + 1] - self.rest[kind, c + 1, later]
                if mine <= others:
                    own += 1
                else:
                    later += 1
                self.rest[kind, c, m] = self.rest[kind, c, m - 1] + min(mine, others)

    @cython.cfunc
    @cython.nogil
    def bound(self, theta: cython.longlong) -> cython.longlong:
        """Return what a group of this size costs at least with a theta, times the rows of the table."""
        self.add_rest(2, theta)
        return self.rest[2, 0, self.size] - theta * self.allowed[self.size]

    @cython.cfunc
    @cython.nogil
    def find_theta(self) -> cython.bint:
        """Find a theta whose bound is high; say whether it is within the limit."""
        most: cython.longlong = MOST_THETA // (self.rows * self.size)
        limit = self.limit * self.rows
        best: cython.longlong = self.bound(0)
        self.theta = 0
        low: cython.longlong = 0
        high: cython.longlong = 1
        while high < most:  # the bound is concave in theta
            here = self.bound(high)
            if here > limit:
                return False
            if here < best:
                break
            best, self.theta, low = here, high, high // 2
            high *= 2
        for _ in range(HALVINGS):
            if high - low < 4:
                break
            left, right = low + (high - low) // 3, high - (high - low) // 3
            of_left, of_right = self.bound(left), self.bound(right)
            if of_left > limit or of_right > limit:
                return False
            if of_left > best:
                best, self.theta = of_left, left
            if of_right > best:
                best, self.theta = of_right, right
            if of_left < of_right:
                low = left
            else:
                high = right
        self.add_rest(2, self.theta)
        return True

    @cython.cfunc
    @cython.nogil
    def choose(
        self, c: cython.Py_ssize_t, left: cython.Py_ssize_t, cost: cython.longlong, excess: cython.longlong
    ) -> cython.bint:
        """Choose how many rows of a class are in the group, where so many are left; say whether there is room."""
        if c == self.n_classes:
            return self.note(cost)
        self.visits -= 1
        if self.visits < 0:
            return False
        allowed = self.allowed[self.size]
        for number in range(max(0, left - self.room[c + 1]), min(left, self.most[c]) + 1):
            missing = left - number
            new_cost = cost + self.sums[self.begin[c] + c + number] - self.sums[self.begin[c] + c]
            new_excess = excess + max(0, number * self.rows - self.totals[c] * self.size)
            if new_excess + self.rest[1, c + 1, missing] > allowed:
                continue
            if new_cost + self.rest[0, c + 1, missing] > self.limit:
                continue
            both = new_cost * self.rows + self.theta * (new_excess - allowed) + self.rest[2, c + 1, missing]
            if both > self.limit * self.rows:
                continue
            self.chosen[c] = number
            if not self.choose(c + 1, missing, new_cost, new_excess):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    def note(self, cost: cython.longlong) -> cython.bint:
        """Note the chosen composition, or look for less from now on; say whether there is room for it."""
        if self.is_minimizing:
            self.limit = cost - 1
            return True
        if self.number == self.found.shape[0]:
            return False
        for c in range(self.n_classes):
            self.found[self.number, c] = self.chosen[c]
        self.costs[self.number] = cost
        self.number += 1
        return True


def reduced_costs(
    owner: cython.longlong[::1],
    rows: cython.int[:, ::1],
    cost: cython.longlong[::1],
    begin: cython.longlong[::1],
    sums: cython.longlong[::1],
    found: cython.longlong[::1],
) -> None:
    """Find what the cheapest group of each composition costs, less the multipliers of its rows.

    The composition i is of the pattern ``owner[i]``, and a group of it has the cost ``cost[i]``. What the first rows of
    class c under pattern p are worth is ``sums[begin[p * classes + c]:]``.
    """
    classes: cython.Py_ssize_t = rows.shape[1]
    with cython.nogil:
        for i in range(owner.shape[0]):
            total: cython.longlong = cost[i]
            for c in range(classes):
                first = begin[owner[i] * classes + c]
                total -= sums[first + rows[i, c]] - sums[first]
            found[i] = total
