"""Groups under linear inequalities: for every pattern the best weight of an inequality that all legal groups obey.

The *slope* of a pattern has a number for every sensitive class, and the numbers of the rows of any legal group add up
to at most 0. So theta times the slope may be added to the reduced costs of rows: that of the cheapest group is then a
lower bound for legal groups, for every theta. The best theta is found where two such lines cross. Floats guide here.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.bounds.incidence import Covers
from cython.cimports.kilt.kernels.common.sorting import Sorter

from kilt.numbers import BoolArray, FloatArray

INFINITY = cython.declare(cython.double, float("inf"))
FIRST_STEP = cython.declare(cython.double, 4000.0)  # what is tried first where theta is 0: less than half a star
ROUNDS = cython.declare(cython.int, 60)  # of the search for a theta: far more than are ever needed


@cython.final
@cython.cclass
class SlopedGroups:
    """Finds the groups of least reduced cost of at least so many rows, in scratch space for one thread.

    Pattern p has the slope ``slope[p]``, its best theta so far, and the multiplier of the size of its group. The group
    of least reduced cost is a mix of two: those at the thetas ``mix[p, 0]`` and ``mix[p, 1]``, the first to the share
    ``mix[p, 2]``.
    """

    covers: Covers
    min_group_size: cython.longlong
    slope: cython.double[:, ::1]
    theta: cython.double[::1]
    size_multiplier: cython.double[::1]
    mix: cython.double[:, ::1]
    multipliers: cython.longlong[::1]
    # the members of the pattern at hand, and its slope times theta
    n_members: cython.Py_ssize_t
    row_type: cython.longlong[::1]
    class_of: cython.longlong[::1]
    copies: cython.longlong[::1]
    reduced_cost: cython.double[::1]
    tilt: cython.double[::1]
    # members that are not in the group for their own sake: sorted by what they cost with the slope
    sorter: Sorter
    other: cython.longlong[::1]
    # the group found last: its rows by sensitive class, their reduced cost and slope; and how many others are in it
    by_class: cython.double[::1]
    value: cython.double
    incline: cython.double
    last_price: cython.double
    added: cython.Py_ssize_t
    missing: cython.longlong
    # the two groups that are mixed
    high: cython.double[::1]
    low: cython.double[::1]

    def __init__(
        self,
        covers: Covers,
        min_group_size: int,
        slope: FloatArray,
        theta: FloatArray,
        size_multiplier: FloatArray,
        mix: FloatArray,
    ) -> None:
        self.covers, self.min_group_size, self.slope = covers, min_group_size, slope
        self.theta, self.size_multiplier, self.mix = theta, size_multiplier, mix
        room, classes = covers.longest, slope.shape[1]
        self.row_type, self.class_of, self.copies, self.other = np.empty((4, room), dtype=np.int64)
        self.reduced_cost, self.sorter = np.empty(room), Sorter(room)
        self.tilt, self.by_class, self.high, self.low = np.zeros((4, classes))

    def find(
        self,
        chunk: cython.Py_ssize_t,
        chunks: cython.Py_ssize_t,
        multipliers: cython.longlong[::1],
        active: BoolArray,
        values: cython.double[::1],
        by_class: cython.double[:, ::1],
    ) -> None:
        """Find the best theta for one in so many patterns, and the least reduced cost (0 if it is not negative).

        ``by_class`` gets the rows of its group by sensitive class.
        """
        self.multipliers = multipliers
        active_: cython.uchar[::1] = active.view(np.uint8)
        with cython.nogil:
            p = chunk
            while p < active_.shape[0]:
                values[p] = 0.0
                if active_[p]:
                    self.load(p)
                    values[p] = self.find_theta(p)
                    for c in range(by_class.shape[1]):
                        by_class[p, c] = self.by_class[c]
                p += chunks

    def take(
        self,
        chunk: cython.Py_ssize_t,
        chunks: cython.Py_ssize_t,
        multipliers: cython.longlong[::1],
        wanted: BoolArray,
        taken: cython.double[::1],
    ) -> None:
        """Count the copies of each row type in the groups of least reduced cost of the wanted patterns."""
        self.multipliers = multipliers
        wanted_: cython.uchar[::1] = wanted.view(np.uint8)
        with cython.nogil:
            p = chunk
            while p < wanted_.shape[0]:
                if wanted_[p]:
                    self.load(p)
                    self.take_share(p, self.mix[p, 0], self.mix[p, 2], taken)
                    self.take_share(p, self.mix[p, 1], 1 - self.mix[p, 2], taken)
                p += chunks

    @cython.cfunc
    @cython.nogil
    def load(self, p: cython.Py_ssize_t) -> cython.void:
        """Look up the members of a pattern."""
        start, cost = self.covers.starts[p], self.covers.cost[p]
        self.n_members = self.covers.starts[p + 1] - start
        for i in range(self.n_members):
            u = self.covers.types[start + i]
            self.row_type[i] = u
            self.class_of[i] = self.covers.sensitive_class[u]
            self.copies[i] = self.covers.counts[u]
            self.reduced_cost[i] = cost - self.multipliers[u]

    @cython.cfunc
    @cython.nogil
    def find_theta(self, p: cython.Py_ssize_t) -> cython.double:
        """Find the best theta of a pattern and the group that goes with it; return its reduced cost, or 0."""
        theta: cython.double = 0.0
        high_value: cython.double = 0.0
        high_slope: cython.double = INFINITY
        high_theta: cython.double = 0.0
        low_value: cython.double = 0.0
        low_slope: cython.double = -INFINITY
        low_theta: cython.double = 0.0
        done: cython.bint = False
        for _ in range(ROUNDS):
            self.find_cheapest(p, theta)
            done = self.value + theta * self.incline >= 0  # also if no group is large enough
            if done:
                break
            if self.incline <= 1e-9:
                low_value, low_slope, low_theta = self.value, self.incline, theta
                for c in range(self.low.shape[0]):
                    self.low[c] = self.by_class[c]
                if theta == 0.0:
                    break
            else:
                high_value, high_slope, high_theta = self.value, self.incline, theta
                for c in range(self.high.shape[0]):
                    self.high[c] = self.by_class[c]
            if high_slope < INFINITY and low_slope > -INFINITY:
                crossing: cython.double = max(0.0, (low_value - high_value) / (high_slope - low_slope))
                if abs(crossing - theta) <= 1e-6 * (1 + theta):
                    break
                theta = crossing
            elif theta == 0.0 and self.theta[p] > 0:
                theta = self.theta[p]
            else:
                theta = 2 * theta + FIRST_STEP
        self.theta[p], self.size_multiplier[p] = theta, self.last_price
        if done:
            for c in range(self.by_class.shape[0]):
                self.by_class[c] = 0.0
            return 0.0
        share: cython.double = 0.0
        if high_slope < INFINITY and low_slope > -INFINITY:
            share = -low_slope / (high_slope - low_slope)
        self.mix[p, 0], self.mix[p, 1], self.mix[p, 2] = high_theta, low_theta, share
        for c in range(self.by_class.shape[0]):
            self.by_class[c] = share * self.high[c] + (1 - share) * self.low[c]
        return min(0.0, share * high_value + (1 - share) * low_value)

    @cython.cfunc
    @cython.nogil
    def find_cheapest(self, p: cython.Py_ssize_t, theta: cython.double) -> cython.void:
        """Find the group of least reduced cost where the slope costs theta; that is infinite if there is none.

        Rows that cost less than nothing are in it, and the cheapest others if these are too few. What the last of those
        costs is the multiplier of its size.
        """
        value: cython.double = 0.0
        incline: cython.double = 0.0
        mass: cython.longlong = 0
        others: cython.Py_ssize_t = 0
        for c in range(self.tilt.shape[0]):
            self.by_class[c] = 0.0
            self.tilt[c] = theta * self.slope[p, c]
        for i in range(self.n_members):
            c = self.class_of[i]
            price = self.reduced_cost[i] + self.tilt[c]
            if price < 0:
                copies = self.copies[i]
                value += copies * self.reduced_cost[i]
                incline += copies * self.slope[p, c]
                mass += copies
                self.by_class[c] += copies
            else:
                self.sorter.keys[others] = price
                self.other[others] = i
                others += 1
        self.value, self.incline, self.last_price, self.added = value, incline, 0.0, 0
        self.missing = self.min_group_size - mass
        if self.missing > 0:
            self.add_cheapest(p, others)

    @cython.cfunc
    @cython.nogil
    def add_cheapest(self, p: cython.Py_ssize_t, others: cython.Py_ssize_t) -> cython.void:
        """Add the cheapest other rows, as many as are missing."""
        left = self.missing
        number = self.sorter.sort_smallest(others, left)  # each has at least one copy
        for place in range(number):
            i = self.other[self.sorter.order[place]]
            c = self.class_of[i]
            copies: cython.longlong = min(self.copies[i], left)
            self.value += copies * self.reduced_cost[i]
            self.incline += copies * self.slope[p, c]
            self.by_class[c] += copies
            self.added += 1
            left -= copies
            if left == 0:
                self.last_price = self.sorter.keys[self.sorter.order[place]]
                return
        self.value, self.incline = INFINITY, 0.0

    @cython.cfunc
    @cython.nogil
    def take_share(
        self,
        p: cython.Py_ssize_t,
        theta: cython.double,
        share: cython.double,
        taken: cython.double[::1],
    ) -> cython.void:
        """Count the copies in the cheapest group of a theta, to a share."""
        if share == 0.0:
            return
        self.find_cheapest(p, theta)
        for i in range(self.n_members):
            if self.reduced_cost[i] + self.tilt[self.class_of[i]] < 0:
                taken[self.row_type[i]] += share * self.copies[i]
        left: cython.longlong = self.missing
        for place in range(self.added):
            i = self.other[self.sorter.order[place]]
            copies: cython.longlong = min(self.copies[i], left)
            taken[self.row_type[i]] += share * copies
            left -= copies
