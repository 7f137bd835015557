"""Groups of single sizes close to the shares of the table: the least reduced cost under every pattern, over all sizes.

At a fixed size N a value with R of the table's n rows may fill R N / n places for nothing; every row above that is
*excess*, the row that crosses the line in part. A group is close enough if its excess is at most t N. The
reduced cost of the cheapest group whose rows pay ``theta`` for a row of excess, less theta t N, is a lower bound for
any theta; the best theta is found where two such lines cross. Floats guide here: a proof rounds theta and counts in
integers.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.bounds.incidence import Covers

from kilt.numbers import BoolArray, FloatArray, IntArray

INFINITY = cython.declare(cython.double, float("inf"))
FIRST_STEP = cython.declare(cython.double, 4000.0)  # what is tried first where theta is 0: less than half a star
ROUNDS = cython.declare(cython.int, 60)  # of the search for a theta: far more than are ever needed
TOLERANCE = cython.declare(cython.double, 1e-9)  # of excess


@cython.final
@cython.cclass
class SortedCovers:
    """The covers of active patterns in the order of multipliers: ``row_types`` has them where ``Covers.types`` does."""

    covers: Covers
    row_types = cython.declare(cython.int[::1], visibility="readonly")
    next_place: cython.longlong[::1]

    def __init__(self, covers: Covers) -> None:
        self.covers = covers
        self.row_types = np.empty(covers.types.shape[0], dtype=np.int32)
        self.next_place = np.empty(covers.cost.shape[0], dtype=np.int64)

    def sort(self, order: cython.longlong[::1], active: BoolArray) -> None:
        """Put the row types of active patterns into the given order."""
        active_: cython.uchar[::1] = active.view(np.uint8)
        with cython.nogil:
            for p in range(self.next_place.shape[0]):
                self.next_place[p] = self.covers.starts[p]
            for i in range(order.shape[0]):
                u = order[i]
                for entry in range(self.covers.type_starts[u], self.covers.type_starts[u + 1]):
                    p = self.covers.patterns[entry]
                    if active_[p]:
                        self.row_types[self.next_place[p]] = u
                        self.next_place[p] += 1


@cython.final
@cython.cclass
class Members:
    """The row types under one pattern by sensitive class, each class from cheap to dear.

    Those of class c are at the places ``first[c]`` to ``stop[c]``, and have ``rows[c]`` rows. A place has a row type,
    the number of its copies, and what each adds to the reduced cost of a group.
    """

    row_type: cython.int[::1]
    copies: cython.longlong[::1]
    reduced_cost: cython.double[::1]
    first: cython.longlong[::1]
    stop: cython.longlong[::1]
    rows: cython.longlong[::1]

    def __init__(self, room: int, classes: int) -> None:
        self.row_type, self.copies = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64)
        self.reduced_cost = np.empty(room)
        self.first, self.stop, self.rows = np.zeros((3, classes), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    def load(self, sorted_: SortedCovers, multipliers: cython.longlong[::1], p: cython.Py_ssize_t) -> cython.void:
        """Look up the members of a pattern, and sort them by sensitive class, keeping their order."""
        begin, end, cost = sorted_.covers.starts[p], sorted_.covers.starts[p + 1], sorted_.covers.cost[p]
        for c in range(self.first.shape[0]):
            self.first[c] = self.rows[c] = 0
        for entry in range(begin, end):
            u = sorted_.row_types[entry]
            c = sorted_.covers.sensitive_class[u]
            self.first[c] += 1
            self.rows[c] += sorted_.covers.counts[u]
        place: cython.longlong = 0
        for c in range(self.first.shape[0]):
            place += self.first[c]
            self.first[c] = self.stop[c] = place - self.first[c]
        for entry in range(begin, end):
            u = sorted_.row_types[entry]
            c = sorted_.covers.sensitive_class[u]
            place = self.stop[c]
            self.row_type[place] = u
            self.copies[place] = sorted_.covers.counts[u]
            self.reduced_cost[place] = cost - multipliers[u]
            self.stop[c] = place + 1


@cython.final
@cython.cclass
class Tournament:
    """Prices of sensitive classes, and which is the least; the first of those that are equal.

    The winner of match i, counted from 1, is that of the matches 2 i and 2 i + 1; the last matches are classes.
    """

    price: cython.double[::1]
    winner: cython.longlong[::1]
    room: cython.Py_ssize_t

    def __init__(self, classes: int) -> None:
        self.room = 1 << (classes - 1).bit_length()
        self.price, self.winner = np.full(self.room, np.inf), np.zeros(2 * self.room, dtype=np.int64)
        np.asarray(self.winner)[self.room :] = np.arange(self.room)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def play(self, match: cython.Py_ssize_t) -> cython.void:
        """Decide a match between the winners of two others."""
        left, right = self.winner[2 * match], self.winner[2 * match + 1]
        self.winner[match] = right if self.price[right] < self.price[left] else left

    @cython.cfunc
    @cython.nogil
    def start(self) -> cython.void:
        """Find the least of all prices."""
        for match in range(self.room - 1, 0, -1):
            self.play(match)

    @cython.cfunc
    @cython.nogil
    def update(self, c: cython.Py_ssize_t) -> cython.void:
        """Find the least price again after that of a class has changed."""
        match: cython.Py_ssize_t = (self.room + c) // 2
        while match > 0:
            self.play(match)
            match //= 2

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def first(self) -> cython.Py_ssize_t:
        """Return the class of least price."""
        return self.winner[1]


@cython.final
@cython.cclass
class SizedGroups:
    """Finds groups of a single size among members.

    A group of so many rows may have ``free[size, c]`` rows of sensitive class c without excess, and the next one counts
    as ``part[size, c]``; in all it may have the excess ``allowed[size]``. The group found last has ``chosen[c]`` rows
    of each class, the reduced cost ``value`` and the excess ``excess``.
    """

    members: Members
    allowed: cython.double[::1]
    free: cython.longlong[:, ::1]
    part: cython.double[:, ::1]
    chosen: cython.longlong[::1]
    place: cython.longlong[::1]  # where the next row of each class comes from
    used: cython.longlong[::1]  # its copies that are in the group already
    prices: Tournament  # what it costs, with its excess
    value: cython.double
    excess: cython.double
    theta: cython.double
    high: cython.longlong[::1]
    low: cython.longlong[::1]
    share: cython.double

    def __init__(self, members: Members, totals: IntArray, allowed: FloatArray) -> None:
        self.members, self.allowed = members, allowed
        rows, places = totals.sum(), totals * np.arange(len(allowed))[:, None]
        free = places // rows
        self.free, self.part = free, ((free + 1) * rows - places) / rows
        self.chosen, self.place, self.used, self.high, self.low = np.zeros((5, len(totals)), dtype=np.int64)
        self.prices = Tournament(len(totals))

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def set_price(self, size: cython.Py_ssize_t, theta: cython.double, c: cython.Py_ssize_t) -> cython.void:
        """Note what the next row of a class costs where excess costs theta; infinity if there is none."""
        place = self.place[c]
        if place == self.members.stop[c]:
            self.prices.price[c] = INFINITY
        elif self.chosen[c] < self.free[size, c]:
            self.prices.price[c] = self.members.reduced_cost[place]
        elif self.chosen[c] == self.free[size, c]:
            self.prices.price[c] = self.members.reduced_cost[place] + theta * self.part[size, c]
        else:
            self.prices.price[c] = self.members.reduced_cost[place] + theta

    @cython.cfunc
    @cython.nogil
    def find_cheapest(self, size: cython.Py_ssize_t, theta: cython.double) -> cython.void:
        """Choose so many rows of least reduced cost where excess costs theta; it is infinite if there are too few."""
        classes = self.chosen.shape[0]
        for c in range(classes):
            self.chosen[c] = self.used[c] = 0
            self.place[c] = self.members.first[c]
            self.set_price(size, theta, c)
        self.prices.start()
        left: cython.longlong = size
        value: cython.double = 0.0
        excess: cython.double = 0.0
        while left > 0:
            cheapest = self.prices.first()
            if self.prices.price[cheapest] == INFINITY:
                value, excess = 0.0, INFINITY
                break
            place, free = self.place[cheapest], self.free[size, cheapest]
            number: cython.longlong = min(self.members.copies[place] - self.used[cheapest], left)
            if self.chosen[cheapest] < free:
                number = min(number, free - self.chosen[cheapest])
            elif self.chosen[cheapest] == free:
                number = 1
                excess += self.part[size, cheapest]
            else:
                excess += number
            value += number * self.members.reduced_cost[place]
            left -= number
            self.chosen[cheapest] += number
            self.used[cheapest] += number
            if self.used[cheapest] == self.members.copies[place]:
                self.place[cheapest] += 1
                self.used[cheapest] = 0
            self.set_price(size, theta, cheapest)
            self.prices.update(cheapest)
        self.value, self.excess = value, excess

    @cython.cfunc
    @cython.nogil
    def least_excess(self, size: cython.Py_ssize_t) -> cython.double:
        """Return the least excess that a group of this size can have."""
        classes = self.chosen.shape[0]
        left: cython.longlong = size
        excess: cython.double = 0.0
        for c in range(classes):
            self.used[c] = 0
            left -= min(self.free[size, c], self.members.rows[c])
        while left > 0:
            best: cython.Py_ssize_t = -1
            for c in range(classes):
                has_more: cython.bint = self.used[c] == 0 and self.members.rows[c] > self.free[size, c]
                if has_more and (best < 0 or self.part[size, c] < self.part[size, best]):
                    best = c
            if best < 0:
                break
            self.used[best] = 1
            excess += self.part[size, best]
            left -= 1
        for c in range(classes):
            more: cython.longlong = min(left, max(0, self.members.rows[c] - self.free[size, c] - 1))
            left -= more
            excess += more
        return INFINITY if left > 0 else excess

    @cython.cfunc
    @cython.nogil
    def proves(self, size: cython.Py_ssize_t, theta: cython.double, least: cython.double) -> cython.bint:
        """Say whether theta proves that no group of this size has less than the given reduced cost."""
        self.find_cheapest(size, theta)
        return self.value + theta * (self.excess - self.allowed[size]) >= least

    @cython.cfunc
    @cython.nogil
    def find_theta(self, size: cython.Py_ssize_t, theta: cython.double) -> cython.void:
        """Find the least reduced cost for this size and the theta that proves it, starting from a theta.

        Two groups are mixed: ``high`` with too much excess, to the share ``share``, and ``low`` with little. The
        reduced cost is infinite if there is none.
        """
        allowed = self.allowed[size]
        self.theta, self.share = theta, 0.0
        if self.least_excess(size) > allowed + TOLERANCE:
            self.value = INFINITY
            return
        high_value: cython.double = 0.0
        high_excess: cython.double = INFINITY
        low_value: cython.double = 0.0
        low_excess: cython.double = -INFINITY
        for _ in range(ROUNDS):
            self.find_cheapest(size, self.theta)
            if self.excess <= allowed + TOLERANCE:
                low_value, low_excess = self.value, self.excess
                for c in range(self.low.shape[0]):
                    self.low[c] = self.chosen[c]
                if self.theta == 0.0:
                    return
            else:
                high_value, high_excess = self.value, self.excess
                for c in range(self.high.shape[0]):
                    self.high[c] = self.chosen[c]
            if high_excess < INFINITY and low_excess > -INFINITY:
                crossing = (low_value - high_value) / (high_excess - low_excess)
                if abs(crossing - self.theta) <= 1e-7 * (1 + abs(self.theta)):
                    break
                self.theta = max(0.0, crossing)
            elif high_excess < INFINITY:
                self.theta = 2 * self.theta + FIRST_STEP
            else:
                self.theta = 0.0 if self.theta < FIRST_STEP else self.theta / 2
        if high_excess < INFINITY:
            self.share = (allowed - low_excess) / (high_excess - low_excess)
        self.value = self.share * high_value + (1 - self.share) * low_value


@cython.final
@cython.cclass
class SmallGroups:
    """Finds the least reduced cost of groups of ``smallest`` rows or more, in scratch space for one thread.

    ``best_size`` and ``best_theta`` remember the best size and theta of each pattern, where the next search starts.
    Sizes that the slope of a pattern times ``slope_theta`` shows to be too dear are left out: ``sums`` has what a group
    of each size costs at least by that, and ``flat`` the same without a slope.
    """

    sorted: SortedCovers
    members: Members
    groups: SizedGroups
    smallest: cython.Py_ssize_t
    slope: cython.double[:, ::1]
    slope_theta: cython.double[::1]
    best_size: cython.longlong[::1]
    best_theta: cython.double[::1]
    multipliers: cython.longlong[::1]
    flat: cython.double[::1]
    sums: cython.double[::1]
    best_high: cython.longlong[::1]
    best_low: cython.longlong[::1]
    tilt: cython.double[::1]  # theta times the slope
    place: cython.longlong[::1]  # where the next row of each class comes from
    prices: Tournament  # what it costs with the slope

    def __init__(
        self,
        sorted_: SortedCovers,
        totals: IntArray,
        allowed: FloatArray,
        smallest: int,
        slope: FloatArray,
        slope_theta: FloatArray,
        best_size: IntArray,
        best_theta: FloatArray,
    ) -> None:
        self.sorted, self.members = sorted_, Members(sorted_.covers.longest, len(totals))
        self.groups = SizedGroups(self.members, totals, allowed)
        self.smallest, self.slope, self.slope_theta = smallest, slope, slope_theta
        self.best_size, self.best_theta = best_size, best_theta
        self.flat, self.sums = np.empty((2, len(allowed)))
        self.best_high, self.best_low, self.place = np.zeros((3, len(totals)), dtype=np.int64)
        self.tilt, self.prices = np.zeros(len(totals)), Tournament(len(totals))

    def lower(
        self,
        chunk: cython.Py_ssize_t,
        chunks: cython.Py_ssize_t,
        multipliers: cython.longlong[::1],
        active: BoolArray,
        values: cython.double[::1],
        taken: cython.double[::1],
        size_multipliers: cython.double[:, ::1],
    ) -> None:
        """For one in so many patterns, if it is active, find the least reduced cost where it is below ``values``.

        ``taken`` counts the copies of each row type in the groups. If ``size_multipliers`` has a row per pattern it is
        filled with the theta of those sizes for which that of the pattern is not enough.
        """
        self.multipliers = multipliers
        active_: cython.uchar[::1] = active.view(np.uint8)
        with cython.nogil:
            p = chunk
            while p < active_.shape[0]:
                if active_[p]:
                    most = self.add_up(p)
                    if self.least_sum(most) < values[p]:
                        self.members.load(self.sorted, multipliers, p)
                        self.raise_sums(p, most)
                        values[p] = self.find_best(p, most, values[p], taken)
                        if size_multipliers.shape[0] > 0:
                            self.find_other_thetas(p, most, values[p], size_multipliers)
                p += chunks

    @cython.cfunc
    @cython.nogil
    def add_up(self, p: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Sum up the reduced costs of rows in rising order; return the size beyond which no sum is negative."""
        most: cython.Py_ssize_t = 0
        self.flat[0] = 0.0
        for entry in range(self.sorted.covers.starts[p], self.sorted.covers.starts[p + 1]):
            u = self.sorted.row_types[entry]
            each: cython.double = self.sorted.covers.cost[p] - self.multipliers[u]
            for _ in range(self.sorted.covers.counts[u]):
                total = self.flat[most] + each
                if most == self.flat.shape[0] - 1 or (each >= 0 and total >= 0 and most >= self.smallest):
                    return most
                self.flat[most + 1] = total
                most += 1
        return most

    @cython.cfunc
    @cython.nogil
    def least_sum(self, most: cython.Py_ssize_t) -> cython.double:
        """Return the least of the sums over all sizes; infinity if there is no size."""
        least = INFINITY
        for size in range(self.smallest, most + 1):
            least = min(least, self.flat[size])
        return least

    @cython.cfunc
    @cython.nogil
    def raise_sums(self, p: cython.Py_ssize_t, most: cython.Py_ssize_t) -> cython.void:
        """Raise sums to what the cheapest rows cost if theta times the slope is added: no legal group has less."""
        for c in range(self.tilt.shape[0]):
            self.tilt[c] = self.slope_theta[p] * self.slope[p, c]
            self.place[c] = self.members.first[c]
            self.set_price(c)
        self.prices.start()
        total: cython.double = 0.0
        size: cython.Py_ssize_t = 0
        self.sums[0] = self.flat[0]
        while size < most:
            cheapest = self.prices.first()
            stop: cython.Py_ssize_t = min(most, size + self.members.copies[self.place[cheapest]])
            while size < stop:
                size += 1
                total += self.prices.price[cheapest]
                self.sums[size] = max(self.flat[size], total)
            self.place[cheapest] += 1
            self.set_price(cheapest)
            self.prices.update(cheapest)

    @cython.cfunc
    @cython.nogil
    def set_price(self, c: cython.Py_ssize_t) -> cython.void:
        """Note what the next row of a class costs with the slope; infinity if there is none."""
        place = self.place[c]
        if place == self.members.stop[c]:
            self.prices.price[c] = INFINITY
        else:
            self.prices.price[c] = self.members.reduced_cost[place] + self.tilt[c]

    @cython.cfunc
    @cython.nogil
    def find_best(
        self, p: cython.Py_ssize_t, most: cython.Py_ssize_t, least: cython.double, taken: cython.double[::1]
    ) -> cython.double:
        """Return the least reduced cost over all sizes up to one if it is below the least so far, and take its group.

        The best size of the last search comes first, because most others are too dear then.
        """
        best: cython.double = least
        best_size: cython.Py_ssize_t = 0
        best_share: cython.double = 0.0
        theta: cython.double = self.best_theta[p]
        best_theta: cython.double = theta
        for step in range(most - self.smallest + 2):
            size: cython.Py_ssize_t = self.smallest + step - 1
            if step == 0:
                size = min(max(self.best_size[p], self.smallest), most)
            if self.sums[size] >= best or (step > 0 and theta > 0 and self.groups.proves(size, theta, best)):
                continue
            self.groups.find_theta(size, theta)
            theta = self.groups.theta
            if self.groups.value < best:
                best, best_size, best_share, best_theta = self.groups.value, size, self.groups.share, theta
                for c in range(self.best_high.shape[0]):
                    self.best_high[c], self.best_low[c] = self.groups.high[c], self.groups.low[c]
        self.best_theta[p] = best_theta if best_size > 0 else theta
        if best_size > 0:
            self.best_size[p] = best_size
            for c in range(self.best_high.shape[0]):
                self.take(c, self.best_high[c], best_share, taken)
                self.take(c, self.best_low[c], 1 - best_share, taken)
        return best

    @cython.cfunc
    @cython.nogil
    def take(
        self, c: cython.Py_ssize_t, number: cython.longlong, share: cython.double, taken: cython.double[::1]
    ) -> cython.void:
        """Count the first copies of a sensitive class as taken, to a share."""
        place: cython.longlong = self.members.first[c]
        while number > 0 and share > 0.0:
            copies: cython.longlong = min(number, self.members.copies[place])
            taken[self.members.row_type[place]] += share * copies
            number -= copies
            place += 1

    @cython.cfunc
    @cython.nogil
    def find_other_thetas(
        self,
        p: cython.Py_ssize_t,
        most: cython.Py_ssize_t,
        best: cython.double,
        size_multipliers: cython.double[:, ::1],
    ) -> cython.void:
        """Fill in the best theta of those sizes for which that of the pattern does not prove the best reduced cost."""
        theta = self.best_theta[p]
        for size in range(self.smallest, most + 1):
            if self.flat[size] >= best or self.groups.proves(size, theta, best - 0.5):
                continue
            self.groups.find_theta(size, theta)
            if self.groups.value < INFINITY:
                size_multipliers[p, size] = self.groups.theta
