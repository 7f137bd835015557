"""Moves by chains: groups grow by rows from dear ones far away, or dissolve."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.model.rules import ClassCounts
from cython.cimports.kilt.kernels.search.chains import Chains
from cython.cimports.kilt.kernels.search.moves import INFEASIBLE_COST, Moves
from cython.cimports.libc.math import log

GROWTHS = cython.declare(cython.double, 0.7)  # the share of moves in which groups grow; in the others they dissolve
MOST_ADDED = cython.declare(cython.longlong, 60)  # rows by which a group grows
MOST_DISSOLVED = cython.declare(cython.longlong, 500)  # rows of a group that leave one by one
NOISE = cython.declare(cython.double, 0.2)  # rows by which violations seem larger, at random
MOST_WEIGHT = cython.declare(cython.double, 0.5)  # rows of violation that a star is worth, at most
UNTIL_REFRESHED = cython.declare(cython.longlong, 2_500)  # moves after which the ends of chains are looked for again


@cython.cclass
class ChainMoves:
    """The moves by chains of one worker.

    In a move, ``spare[c]`` more rows of a class could come to a pattern, each of which saves about ``saving[c]``, and
    ``wanted[c]`` shall come; ``trial`` counts its rows with these. ``tried`` counts the moves.
    """

    def __init__(self, moves: Moves) -> None:
        self.index, self.assignment, self.rules, self.random = moves.index, moves.assignment, moves.rules, moves.random
        self.moves, self.chains, self.tried = moves, Chains(moves), 0
        self.classes = self.index.classes
        self.saving = np.zeros(self.classes)
        self.spare, self.wanted = np.zeros((2, self.classes), dtype=np.int64)
        self.trial, self.trial_size = ClassCounts(np.zeros((1, self.classes), dtype=np.int64)), 0

    def forget_all(self) -> None:
        """Forget where chains begin and end."""
        self.tried = 0

    def anneal(
        self,
        patterns: cython.longlong[::1],
        row_types: cython.longlong[::1],
        moves: cython.longlong,
        temperature: cython.double,
        max_closed_size: cython.longlong,
    ) -> None:
        """Try so many moves of these patterns and row types; only groups of up to so many rows are closed."""
        with cython.nogil:
            for _ in range(moves):
                self.try_move(patterns, row_types, temperature, max_closed_size)

    @cython.cfunc
    @cython.nogil
    def try_move(
        self,
        patterns: cython.longlong[::1],
        row_types: cython.longlong[::1],
        temperature: cython.double,
        max_closed_size: cython.longlong,
    ) -> cython.void:
        """Try a move, and keep it if it costs at most a random accepted increase."""
        if self.tried % UNTIL_REFRESHED == 0:
            self.look_around()
        self.tried += 1
        self.moves.stamp += 1
        self.assignment.logged = 0
        before = self.assignment.cost
        accepted_increase = -temperature * self.rules.unit * log(1.0 - self.random.draw())
        done = self.try_one(patterns, row_types, accepted_increase, max_closed_size)
        if done and self.assignment.cost - before <= accepted_increase:
            self.moves.forget()
        else:
            self.assignment.undo()

    @cython.cfunc
    @cython.nogil
    def try_one(
        self,
        patterns: cython.longlong[::1],
        row_types: cython.longlong[::1],
        most: cython.double,
        max_closed_size: cython.longlong,
    ) -> cython.bint:
        """Try one of the moves, at a cost of at most about so much; say whether it was done."""
        if self.random.draw() < GROWTHS:
            return self.grow(patterns[self.random.draw_below(patterns.shape[0])], most)
        u = row_types[self.random.draw_below(row_types.shape[0])]
        q = self.index.pattern_of[self.assignment.homes.head[u]]
        if self.assignment.size[q] > min(max_closed_size, MOST_DISSOLVED) or self.index.cost[q] == 0:
            return False
        return self.dissolve(q, most)

    @cython.cfunc
    @cython.nogil
    def look_around(self) -> cython.void:
        """Look for the ends of chains again, and follow those that save something."""
        for c in range(self.classes):
            self.chains.find_sources(c)
            self.follow(c)
            self.chains.find_sinks(c)

    @cython.cfunc
    @cython.nogil
    def follow(self, c: cython.Py_ssize_t) -> cython.void:
        """Follow the chains of a class that save something."""
        for p in range(self.index.cost.shape[0]):
            if self.assignment.size[p] > 0 and self.chains.source[c, p] > self.index.cost[p]:
                self.moves.stamp += 1
                self.assignment.logged = 0
                saves: cython.double = self.index.cost[p] + 1
                if self.moves.may_take(p, c) and self.chains.pull(p, c, saves, self.chains.source[c, p]) >= 0:
                    self.moves.forget()

    @cython.cfunc
    @cython.nogil
    def grow(self, p: cython.Py_ssize_t, most: cython.double) -> cython.bint:
        """Let rows come to p by chains from dear groups, as few as make it legal; say whether it was done."""
        self.rate_classes(p)
        saved: cython.double = self.choose(p)
        cost: cython.double = self.index.cost[p]
        if saved < -most:
            return False
        for c in range(self.classes):
            while self.wanted[c] > 0:
                self.wanted[c] -= 1
                saved -= self.saving[c]
                least: cython.double = cost - most - saved
                found = self.chains.pull(p, c, least, cost + self.saving[c]) if self.chains.has_room() else -1.0
                if found < 0:
                    return False
                saved += found - cost
        return True

    @cython.cfunc
    @cython.nogil
    def rate_classes(self, p: cython.Py_ssize_t) -> cython.void:
        """Note for every class how many rows could come to p, and what the best of them saves."""
        for c in range(self.classes):
            self.saving[c], self.spare[c], self.wanted[c] = -INFEASIBLE_COST, 0, 0
            of_class = p * self.classes + c
            for at in range(self.index.class_start[of_class], self.index.class_start[of_class + 1]):
                u = self.index.covered[at]
                only = self.assignment.only_home[u]
                h = self.assignment.homes.head[u]
                while h >= 0:
                    q = only if only >= 0 else self.index.pattern_of[h]
                    if q != p and self.chains.source[c, q] >= 0:
                        self.spare[c] += self.assignment.copies[h]
                        self.saving[c] = max(self.saving[c], self.chains.source[c, q] - self.index.cost[p])
                    h = -1 if only >= 0 else self.assignment.homes.after[h]

    @cython.cfunc
    @cython.nogil
    def choose(self, p: cython.Py_ssize_t) -> cython.double:
        """Choose how many rows of each class shall come, at least one, to a legal group; return what that may save."""
        self.trial_size = self.assignment.size[p]
        for c in range(self.classes):
            self.trial.of[0, c] = self.assignment.by_class.of[p, c]
        saved: cython.double = 0.0
        weight = self.random.draw() * MOST_WEIGHT / self.rules.unit
        for _ in range(MOST_ADDED):
            c = self.choose_class(weight)
            if c < 0:
                return -INFEASIBLE_COST
            self.trial.of[0, c] += 1
            self.trial_size += 1
            self.spare[c] -= 1
            self.wanted[c] += 1
            saved += self.saving[c]
            if self.rules.violation(self.trial, 0, self.trial_size) == 0.0:
                return saved
        return -INFEASIBLE_COST

    @cython.cfunc
    @cython.nogil
    def choose_class(self, weight: cython.double) -> cython.Py_ssize_t:
        """Return the class of which one more row leads nearest to a legal group, or saves most; -1 if there is none."""
        best: cython.double = INFEASIBLE_COST
        chosen: cython.Py_ssize_t = -1
        for c in range(self.classes):
            if self.spare[c] > 0:
                self.trial.of[0, c] += 1
                score = self.rules.violation(self.trial, 0, self.trial_size + 1)
                self.trial.of[0, c] -= 1
                score += NOISE * self.random.draw() - weight * self.saving[c]
                if score < best:
                    best, chosen = score, c
        return chosen

    @cython.cfunc
    @cython.nogil
    def dissolve(self, q: cython.Py_ssize_t, most: cython.double) -> cython.bint:
        """Let all rows of q leave by chains, if that seems to cost at most so much; say whether they did."""
        cost: cython.double = self.index.cost[q]
        extra: cython.double = 0.0
        for c in range(self.classes):
            e = self.assignment.members.head[q * self.classes + c]
            while e >= 0:
                other = self.cost_elsewhere(e)
                if other == INFEASIBLE_COST:
                    return False
                extra += self.assignment.copies[e] * (other - cost)
                e = self.assignment.members.after[e]
        if extra > most:
            return False
        for c in range(self.classes):
            while self.assignment.by_class.of[q, c] > 0:
                e = self.assignment.members.head[q * self.classes + c]
                other = self.cost_elsewhere(e)
                extra -= other - cost
                found = self.chains.push(e, cost + most - extra, other) if self.chains.has_room() else -1.0
                if found < 0:
                    return False
                extra += found - cost
        return True

    @cython.cfunc
    @cython.nogil
    def cost_elsewhere(self, e: cython.Py_ssize_t) -> cython.double:
        """Return what a row would pay if it left its group by a chain to the cheapest sink that is known."""
        u, q = self.index.row_type_of[e], self.index.pattern_of[e]
        c = self.index.sensitive_class[u]
        least: cython.double = INFEASIBLE_COST
        for other in range(self.index.starts[u], self.index.starts[u + 1]):
            p = self.index.pattern_of[other]
            if p != q and self.assignment.size[p] > 0:
                least = min(least, self.chains.sink[c, p])
        return least
