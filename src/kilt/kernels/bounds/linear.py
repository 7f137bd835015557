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
class CheapestGroup:
    """Finds the group of least reduced cost under one pattern, of at least so many rows, where its slope costs theta.

    A member of the pattern has a row type, its sensitive class and number of copies, and what each adds to the reduced
    cost of a group; ``tilt`` has theta times the slope.

    The group found last has ``by_class[c]`` rows of each sensitive class, the reduced cost ``value`` and the slope
    ``incline``. Rows that cost less than nothing with the slope are in it. If some are missing, the cheapest ``others``
    are added; what the last of these costs is the multiplier of its size.
    """

    min_group_size: cython.longlong
    n_members: cython.Py_ssize_t
    row_type: cython.longlong[::1]
    class_of: cython.longlong[::1]
    copies: cython.longlong[::1]
    reduced_cost: cython.double[::1]
    slope: cython.double[::1]
    tilt: cython.double[::1]
    by_class: cython.double[::1]
    value: cython.double
    incline: cython.double
    size_multiplier: cython.double
    missing: cython.longlong
    n_others: cython.Py_ssize_t
    others: cython.longlong[::1]
    sorter: Sorter
    added: cython.Py_ssize_t

    def __init__(self, room: int, classes: int, min_group_size: int) -> None:
        self.min_group_size = min_group_size
        self.row_type, self.class_of, self.copies, self.others = np.empty((4, room), dtype=np.int64)
        self.reduced_cost, self.sorter = np.empty(room), Sorter(room)
        self.slope, self.tilt, self.by_class = np.zeros((3, classes))

    @cython.cfunc
    @cython.nogil
    def load(
        self,
        covers: Covers,
        multipliers: cython.longlong[::1],
        slope: cython.double[:, ::1],
        p: cython.Py_ssize_t,
    ) -> cython.void:
        """Look up the members of a pattern, and its slope."""
        start, cost = covers.starts[p], covers.cost[p]
        self.n_members = covers.starts[p + 1] - start
        for i in range(self.n_members):
            u = covers.types[start + i]
            self.row_type[i] = u
            self.class_of[i] = covers.sensitive_class[u]
            self.copies[i] = covers.counts[u]
            self.reduced_cost[i] = cost - multipliers[u]
        for c in range(self.slope.shape[0]):
            self.slope[c] = slope[p, c]

    @cython.cfunc
    @cython.nogil
    def find(self, theta: cython.double) -> cython.void:
        """Find the group; its reduced cost is infinite if there is none."""
        value: cython.double = 0.0
        incline: cython.double = 0.0
        mass: cython.longlong = 0
        n_others: cython.Py_ssize_t = 0
        for c in range(self.slope.shape[0]):
            self.by_class[c] = 0.0
            self.tilt[c] = theta * self.slope[c]
        for i in range(self.n_members):
            c = self.class_of[i]
            price = self.reduced_cost[i] + self.tilt[c]
            if price < 0:
                copies = self.copies[i]
                value += copies * self.reduced_cost[i]
                incline += copies * self.slope[c]
                mass += copies
                self.by_class[c] += copies
            else:
                self.sorter.keys[n_others] = price
                self.others[n_others] = i
                n_others += 1
        self.value, self.incline, self.size_multiplier = value, incline, 0.0
        self.missing, self.n_others, self.added = self.min_group_size - mass, n_others, 0
        if self.missing > 0:
            self.add_others()

    @cython.cfunc
    @cython.nogil
    def add_others(self) -> cython.void:
        """Add the cheapest others, as many rows as are missing."""
        left = self.missing
        number = self.sorter.sort_smallest(self.n_others, left)  # each has at least one copy
        for place in range(number):
            i = self.others[self.sorter.order[place]]
            c = self.class_of[i]
            copies: cython.longlong = min(self.copies[i], left)
            self.value += copies * self.reduced_cost[i]
            self.incline += copies * self.slope[c]
            self.by_class[c] += copies
            self.added += 1
            left -= copies
            if left == 0:
                self.size_multiplier = self.sorter.keys[self.sorter.order[place]]
                return
        self.value, self.incline = INFINITY, 0.0

    @cython.cfunc
    @cython.nogil
    def take(self, share: cython.double, taken: cython.double[::1]) -> cython.void:
        """Count the copies in the group found last, to a share."""
        for i in range(self.n_members):
            if self.reduced_cost[i] + self.tilt[self.class_of[i]] < 0:
                taken[self.row_type[i]] += share * self.copies[i]
        left: cython.longlong = self.missing
        for place in range(self.added):
            i = self.others[self.sorter.order[place]]
            copies: cython.longlong = min(self.copies[i], left)
            taken[self.row_type[i]] += share * copies
            left -= copies


