"""Groups of single sizes close to the shares of the table: the least reduced cost under every pattern, over all sizes.

At a fixed size N a value with R of the table's n rows may fill R N / n places for nothing; every row above that is
*excess*, the row that crosses the line in part. A group is close enough if its excess is at most t N. The
reduced cost of the cheapest group whose rows pay ``theta`` for a row of excess, less theta t N, is a lower bound for
any theta; the best theta is found where two such lines cross. Where it is not enough, it is decided value by value
whether a group has more rows of it than are free (*in*) or not (*out*), until the bound is exact. Floats guide here: a
proof rounds theta and counts in integers.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.bounds.incidence import Covers
from cython.cimports.libc.math import floor

from kilt.numbers import BoolArray, FloatArray, IntArray

INFINITY = cython.declare(cython.double, float("inf"))
FIRST_STEP = cython.declare(cython.double, 4000.0)  # what is tried first where theta is 0: less than half a star
ROUNDS = cython.declare(cython.int, 60)  # of the search for a theta: far more than are ever needed
LARGEST = cython.declare(cython.double, 1e11)  # theta: more is only needed where no group is legal
TOLERANCE = cython.declare(cython.double, 1e-9)  # of excess
GAIN = cython.declare(cython.double, 1e-5)  # what an exchange must gain at least, so that rounding makes no circles
CLOSE = cython.declare(cython.double, 1e-2)  # multipliers are whole: what is nearer than this is the same
MAX_NODES = cython.declare(cython.int, 2000)  # of a tree; beyond that its nodes are not divided any more


@cython.cclass
class SortedCovers:
    """The covers of active patterns in the order of multipliers: ``row_types`` has them where ``Covers.types`` does."""

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


@cython.cclass
class Members:
    """The rows under one pattern by sensitive class, each class from cheap to dear, and no more than a group can hold.

    Of the ``n_classes`` classes that occur, the j-th is ``sensitive_class[j]``. It has ``number[j]`` rows from the
    place ``first[j]`` on: ``row_type`` and ``reduced_cost`` are theirs, and ``sums`` has what those before a place add
    up to. ``class_place`` says which of the occurring classes a sensitive class is.
    """

    def __init__(self, classes: int, most: int, room: int) -> None:
        self.most = most
        self.sensitive_class, self.class_place, self.first, self.number = np.zeros((4, classes), dtype=np.int64)
        places = min(classes * most, room) + classes + 1
        self.row_type = np.empty(places, dtype=np.int32)
        self.reduced_cost, self.sums = np.empty((2, places))

    @cython.cfunc
    @cython.nogil
    def load(self, sorted_: SortedCovers, multipliers: cython.longlong[::1], p: cython.Py_ssize_t) -> cython.void:
        """Look up the rows of a pattern."""
        begin, end, cost = sorted_.covers.starts[p], sorted_.covers.starts[p + 1], sorted_.covers.cost[p]
        for c in range(self.class_place.shape[0]):
            self.class_place[c] = 0
        for entry in range(begin, end):
            u = sorted_.row_types[entry]
            c = sorted_.covers.sensitive_class[u]
            self.class_place[c] = min(self.most, self.class_place[c] + sorted_.covers.counts[u])
        place: cython.longlong = 0
        j: cython.Py_ssize_t = 0
        for c in range(self.class_place.shape[0]):
            if self.class_place[c] > 0:
                self.sensitive_class[j], self.first[j], self.number[j] = c, place, 0
                self.sums[place] = 0.0
                place += self.class_place[c] + 1
                self.class_place[c] = j
                j += 1
        self.n_classes = j
        for entry in range(begin, end):
            u = sorted_.row_types[entry]
            j = self.class_place[sorted_.covers.sensitive_class[u]]
            more: cython.longlong = min(self.most - self.number[j], sorted_.covers.counts[u])
            place = self.first[j] + self.number[j]
            self.number[j] += more
            each: cython.double = cost - multipliers[u]
            for _ in range(more):
                self.row_type[place], self.reduced_cost[place] = u, each
                self.sums[place + 1] = self.sums[place] + each
                place += 1


@cython.cclass
class SizedGroups:
    """Finds groups of a single size among members.

    A group of so many rows may have ``free_table[size, c]`` rows of sensitive class c without excess, and the next one
    counts as ``part_table[size, c]``; in all it may have the excess ``allowed[size]``. For the classes that occur,
    ``free`` and ``part`` are those of the size that is set. ``chosen[j]`` is the number of rows of the j-th class,
    between ``lower[j]`` and ``upper[j]``; ``adding`` is what the next row costs, and ``dropping`` what the last one
    does.

    A bound on a group is ``bound``, with the theta that proves it. It is that of a mixture of two groups: ``high`` with
    too much excess, to the share ``share``, and ``low`` with little.
    """

    def __init__(self, members: Members, totals: IntArray, rows: int, allowed: FloatArray) -> None:
        self.members, self.allowed = members, allowed
        places = totals * np.arange(len(allowed))[:, None]
        free = places // rows
        self.free_table, self.part_table = free, ((free + 1) * rows - places) / rows
        self.free, self.lower, self.upper, self.chosen, self.high, self.low = np.zeros((6, len(totals)), dtype=np.int64)
        self.part, self.adding, self.dropping = np.zeros((3, len(totals)))
        self.close = CLOSE
        self.possible = possible_sizes(totals, rows, allowed).view(np.uint8)

    @cython.cfunc
    @cython.nogil
    def set_pattern(self, p: cython.Py_ssize_t) -> cython.void:
        """Set the pattern whose members are loaded."""
        for j in range(self.members.n_classes):
            self.chosen[j] = 0

    @cython.cfunc
    @cython.nogil
    def set_size(self, size: cython.Py_ssize_t) -> cython.void:
        """Set the size, with no class decided; the rows chosen so far are kept where they can be."""
        self.size = size
        for j in range(self.members.n_classes):
            c = self.members.sensitive_class[j]
            self.free[j], self.part[j] = self.free_table[size, c], self.part_table[size, c]
            self.lower[j], self.upper[j] = 0, self.members.number[j]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.inline
    def set_prices(self, j: cython.Py_ssize_t, theta: cython.double) -> cython.void:
        """Note what the next row of a class and what the last one cost, where excess costs theta."""
        number, free = self.chosen[j], self.free[j]
        place = self.members.first[j] + number
        self.adding[j], self.dropping[j] = INFINITY, -INFINITY
        if number < self.upper[j]:
            self.adding[j] = self.members.reduced_cost[place]
            if number > free:
                self.adding[j] += theta
            elif number == free:
                self.adding[j] += theta * self.part[j]
        if number > self.lower[j]:
            self.dropping[j] = self.members.reduced_cost[place - 1]
            if number > free + 1:
                self.dropping[j] += theta
            elif number == free + 1:
                self.dropping[j] += theta * self.part[j]

    @cython.cfunc
    @cython.nogil
    def find_cheapest(self, theta: cython.double) -> cython.bint:
        """Choose the rows of least reduced cost where excess costs theta; say whether there are such rows.

        From the rows chosen before, rows are added or dropped, and exchanged until none gains: their costs rise
        within a class, so that no other choice is better then.
        """
        classes = self.members.n_classes
        missing: cython.longlong = self.size
        for j in range(classes):
            if self.lower[j] > self.upper[j]:
                return False
            self.chosen[j] = min(max(self.chosen[j], self.lower[j]), self.upper[j])
            missing -= self.chosen[j]
            self.set_prices(j, theta)
        while True:
            add: cython.Py_ssize_t = 0
            drop: cython.Py_ssize_t = 0
            for j in range(1, classes):
                if self.adding[j] < self.adding[add]:
                    add = j
                if self.dropping[j] > self.dropping[drop]:
                    drop = j
            if missing == 0 and self.adding[add] >= self.dropping[drop] - GAIN:
                break
            if missing >= 0:
                if self.adding[add] == INFINITY:
                    return False
                self.chosen[add] += 1
                self.set_prices(add, theta)
            if missing <= 0:
                if self.dropping[drop] == -INFINITY:
                    return False
                self.chosen[drop] -= 1
                self.set_prices(drop, theta)
            if missing > 0:
                missing -= 1
            elif missing < 0:
                missing += 1
        self.count()
        return True

    @cython.cfunc
    @cython.nogil
    def count(self) -> cython.void:
        """Add up the reduced costs of the chosen rows, and their excess."""
        value: cython.double = 0.0
        excess: cython.double = 0.0
        for j in range(self.members.n_classes):
            number: cython.longlong = self.chosen[j]
            value += self.members.sums[self.members.first[j] + number]
            if number > self.free[j]:
                excess += self.part[j] + (number - self.free[j] - 1)
        self.value, self.excess = value, excess

    @cython.cfunc
    @cython.nogil
    def limit(self) -> cython.double:
        """Return how much excess is allowed; where all classes are decided it is a sum of parts and a whole number."""
        allowed = self.allowed[self.size]
        forced: cython.double = 0.0
        decided: cython.bint = True
        for j in range(self.members.n_classes):
            if self.lower[j] > self.free[j]:
                forced += self.part[j]
            elif self.upper[j] > self.free[j]:
                decided = False
        if forced > allowed + TOLERANCE:
            return -1.0
        return forced + floor(allowed - forced + TOLERANCE) if decided else allowed

    @cython.cfunc
    @cython.nogil
    def find_theta(self, theta: cython.double, enough: cython.double) -> cython.bint:
        """Find the best bound and its theta, starting from a theta; say whether it is below ``enough``.

        If it is not, the search ends as soon as that is known.
        """
        limit = self.limit()
        high_value: cython.double = 0.0
        high_excess: cython.double = INFINITY
        low_excess: cython.double = -INFINITY
        self.low_value, self.share, self.bound, self.theta = INFINITY, 0.0, -INFINITY, theta
        if limit < 0:
            self.bound = INFINITY
            return False
        for _ in range(ROUNDS):
            if not self.find_cheapest(theta):
                self.bound = INFINITY
                return False
            bound = self.value + theta * (self.excess - limit)
            if bound > self.bound:
                self.bound, self.theta = bound, theta
            if bound >= enough:
                return False
            if self.excess <= limit + TOLERANCE:
                self.low_value, low_excess = self.value, self.excess
                for j in range(self.members.n_classes):
                    self.low[j] = self.chosen[j]
                if theta == 0.0:
                    return True
            else:
                high_value, high_excess = self.value, self.excess
                for j in range(self.members.n_classes):
                    self.high[j] = self.chosen[j]
            if high_excess < INFINITY and low_excess > -INFINITY:
                theta = max(0.0, (self.low_value - high_value) / (high_excess - low_excess))
                if self.low_value + theta * (low_excess - limit) <= self.bound + self.close:
                    break
            elif high_excess < INFINITY:
                theta = 2 * theta + FIRST_STEP
                if theta > LARGEST:  # no group has as little excess as is allowed
                    self.bound, self.theta = INFINITY, 0.0
                    return False
            else:
                theta = 0.0 if theta < FIRST_STEP else theta / 2
        if high_excess < INFINITY and low_excess > -INFINITY:
            self.share = (limit - low_excess) / (high_excess - low_excess)
        return True

    @cython.cfunc
    @cython.nogil
    def open_class(self) -> cython.Py_ssize_t:
        """Return a class to decide next: one on which the two groups disagree, else any; -1 if all are decided."""
        best: cython.Py_ssize_t = -1
        best_rank: cython.double = -1.0
        for j in range(self.members.n_classes):
            if self.lower[j] > self.free[j] or self.upper[j] <= self.free[j]:
                continue
            rank = 1.0 - self.part[j]
            if (self.high[j] > self.free[j]) != (self.low[j] > self.free[j]):
                rank += 2.0
            if rank > best_rank:
                best, best_rank = j, rank
        return best

    @cython.cfunc
    @cython.nogil
    def find_tail(
        self,
        least_size: cython.Py_ssize_t,
        theta: cython.double,
        numbers: cython.double[:, ::1],
        i: cython.Py_ssize_t,
    ) -> cython.double:
        """Find the inequality of one pattern from its group of the size that is set; return what groups cost by it."""
        if not self.find_cheapest(theta):
            return -INFINITY
        last: cython.double = INFINITY  # what the next row would cost
        for j in range(self.members.n_classes):
            last = min(last, self.adding[j])
        if last == INFINITY:
            return -INFINITY
        size_multiplier: cython.double = last - theta * self.allowed[self.size] / self.size
        total: cython.double = 0.0
        for j in range(self.members.n_classes):
            first, free = self.members.first[j], self.free[j]
            paid: cython.double = 0.0
            if self.members.number[j] > free:
                paid = min(theta, max(0.0, last - self.members.reduced_cost[first + free]))
            numbers[i, 2 + self.members.sensitive_class[j]] = paid
            size_multiplier -= paid * (free + 1 - self.part[j]) / self.size
            for place in range(first, first + self.members.number[j]):
                total += min(0.0, self.members.reduced_cost[place] + paid - last)
        numbers[i, 0], numbers[i, 1] = size_multiplier, theta
        return total + least_size * size_multiplier if size_multiplier >= 0 else -INFINITY


@cython.final
@cython.cclass
class SmallGroups:
    """Finds the least reduced cost of groups of ``smallest`` rows or more, in scratch space for one thread.

    They are close to shares: that of a class is its part of ``totals`` in so many ``rows``.

    ``best_size`` and ``best_theta`` remember the best size and theta of each pattern, where the next search starts.
    ``flat`` has what the cheapest rows cost, for each size; ``bounds`` what a group costs at least, with its theta in
    ``thetas``. ``possible`` has the sizes that have close groups at all. The best group so far has the reduced cost
    ``best``, and is a mixture of ``best_high``, to the share ``best_share``, and ``best_low``.

    A tree is written to ``nodes``, ``n_nodes`` so far: a class that is divided is followed by the tree where it is out,
    and by that where it is in; at its end is -1 - theta.
    """

    sorted: SortedCovers
    members: Members
    groups: SizedGroups
    smallest: cython.Py_ssize_t
    one_by_one: cython.Py_ssize_t
    possible: cython.uchar[::1]
    best_size: cython.longlong[::1]
    best_theta: cython.double[::1]
    multipliers: cython.longlong[::1]
    flat: cython.double[::1]
    bounds: cython.double[::1]
    thetas: cython.double[::1]
    margin: cython.double
    by_class: cython.double[:, ::1]
    is_near: cython.bint
    is_large: cython.bint
    best: cython.double
    size_of_best: cython.longlong
    theta_of_best: cython.double
    best_share: cython.double
    best_high: cython.longlong[::1]
    best_low: cython.longlong[::1]
    nodes: cython.longlong[::1]
    n_nodes: cython.Py_ssize_t
    total_nodes = cython.declare(cython.longlong, visibility="readonly")

    def __init__(
        self,
        sorted_: SortedCovers,
        groups: SizedGroups,
        smallest: int,
        best_size: IntArray,
        best_theta: FloatArray,
        one_by_one: int,
    ) -> None:
        self.sorted, self.groups, self.members = sorted_, groups, groups.members
        self.smallest, self.best_size, self.best_theta, self.one_by_one = smallest, best_size, best_theta, one_by_one
        self.possible = groups.possible
        sizes, classes = groups.allowed.shape[0], groups.chosen.shape[0]
        self.flat, self.bounds, self.thetas = np.zeros((3, sizes))
        self.best_high, self.best_low = np.zeros((2, classes), dtype=np.int64)
        self.nodes = np.zeros(2 * MAX_NODES + 2 * classes + 4, dtype=np.int64)
        self.total_nodes = 0

    def lower(
        self,
        chunk: cython.Py_ssize_t,
        chunks: cython.Py_ssize_t,
        multipliers: cython.longlong[::1],
        active: BoolArray,
        values: cython.double[::1],
        taken: cython.double[::1],
        margin: cython.double,
        marks: cython.uchar[:, ::1],
        by_class: cython.double[:, ::1],
    ) -> None:
        """For one in so many patterns, if it is active, find the least reduced cost where it is below ``values``.

        ``taken`` counts the copies of each row type in the groups. Two marks are set for each pattern: whether a group
        may have a reduced cost below the margin, and whether one of more rows than the largest size may have less.
        ``by_class`` gets the rows of each sensitive class in the group of each pattern, if it has room.
        """
        self.multipliers, self.margin, self.by_class = multipliers, margin, by_class
        active_: cython.uchar[::1] = active.view(np.uint8)
        with cython.nogil:
            p = chunk
            while p < active_.shape[0]:
                if active_[p]:
                    self.is_near = values[p] < 0.0
                    self.is_large = False
                    values[p] = self.least_under(p, values[p], taken)
                    marks[0, p], marks[1, p] = self.is_near, self.is_large
                p += chunks

    @cython.cfunc
    @cython.nogil
    def least_under(self, p: cython.Py_ssize_t, least: cython.double, taken: cython.double[::1]) -> cython.double:
        """Return the least reduced cost under one pattern if it is below the least so far, and take its group."""
        most = self.add_up(p)
        if self.least_sum(most) >= least + self.margin:
            return least
        self.members.load(self.sorted, self.multipliers, p)
        self.best, self.size_of_best = least, 0
        self.bound_sizes(p, most)
        self.is_large = most == self.flat.shape[0] - 1 and self.bounds[most] < self.best
        while True:
            size: cython.Py_ssize_t = self.smallest
            for other in range(self.smallest, most + 1):
                if self.bounds[other] < self.bounds[size]:
                    size = other
            if self.bounds[size] >= self.best - CLOSE:
                break
            self.groups.set_size(size)
            self.n_nodes = 0
            self.divide(self.thetas[size], False)
            self.total_nodes += self.n_nodes
            self.bounds[size] = INFINITY
        if self.size_of_best > 0:
            self.best_size[p], self.best_theta[p] = self.size_of_best, self.theta_of_best
            for j in range(self.members.n_classes):
                self.take(j, self.best_high[j], self.best_share, taken)
                self.take(j, self.best_low[j], 1 - self.best_share, taken)
                if p < self.by_class.shape[0]:
                    rows = self.best_share * self.best_high[j] + (1 - self.best_share) * self.best_low[j]
                    self.by_class[p, self.members.sensitive_class[j]] = rows
        return self.best

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
            if self.possible[size]:
                least = min(least, self.flat[size])
        return least

    @cython.cfunc
    @cython.nogil
    def bound_sizes(self, p: cython.Py_ssize_t, most: cython.Py_ssize_t) -> cython.void:
        """Bound all sizes without deciding classes; sizes that cannot have less than the best so far are left out.

        The best size of the last search comes first, because most others are too dear then.
        """
        theta = self.best_theta[p]
        remembered: cython.Py_ssize_t = self.best_size[p]
        self.groups.set_pattern(p)
        for size in range(self.smallest, most + 1):
            self.bounds[size] = INFINITY
        if self.smallest <= remembered <= most:
            theta = self.bound_size(remembered, theta)
        next_size: cython.Py_ssize_t = self.smallest
        while next_size <= most:
            if next_size != remembered:
                theta = self.bound_size(next_size, theta)
            next_size += 1 if next_size < self.one_by_one else max(1, next_size // 16)

    @cython.cfunc
    @cython.nogil
    def bound_size(self, size: cython.Py_ssize_t, theta: cython.double) -> cython.double:
        """Bound one size from a theta on; return the theta to go on with."""
        if not self.possible[size] or self.flat[size] >= self.best + self.margin:
            return theta
        self.groups.set_size(size)
        below = self.groups.find_theta(theta, self.best + self.margin)
        self.bounds[size], self.thetas[size] = self.groups.bound, self.groups.theta
        self.is_near |= self.groups.bound < self.margin
        if below:
            self.note_low()
        return self.groups.theta

    @cython.cfunc
    @cython.nogil
    def note_low(self) -> cython.void:
        """Note the group of little excess if it is the best so far."""
        if self.groups.low_value < self.best:
            self.best = self.groups.low_value
            self.note(0.0)

    @cython.cfunc
    @cython.nogil
    def note(self, share: cython.double) -> cython.void:
        """Note the groups that were found as the best so far."""
        self.size_of_best, self.theta_of_best, self.best_share = self.groups.size, self.groups.theta, share
        for j in range(self.members.n_classes):
            self.best_high[j], self.best_low[j] = self.groups.high[j], self.groups.low[j]

    @cython.cfunc
    @cython.nogil
    def divide(self, theta: cython.double, writing: cython.bint) -> cython.void:
        """Decide class after class until no group can have less than the best so far, and write the tree of it.

        A bound below the best is exact where all classes are decided: it becomes the best, unless a tree is written
        for a given best.
        """
        node = self.n_nodes
        self.n_nodes += 1
        below = self.groups.find_theta(theta, self.best)
        theta = self.groups.theta
        self.nodes[node] = -1 - cython.cast(cython.longlong, theta + 0.5)
        if not below:
            return
        if not writing:
            self.note_low()
            if self.groups.bound >= self.best - CLOSE:
                return
        j = self.groups.open_class()
        if j < 0 or self.n_nodes >= MAX_NODES:
            if not writing:
                self.best = self.groups.bound
                self.note(self.groups.share if self.groups.low_value < INFINITY else 1.0)
            return
        self.nodes[node] = self.members.sensitive_class[j]
        lower, upper = self.groups.lower[j], self.groups.upper[j]
        self.groups.upper[j] = self.groups.free[j]
        self.divide(theta, writing)
        self.groups.lower[j], self.groups.upper[j] = self.groups.free[j] + 1, upper
        self.divide(theta, writing)
        self.groups.lower[j] = lower

    @cython.cfunc
    @cython.nogil
    def take(
        self, j: cython.Py_ssize_t, number: cython.longlong, share: cython.double, taken: cython.double[::1]
    ) -> cython.void:
        """Count the first rows of a class as taken, to a share."""
        if share > 0.0:
            for place in range(self.members.first[j], self.members.first[j] + number):
                taken[self.members.row_type[place]] += share

    def proof(
        self,
        p: cython.Py_ssize_t,
        multipliers: cython.longlong[::1],
        least: cython.double,
        largest: cython.Py_ssize_t,
    ) -> list[tuple[int, int, IntArray | None]]:
        """Return what proves that no group of up to the largest size has a reduced cost below the least.

        It is a list of the sizes that need it. For each there is a theta, or the nodes of a tree. For all other sizes
        the theta of the pattern is enough.
        """
        self.multipliers = multipliers
        found: list[tuple[int, int, IntArray | None]] = []
        with cython.nogil:
            most = min(self.add_up(p), largest)
            self.members.load(self.sorted, multipliers, p)
            self.best = least
            self.groups.set_pattern(p)
        theta = self.best_theta[p]
        for size in range(self.smallest, most + 1):
            if self.flat[size] >= least or not self.possible[size]:
                continue
            with cython.nogil:
                self.n_nodes = self.prove_size(size, theta)
            if self.n_nodes == 1:
                found.append((size, -1 - self.nodes[0], None))
            elif self.n_nodes > 1:
                found.append((size, 0, np.array(self.nodes[: self.n_nodes])))
        return found

    @cython.cfunc
    @cython.nogil
    def prove_size(self, size: cython.Py_ssize_t, theta: cython.double) -> cython.Py_ssize_t:
        """Write the tree of a size; return the number of its nodes, 0 if theta is enough."""
        self.groups.set_size(size)
        theta = cython.cast(cython.longlong, theta + 0.5)
        if (
            not self.groups.find_cheapest(theta)
            or self.groups.value + theta * (self.groups.excess - self.groups.limit()) >= self.best
        ):
            return 0
        self.n_nodes = 0
        self.divide(theta, True)
        return self.n_nodes

    def tails(
        self,
        patterns: cython.longlong[::1],
        multipliers: cython.longlong[::1],
        size: cython.Py_ssize_t,
        numbers: cython.double[:, ::1],
        values: cython.double[::1],
    ) -> None:
        """Find inequalities that bound groups of so many rows or more, under some patterns.

        They are those of groups of this size; if the best size is larger and sizes are not tried one by one, of that.
        ``numbers`` gets the multiplier of the size, theta, and what is paid for each class or edge; ``values`` what the
        groups cost at least by that, minus infinity if the inequality does not hold for them.
        """
        self.multipliers = multipliers
        with cython.nogil:
            for i in range(patterns.shape[0]):
                p: cython.Py_ssize_t = patterns[i]
                self.members.load(self.sorted, multipliers, p)
                self.groups.set_pattern(p)
                self.groups.set_size(size if self.best_size[p] < self.one_by_one else max(size, self.best_size[p]))
                self.groups.find_theta(self.best_theta[p], INFINITY)
                values[i] = -INFINITY
                if self.groups.low_value < INFINITY:
                    values[i] = self.groups.find_tail(size, self.groups.theta, numbers, i)


def possible_sizes(totals: IntArray, rows: int, allowed: FloatArray) -> BoolArray:
    """Say for every size whether groups can be close: rows are distributed by largest remainders."""
    places = totals * np.arange(len(allowed))[:, None]
    whole, parts = places // rows, np.sort((places // rows + 1) * rows - places, axis=1)
    left = np.arange(len(allowed)) - whole.sum(axis=1)
    least = np.where(np.arange(len(totals)) < left[:, None], parts, 0).sum(axis=1) / rows
    return np.asarray(least <= allowed + 1e-9)
