"""Tables with few different rows and any number of copies, which no file could hold."""

from __future__ import annotations

import numpy as np

from kilt import Policy
from kilt.model.problem import Problem
from kilt.model.row_types import RowTypes
from support.strategies import LADDERS, SPACES

COLUMNS = 3


def problem_with_copies(
    row_types: int, copies: int, policy: Policy, space: str = "equal", *, values: int = 3, seed: int = 0
) -> Problem:
    """Build the problem of so many different rows with about so many copies, a single one of the first."""
    rng = np.random.default_rng(seed)
    cells: set[tuple[int, ...]] = set()
    while len(cells) < row_types:
        cells.add((*rng.integers(0, 3, COLUMNS).tolist(), int(rng.integers(0, values))))
    codes = np.array(sorted(cells))
    names = tuple([str(value) for value in range(int(column.max()) + 1)] for column in codes.T)
    counts = np.maximum(1, (rng.random(row_types) * 2 * copies).astype(np.int64))
    counts[:2] = 1, 2
    types = RowTypes(names[:COLUMNS], names[COLUMNS:], codes[:, :COLUMNS], codes[:, COLUMNS:], counts)
    return Problem.build(types, {f"q{i}": LADDERS["suppress"] for i in range(COLUMNS)}, {"s": SPACES[space]}, policy)
