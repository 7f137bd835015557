"""How far rows are from a row, by brute force: a row is as far as the pattern of the two costs.

``codes`` has a row for every column. ``shown[j, h, code]`` is the code of column j at level h, which costs
``costs[j, h]``; at level ``tops[j]`` all are alike.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.numbers import IntArray


@njit(cache=True, nogil=True)
def distances(
    codes: IntArray, shown: IntArray, costs: IntArray, tops: IntArray, u: int
) -> IntArray:  # pragma: no cover - compiled
    """Return how far all rows are from row u; by tables, since branches cost more than what they would spare."""
    far = np.zeros(codes.shape[1], dtype=np.int64)
    table = np.empty(shown.shape[2], dtype=np.int64)
    for j in range(len(codes)):
        a = codes[j, u]
        for b in range(len(table)):
            h = 0
            while h < tops[j] and shown[j, h, a] != shown[j, h, b]:
                h += 1
            table[b] = costs[j, h]
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
