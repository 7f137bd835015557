"""A first partition by multipliers: all rows are in one group, and those groups leave it that save most, legally."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.search.assignment import Assignment, CoverIndex
from cython.cimports.kilt.kernels.search.moves import INFEASIBLE_COST, Moves
from cython.cimports.kilt.kernels.search.offers import Offers

from kilt.numbers import FloatArray

LEAST = cython.declare(cython.double, 1e-6)  # what a group must save: multipliers are floats here, with errors


@cython.final
@cython.cclass
class PatternHeap:
    """Patterns by falling savings, and by their number where these are the same (a binary heap)."""

    saved: cython.double[::1]
    pattern: cython.longlong[::1]
    number: cython.Py_ssize_t

    def __init__(self, savings: FloatArray) -> None:
        """Begin with the patterns that may save something."""
        order = np.argsort(-savings, kind="stable")[: np.count_nonzero(savings > LEAST)]
        self.saved, self.pattern, self.number = savings[order], order, len(order)

    @cython.cfunc
    @cython.nogil
    def comes_before(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.bint:
        """Compare two places of the heap."""
        if self.saved[a] != self.saved[b]:
            return self.saved[a] > self.saved[b]
        return self.pattern[a] < self.pattern[b]

    @cython.cfunc
    @cython.nogil
    def swap(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.void:
        """Exchange what is at two places."""
        self.saved[a], self.saved[b] = self.saved[b], self.saved[a]
        self.pattern[a], self.pattern[b] = self.pattern[b], self.pattern[a]

    @cython.cfunc
    @cython.nogil
    def sift_first(self) -> cython.void:
        """Move what is at the first place down to where it belongs."""
        at: cython.Py_ssize_t = 0
        while 2 * at + 1 < self.number:
            child: cython.Py_ssize_t = 2 * at + 1
            if child + 1 < self.number and self.comes_before(child + 1, child):
                child += 1
            if not self.comes_before(child, at):
                break
            self.swap(at, child)
            at = child

    @cython.cfunc
    @cython.nogil
    def lower_first(self, saved: cython.double) -> cython.void:
        """Say how much the first pattern saves, which is at most what was thought."""
        self.saved[0] = saved
        self.sift_first()

    @cython.cfunc
    @cython.nogil
    def remove_first(self) -> cython.void:
        """Take out the first pattern."""
        self.number -= 1
        self.swap(0, self.number)
        self.sift_first()

    @cython.cfunc
    @cython.nogil
    def second_saving(self) -> cython.double:
        """Return the savings of the pattern after the first; nothing is less than what it is if there is none."""
        if self.number < 2:
            return -INFEASIBLE_COST
        return max(self.saved[1], self.saved[2]) if self.number > 2 else self.saved[1]


@cython.final
@cython.cclass
class Building:
    """Forms groups, guided by multipliers, from the rows under the last pattern.

    The last pattern covers all row types, and its entry is the last of each; ``left`` has the copies that are there.
    """

    index: CoverIndex
    assignment: Assignment
    moves: Moves
    offers: Offers
    left: cython.longlong[::1]

    def __init__(self, moves: Moves, offers: Offers) -> None:
        self.index, self.assignment, self.moves, self.offers = moves.index, moves.assignment, moves, offers
        self.left = np.asarray(self.assignment.copies)[np.asarray(self.index.starts)[1:] - 1]

    def build(self, multipliers: FloatArray) -> None:
        """Form the group of least reduced cost at these multipliers again and again.

        Patterns wait with the most that they can save, by all rows that save something whether legal or not, and what
        they do save is found when they are next.
        """
        multiplier: cython.double[::1] = multipliers
        savings = np.zeros(len(self.index.cost) - 1)
        self.add_up_savings(multiplier, savings)
        heap = PatternHeap(savings)
        with cython.nogil:
            while heap.number > 0:
                p = heap.pattern[0]
                second = heap.second_saving()
                most = self.list_rest(p, multiplier)
                saved: cython.double = min(most, heap.saved[0])
                if saved > LEAST and saved >= second:
                    saved = min(saved, most - self.offers.choose(p, most))
                if saved > LEAST and (saved < second or self.form_group()):
                    heap.lower_first(saved)
                else:
                    heap.remove_first()

    @cython.cfunc
    def add_up_savings(self, multiplier: cython.double[::1], savings: cython.double[::1]) -> cython.void:
        """Add up for every pattern what the rows of the rest save that save something; those of a type end early."""
        with cython.nogil:
            for u in range(self.left.shape[0]):
                if self.left[u] == 0:
                    continue
                for e in range(self.index.starts[u], self.index.starts[u + 1] - 1):
                    net = multiplier[u] - self.index.cost[self.index.pattern_of[e]]
                    if net <= 0.0:
                        break
                    savings[self.index.pattern_of[e]] += self.left[u] * net

    @cython.cfunc
    @cython.nogil
    def list_rest(self, p: cython.Py_ssize_t, multiplier: cython.double[::1]) -> cython.double:
        """List the rows of the rest that fit under p as offers; return the most that they save."""
        most: cython.double = 0.0
        number: cython.Py_ssize_t = 0
        for i in range(self.index.first[p], self.index.first[p + 1]):
            u = self.index.covered[i]
            if self.left[u] > 0 and number < self.offers.room:
                net = multiplier[u] - self.index.cost[p]
                self.offers.home[number], self.offers.entry[number] = (
                    self.index.starts[u + 1] - 1,
                    self.index.entries[i],
                )
                self.offers.free[number], self.offers.net[number] = self.left[u], net
                self.offers.sensitive_class[number] = self.index.sensitive_class[u]
                most += self.left[u] * max(0.0, net)
                number += 1
        self.offers.number = number
        return most

    @cython.cfunc
    @cython.nogil
    def form_group(self) -> cython.bint:
        """Move the chosen rows if the rest stays legal; say whether it was done."""
        self.assignment.logged = 0
        for i in range(self.offers.number):
            if self.offers.chosen[i] > 0:
                self.assignment.move(self.offers.home[i], self.offers.entry[i], self.offers.chosen[i])
        if self.assignment.logged == 0:
            return False
        if not self.moves.stays_legal(self.index.cost.shape[0] - 1, 0, 0):
            self.assignment.undo()
            return False
        for i in range(self.offers.number):
            self.left[self.index.row_type_of[self.offers.home[i]]] = self.assignment.copies[self.offers.home[i]]
        return True
