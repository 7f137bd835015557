"""The weight of a set of bits: one table lookup for each byte."""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.arrays.bits import Words
from kilt.numbers import IntArray


@njit(cache=True)
def weight_of(words: Words, weights: IntArray) -> int:  # pragma: no cover - compiled
    """Add up the weights of the members of a set; ``weights`` has them by byte."""
    total = 0
    for w in range(len(words)):
        word, place = words[w], 8 * w
        while word:
            total += weights[place, np.int64(word & np.uint64(255))]
            word >>= np.uint64(8)
            place += 1
    return total
