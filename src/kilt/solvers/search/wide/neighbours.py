"""Nearest neighbours, searched in blocks of rows, so that the work grows with the number of rows, not its square."""

from __future__ import annotations

import numpy as np

from kilt.kernels.common.nearest import Distances, Ladders
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
    codes: IntArray, ladders: Ladders, number: int, rng: np.random.Generator, stop: StoppingRule
) -> IntArray:
    """Find for every row its nearest neighbours in its block, from near to far; none once it is stopped."""
    blocks = sorted_blocks(codes, rng)
    number = min(number, max(map(len, blocks)) - 1)
    near = np.full((len(codes), number), NONE, dtype=np.int32)

    def search(block: IntArray) -> None:
        found = np.empty((len(block), min(number, len(block) - 1)), dtype=np.int64)
        if found.shape[1] and not stop():
            Distances(codes[block], ladders).nearest_of_all(found)
            near[block, : found.shape[1]] = block[found]

    on_all_cores(search, blocks)
    return near
