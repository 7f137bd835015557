"""Opening a pattern: rows that save something move in, and donor groups that do not pay off without them are closed.

The savings are estimated first, from what is remembered of the groups nearby; only what looks good enough is done.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.search.moves import INFEASIBLE_COST, Moves
from cython.cimports.kilt.kernels.search.offers import Offers

DEAREST = cython.declare(cython.longlong, 3)  # stars that a row may pay more so that a group is legal
LOOKED_AT = cython.declare(
    cython.longlong, 30
)  # row types of a class among which a replacement for another is searched
FRESH = cython.declare(cython.double, 0.02)  # how often it is searched again
PATIENCE = cython.declare(cython.double, 0.5)  # stars by which keeping a group may seem better and it is yet closed


@cython.cclass
class Opening:
    """Opens patterns; a *donor* is a group that rows are taken from.

    By pattern: ``donor_stamp`` has the stamp of the move in which it is a donor, ``first_offer`` begins the list of its
    offers, linked by ``next_offer``, ``closes`` says that it is to be closed; ``refill`` and ``refill_home`` are for
    each sensitive class the entry, here and there, of a row that could replace one that leaves, and ``looked`` says
    after how many changes it was searched. Offers that are ``chained`` are replaced so.
    """

    def __init__(self, moves: Moves, offers: Offers) -> None:
        self.index, self.assignment, self.rules, self.random = moves.index, moves.assignment, moves.rules, moves.random
        self.moves, self.offers, self.n_donors = moves, offers, 0
        patterns, classes = len(self.index.cost), self.assignment.by_class.of.shape[1]
        self.donor, self.donor_stamp = np.zeros((2, patterns), dtype=np.int64)
        self.first_offer, self.next_offer = np.zeros(patterns, dtype=np.intp), np.zeros(offers.room, dtype=np.intp)
        self.closes, self.chained = np.zeros(patterns, dtype=np.uint8), np.zeros(offers.room, dtype=np.uint8)
        self.refill, self.refill_home = np.full((2, patterns, classes), -1, dtype=np.int32)
        self.looked = np.full(patterns, -1, dtype=np.int64)

    def forget_all(self) -> None:
        """Forget what could replace what."""
        np.asarray(self.refill).fill(-1)
        np.asarray(self.looked).fill(-1)

    @cython.cfunc
    @cython.nogil
    def open_pattern(self, p: cython.Py_ssize_t, max_closed_size: cython.longlong, most: cython.double) -> cython.bint:
        """Open a pattern, or let more rows come to it, if that seems to cost at most so much; say whether it was done.

        Only groups of up to ``max_closed_size`` rows are closed.
        """
        self.list_offers(p)
        most += self.estimate_savings(p, max_closed_size)
        if most < 0 or self.offers.choose(p, most) > most:
            return False
        return self.move_in(p) and self.repair_donors()

    @cython.cfunc
    @cython.nogil
    def list_offers(self, p: cython.Py_ssize_t) -> cython.void:
        """List the rows that fit under p and are elsewhere, by their groups."""
        first = self.index.first[p]
        span = self.index.first[p + 1] - first
        longest = self.offers.room // 2
        start: cython.longlong = self.random.draw_below(span) if span > longest else 0
        self.n_donors = self.offers.number = 0
        for i in range(min(span, longest)):
            at = first + start + i
            if start + i >= span:
                at -= span
            u = self.index.covered[at]
            only = self.assignment.only_home[u]
            h = self.assignment.homes.head[u]
            while h >= 0 and self.offers.number < self.offers.room and only != p:
                if only >= 0 or self.index.pattern_of[h] != p:
                    self.list_offer(h, self.index.entries[at], u)
                h = -1 if only >= 0 else self.assignment.homes.after[h]

    @cython.cfunc
    @cython.nogil
    def list_offer(self, home: cython.Py_ssize_t, entry: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.void:
        """Add an offer to those of its donor."""
        q, number = self.index.pattern_of[home], self.offers.number
        if self.donor_stamp[q] != self.moves.stamp:
            self.donor_stamp[q], self.first_offer[q], self.closes[q] = self.moves.stamp, -1, False
            self.donor[self.n_donors] = q
            self.n_donors += 1
        self.offers.home[number], self.offers.entry[number], self.chained[number] = home, entry, False
        self.offers.sensitive_class[number] = self.index.sensitive_class[u]
        self.next_offer[number] = self.first_offer[q]
        self.first_offer[q] = number
        self.offers.number = number + 1

    @cython.cfunc
    @cython.nogil
    def estimate_savings(self, p: cython.Py_ssize_t, max_closed_size: cython.longlong) -> cython.double:
        """Decide what every donor offers; return all that may be saved, less the cost of missing rows."""
        saved: cython.double = 0.0
        nearest: cython.double = -INFEASIBLE_COST
        size: cython.longlong = self.assignment.size[p]
        for d in range(self.n_donors):
            q = self.donor[d]
            saved += self.offered_by(q, p, max_closed_size)
            i: cython.Py_ssize_t = self.first_offer[q]
            while i >= 0:
                if self.offers.free[i] > 0 and self.offers.net[i] >= 0:
                    size += self.offers.free[i]
                elif self.offers.free[i] > 0:
                    nearest = max(nearest, self.offers.net[i])
                i = self.next_offer[i]
        missing = self.rules.min_group_size - size
        return saved if missing <= 0 else saved + missing * nearest

    @cython.cfunc
    @cython.nogil
    def offered_by(self, q: cython.Py_ssize_t, p: cython.Py_ssize_t, max_closed_size: cython.longlong) -> cython.double:
        """Decide what a donor offers; return what that saves."""
        each: cython.double = self.index.cost[q] - self.index.cost[p]
        free = self.offer_removable(q, each)
        best: cython.double = max(0.0, free * each)
        if each > 0 and self.assignment.size[q] <= max_closed_size:
            best += self.offer_all(q, self.index.cost[p], free, best)
        if not self.closes[q] and each > -DEAREST * self.rules.unit:
            best += self.offer_replaced(q, p, each)
        return best

    @cython.cfunc
    @cython.nogil
    def offer_removable(self, q: cython.Py_ssize_t, each: cython.double) -> cython.longlong:
        """Offer the rows that can leave q, one after the other, so that it stays legal; return how many."""
        total: cython.longlong = 0
        affordable: cython.bint = each >= -DEAREST * self.rules.unit
        i: cython.Py_ssize_t = self.first_offer[q]
        while i >= 0:
            free: cython.longlong = self.removable(q, i, total) if affordable else 0
            if not self.rules.size_only:
                self.assignment.size[q] -= free
                self.assignment.by_class.of[q, self.offers.sensitive_class[i]] -= free
            self.offers.free[i], self.offers.net[i] = free, each
            total += free
            i = self.next_offer[i]
        if not self.rules.size_only:
            i = self.first_offer[q]
            while i >= 0:
                self.assignment.size[q] += self.offers.free[i]
                self.assignment.by_class.of[q, self.offers.sensitive_class[i]] += self.offers.free[i]
                i = self.next_offer[i]
        return total

    @cython.cfunc
    @cython.nogil
    def removable(self, q: cython.Py_ssize_t, i: cython.Py_ssize_t, removed: cython.longlong) -> cython.longlong:
        """Return how many copies of an offer can leave q; so many have left before."""
        spare: cython.longlong = self.assignment.size[q] - self.rules.min_group_size
        if self.rules.size_only:
            spare -= removed
        spare = max(0, min(self.assignment.copies[self.offers.home[i]], spare))
        if self.rules.size_only or spare == 0:
            return spare
        if removed == 0:
            gives: cython.bint = self.moves.may_give(q, self.offers.sensitive_class[i])
            if not gives or spare == 1:
                return 1 if gives else 0
        return self.moves.most_copies(q, self.offers.sensitive_class[i], -1, spare)

    @cython.cfunc
    @cython.nogil
    def offer_all(
        self, q: cython.Py_ssize_t, cost: cython.longlong, free: cython.longlong, kept: cython.double
    ) -> cython.double:
        """Close q if that saves more than keeping it, or nearly, and offer all its rows; return what more is saved.

        A group that can spare all rows that fit is not closed.
        """
        rows: cython.longlong = 0
        i: cython.Py_ssize_t = self.first_offer[q]
        while i >= 0:
            rows += self.assignment.copies[self.offers.home[i]]
            i = self.next_offer[i]
        loss = self.moves.closing_cost(q) if rows > free else INFEASIBLE_COST
        if loss == INFEASIBLE_COST:
            return 0.0
        saved: cython.double = -loss
        i = self.first_offer[q]
        while i >= 0:
            h = self.offers.home[i]
            saved += self.assignment.copies[h] * max(0.0, self.moves.other_cost(self.index.row_type_of[h], q) - cost)
            i = self.next_offer[i]
        if saved <= kept - PATIENCE * self.rules.unit * self.random.draw():
            return 0.0
        self.closes[q] = True
        i = self.first_offer[q]
        while i >= 0:
            h = self.offers.home[i]
            self.offers.free[i] = self.assignment.copies[h]
            self.offers.net[i] = self.moves.other_cost(self.index.row_type_of[h], q) - cost
            i = self.next_offer[i]
        return saved - kept

    @cython.cfunc
    @cython.nogil
    def offer_replaced(self, q: cython.Py_ssize_t, p: cython.Py_ssize_t, each: cython.double) -> cython.double:
        """Offer one row that q cannot spare, if another of its sensitive class can replace it; return what is saved."""
        best: cython.double = -INFEASIBLE_COST
        found: cython.Py_ssize_t = -1
        i: cython.Py_ssize_t = self.first_offer[q]
        while i >= 0:
            if self.offers.free[i] == 0:
                net = each - self.replacement_cost(q, self.offers.sensitive_class[i], p)
                if net > best:
                    best, found = net, i
            i = self.next_offer[i]
        if found < 0 or best <= -DEAREST * self.rules.unit:
            return 0.0
        self.offers.free[found], self.offers.net[found], self.chained[found] = 1, best, True
        return max(0.0, best)

    @cython.cfunc
    @cython.nogil
    def replacement_cost(self, q: cython.Py_ssize_t, c: cython.Py_ssize_t, p: cython.Py_ssize_t) -> cython.double:
        """Return the cost of moving another row of a class into q, not from p; INFEASIBLE_COST if none can.

        The row is remembered, and searched again when it cannot come any more, and now and then; that there is none
        is remembered until something changes.
        """
        if self.refill[q, c] < 0 and self.looked[q] == self.moves.changes and self.assignment.logged == 0:
            return INFEASIBLE_COST
        if self.refill[q, c] >= 0 and self.random.draw() >= FRESH:
            h = self.refill_home[q, c]
            r = self.index.pattern_of[h]
            if self.assignment.copies[h] > 0 and p != r != q and self.moves.may_give(r, c):
                return self.index.cost[q] - self.index.cost[r]
        return self.find_replacement(q, c, p)

    @cython.cfunc
    @cython.nogil
    def find_replacement(self, q: cython.Py_ssize_t, c: cython.Py_ssize_t, p: cython.Py_ssize_t) -> cython.double:
        """Search the row of a class that can come to q, not from p, at least cost, and remember it; return the cost."""
        best: cython.double = INFEASIBLE_COST
        self.refill[q, c], self.looked[q] = -1, self.moves.changes
        first = self.index.class_start[q * self.index.classes + c]
        span = self.index.class_start[q * self.index.classes + c + 1] - first
        start: cython.longlong = self.random.draw_below(span) if span > LOOKED_AT else 0
        for i in range(min(span, LOOKED_AT)):
            at = first + start + i
            if start + i >= span:
                at -= span
            u = self.index.covered[at]
            only = self.assignment.only_home[u]
            h = self.assignment.homes.head[u]
            while h >= 0:
                r = only if only >= 0 else self.index.pattern_of[h]
                extra = self.index.cost[q] - self.index.cost[r]
                is_near: cython.bint = p != r != q and extra < best and extra <= DEAREST * self.rules.unit
                if is_near and self.moves.may_give(r, c):
                    best = extra
                    self.refill[q, c], self.refill_home[q, c] = self.index.entries[at], h
                h = -1 if only >= 0 else self.assignment.homes.after[h]
        return best

    @cython.cfunc
    @cython.nogil
    def move_in(self, p: cython.Py_ssize_t) -> cython.bint:
        """Move the chosen rows, then those that others replace; say whether all could come."""
        for i in range(self.offers.number):
            if self.offers.chosen[i] > 0 and not self.chained[i]:
                self.assignment.move(self.offers.home[i], self.offers.entry[i], self.offers.chosen[i])
        for i in range(self.offers.number):
            if self.offers.chosen[i] > 0 and self.chained[i]:
                h = self.offers.home[i]
                q, c = self.index.pattern_of[h], self.offers.sensitive_class[i]
                if self.assignment.copies[h] == 0 or self.replacement_cost(q, c, p) == INFEASIBLE_COST:
                    return False
                self.assignment.move(self.refill_home[q, c], self.refill[q, c], 1)
                self.assignment.move(h, self.offers.entry[i], 1)
        return self.assignment.logged > 0

    @cython.cfunc
    @cython.nogil
    def repair_donors(self) -> cython.bint:
        """Make all donors legal: close those that are to be closed, repair the others."""
        for d in range(self.n_donors):
            if self.closes[self.donor[d]]:
                self.moves.banned[self.donor[d]] = self.moves.stamp
        for d in range(self.n_donors):
            if not self.closes[self.donor[d]] and not self.moves.repair(self.donor[d]):
                return False
        for d in range(self.n_donors):
            q = self.donor[d]
            if self.closes[q] and self.assignment.size[q] > 0 and not self.moves.close(q):
                return False
        return True
