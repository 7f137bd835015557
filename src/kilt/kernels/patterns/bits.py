"""The weight of a set of bits: one table lookup for each byte."""

from __future__ import annotations

import cython

from kilt.numbers import IntArray


@cython.cclass
class ByteWeights:
    """What the members of a set weigh together: ``weights`` has them by byte of its words, and by value of the byte."""

    def __init__(self, weights: IntArray) -> None:
        self.weights = weights

    @cython.ccall
    @cython.nogil
    def of_word(self, place: cython.Py_ssize_t, word: cython.ulonglong) -> cython.longlong:
        """Return the weight of the members in the word at a place."""
        total: cython.longlong = 0
        rest: cython.ulonglong = cython.cast(cython.ulonglong, word)
        byte = 8 * place
        while rest:
            total += self.weights[byte, rest & 255]
            rest >>= 8
            byte += 1
        return total
