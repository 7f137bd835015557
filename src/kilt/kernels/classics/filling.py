"""Filling a group with nearby rows: the row that raises the cost of its pattern least comes next."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.common.nearest import TightestPattern

from kilt.kernels.common.nearest import Ladders
from kilt.numbers import IntArray

FAR = cython.declare(cython.longlong, 1 << 62)


@cython.final
@cython.cclass
class Filling:
    """Draws groups from the copies that are ``left`` of row types, each of a bucket; ``wanted`` is what one lacks.

    ``waiting`` are the row types of which copies are left, ``n_waiting`` of them, in the order in which all are given.
    """

    pattern: TightestPattern
    bucket_of: cython.longlong[::1]
    left: cython.longlong[::1]
    wanted: cython.longlong[::1]
    waiting: cython.longlong[::1]
    n_waiting: cython.Py_ssize_t

    def __init__(self, codes: IntArray, ladders: Ladders, bucket_of: IntArray, counts: IntArray) -> None:
        self.pattern = TightestPattern(codes, ladders)
        self.bucket_of, self.left = np.array(bucket_of, dtype=np.int64), np.array(counts, dtype=np.int64)
        self.waiting, self.n_waiting = np.arange(len(counts)), len(counts)

    def fill(self, wanted: IntArray) -> tuple[IntArray, IntArray]:
        """Draw a group with ``wanted[b]`` rows of bucket b; return its row types and copies, which are left no more.

        It begins with the first row type that may be drawn.
        """
        missing: cython.longlong = wanted.sum()
        types, counts = np.empty((2, missing), dtype=np.int64)
        types_: cython.longlong[::1] = types
        counts_: cython.longlong[::1] = counts
        number: cython.Py_ssize_t = 0
        self.wanted = np.array(wanted, dtype=np.int64)
        with cython.nogil:
            self.drop_empty()
            while missing > 0:
                u = self.first() if number == 0 else self.nearest()
                if u < 0:
                    break
                copies = min(self.left[u], self.wanted[self.bucket_of[u]])
                self.left[u] -= copies
                self.wanted[self.bucket_of[u]] -= copies
                types_[number], counts_[number] = u, copies
                number += 1
                missing -= copies
        return types[:number], counts[:number]

    @cython.cfunc
    @cython.nogil
    def drop_empty(self) -> cython.void:
        """Let row types of which no copies are left wait no more."""
        number: cython.Py_ssize_t = 0
        for i in range(self.n_waiting):
            u = self.waiting[i]
            self.waiting[number] = u
            number += self.left[u] > 0
        self.n_waiting = number

    @cython.cfunc
    @cython.nogil
    def first(self) -> cython.Py_ssize_t:
        """Begin with the first row type that may be drawn, and return it; -1 if there is none."""
        for i in range(self.n_waiting):
            u = self.waiting[i]
            if self.may_draw(u):
                self.pattern.start(u)
                return u
        return -1

    @cython.cfunc
    @cython.nogil
    def nearest(self) -> cython.Py_ssize_t:
        """Cover the first row type that raises the cost of the pattern least, and return it; -1 if there is none."""
        found: cython.Py_ssize_t = -1
        least: cython.longlong = FAR
        now = self.pattern.cost_with(self.pattern.first)
        for i in range(self.n_waiting):
            u = self.waiting[i]
            if self.may_draw(u):
                cost = self.pattern.cost_with(u)
                if cost < least:
                    least, found = cost, u
                    if cost == now:
                        break
        if found >= 0:
            self.pattern.cover(found)
        return found

    @cython.cfunc
    @cython.nogil
    def may_draw(self, u: cython.Py_ssize_t) -> cython.bint:
        """Say whether copies of a row type are left and wanted."""
        return self.left[u] > 0 and self.wanted[self.bucket_of[u]] > 0
