"""Sets as rows of bits in 64-bit words, and what the members of a set weigh together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kilt.numbers import BoolArray, IntArray

Words = NDArray[np.uint64]
WORD = 64


def packed(members: BoolArray) -> Words:
    """Return every row of a matrix of members as words, the first member in the lowest bit of the first word."""
    width = max(1, -(-members.shape[1] // WORD)) * WORD
    wide = np.zeros((len(members), width), dtype=bool)
    wide[:, : members.shape[1]] = members
    return np.packbits(wide, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def unpacked(words: Words, count: int) -> BoolArray:
    """Return for every row of words which of ``count`` members it has."""
    by_byte = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
    return np.unpackbits(by_byte, axis=1, count=count, bitorder="little").astype(bool)


def byte_weights(weights: IntArray) -> IntArray:
    """Return for every byte of a row of words, and every value of it, what its members weigh together."""
    width = max(1, -(-len(weights) // WORD)) * WORD
    wide = np.zeros(width, dtype=np.int64)
    wide[: len(weights)] = weights
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    return np.ascontiguousarray(wide.reshape(-1, 8) @ bits.T)
