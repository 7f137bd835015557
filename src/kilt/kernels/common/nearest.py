"""Distances of rows by brute force: the distance of two rows is what their pattern costs a row.

``codes`` has a row for every column; the other numbers are those of ``Ladders``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from kilt.kernels.lean import lean
from kilt.numbers import IntArray

ITSELF = 1 << 60


class Ladders(NamedTuple):
    """``shown[j, h, code]`` is the code of column j at level h, which costs ``costs[j, h]``; ``tops[j]`` is the top."""

    shown: IntArray
    costs: IntArray
    tops: IntArray


@lean
def agreeing(shown: IntArray, tops: IntArray, j: int, h: int, a: int, b: int) -> int:  # pragma: no cover - compiled
    """Return the lowest level, from h on, at which two codes of column j look the same."""
    while a != b and h < tops[j] and shown[j, h, a] != shown[j, h, b]:
        h += 1
    return h


@njit(cache=True, nogil=True)
def distances(
    codes: IntArray, shown: IntArray, costs: IntArray, tops: IntArray, u: int
) -> IntArray:  # pragma: no cover - compiled
    """Return the distances of all rows from row u; by tables where values are few, which is faster than branches."""
    far = np.zeros(codes.shape[1], dtype=np.int64)
    table = np.empty(shown.shape[2], dtype=np.int64)
    for j in range(len(codes)):
        a = codes[j, u]
        if len(table) > len(far):
            for v in range(len(far)):
                far[v] += costs[j, agreeing(shown, tops, j, 0, a, codes[j, v])]
            continue
        for b in range(len(table)):
            table[b] = costs[j, agreeing(shown, tops, j, 0, a, b)]
        for v in range(len(far)):
            far[v] += table[codes[j, v]]
    return far


@njit(cache=True, nogil=True)
def nearest_outside(
    codes: IntArray, shown: IntArray, costs: IntArray, tops: IntArray, part: IntArray, u: int
) -> int:  # pragma: no cover - compiled
    """Return the row that is nearest to row u, of those in another part."""
    far = distances(codes, shown, costs, tops, u)
    best, found = np.iinfo(np.int64).max, -1
    for v in range(len(far)):
        if far[v] < best and part[v] != part[u]:
            best, found = far[v], v
    return found


@njit(cache=True, nogil=True)
def count_within(
    codes: IntArray, shown: IntArray, costs: IntArray, tops: IntArray, near: IntArray, u: int, copies: int
) -> None:  # pragma: no cover - compiled
    """Add copies of row u to what every row v has ``near[v, d]`` of at distance d."""
    far = distances(codes, shown, costs, tops, u)
    for v in range(len(far)):
        near[v, far[v]] += copies


@njit(cache=True, nogil=True)
def nearest_of_all(codes: IntArray, ladders: Ladders, near: IntArray) -> None:  # pragma: no cover - compiled
    """Write for every row the others that are nearest, from near to far, as many as there is room for."""
    number = near.shape[1]
    for u in range(codes.shape[1]):
        far = distances(codes, ladders.shown, ladders.costs, ladders.tops, u)
        far[u] = ITSELF
        limit = np.partition(far, number - 1)[number - 1]
        found = np.empty(number, dtype=np.int64)
        closer = 0
        for v in range(len(far)):
            if far[v] < limit:
                found[closer] = v
                closer += 1
        v = 0
        for i in range(closer, number):
            while far[v] != limit:
                v += 1
            found[i] = v
            v += 1
        near[u] = found[np.argsort(far[found], kind="mergesort")]
