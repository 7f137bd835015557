"""The Lagrangian bound: for given multipliers the group of least reduced cost under every pattern, in integers.

The reduced cost of a group is the cost of its rows less their multipliers. A class has the groups of one kind of rule;
``least`` returns the sum over all patterns of the least reduced cost, or 0 if none is negative, and the copies of each
row type in these groups.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.bounds.incidence import Covers

from kilt.numbers import BoolArray, FloatArray, IntArray

INFINITY = cython.declare(cython.double, float("inf"))
LOWEST = cython.declare(cython.longlong, -(1 << 63) + 1)  # below all multipliers


@cython.final
@cython.cclass
class DearestCopies:
    """Finds the copies of largest multipliers under a pattern: their row types, in falling order, are ``filled``.

    ``filled_multiplier`` has their multipliers.
    """

    types: cython.longlong[::1]
    copies: cython.longlong[::1]
    multipliers: cython.longlong[::1]
    filled: cython.longlong[::1]
    filled_multiplier: cython.longlong[::1]

    def __init__(self, types: IntArray, copies: IntArray, room: int) -> None:
        self.types, self.copies = types, copies
        self.filled, self.filled_multiplier = np.empty((2, room), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    def fill(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, limit: cython.longlong, wanted: cython.longlong
    ) -> cython.longlong:
        """Find so many copies with multipliers up to a limit among some entries; return how many there are."""
        number: cython.longlong = 0
        least: cython.longlong = LOWEST  # the last multiplier that is found, if as many are found as wanted
        if wanted == 0:
            return 0
        for entry in range(start, stop):
            u = self.types[entry]
            multiplier = self.multipliers[u]
            if multiplier <= least or multiplier > limit:
                continue
            at = number
            while at > 0 and self.filled_multiplier[at - 1] < multiplier:
                at -= 1
            more: cython.longlong = min(self.copies[u], wanted - at)
            if more == 0:
                continue
            number = min(number + more, wanted)
            for i in range(number - 1, at + more - 1, -1):
                self.filled[i], self.filled_multiplier[i] = self.filled[i - more], self.filled_multiplier[i - more]
            for i in range(at, at + more):
                self.filled[i], self.filled_multiplier[i] = u, multiplier
            if number == wanted:
                least = self.filled_multiplier[number - 1]
        return number


@cython.final
@cython.cclass
class LargeGroups:
    """Groups of at least so many rows: those whose multipliers exceed the cost, and the dearest others if too few.

    Pattern p has ``mass[p]`` such rows, of the reduced cost ``value[p]``, with the penalty that a group under it pays.
    """

    covers: Covers
    min_group_size: cython.longlong
    multipliers: cython.longlong[::1]
    mass: cython.longlong[::1]
    value: cython.longlong[::1]
    penalties: cython.longlong[::1]
    dearest: DearestCopies

    def __init__(self, covers: Covers, min_group_size: int) -> None:
        self.covers, self.min_group_size = covers, min_group_size
        self.mass, self.value = np.empty((2, covers.cost.shape[0]), dtype=np.int64)
        self.penalties = np.zeros(covers.cost.shape[0], dtype=np.int64)
        self.dearest = DearestCopies(covers.types, covers.counts, min_group_size)

    def penalize(self, penalties: IntArray) -> None:
        """Have every group under a pattern pay a penalty from now on, whatever its rows."""
        self.penalties = penalties

    def used(self) -> BoolArray:
        """Mark the patterns that had a group of negative reduced cost the last time."""
        return np.asarray(self.value) < 0

    def least(self, multipliers: cython.longlong[::1]) -> tuple[int, IntArray]:
        """Return the sum of the negative least reduced costs, and the copies of row types."""
        self.multipliers = self.dearest.multipliers = multipliers
        copies = np.zeros(multipliers.shape[0], dtype=np.int64)
        taken: cython.longlong[::1] = copies
        with cython.nogil:
            self.take_profitable()
            total = self.complete(taken)
            self.count_profitable(taken)
        return total, copies

    @cython.cfunc
    @cython.nogil
    def take_profitable(self) -> cython.void:
        """Take every row whose multiplier exceeds the cost: patterns of a row type come from cheap to dear."""
        for p in range(self.mass.shape[0]):
            self.mass[p] = self.value[p] = 0
        for u in range(self.multipliers.shape[0]):
            multiplier, copies = self.multipliers[u], self.covers.counts[u]
            for entry in range(self.covers.type_starts[u], self.covers.type_starts[u + 1]):
                p = self.covers.patterns[entry]
                if self.covers.cost[p] >= multiplier:
                    break
                self.mass[p] += copies
                self.value[p] += copies * (self.covers.cost[p] - multiplier)

    @cython.cfunc
    @cython.nogil
    def complete(self, taken: cython.longlong[::1]) -> cython.longlong:
        """Add the dearest rows where there are too few, or set the reduced cost to 0; return the sum."""
        total: cython.longlong = 0
        for p in range(self.mass.shape[0]):
            if self.mass[p] == 0:
                continue
            missing = self.min_group_size - self.mass[p]
            if missing > 0:
                cost = self.covers.cost[p]
                number = self.dearest.fill(self.covers.starts[p], self.covers.starts[p + 1], cost, missing)
                for i in range(number):
                    self.value[p] += cost - self.multipliers[self.dearest.filled[i]]
                self.value[p] += self.penalties[p]
                if number < missing or self.value[p] >= 0:
                    self.value[p] = 0
                    continue
                for i in range(number):
                    taken[self.dearest.filled[i]] += 1
            else:
                self.value[p] = min(self.value[p] + self.penalties[p], 0)
            total += self.value[p]
        return total

    @cython.cfunc
    @cython.nogil
    def count_profitable(self, taken: cython.longlong[::1]) -> cython.void:
        """Count the copies of row types whose multipliers exceed the cost, in groups of negative reduced cost."""
        for u in range(self.multipliers.shape[0]):
            multiplier, copies = self.multipliers[u], self.covers.counts[u]
            groups: cython.longlong = 0
            for entry in range(self.covers.type_starts[u], self.covers.type_starts[u + 1]):
                p = self.covers.patterns[entry]
                if self.covers.cost[p] >= multiplier:
                    break
                groups += self.value[p] < 0
            taken[u] += groups * copies


@cython.final
@cython.cclass
class DiverseGroups:
    """Groups of at least so many rows with at least so many different values of one column.

    If the rows whose multipliers exceed the cost have too few values, the row of largest multiplier of each of the best
    other values is added, one copy each; then the largest of all that is left, if the rows are too few.

    Under a pattern ``seen`` has the values that occur, ``n_seen`` of them, and ``best_type`` for each value the row
    type of largest multiplier (-1 for others). ``spare`` has the copies that are not yet in the group.
    """

    covers: Covers
    value_of: cython.longlong[::1]
    min_group_size: cython.longlong
    fewest_values: cython.longlong
    multipliers: cython.longlong[::1]
    active: cython.uchar[::1]
    best_type: cython.longlong[::1]
    seen: cython.longlong[::1]
    n_seen: cython.Py_ssize_t
    spare: cython.longlong[::1]
    dearest: DearestCopies

    def __init__(self, covers: Covers, value_of: IntArray, min_group_size: int, fewest_values: int) -> None:
        self.covers, self.min_group_size, self.fewest_values = covers, min_group_size, fewest_values
        self.value_of = np.ascontiguousarray(value_of, dtype=np.int64)
        values = int(value_of.max()) + 1
        self.best_type, self.seen = np.full(values, -1, dtype=np.int64), np.empty(values, dtype=np.int64)
        self.active = np.empty(covers.cost.shape[0], dtype=np.uint8)
        self.spare = np.array(covers.counts)
        self.dearest = DearestCopies(covers.types, self.spare, min_group_size)

    def least(self, multipliers: cython.longlong[::1]) -> tuple[int, IntArray]:
        """Return the sum of the negative least reduced costs, and the copies of row types."""
        self.multipliers = self.dearest.multipliers = multipliers
        copies = np.zeros(multipliers.shape[0], dtype=np.int64)
        taken: cython.longlong[::1] = copies
        total: cython.longlong = 0
        with cython.nogil:
            self.active[:] = False
            self.covers.mark_active(multipliers, self.active)
            for p in range(self.active.shape[0]):
                if self.active[p]:
                    total += self.least_under(p, taken)
        return total, copies

    @cython.cfunc
    @cython.nogil
    def least_under(self, p: cython.Py_ssize_t, taken: cython.longlong[::1]) -> cython.longlong:
        """Return the least reduced cost of a group under one pattern, or 0, and count its copies."""
        start, stop, cost = self.covers.starts[p], self.covers.starts[p + 1], self.covers.cost[p]
        mass: cython.longlong = 0
        value: cython.longlong = 0
        self.note_values(start, stop)
        for entry in range(start, stop):
            u = self.covers.types[entry]
            if self.multipliers[u] > cost:
                mass += self.covers.counts[u]
                value += self.covers.counts[u] * (cost - self.multipliers[u])
        lacking: cython.longlong = self.fewest_values
        for i in range(self.n_seen):
            if self.multipliers[self.best_type[self.seen[i]]] > cost:
                lacking -= 1
        forced = self.move_best_values(cost, lacking)
        for i in range(forced):
            u = self.best_type[self.seen[i]]
            value += cost - self.multipliers[u]
            self.spare[u] -= 1
        missing: cython.longlong = max(0, self.min_group_size - mass - forced)
        added = self.dearest.fill(start, stop, cost, missing)
        for i in range(added):
            value += cost - self.multipliers[self.dearest.filled[i]]
        if forced < lacking or added < missing or value > 0:
            value = 0
        if value < 0:
            self.take(p, forced, added, taken)
        for i in range(forced):
            self.spare[self.best_type[self.seen[i]]] += 1
        for i in range(self.n_seen):
            self.best_type[self.seen[i]] = -1
        return value

    @cython.cfunc
    @cython.nogil
    def note_values(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Note the values that occur, and the row type of largest multiplier for each, the first one if several are."""
        self.n_seen = 0
        for entry in range(start, stop):
            u = self.covers.types[entry]
            v = self.value_of[u]
            if self.best_type[v] < 0:
                self.best_type[v] = u
                self.seen[self.n_seen] = v
                self.n_seen += 1
            elif self.multipliers[u] > self.multipliers[self.best_type[v]]:
                self.best_type[v] = u

    @cython.cfunc
    @cython.nogil
    def move_best_values(self, limit: cython.longlong, wanted: cython.longlong) -> cython.Py_ssize_t:
        """Move the values of largest multipliers up to a limit to the front; return how many, at most as wanted."""
        found: cython.Py_ssize_t = 0
        while found < wanted:
            best: cython.Py_ssize_t = -1
            largest: cython.longlong = 0
            for i in range(found, self.n_seen):
                multiplier = self.multipliers[self.best_type[self.seen[i]]]
                if multiplier <= limit and (best < 0 or multiplier > largest):
                    best, largest = i, multiplier
            if best < 0:
                break
            self.seen[found], self.seen[best] = self.seen[best], self.seen[found]
            found += 1
        return found

    @cython.cfunc
    @cython.nogil
    def take(
        self, p: cython.Py_ssize_t, forced: cython.Py_ssize_t, added: cython.longlong, taken: cython.longlong[::1]
    ) -> cython.void:
        """Count the copies in the group: the dearest, those of the best values, and all of larger multipliers."""
        for i in range(added):
            taken[self.dearest.filled[i]] += 1
        for i in range(forced):
            taken[self.best_type[self.seen[i]]] += 1
        for entry in range(self.covers.starts[p], self.covers.starts[p + 1]):
            u = self.covers.types[entry]
            if self.multipliers[u] > self.covers.cost[p]:
                taken[u] += self.covers.counts[u]


