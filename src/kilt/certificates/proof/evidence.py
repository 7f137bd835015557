"""What proves a bound: integers, any of which may be bad without making the bound wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from kilt.numbers import IntArray

Levels = tuple[int, ...]
Arithmetic = Literal["exact", "float"]
Status = Literal["optimal", "optimal (floating point)", "feasible"]
NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class PatternMultipliers:
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
    """What proves a bound: a multiplier for every row type, ``scale`` of them to a unit of cost, and those of patterns.

    Groups are proved with ``linear_multipliers``: that of the size of a group, and those of every linear rule of the
    policy. Where they are not enough, groups of up to ``largest`` rows are proved size by size (none if it is 0) with
    ``size_multipliers``, a size (0 for all that are not named) and its theta, and larger groups with
    ``tail_multipliers``, which are like ``linear_multipliers``. It is about the costs in some ``columns``.
    """

    columns: tuple[int, ...]
    multipliers: IntArray
    scale: int
    largest: int = 0
    size_multipliers: PatternMultipliers = field(default_factory=PatternMultipliers)
    linear_multipliers: PatternMultipliers = field(default_factory=PatternMultipliers)
    tail_multipliers: PatternMultipliers = field(default_factory=PatternMultipliers)


@dataclass(frozen=True)
class Bound:
    """No legal partition costs less than ``cost``: how that was proved, and the parts of a proof that can be checked.

    The arithmetic is exact, or that of floating point. Without parts there is no proof that can be written down.
    """

    cost: int
    parts: tuple[Evidence, ...] = ()
    arithmetic: Arithmetic = "exact"

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """The higher bound is the better one; of equal ones that which is exact, and then that which has a proof."""
        return self.cost, self.arithmetic == "exact", bool(self.parts)


def status_of(cost: Fraction | int, bound: Fraction | int | None, arithmetic: Arithmetic) -> Status:
    """Say what a bound proves of a release: nothing else in kilt decides what is called optimal."""
    if bound is None or bound < cost:
        return "feasible"
    return "optimal" if arithmetic == "exact" else "optimal (floating point)"


def gap_of(cost: Fraction, bound: Fraction, least: Fraction) -> Fraction:
    """Return how far a cost can be from the optimum, as a share of what it is above the least of all releases."""
    return (cost - bound) / (cost - least) if cost > least else Fraction(0)
