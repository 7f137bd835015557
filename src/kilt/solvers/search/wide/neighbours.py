"""Nearest neighbours, searched in blocks of rows, so that the work grows with the number of rows, not its square."""

from __future__ import annotations

import numpy as np

from kilt.kernels.common.nearest import Distances, Ladders, number_codes
from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule
from kilt.run.threads import on_all_cores

NONE = -1  # no unit, no group or no worker
BLOCK_ROWS = 2_000  # rows among which the nearest are searched


def sorted_blocks(codes: IntArray, rng: np.random.Generator) -> list[IntArray]:
    """Sort the rows by the columns, in random order of these, and cut them into blocks."""
    order = np.lexsort(codes[:, rng.permutation(codes.shape[1])].T)
    return np.array_split(order, -(-len(order) // BLOCK_ROWS))


def nearest_neighbours(
    codes: IntArray,
    ladders: Ladders,
    number: int,
    rng: np.random.Generator,
    stop: StoppingRule,
    known: IntArray | None = None,
) -> IntArray:
    """Find for every row its nearest neighbours in its block, from near to far; none once it is stopped.

    If others are known from other blocks, they are the nearest of these and of the block.
    """
    blocks = sorted_blocks(codes, rng)
    if known is None:
        known = np.full((len(codes), min(number, max(map(len, blocks)) - 1)), NONE, dtype=np.int32)
    near, numbered = known.copy(), number_codes(codes, ladders)

    def search(block: IntArray) -> None:
        if not stop():
            is_inside = np.zeros(len(codes), dtype=np.int8)
            is_inside[block] = True
            Distances(codes, ladders, numbered).find_nearest(near, block, is_inside)

    on_all_cores(search, blocks)
    return near
