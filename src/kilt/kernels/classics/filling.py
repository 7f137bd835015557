"""Filling a group with nearby rows: the row that raises the cost of its pattern least comes next."""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.kernels.lean import lean
from kilt.numbers import IntArray


@njit(cache=True, nogil=True)
def filled(
    codes: IntArray,
    shown: IntArray,
    costs: IntArray,
    bucket_of: IntArray,
    order: IntArray,
    left: IntArray,
    wanted: IntArray,
) -> tuple[IntArray, IntArray]:  # pragma: no cover - compiled
    """Draw a group: ``wanted[b]`` rows of bucket b from the copies that are ``left``; return its row types and copies.

    The first row type in this order is its seed. ``shown[j, h, code]`` is the code of column j at level h, which costs
    ``costs[j, h]``. What is drawn is left and wanted no more.
    """
    missing = wanted.sum()
    types, counts = np.empty(missing, dtype=np.int64), np.empty(missing, dtype=np.int64)
    levels = np.zeros(codes.shape[1], dtype=np.int64)
    number, seed = 0, -1
    while missing > 0:
        u = _nearest(codes, shown, costs, bucket_of, order, left, wanted, levels, seed)
        if u < 0:
            break
        seed = u if seed < 0 else seed
        for j in range(codes.shape[1]):
            while shown[j, levels[j], codes[seed, j]] != shown[j, levels[j], codes[u, j]]:
                levels[j] += 1
        copies = min(left[u], wanted[bucket_of[u]])
        types[number], counts[number] = u, copies
        left[u] -= copies
        wanted[bucket_of[u]] -= copies
        missing -= copies
        number += 1
    return types[:number], counts[:number]


@lean
def _nearest(
    codes: IntArray,
    shown: IntArray,
    costs: IntArray,
    bucket_of: IntArray,
    order: IntArray,
    left: IntArray,
    wanted: IntArray,
    levels: IntArray,
    seed: int,
) -> int:  # pragma: no cover - compiled
    """Return the first row type that raises the cost of the pattern least; -1 if none is left."""
    best, found = 1 << 62, -1
    for i in range(len(order)):
        u = order[i]
        if left[u] == 0 or wanted[bucket_of[u]] == 0:
            continue
        if seed < 0:
            return u
        dearer = 0
        for j in range(codes.shape[1]):
            a, b, h = codes[seed, j], codes[u, j], levels[j]
            if a != b and shown[j, h, a] != shown[j, h, b]:
                while shown[j, h, a] != shown[j, h, b]:
                    h += 1
                dearer += costs[j, h] - costs[j, levels[j]]
                if dearer >= best:
                    break
        if dearer < best:
            best, found = dearer, u
            if best == 0:
                break
    return found