@cython.final
@cython.cclass
class SlopedGroups:
    """Finds the best theta of patterns and the groups of least reduced cost, in scratch space for one thread.

    Pattern p has the slope ``slope[p]``, its best theta so far, and the multiplier of the size of its group. The group
    of least reduced cost is a mix of two: those at the thetas ``mix[p, 0]`` and ``mix[p, 1]``, the first to the share
    ``mix[p, 2]``. ``high`` and ``low`` have their rows by sensitive class.
    """

    covers: Covers
    group: CheapestGroup
    slope: cython.double[:, ::1]
    theta: cython.double[::1]
    size_multiplier: cython.double[::1]
    mix: cython.double[:, ::1]
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
        self.covers, self.slope = covers, slope
        self.theta, self.size_multiplier, self.mix = theta, size_multiplier, mix
        self.group = CheapestGroup(covers.longest, slope.shape[1], min_group_size)
        self.high, self.low = np.zeros((2, slope.shape[1]))

    def find(
        self,
        chunk: cython.Py_ssize_t,
        chunks: cython.Py_ssize_t,
        multipliers: cython.longlong[::1],
        active: BoolArray,
        values: cython.double[::1],
        by_class: cython.double[:, ::1],
    ) -> None:
        """For one in so many patterns, if it is active, find the least reduced cost (0 if it is not negative).

        ``by_class`` gets the rows of its group by sensitive class.
        """
        active_: cython.uchar[::1] = active.view(np.uint8)
        with cython.nogil:
            p = chunk
            while p < active_.shape[0]:
                values[p] = 0.0
                if active_[p]:
                    self.group.load(self.covers, multipliers, self.slope, p)
                    values[p] = self.find_theta(p, by_class)
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
        wanted_: cython.uchar[::1] = wanted.view(np.uint8)
        with cython.nogil:
            p = chunk
            while p < wanted_.shape[0]:
                if wanted_[p]:
                    self.group.load(self.covers, multipliers, self.slope, p)
                    self.take_share(self.mix[p, 0], self.mix[p, 2], taken)
                    self.take_share(self.mix[p, 1], 1 - self.mix[p, 2], taken)
                p += chunks

    @cython.cfunc
    @cython.nogil
    def take_share(self, theta: cython.double, share: cython.double, taken: cython.double[::1]) -> cython.void:
        """Count the copies in the cheapest group at a theta, to a share."""
        if share != 0.0:
            self.group.find(theta)
            self.group.take(share, taken)

    @cython.cfunc
    @cython.nogil
    def find_theta(self, p: cython.Py_ssize_t, by_class: cython.double[:, ::1]) -> cython.double:
        """Find the best theta of a pattern and the group that goes with it; return its reduced cost, or 0."""
        theta: cython.double = 0.0
        high_value: cython.double = 0.0
        high_slope: cython.double = INFINITY
        high_theta: cython.double = 0.0
        low_value: cython.double = 0.0
        low_slope: cython.double = -INFINITY
        low_theta: cython.double = 0.0
        done: cython.bint = False
        self.high[:] = 0.0
        self.low[:] = 0.0
        for _ in range(ROUNDS):
            self.group.find(theta)
            done = self.group.value + theta * self.group.incline >= 0  # also if no group is large enough
            if done:
                break
            if self.group.incline <= 1e-9:
                low_value, low_slope, low_theta = self.group.value, self.group.incline, theta
                self.low[:] = self.group.by_class
                if theta == 0.0:
                    break
            else:
                high_value, high_slope, high_theta = self.group.value, self.group.incline, theta
                self.high[:] = self.group.by_class
            if high_slope < INFINITY and low_slope > -INFINITY:
                crossing: cython.double = max(0.0, (low_value - high_value) / (high_slope - low_slope))
                if abs(crossing - theta) <= 1e-6 * (1 + theta):
                    break
                theta = crossing
            elif theta == 0.0 and self.theta[p] > 0:
                theta = self.theta[p]
            else:
                theta = 2 * theta + FIRST_STEP
        self.theta[p], self.size_multiplier[p] = theta, self.group.size_multiplier
        share: cython.double = 0.0
        if high_slope < INFINITY and low_slope > -INFINITY:
            share = -low_slope / (high_slope - low_slope)
        for c in range(by_class.shape[1]):
            by_class[p, c] = 0.0 if done else share * self.high[c] + (1 - share) * self.low[c]
        if done:
            return 0.0
        self.mix[p, 0], self.mix[p, 1], self.mix[p, 2] = high_theta, low_theta, share
        return min(0.0, share * high_value + (1 - share) * low_value)
