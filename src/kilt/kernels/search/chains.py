"""Chains: a row leaves a group for another one, whose row of the same sensitive class goes on to a third, and so on.

The groups in the middle of a chain keep their counts, so only its ends must be checked; and what it saves is the cost
of its first group less that of its last, whatever lies between. So a group can get a row from a dear one far away, none
of whose rows would fit into it.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.search.moves import INFEASIBLE_COST, Moves

from kilt.numbers import FloatArray

LOOKED_AT = cython.declare(cython.longlong, 60)  # row types of a class under a pattern that a chain is continued with
UNKNOWN = cython.declare(cython.double, -2.0)  # the cost of the source of an open group, while sources are looked for
MOST_VISITED = cython.declare(cython.Py_ssize_t, 200)  # groups that are looked at for a chain


@cython.cclass
class Chains:
    """The chains of one worker; a group is a *source* if it can spare a row of a class, a *sink* if it can take one.

    ``source[c, p]`` has the cost of the dearest source from which a chain of class c leads to the group of p (-1 if
    none does), ``sink[c, p]`` that of the cheapest sink to which one leads from it: as they were when they were last
    looked for, or when a search for them failed. While a chain is searched, ``visited`` marks the groups that it can
    pass, and a row goes from ``from_entry`` to ``to_entry`` there.
    """

    def __init__(self, moves: Moves) -> None:
        self.index, self.assignment, self.random, self.moves = moves.index, moves.assignment, moves.random, moves
        patterns = len(self.index.cost)
        self.classes, self.visit = self.index.classes, 0
        self.visited, self.queue, self.from_entry, self.to_entry = np.zeros((4, patterns), dtype=np.int32)
        self.source = np.full((self.classes, patterns), -1.0)
        self.sink = np.full((self.classes, patterns), INFEASIBLE_COST)

    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Look for all sources and sinks; return their costs by class and pattern."""
        for c in range(self.classes):
            self.find_sources(c)
            self.find_sinks(c)
        return np.asarray(self.source), np.asarray(self.sink)

    @cython.cfunc
    @cython.nogil
    def find_sources(self, c: cython.Py_ssize_t) -> cython.void:
        """Note for every group the dearest source of a class: sources from dear to cheap mark whom they reach first."""
        patterns = self.index.cost.shape[0]
        for p in range(patterns):
            self.source[c, p] = UNKNOWN if self.assignment.size[p] > 0 else -1.0
        for i in range(patterns):
            p = patterns - 1 - i
            if self.assignment.by_class.of[p, c] > 0 and self.source[c, p] == UNKNOWN and self.moves.may_give(p, c):
                self.spread_source(p, c)
        for p in range(patterns):
            self.source[c, p] = max(self.source[c, p], -1.0)

    @cython.cfunc
    @cython.nogil
    def spread_source(self, first: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.void:
        """Note a source at all groups to which chains lead from it."""
        cost: cython.double = self.index.cost[first]
        self.queue[0] = first
        self.source[c, first] = cost
        head: cython.Py_ssize_t = 0
        tail: cython.Py_ssize_t = 1
        while head < tail:
            e = self.assignment.members.head[self.queue[head] * self.classes + c]
            head += 1
            while e >= 0:
                u = self.index.row_type_of[e]
                for other in range(self.index.starts[u], self.index.starts[u + 1]):
                    q = self.index.pattern_of[other]
                    if self.source[c, q] == UNKNOWN:
                        self.source[c, q] = cost
                        self.queue[tail] = q
                        tail += 1
                e = self.assignment.members.after[e]

    @cython.cfunc
    @cython.nogil
    def find_sinks(self, c: cython.Py_ssize_t) -> cython.void:
        """Note for every group the cheapest sink of a class, likewise."""
        patterns = self.index.cost.shape[0]
        for p in range(patterns):
            self.sink[c, p] = INFEASIBLE_COST
        for p in range(patterns):
            known: cython.bint = self.sink[c, p] < INFEASIBLE_COST
            if self.assignment.size[p] > 0 and not known and self.moves.may_take(p, c):
                self.spread_sink(p, c)

    @cython.cfunc
    @cython.nogil
    def spread_sink(self, first: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.void:
        """Note a sink at all groups from which chains lead to it."""
        cost: cython.double = self.index.cost[first]
        self.queue[0] = first
        self.sink[c, first] = cost
        head: cython.Py_ssize_t = 0
        tail: cython.Py_ssize_t = 1
        while head < tail:
            r = self.queue[head] * self.classes + c
            head += 1
            for at in range(self.index.class_start[r], self.index.class_start[r + 1]):
                u = self.index.covered[at]
                only = self.assignment.only_home[u]
                h = self.assignment.homes.head[u]
                while h >= 0:
                    q = only if only >= 0 else self.index.pattern_of[h]
                    if self.sink[c, q] == INFEASIBLE_COST:
                        self.sink[c, q] = cost
                        self.queue[tail] = q
                        tail += 1
                    h = -1 if only >= 0 else self.assignment.homes.after[h]

    @cython.cfunc
    @cython.nogil
    def pull(
        self, p: cython.Py_ssize_t, c: cython.Py_ssize_t, least: cython.double, enough: cython.double
    ) -> cython.double:
        """Move rows along a chain from a dear source to p, and return its cost, which is at least so much.

        One that costs enough is taken at once, else the dearest found; -1 if there is none.
        """
        q = self.find_chain(p, c, least, enough)
        if q < 0:
            return -1.0
        self.move_along(q, p)
        return self.index.cost[q]

    @cython.cfunc
    @cython.nogil
    def move_along(self, q: cython.Py_ssize_t, p: cython.Py_ssize_t) -> cython.void:
        """Move rows along the chain from q to p that was found last."""
        while q != p:
            to = self.to_entry[q]
            self.assignment.move(self.from_entry[q], to, 1)
            q = self.index.pattern_of[to]

    @cython.cfunc
    @cython.nogil
    def find_chain(
        self, p: cython.Py_ssize_t, c: cython.Py_ssize_t, least: cython.double, enough: cython.double
    ) -> cython.Py_ssize_t:
        """Return the source of a chain to p; groups to which no such source led when last looked for are passed by."""
        self.visit += 1
        self.visited[p] = self.visit
        self.queue[0] = p
        head: cython.Py_ssize_t = 0
        tail: cython.Py_ssize_t = 1
        best: cython.Py_ssize_t = -1
        best_cost: cython.double = least - 1
        while head < tail < MOST_VISITED and best_cost < enough:
            r = self.queue[head] * self.classes + c
            head += 1
            first = self.index.class_start[r]
            span = self.index.class_start[r + 1] - first
            start: cython.longlong = self.random.draw_below(span) if span > LOOKED_AT else 0
            for i in range(min(span, LOOKED_AT)):
                at = first + start + i - (span if start + i >= span else 0)
                u = self.index.covered[at]
                only = self.assignment.only_home[u]
                h = self.assignment.homes.head[u]
                while h >= 0:
                    q = only if only >= 0 else self.index.pattern_of[h]
                    if self.visited[q] != self.visit and self.source[c, q] >= least:
                        self.visited[q] = self.visit
                        self.from_entry[q], self.to_entry[q] = h, self.index.entries[at]
                        self.queue[tail] = q
                        tail += 1
                        if self.index.cost[q] > best_cost and self.moves.may_give(q, c):
                            best, best_cost = q, self.index.cost[q]
                    h = -1 if only >= 0 else self.assignment.homes.after[h]
        if best_cost < enough:
            for i in range(tail):
                self.source[c, self.queue[i]] = min(self.source[c, self.queue[i]], best_cost if best >= 0 else -1.0)
        return best

    @cython.cfunc
    @cython.nogil
    def push(self, e: cython.Py_ssize_t, most: cython.double, enough: cython.double) -> cython.double:
        """Move a copy of a row, and others along a chain, to a cheap sink, and return its cost, at most so much.

        One that is cheap enough is taken at once, else the cheapest found; -1 if there is none.
        """
        q, p = self.index.pattern_of[e], self.find_way_out(e, most, enough)
        if p < 0:
            return -1.0
        cost: cython.double = self.index.cost[p]
        while p != q:
            home = self.from_entry[p]
            self.assignment.move(home, self.to_entry[p], 1)
            p = self.index.pattern_of[home]
        return cost

    @cython.cfunc
    @cython.nogil
    def find_way_out(self, e: cython.Py_ssize_t, most: cython.double, enough: cython.double) -> cython.Py_ssize_t:
        """Return the sink of a chain that begins with a given row; groups from which none was found are passed by."""
        self.visit += 1
        q, c = self.index.pattern_of[e], self.index.sensitive_class[self.index.row_type_of[e]]
        self.visited[q] = self.visit
        self.queue[0] = q
        head: cython.Py_ssize_t = 0
        tail: cython.Py_ssize_t = 1
        best: cython.Py_ssize_t = -1
        best_cost: cython.double = most + 1
        while head < tail < MOST_VISITED and best_cost > enough:
            home: cython.Py_ssize_t = (
                e if head == 0 else self.assignment.members.head[self.queue[head] * self.classes + c]
            )
            head += 1
            while home >= 0:
                u = self.index.row_type_of[home]
                for other in range(self.index.starts[u], self.index.starts[u + 1]):
                    p = self.index.pattern_of[other]
                    if self.sink[c, p] <= most and self.visited[p] != self.visit and self.assignment.size[p] > 0:
                        self.visited[p] = self.visit
                        self.from_entry[p], self.to_entry[p] = home, other
                        self.queue[tail] = p
                        tail += 1
                        if self.index.cost[p] < best_cost and self.moves.may_take(p, c):
                            best, best_cost = p, self.index.cost[p]
                home = -1 if head == 1 else self.assignment.members.after[home]
        if best_cost > enough:
            for i in range(1, tail):
                self.sink[c, self.queue[i]] = max(self.sink[c, self.queue[i]], best_cost if best >= 0 else most + 1)
        return best

    @cython.cfunc
    @cython.nogil
    def has_room(self) -> cython.bint:
        """Say whether another chain can be remembered, however long."""
        return self.assignment.logged + 4 * MOST_VISITED <= self.assignment.log_entry.shape[0]
