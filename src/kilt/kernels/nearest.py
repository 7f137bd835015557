"""The nearest row outside a set, by brute force: a row is as far as the pattern of the two costs."""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.numbers import IntArray


@njit(cache=True, nogil=True)
def nearest_outside(
    codes: IntArray, shown: IntArray, costs: IntArray, part: IntArray, u: int
) -> int:  # pragma: no cover - compiled
    """Return the row that is nearest to row u, of those in another part.

    ``shown[j, h, code]`` is the code of column j at level h, which costs ``costs[j, h]``.
    """
    best, found = np.iinfo(np.int64).max, -1
    for v in range(len(codes)):
        if part[v] == part[u]:
            continue
        far = 0
        for j in range(codes.shape[1]):
            a, b = codes[u, j], codes[v, j]
            if a != b:
                h = 1
                while shown[j, h, a] != shown[j, h, b]:
                    h += 1
                far += costs[j, h]
                if far >= best:
                    break
        if far < best:
            best, found = far, v
    return found
