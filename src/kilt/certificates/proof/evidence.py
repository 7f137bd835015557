"""What proves a bound: integers, any of which may be wrong without making the proof so."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kilt.numbers import IntArray

Levels = tuple[int, ...]
NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Marks:
    """Patterns, each named by its level vector and by the first of its row types, with integers for each.

    ``vectors`` are level vectors, ``vector`` says which of them a pattern has.
    """

    vectors: tuple[Levels, ...] = ()
    vector: IntArray = field(default_factory=lambda: NONE)
    first: IntArray = field(default_factory=lambda: NONE)
    numbers: IntArray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))

    def under(self, levels: Levels) -> tuple[IntArray, IntArray]:
        """Return the first row types and the numbers of the patterns with this level vector."""
        if levels not in self.vectors:
            return NONE, self.numbers[:0]
        mine = self.vector == self.vectors.index(levels)
        return self.first[mine], self.numbers[mine]


@dataclass(frozen=True)
class Evidence:
    """What proves a bound: a price for every row type, ``scale`` of them to a unit of cost, and multipliers.

    Groups are proved with ``slopes``: the price of a row, and multipliers of every linear rule of the policy. Where
    that is not enough, groups of up to ``largest`` rows are proved size by size (none if it is 0) with ``thetas``, a
    size (0 for all that are not named) and its theta, and larger ones with ``tails``, which are like ``slopes``.
    It is about the costs in some ``columns``.
    """

    columns: tuple[int, ...]
    prices: IntArray
    scale: int
    largest: int = 0
    thetas: Marks = field(default_factory=Marks)
    slopes: Marks = field(default_factory=Marks)
    tails: Marks = field(default_factory=Marks)
