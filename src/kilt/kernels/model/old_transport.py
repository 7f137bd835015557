"""Minimum-cost flow between two distributions under a metric: successive shortest paths, in integers."""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.kernels.lean import lean
from kilt.numbers import IntArray

FAR = 1 << 62


@lean
def transported(distance: IntArray, base: int, size: int, room: IntArray) -> int:  # pragma: no cover - compiled
    """Return the least cost of moving the differences at the start of ``room``, which sum up to 0, to nothing.

    The distance of i and j is ``distance[base + i * size + j]``. What is too much goes to where something is missing,
    along a cheapest path of values between which something may be sent or sent back; so the flow is always a cheapest
    one for what is sent. Behind the differences, ``room`` has the costs of paths, where they come from, and the flow.
    """
    cost, origin, flow = size, 2 * size, 3 * size
    for i in range(size * size):
        room[flow + i] = 0
    work = 0
    for source in range(size):
        while room[source] > 0:
            _paths(distance, base, size, room, source)
            sink, least = -1, FAR
            for v in range(size):
                if room[v] < 0 and room[cost + v] < least:
                    sink, least = v, room[cost + v]
            sent, v = min(room[source], -room[sink]), sink
            while v != source:
                before = room[origin + v]
                back = room[flow + v * size + before]
                sent = min(sent, back) if back > 0 else sent
                v = before
            v = sink
            while v != source:
                before = room[origin + v]
                if room[flow + v * size + before] > 0:
                    room[flow + v * size + before] -= sent
                else:
                    room[flow + before * size + v] += sent
                v = before
            room[source] -= sent
            room[sink] += sent
            work += sent * least
    return work


@lean
def _paths(
    distance: IntArray, base: int, size: int, room: IntArray, source: int
) -> None:  # pragma: no cover - compiled
    """Find the cheapest paths from a value: to send costs the distance, to send back what was sent gives it back."""
    cost, origin, flow = size, 2 * size, 3 * size
    for v in range(size):
        room[cost + v] = FAR
    room[cost + source] = 0
    changed = True
    while changed:
        changed = False
        for u in range(size):
            if room[cost + u] == FAR:
                continue
            for v in range(size):
                step = distance[base + u * size + v]
                if room[flow + v * size + u] > 0:
                    step = -step
                if u != v and room[cost + u] + step < room[cost + v]:
                    room[cost + v] = room[cost + u] + step
                    room[origin + v] = u
                    changed = True


@njit(cache=True, nogil=True)
def each_transported(distance: IntArray, differences: IntArray) -> IntArray:  # pragma: no cover - compiled
    """Return the least cost of transport for each row of differences, under a matrix of distances."""
    size = differences.shape[1]
    flat, room = distance.ravel(), np.empty(3 * size + size * size, dtype=np.int64)
    work = np.empty(len(differences), dtype=np.int64)
    for i in range(len(differences)):
        room[:size] = differences[i]
        work[i] = transported(flat, 0, size, room)
    return work
