"""Random numbers for kernels: one generator for each worker, so that its draws do not depend on the others."""

from __future__ import annotations

import cython
import numpy as np

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # Python's integers have more than 64 bits


@cython.cclass
class Random:
    """A generator of random numbers (xorshift)."""

    def __init__(self, state: int) -> None:
        self.state = state

    @staticmethod
    def of_seed(seed: int) -> Random:
        """Return the generator of a seed."""
        return Random(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]))

    @cython.cfunc
    @cython.nogil
    def draw(self) -> cython.double:
        """Draw a number from 0 to below 1."""
        x = self.state
        x ^= (x << 13) & MASK
        x ^= x >> 7
        x ^= (x << 17) & MASK
        self.state = x
        return (x >> 11) / 9007199254740992.0

    @cython.cfunc
    @cython.nogil
    def draw_below(self, limit: cython.longlong) -> cython.longlong:
        """Draw a whole number from 0 to below a limit."""
        return min(limit - 1, cython.cast(cython.longlong, self.draw() * limit))
