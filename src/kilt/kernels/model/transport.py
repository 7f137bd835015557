"""Minimum-cost flow between two distributions under a metric: successive shortest paths, in integers."""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import IntArray

FAR = cython.declare(cython.longlong, 1 << 62)


@cython.cclass
class Transport:
    """What moving rows between values costs, with scratch space.

    ``difference`` has for every value how much is too much there, and is used up; ``path_cost`` and ``origin`` what a
    path to a value costs and where it comes from; ``flow`` what is sent from value to value.
    """

    def __init__(self, distance: IntArray) -> None:
        size = len(distance)
        self.distance = np.ascontiguousarray(distance, dtype=np.int64)
        self.difference, self.path_cost, self.origin = np.zeros((3, size), dtype=np.int64)
        self.flow = np.zeros((size, size), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    def cost(self) -> cython.longlong:
        """Return the least cost of moving the differences, which sum up to 0, to nothing.

        What is too much goes to where something is missing, along a cheapest path of values between which something
        may be sent or sent back; so the flow is always a cheapest one for what is sent.
        """
        size = self.difference.shape[0]
        for u in range(size):
            for v in range(size):
                self.flow[u, v] = 0
        work: cython.longlong = 0
        for source in range(size):
            while self.difference[source] > 0:
                self.find_paths(source)
                sink: cython.Py_ssize_t = -1
                least = FAR
                for v in range(size):
                    if self.difference[v] < 0 and self.path_cost[v] < least:
                        sink, least = v, self.path_cost[v]
                work += least * self.send(source, sink)
        return work

    @cython.cfunc
    @cython.nogil
    def send(self, source: cython.Py_ssize_t, sink: cython.Py_ssize_t) -> cython.longlong:
        """Send as much as fits along the path from a value to another, and return how much."""
        sent: cython.longlong = min(self.difference[source], -self.difference[sink])
        v = sink
        while v != source:
            before: cython.Py_ssize_t = self.origin[v]
            back = self.flow[v, before]
            if back > 0:
                sent = min(sent, back)
            v = before
        v = sink
        while v != source:
            before = self.origin[v]
            if self.flow[v, before] > 0:
                self.flow[v, before] -= sent
            else:
                self.flow[before, v] += sent
            v = before
        self.difference[source] -= sent
        self.difference[sink] += sent
        return sent

    @cython.cfunc
    @cython.nogil
    def find_paths(self, source: cython.Py_ssize_t) -> cython.void:
        """Find the cheapest paths from a value: sending costs the distance, sending back returns it."""
        size = self.difference.shape[0]
        for v in range(size):
            self.path_cost[v] = FAR
        self.path_cost[source] = 0
        changed: cython.bint = True
        while changed:
            changed = False
            for u in range(size):
                here = self.path_cost[u]
                if here == FAR:
                    continue
                for v in range(size):
                    step: cython.longlong = self.distance[u, v]
                    cost = here - step if self.flow[v, u] > 0 else here + step
                    if cost < self.path_cost[v] and u != v:
                        self.path_cost[v] = cost
                        self.origin[v] = u
                        changed = True


def each_transported(distance: IntArray, differences: IntArray) -> IntArray:
    """Return the least cost of transport for each row of differences, under a matrix of distances."""
    transport = Transport(distance)
    given: cython.longlong[:, ::1] = np.ascontiguousarray(differences, dtype=np.int64)
    work = np.empty(len(differences), dtype=np.int64)
    found: cython.longlong[::1] = work
    with cython.nogil:
        for i in range(given.shape[0]):
            for v in range(given.shape[1]):
                transport.difference[v] = given[i, v]
            found[i] = transport.cost()
    return work
