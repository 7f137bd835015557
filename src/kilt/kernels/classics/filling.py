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
    """Draws groups from the copies that are ``left`` of row types, each of a bucket; ``wanted`` is what one lacks."""

    pattern: TightestPattern
    bucket_of: cython.longlong[::1]
    left: cython.longlong[::1]
    order: cython.longlong[::1]
    wanted: cython.longlong[::1]

    def __init__(self, codes: IntArray, ladders: Ladders, bucket_of: IntArray, left: IntArray) -> None:
        self.pattern = TightestPattern(codes, ladders)
        self.bucket_of, self.left = np.ascontiguousarray(bucket_of, dtype=np.int64), left

    def fill(self, order: IntArray, wanted: IntArray) -> tuple[IntArray, IntArray]:
        """Draw a group with ``wanted[b]`` rows of bucket b; return its row types and copies, which are left no more.

        It begins with the first row type in this order.
        """
        self.order, self.wanted = order, np.array(wanted, dtype=np.int64)
        missing: cython.longlong = wanted.sum()
        types, counts = np.empty((2, wanted.sum()), dtype=np.int64)
        types_: cython.longlong[::1] = types
        counts_: cython.longlong[::1] = counts
        number: cython.Py_ssize_t = 0
        with cython.nogil:
            while missing > 0:
                u = self.first() if number == 0 else self.nearest()
                if u < 0:
                    break
                if number == 0:
                    self.pattern.start(u)
                else:
                    self.pattern.cover(u)
                copies = min(self.left[u], self.wanted[self.bucket_of[u]])
                types_[number], counts_[number] = u, copies
                self.left[u] -= copies
                self.wanted[self.bucket_of[u]] -= copies
                missing -= copies
                number += 1
        return types[:number], counts[:number]

    @cython.cfunc
    @cython.nogil
    def first(self) -> cython.Py_ssize_t:
        """Return the first row type that may be drawn; -1 if there is none."""
        for i in range(self.order.shape[0]):
            if self.may_draw(self.order[i]):
                return self.order[i]
        return -1

    @cython.cfunc
    @cython.nogil
    def nearest(self) -> cython.Py_ssize_t:
        """Return the first row type that raises the cost of the pattern least; -1 if none may be drawn."""
        found: cython.Py_ssize_t = -1
        least: cython.longlong = FAR
        now = self.pattern.cost_with(self.pattern.first)
        for i in range(self.order.shape[0]):
            u = self.order[i]
            if self.may_draw(u):
                cost = self.pattern.cost_with(u)
                if cost < least:
                    least, found = cost, u
                    if cost == now:
                        break
        return found

    @cython.cfunc
    @cython.nogil
    def may_draw(self, u: cython.Py_ssize_t) -> cython.bint:
        """Say whether copies of a row type are left and wanted."""
        return self.left[u] > 0 and self.wanted[self.bucket_of[u]] > 0
