"""Annealing over members: rows change places with rows of nearby groups; patterns need not be listed for it.

A *unit* is some copies of a row type that stay together. The cost of a group follows from its members. Workers run side
by side: each has its own groups, and does not touch the others.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.model.rules import ClassCounts, CompiledRules
from cython.cimports.kilt.kernels.random import Random
from cython.cimports.libc.math import log

from kilt.numbers import IntArray

NONE = cython.declare(cython.Py_ssize_t, -1)
OPENINGS = cython.declare(cython.double, 0.02)  # the share of moves that open a group,
CLOSINGS = cython.declare(cython.double, 0.01)  # and that close one; in the others rows change places
TARGETS = cython.declare(cython.Py_ssize_t, 8)  # near units whose group is asked when a group is closed
MOST_TRIED = cython.declare(cython.Py_ssize_t, 32)  # units that might come back for one that goes


@cython.final
@cython.cclass
class Members:
    """The assignment of units to groups; ``near`` has for each unit the nearest ones, from near to far.

    The units of a group are a linked list: ``head`` of a group, ``after`` and ``before`` of a unit, -1 where there is
    none. ``cost`` is that of a row of a group; ``worker_of`` says which worker may change a group, -1 if none.

    The ladders of all columns have *steps*. Below a step a unit shows the label ``labels[unit, step]``, and if all
    units of a group show the same one, each row saves ``savings``, which has one line for all units if these save the
    same. ``shared`` are the labels that all units of a group show, ``shared_by_others`` those that all but one show, -1
    where there is none: so what a group costs if one of its units goes for another one follows from a line of each.
    """

    counts: ClassCounts
    labels: cython.int[:, ::1]
    savings: cython.longlong[:, ::1]
    own_cost: cython.longlong[::1]
    highest_cost: cython.longlong
    shared = cython.declare(cython.int[:, ::1], visibility="readonly")
    shared_by_others = cython.declare(cython.int[:, ::1], visibility="readonly")
    unlike_first: cython.int[:, ::1]
    unlike_second: cython.int[:, ::1]
    copies = cython.declare(cython.longlong[::1], visibility="readonly")
    sensitive_class = cython.declare(cython.longlong[::1], visibility="readonly")
    near = cython.declare(cython.int[:, ::1], visibility="public")
    group_of = cython.declare(cython.longlong[::1], visibility="readonly")
    head = cython.declare(cython.longlong[::1], visibility="readonly")
    after = cython.declare(cython.longlong[::1], visibility="readonly")
    before = cython.declare(cython.longlong[::1], visibility="readonly")
    size = cython.declare(cython.longlong[::1], visibility="readonly")
    by_class = cython.declare(cython.longlong[:, ::1], visibility="readonly")
    cost = cython.declare(cython.longlong[::1], visibility="readonly")
    worker_of = cython.declare(cython.longlong[::1], visibility="readonly")

    def __init__(
        self,
        labels: IntArray,
        savings: IntArray,
        own_cost: IntArray,
        copies: IntArray,
        sensitive_class: IntArray,
        n_classes: int,
        group_of: cython.longlong[::1],
        n_groups: int,
    ) -> None:
        units, by_class = len(labels), np.zeros((n_groups, n_classes), dtype=np.int64)
        self.labels, self.savings, self.own_cost = labels, savings, own_cost
        self.highest_cost = int(own_cost[0] + savings[0].sum())
        self.shared, self.unlike_first, self.unlike_second = np.full((3, n_groups, labels.shape[1]), -1, dtype=np.int32)
        self.shared_by_others = np.full(labels.shape, -1, dtype=np.int32)
        self.copies, self.sensitive_class = copies, sensitive_class
        self.near = np.zeros((units, 0), dtype=np.int32)
        self.group_of, self.after, self.before = np.full((3, units), -1, dtype=np.int64)
        self.head, self.worker_of = np.full((2, n_groups), -1, dtype=np.int64)
        self.size, self.cost = np.zeros((2, n_groups), dtype=np.int64)
        self.by_class, self.counts = by_class, ClassCounts(by_class)
        for u in range(units - 1, -1, -1):
            self.join(u, group_of[u])
        for g in range(n_groups):
            self.refresh(g)

    @cython.cfunc
    @cython.nogil
    def join(self, u: cython.Py_ssize_t, g: cython.Py_ssize_t) -> cython.void:
        """Let a unit that is in no group join one."""
        first = self.head[g]
        self.after[u], self.before[u], self.head[g], self.group_of[u] = first, NONE, u, g
        if first != NONE:
            self.before[first] = u
        self.size[g] += self.copies[u]
        self.by_class[g, self.sensitive_class[u]] += self.copies[u]

    @cython.cfunc
    @cython.nogil
    def leave(self, u: cython.Py_ssize_t) -> cython.void:
        """Let a unit leave its group."""
        g, follows, leads = self.group_of[u], self.after[u], self.before[u]
        if leads != NONE:
            self.after[leads] = follows
        else:
            self.head[g] = follows
        if follows != NONE:
            self.before[follows] = leads
        self.size[g] -= self.copies[u]
        self.by_class[g, self.sensitive_class[u]] -= self.copies[u]

    @cython.cfunc
    @cython.nogil
    def shift(self, u: cython.Py_ssize_t, g: cython.Py_ssize_t) -> cython.longlong:
        """Let a unit go to another group, and return how much more all groups cost."""
        q = self.group_of[u]
        before = self.total_cost(q) + self.total_cost(g)
        self.leave(u)
        self.join(u, g)
        self.refresh(q)
        self.refresh(g)
        return self.total_cost(q) + self.total_cost(g) - before

    @cython.cfunc
    @cython.nogil
    def exchange(self, u: cython.Py_ssize_t, w: cython.Py_ssize_t) -> cython.longlong:
        """Let two units of different groups change places, and return how much more all groups cost."""
        q, g = self.group_of[u], self.group_of[w]
        before = self.total_cost(q) + self.total_cost(g)
        self.leave(u)
        self.join(u, g)
        self.leave(w)
        self.join(w, q)
        self.refresh(q)
        self.refresh(g)
        return self.total_cost(q) + self.total_cost(g) - before

    @cython.cfunc
    @cython.nogil
    def refresh(self, g: cython.Py_ssize_t) -> cython.void:
        """Find what the units of a group share now, and what a row of it costs."""
        first = self.head[g]
        self.cost[g] = 0
        if first == NONE:
            return
        second = self.after[first]
        self.count_unlike(self.unlike_first, g, first)
        self.count_unlike(self.unlike_second, g, first if second == NONE else second)
        for step in range(self.labels.shape[1]):
            self.shared[g, step] = self.labels[first, step] | -cython.cast(cython.int, self.unlike_first[g, step] > 0)
        v: cython.Py_ssize_t = first
        while v != NONE:
            if v != first:
                self.share_without(v, self.unlike_first, g, first)
            elif second != NONE:
                self.share_without(v, self.unlike_second, g, second)
            v = self.after[v]
        self.cost[g] = self.cost_of_shared(self.shared, g, first)

    @cython.cfunc
    @cython.nogil
    def count_unlike(self, unlike: cython.int[:, ::1], g: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.void:
        """Count for every step how many units of a group show another label than one of them."""
        for step in range(self.labels.shape[1]):
            unlike[g, step] = 0
        v = self.head[g]
        while v != NONE:
            for step in range(self.labels.shape[1]):
                unlike[g, step] += self.labels[v, step] != self.labels[u, step]
            v = self.after[v]

    @cython.cfunc
    @cython.nogil
    def share_without(
        self, v: cython.Py_ssize_t, unlike: cython.int[:, ::1], g: cython.Py_ssize_t, u: cython.Py_ssize_t
    ) -> cython.void:
        """Find what all units of a group but one show, given how many show another label than a further one, unit u."""
        for step in range(self.labels.shape[1]):
            label = self.labels[u, step]
            differs = cython.cast(cython.int, self.labels[v, step] != label)
            self.shared_by_others[v, step] = label | -cython.cast(cython.int, unlike[g, step] > differs)

    @cython.cfunc
    @cython.nogil
    def total_cost(self, g: cython.Py_ssize_t) -> cython.longlong:
        """Return what all rows of a group cost."""
        return self.size[g] * self.cost[g]

    @cython.cfunc
    @cython.nogil
    def total_cost_with(
        self, g: cython.Py_ssize_t, leaves: cython.Py_ssize_t, comes: cython.Py_ssize_t
    ) -> cython.longlong:
        """Return what all rows of a group would cost, without a unit that leaves and with one that comes."""
        return self.size_with(g, leaves, comes) * self.row_cost(g, leaves, comes)

    @cython.cfunc
    @cython.nogil
    def size_with(self, g: cython.Py_ssize_t, leaves: cython.Py_ssize_t, comes: cython.Py_ssize_t) -> cython.longlong:
        """Return the size of a group, without a unit that leaves and with one that comes."""
        size = self.size[g]
        if leaves != NONE:
            size -= self.copies[leaves]
        if comes != NONE:
            size += self.copies[comes]
        return size

    @cython.cfunc
    @cython.nogil
    def row_cost(self, g: cython.Py_ssize_t, leaves: cython.Py_ssize_t, comes: cython.Py_ssize_t) -> cython.longlong:
        """Return what a row of a group costs, without a unit that leaves and with one that comes."""
        stays: cython.Py_ssize_t = self.head[g]
        if stays != NONE and stays == leaves:
            stays = self.after[leaves]
        if stays == NONE:
            return 0 if comes == NONE else self.own_cost[comes]
        if leaves == NONE:
            return self.cost_of_shared(self.shared, g, stays if comes == NONE else comes)
        return self.cost_of_shared(self.shared_by_others, leaves, stays if comes == NONE else comes)

    @cython.cfunc
    @cython.nogil
    def cost_of_shared(
        self, shared: cython.int[:, ::1], line: cython.Py_ssize_t, u: cython.Py_ssize_t
    ) -> cython.longlong:
        """Return what a row costs that shows those labels of a line that a unit shows."""
        saves: cython.Py_ssize_t = u if self.savings.shape[0] > 1 else 0
        saved: cython.longlong = 0
        for step in range(shared.shape[1]):
            saved += self.savings[saves, step] & -cython.cast(cython.int, shared[line, step] == self.labels[u, step])
        return self.highest_cost - saved


@cython.final
@cython.cclass
class RowSwapper:
    """A worker that lets its ``units`` change groups; ``cost`` is how much more all groups cost by its moves.

    It has ``n_spare`` groups that are empty. Of the move that it tries it remembers ``n_logged`` units and the groups
    that they were in.
    """

    number: cython.Py_ssize_t
    members: Members
    rules: CompiledRules
    random: Random
    units = cython.declare(cython.longlong[::1], visibility="readonly")
    spare: cython.longlong[::1]
    n_spare: cython.Py_ssize_t
    logged_unit: cython.longlong[::1]
    logged_group: cython.longlong[::1]
    n_logged: cython.Py_ssize_t
    cost: cython.longlong

    def __init__(
        self,
        number: int,
        members: Members,
        rules: CompiledRules,
        random: Random,
        units: IntArray,
        spare: IntArray,
    ) -> None:
        self.number, self.members, self.rules, self.random, self.units = number, members, rules, random, units
        room = np.zeros(len(members.head), dtype=np.int64)
        room[: len(spare)] = spare
        self.spare, self.n_spare = room, len(spare)
        self.logged_unit, self.logged_group = np.zeros((2, len(members.after)), dtype=np.int64)
        self.n_logged = self.cost = 0

    def swap(self, moves: cython.longlong, temperature: cython.double) -> int:
        """Try so many moves, and return how much more all groups cost then.

        A move is kept if it costs at most a random accepted increase, larger at high temperatures.
        """
        before = self.cost
        with cython.nogil:
            for _ in range(moves):
                self.move(temperature)
        return self.cost - before

    @cython.cfunc
    @cython.nogil
    def move(self, temperature: cython.double) -> cython.void:
        """Try a move, and keep or undo it."""
        self.n_logged = 0
        before = self.cost
        accepted_increase = -temperature * self.rules.unit * log(1.0 - self.random.draw())
        u = self.units[self.random.draw_below(self.units.shape[0])]
        which = self.random.draw()
        if which < OPENINGS:
            done = self.open_group(u)
        elif which < OPENINGS + CLOSINGS:
            done = self.close_group(self.members.group_of[u])
        else:
            done = self.change_places(u, accepted_increase)
        if done and self.cost - before <= accepted_increase:
            for i in range(self.n_logged):
                self.keep_if_empty(self.logged_group[i])
        else:
            g = self.members.group_of[u]
            self.undo()
            self.keep_if_empty(g)

    @cython.cfunc
    @cython.nogil
    def put(self, u: cython.Py_ssize_t, g: cython.Py_ssize_t) -> cython.void:
        """Put a unit into a group, and remember where it is."""
        self.remember(u)
        self.cost += self.members.shift(u, g)

    @cython.cfunc
    @cython.nogil
    def remember(self, u: cython.Py_ssize_t) -> cython.void:
        """Remember where a unit is."""
        self.logged_unit[self.n_logged], self.logged_group[self.n_logged] = u, self.members.group_of[u]
        self.n_logged += 1

    @cython.cfunc
    @cython.nogil
    def undo(self) -> cython.void:
        """Take back what is remembered."""
        while self.n_logged > 0:
            self.n_logged -= 1
            self.cost += self.members.shift(self.logged_unit[self.n_logged], self.logged_group[self.n_logged])

    @cython.cfunc
    @cython.nogil
    def keep_if_empty(self, g: cython.Py_ssize_t) -> cython.void:
        """Keep a group for later if it is empty."""
        if self.members.head[g] == NONE and self.is_mine(g):
            self.members.worker_of[g] = NONE
            self.spare[self.n_spare] = g
            self.n_spare += 1

    @cython.cfunc
    @cython.nogil
    def is_mine(self, g: cython.Py_ssize_t) -> cython.bint:
        """Say whether this worker may change a group."""
        return self.members.worker_of[g] == self.number

    @cython.cfunc
    @cython.nogil
    def violation(self, g: cython.Py_ssize_t, leaves: cython.Py_ssize_t, comes: cython.Py_ssize_t) -> cython.double:
        """Say how far a group is from legal, without a unit that leaves and with one that comes; 0 if it is empty."""
        size = self.members.size_with(g, leaves, comes)
        if size == 0:
            return 0.0
        if self.rules.size_only:
            return max(0, self.rules.min_group_size - size)
        self.count(g, leaves, -1)
        self.count(g, comes, 1)
        violation = self.rules.violation(self.members.counts, g, size)
        self.count(g, leaves, 1)
        self.count(g, comes, -1)
        return violation

    @cython.cfunc
    @cython.nogil
    def count(self, g: cython.Py_ssize_t, u: cython.Py_ssize_t, sign: cython.longlong) -> cython.void:
        """Add a unit, if it is one, to the sensitive classes of a group, or take it away."""
        if u != NONE:
            self.members.by_class[g, self.members.sensitive_class[u]] += sign * self.members.copies[u]

    @cython.cfunc
    @cython.nogil
    def change_places(self, u: cython.Py_ssize_t, accepted_increase: cython.double) -> cython.bint:
        """Let a unit go to the group of a near one, alone or for a unit that comes back, whatever costs least."""
        width = self.members.near.shape[1]
        if width == 0:
            return False
        drawn = self.random.draw()
        v: cython.Py_ssize_t = self.members.near[u, cython.cast(cython.Py_ssize_t, width * (drawn * drawn))]
        if v == NONE:
            return False
        a, b = self.members.group_of[u], self.members.group_of[v]
        if a == b or not self.is_mine(b):
            return False
        most: cython.double = self.members.total_cost(a) + self.members.total_cost(b) + accepted_increase
        best: cython.Py_ssize_t = NONE
        found: cython.bint = False
        w: cython.Py_ssize_t = NONE
        for _ in range(MOST_TRIED):
            if w != v:
                cost: cython.double = self.members.total_cost_with(a, u, w)
                if cost < most:
                    cost += self.members.total_cost_with(b, w, u)
                if cost < most and self.violation(a, u, w) == 0.0 and self.violation(b, w, u) == 0.0:
                    most, best, found = cost, w, True
            w = self.members.head[b] if w == NONE else self.members.after[w]
            if w == NONE:
                break
        if found and best == NONE:
            self.put(u, b)
        elif found:
            self.remember(u)
            self.remember(best)
            self.cost += self.members.exchange(u, best)
        return found

    @cython.cfunc
    @cython.nogil
    def open_group(self, u: cython.Py_ssize_t) -> cython.bint:
        """Form a group of a unit and the nearest ones that can leave theirs."""
        if self.n_spare == 0 or self.violation(self.members.group_of[u], u, NONE) > 0.0:
            return False
        self.n_spare -= 1
        g = self.spare[self.n_spare]
        self.members.worker_of[g] = self.number
        self.put(u, g)
        violation: cython.double = self.violation(g, NONE, NONE)
        for i in range(self.members.near.shape[1]):
            v = self.members.near[u, i]
            if violation == 0.0 or v == NONE:
                break
            q = self.members.group_of[v]
            if q == g or not self.is_mine(q) or self.violation(q, v, NONE) > 0.0:
                continue
            left = self.violation(g, NONE, v)
            if left < violation:
                self.put(v, g)
                violation = left
        return violation == 0.0

    @cython.cfunc
    @cython.nogil
    def close_group(self, g: cython.Py_ssize_t) -> cython.bint:
        """Let all units of a group join groups of near ones."""
        if self.members.size[g] > 2 * self.rules.min_group_size:
            return False
        u: cython.Py_ssize_t = self.members.head[g]
        while u != NONE:
            follows = self.members.after[u]
            to = self.cheapest_target(u)
            if to == NONE:
                return False
            self.put(u, to)
            u = follows
        return True

    @cython.cfunc
    @cython.nogil
    def cheapest_target(self, u: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the group of a near unit where a unit costs least, -1 if it can join none."""
        best: cython.Py_ssize_t = NONE
        least: cython.longlong = 0
        for i in range(min(TARGETS, self.members.near.shape[1])):
            v = self.members.near[u, i]
            if v == NONE:
                continue
            g = self.members.group_of[v]
            if g == self.members.group_of[u] or not self.is_mine(g) or self.violation(g, NONE, u) > 0.0:
                continue
            cost = self.members.total_cost_with(g, NONE, u) - self.members.total_cost(g)
            if best == NONE or cost < least:
                best, least = g, cost
        return best
