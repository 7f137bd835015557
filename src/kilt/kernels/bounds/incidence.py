"""Lists of row types by pattern turned into lists of patterns by row type, and reduced costs by size alone."""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.kernels.bounds.lagrangian import dearest
from kilt.numbers import FloatArray, IntArray


@njit(cache=True, nogil=True)
def by_type(types: IntArray, starts: IntArray, kinds: int) -> tuple[IntArray, IntArray, IntArray]:  # pragma: no cover
    """Return where the patterns of each row type start, the patterns in their order, and the places in ``types``."""
    first = np.zeros(kinds + 1, dtype=np.int64)
    for kind in types:
        first[kind + 1] += 1
    for kind in range(kinds):
        first[kind + 1] += first[kind]
    at = first[:-1].copy()
    patterns = np.empty(len(types), dtype=np.int32)
    places = np.empty(len(types), dtype=np.int32)
    for p in range(len(starts) - 1):
        for i in range(starts[p], starts[p + 1]):
            patterns[at[types[i]]] = p
            places[at[types[i]]] = i
            at[types[i]] += 1
    return first, patterns, places


@njit(cache=True, nogil=True)
def values_by_size(
    multipliers: IntArray, counts: IntArray, types: IntArray, starts: IntArray, cost: IntArray, min_group_size: int
) -> FloatArray:  # pragma: no cover - compiled
    """Return for every pattern the least reduced cost of a group of at least so many rows, also if it is positive."""
    values = np.full(len(cost), np.inf)
    filled = np.empty(min_group_size, dtype=np.int64)
    for p in range(len(cost)):
        members = types[starts[p] : starts[p + 1]]
        value, mass = 0, 0
        for kind in members:
            if multipliers[kind] > cost[p]:
                mass += counts[kind]
                value += counts[kind] * (cost[p] - multipliers[kind])
        missing = max(0, min_group_size - mass)
        number = dearest(multipliers, counts, members, cost[p], missing, filled)
        for i in range(number):
            value += cost[p] - multipliers[filled[i]]
        if number == missing:
            values[p] = value
    return values