def values_by_size(
    multipliers: IntArray, counts: IntArray, types: IntArray, starts: IntArray, cost: IntArray, min_group_size: int
) -> FloatArray:
    """Return for every pattern the least reduced cost of a group of at least so many rows, also if it is positive."""
    row_types = np.ascontiguousarray(types, dtype=np.int64)
    dearest = DearestCopies(row_types, counts, min_group_size)
    dearest.multipliers = multipliers
    starts_: cython.longlong[::1] = np.ascontiguousarray(starts, dtype=np.int64)
    cost_: cython.longlong[::1] = np.ascontiguousarray(cost, dtype=np.int64)
    values = np.full(len(cost), np.inf)
    values_: cython.double[::1] = values
    wanted: cython.longlong = min_group_size
    with cython.nogil:
        for p in range(cost_.shape[0]):
            values_[p] = value_by_size(dearest, starts_[p], starts_[p + 1], cost_[p], wanted)
    return values


@cython.cfunc
@cython.nogil
def value_by_size(
    dearest: DearestCopies,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    cost: cython.longlong,
    min_group_size: cython.longlong,
) -> cython.double:
    """Return the least reduced cost of a group of at least so many rows among some entries; infinity if too few."""
    value: cython.longlong = 0
    mass: cython.longlong = 0
    for entry in range(start, stop):
        u = dearest.types[entry]
        if dearest.multipliers[u] > cost:
            mass += dearest.copies[u]
            value += dearest.copies[u] * (cost - dearest.multipliers[u])
    missing: cython.longlong = max(0, min_group_size - mass)
    number = dearest.fill(start, stop, cost, missing)
    for i in range(number):
        value += cost - dearest.multipliers[dearest.filled[i]]
    return value if number == missing else INFINITY
