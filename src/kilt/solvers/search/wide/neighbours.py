"""Who is near whom: looked for in cells, so that the work grows with the number of rows and not with its square."""

from __future__ import annotations

import numpy as np

from kilt.kernels.common.nearest import Ladders, nearest_of_all
from kilt.kernels.search.moves import NONE
from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule
from kilt.run.threads import on_all_cores

CELL = 2_000  # rows among which the nearest are looked for


def stretches(codes: IntArray, rng: np.random.Generator) -> list[IntArray]:
    """Cut the rows into cells: stretches of their order by the columns, of which some come first at random."""
    order = np.lexsort(codes[:, rng.permutation(codes.shape[1])].T)
    return np.array_split(order, -(-len(order) // CELL))


def nearest_neighbours(
    codes: IntArray, ladders: Ladders, number: int, rng: np.random.Generator, stop: StoppingRule
) -> IntArray:
    """Return for every row the nearest of its cell, from near to far, so many if there are; nobody once it is over."""
    parts = stretches(codes, rng)
    number = min(number, max(map(len, parts)) - 1)
    near = np.full((len(codes), number), NONE, dtype=np.int32)

    def look(cell: IntArray) -> None:
        here = np.empty((len(cell), min(number, len(cell) - 1)), dtype=np.int64)
        if here.shape[1] and not stop():
            nearest_of_all(np.ascontiguousarray(codes[cell].T), ladders, here)
            near[cell, : here.shape[1]] = cell[here]

    on_all_cores(look, parts)
    return near
