"""What the moves of a search share: which group can take a row, what it costs to close a group, how it is repaired.

A move is done step by step and undone as a whole if it fails or costs too much. While it is done, groups may be
illegal; a move that succeeds leaves legal groups only.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.model.rules import CompiledRules
from cython.cimports.kilt.kernels.random import Random
from cython.cimports.kilt.kernels.search.assignment import Assignment, CoverIndex

INFEASIBLE_COST = 1e18  # of what cannot be done
MOST_REPAIRED = cython.declare(cython.longlong, 8)  # rows that leave a group so that it is legal again


@cython.cclass
class Moves:
    """The moves of one worker, and what they remember from one to the next.

    By pattern: ``banned`` has the ``stamp`` of the move that closes it, ``closing`` what it costs to close it, where
    ``known``. By row type: ``other`` is what it would pay elsewhere, or -1. By pattern and sensitive class: ``takes``
    and ``gives`` have twice the version of the group for which it was last decided whether it is legal with one row
    more, or less, plus one if it is. ``changes`` counts the moves that are kept.
    """

    def __init__(self, index: CoverIndex, assignment: Assignment, rules: CompiledRules, random: Random) -> None:
        self.index, self.assignment, self.rules, self.random = index, assignment, rules, random
        self.stamp = self.changes = 0
        patterns = len(index.cost)
        self.banned = np.zeros(patterns, dtype=np.int64)
        self.closing = np.zeros(patterns)
        self.known = np.zeros(patterns, dtype=np.uint8)
        self.other = np.full(len(index.starts) - 1, -1.0)
        self.takes, self.gives = np.full((2, 0 if rules.size_only else patterns * index.classes), -1, dtype=np.int64)

    def forget_all(self) -> None:
        """Forget what moves remember."""
        np.asarray(self.known).fill(0)
        np.asarray(self.other).fill(-1)

    @cython.cfunc
    @cython.nogil
    def violation_with(self, p: cython.Py_ssize_t, c: cython.Py_ssize_t, change: cython.longlong) -> cython.double:
        """Return how far a group is from legal with so many more rows of a sensitive class; an empty one is legal."""
        size = self.assignment.size[p] + change
        if size == 0:
            return 0.0
        self.assignment.by_class.of[p, c] += change
        violation = self.rules.violation(self.assignment.by_class, p, size)
        self.assignment.by_class.of[p, c] -= change
        return violation

    @cython.cfunc
    @cython.nogil
    def stays_legal(self, p: cython.Py_ssize_t, c: cython.Py_ssize_t, change: cython.longlong) -> cython.bint:
        """Say whether a group is legal with so many more rows of a sensitive class."""
        size = self.assignment.size[p] + change
        if size == 0 or self.rules.size_only:
            return size == 0 or size >= self.rules.min_group_size
        self.assignment.by_class.of[p, c] += change
        is_legal: cython.bint = self.rules.meets(self.assignment.by_class, p, size)
        self.assignment.by_class.of[p, c] -= change
        return is_legal

    @cython.cfunc
    @cython.nogil
    def may_take(self, p: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.bint:
        """Say whether a group is legal with one more row of a sensitive class, and remember it."""
        if self.rules.size_only:
            return self.assignment.size[p] + 1 >= self.rules.min_group_size
        at = p * self.index.classes + c
        if self.takes[at] >> 1 != self.assignment.version[p]:
            self.takes[at] = 2 * self.assignment.version[p] + self.stays_legal(p, c, 1)
        return self.takes[at] & 1

    @cython.cfunc
    @cython.nogil
    def may_give(self, p: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.bint:
        """Say whether a group is legal with one row less of a sensitive class, and remember it."""
        if self.rules.size_only:
            return self.assignment.size[p] == 1 or self.assignment.size[p] > self.rules.min_group_size
        at = p * self.index.classes + c
        if self.gives[at] >> 1 != self.assignment.version[p]:
            self.gives[at] = 2 * self.assignment.version[p] + self.stays_legal(p, c, -1)
        return self.gives[at] & 1

    @cython.cfunc
    @cython.nogil
    def most_copies(
        self, p: cython.Py_ssize_t, c: cython.Py_ssize_t, sign: cython.longlong, limit: cython.longlong
    ) -> cython.longlong:
        """Return how many rows of a sensitive class, up to a limit, a legal group can take (or give) and be legal.

        Legal groups are those counts that meet inequalities of concave functions, so that it is all up to some number:
        that is found by bisection.
        """
        low: cython.longlong = 0
        high: cython.longlong = limit
        while low < high:
            half = (low + high + 1) // 2
            if self.stays_legal(p, c, sign * half):
                low = half
            else:
                high = half - 1
        return low

    @cython.cfunc
    @cython.nogil
    def elsewhere(self, u: cython.Py_ssize_t, q: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the entry of the cheapest group but q that a copy of a row type can join, or -1."""
        for e in range(self.index.starts[u], self.index.starts[u + 1]):
            p = self.index.pattern_of[e]
            if (
                self.assignment.size[p] > 0
                and p != q
                and self.banned[p] != self.stamp
                and (self.rules.size_only or self.may_take(p, self.index.sensitive_class[u]))
            ):
                return e
        return -1

    @cython.cfunc
    @cython.nogil
    def other_cost(self, u: cython.Py_ssize_t, q: cython.Py_ssize_t) -> cython.double:
        """Return what a copy of a row type would pay elsewhere than in q; INFEASIBLE_COST if no group takes it.

        It is remembered for row types that are in one group only, until one of their patterns changes.
        """
        alone: cython.bint = self.assignment.only_home[u] >= 0
        if alone and self.other[u] >= 0:
            return self.other[u]
        to = self.elsewhere(u, q)
        cost: cython.double = INFEASIBLE_COST
        if to >= 0:
            cost = self.index.cost[self.index.pattern_of[to]]
        if alone:
            self.other[u] = cost
        return cost

    @cython.cfunc
    @cython.nogil
    def closing_cost(self, q: cython.Py_ssize_t) -> cython.double:
        """Estimate what closing q costs, and remember it; INFEASIBLE_COST if some rows have no other group."""
        if self.known[q]:
            return self.closing[q]
        cost: cython.double = 0.0
        for c in range(self.index.classes):
            e = self.assignment.members.head[q * self.index.classes + c]
            while e >= 0 and cost < INFEASIBLE_COST:
                other = self.other_cost(self.index.row_type_of[e], q)
                if other == INFEASIBLE_COST:
                    cost = INFEASIBLE_COST
                else:
                    cost += self.assignment.copies[e] * (other - self.index.cost[q])
                e = self.assignment.members.after[e]
        self.closing[q], self.known[q] = cost, True
        return cost

    @cython.cfunc
    @cython.nogil
    def forget(self) -> cython.void:
        """Forget what is remembered of the patterns of the last moves, and of the row types that may go there now.

        A row type that would pay less elsewhere is not concerned.
        """
        self.stamp += 1
        self.changes += 1
        for i in range(self.assignment.logged):
            p = self.index.pattern_of[self.assignment.log_entry[i]]
            if self.banned[p] == self.stamp:
                continue
            self.banned[p] = self.stamp
            self.known[p] = False
            for j in range(self.index.first[p], self.index.first[p + 1]):
                u = self.index.covered[j]
                if self.assignment.only_home[u] >= 0:
                    if self.other[u] >= self.index.cost[p]:
                        self.other[u] = -1.0
                        self.known[self.assignment.only_home[u]] = False
                    continue
                self.other[u] = -1.0
                h = self.assignment.homes.head[u]
                while h >= 0:
                    self.known[self.index.pattern_of[h]] = False
                    h = self.assignment.homes.after[h]

    @cython.cfunc
    @cython.nogil
    def close(self, q: cython.Py_ssize_t) -> cython.bint:
        """Let all rows of q join other groups; say whether they could.

        Rows that are refused try again after the others.
        """
        self.banned[q] = self.stamp
        for _ in range(1 if self.rules.size_only else 3):
            for c in range(self.index.classes):
                self.close_class(q, c)
            if self.assignment.size[q] == 0:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    def close_class(self, q: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.void:
        """Let the rows of q of a sensitive class join other groups, as far as they are taken."""
        e = self.assignment.members.head[q * self.index.classes + c]
        while e >= 0:
            follows = self.assignment.members.after[e]
            while self.assignment.copies[e] > 0 and self.assignment.has_room():
                to = self.elsewhere(self.index.row_type_of[e], q)
                if to < 0:
                    break
                copies: cython.longlong = self.assignment.copies[e]
                if not self.rules.size_only:
                    copies = self.most_copies(self.index.pattern_of[to], c, 1, copies)
                self.assignment.move(e, to, max(1, copies))
            e = follows

    @cython.cfunc
    @cython.nogil
    def relocate(self, u: cython.Py_ssize_t, most: cython.double) -> cython.bint:
        """Move copies of a row type to another group, drawn at random, if they pay at most so much more there."""
        h = self.assignment.homes.head[u]
        e = self.index.starts[u] + self.random.draw_below(self.index.starts[u + 1] - self.index.starts[u])
        q, p, c = self.index.pattern_of[h], self.index.pattern_of[e], self.index.sensitive_class[u]
        extra = self.index.cost[p] - self.index.cost[q]
        if p == q or self.assignment.size[p] == 0 or extra > most:
            return False
        copies: cython.longlong = self.assignment.copies[h]
        if extra > 0:
            copies = min(copies, cython.cast(cython.longlong, most / extra))
        drawn = self.random.draw()
        copies = min(copies, 1 + cython.cast(cython.longlong, copies * (drawn * drawn)))
        if not self.stays_legal(q, c, -copies) or not self.stays_legal(p, c, copies):
            return False
        self.assignment.move(h, e, copies)
        return True

    @cython.cfunc
    @cython.nogil
    def repair(self, q: cython.Py_ssize_t) -> cython.bint:
        """Let rows leave a group until it is legal: of the class that helps most, those that pay least elsewhere."""
        violation: cython.double = self.violation_with(q, 0, 0)
        for _ in range(MOST_REPAIRED):
            if violation == 0.0:
                return True
            least: cython.double = violation
            worst: cython.Py_ssize_t = -1
            for c in range(self.assignment.by_class.of.shape[1]):
                if self.assignment.by_class.of[q, c] > 0 and self.assignment.size[q] > 1:
                    then = self.violation_with(q, c, -1)
                    if then < least:
                        least, worst = then, c
            if worst < 0 or not self.assignment.has_room() or not self.remove_one(q, worst):
                return False
            violation = least
        return violation == 0.0

    @cython.cfunc
    @cython.nogil
    def remove_one(self, q: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.bint:
        """Let one of the first rows of a sensitive class leave q, the one that pays least elsewhere."""
        cheapest: cython.double = INFEASIBLE_COST
        leaving: cython.Py_ssize_t = -1
        to: cython.Py_ssize_t = -1
        tried: cython.longlong = 0
        e = self.assignment.members.head[q * self.index.classes + c]
        while e >= 0 and tried < MOST_REPAIRED:
            tried += 1
            other = self.elsewhere(self.index.row_type_of[e], q)
            if other >= 0 and self.index.cost[self.index.pattern_of[other]] < cheapest:
                cheapest, leaving, to = self.index.cost[self.index.pattern_of[other]], e, other
            e = self.assignment.members.after[e]
        if leaving >= 0:
            self.assignment.move(leaving, to, 1)
        return leaving >= 0
