"""Measures: what a label costs a row, in stars. Hiding a cell altogether costs one star, by ``entropy`` on average.

- ``loss``: the share of the column's domain that a label may stand for, beyond the value itself.
- ``level``: the level of a label divided by the height of its ladder.
- ``entropy``: the bits that a label leaves open about the value, by the table's own frequencies, divided by those of
  the column (non-uniform entropy).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from kilt.errors import InputError, nearest
from kilt.numbers import IntArray

GRID = 55_440  # divisible by 1 to 12: shares of small domains are exact, and sums over a large table fit in 64 bits
DIGITS = 50  # of logarithms; 10 would do for a grid as coarse as this
Prices: TypeAlias = tuple[Sequence[Fraction], ...]  # prices[h][label]: what a label of level h costs


@dataclass(frozen=True)
class Rungs:
    """A ladder on the values of a column: ``numbers[h][i]`` is the label of value i at level h.

    Labels of a level are numbered from 0. ``losses[h][label]`` is the share of the domain that a label may stand for,
    and ``counts[i]`` how many rows have value i.
    """

    numbers: tuple[IntArray, ...]
    losses: tuple[Sequence[Fraction], ...]
    counts: IntArray


def on_grid(cost: Fraction) -> Fraction:
    """Round a cost to the grid, half up: what costs no less still does."""
    return Fraction((2 * cost.numerator * GRID + cost.denominator) // (2 * cost.denominator), GRID)


def _by_loss(rungs: Rungs) -> Prices:
    different = {id(share): share for shares in rungs.losses for share in shares}  # most are one: that of the value
    known = {key: on_grid(share) for key, share in different.items()}
    return tuple([known[id(share)] for share in shares] for shares in rungs.losses)


def _by_level(rungs: Rungs) -> Prices:
    height = len(rungs.numbers) - 1
    return tuple([Fraction(level, height)] * len(labels) for level, labels in enumerate(rungs.losses))


def _by_entropy(rungs: Rungs) -> Prices:
    """Price a label by the logarithm of its rows: what a row pays above its own value is what the label leaves open."""
    rows = [_rows(numbers, rungs.counts) for numbers in rungs.numbers]
    with localcontext() as context:
        context.prec = DIGITS
        logarithm = {number: Decimal(number).ln() for level in rows for number in level}
        total = sum(rows[0])
        entropy = sum((number * (Decimal(total).ln() - logarithm[number]) for number in rows[0]), Decimal(0)) / total
        if len(rows[0]) == 1:
            return tuple([Fraction(0)] * len(level) for level in rows)
        price = {number: on_grid(Fraction(each / entropy)) for number, each in logarithm.items()}
    return tuple([price[number] for number in level] for level in rows)


def _rows(numbers: IntArray, counts: IntArray) -> list[int]:
    """Return how many rows have each label."""
    found = np.zeros(int(numbers.max()) + 1, dtype=np.int64)
    np.add.at(found, numbers, counts)
    return [int(number) for number in found]


@dataclass(frozen=True)
class Measure:
    """One of the ways to price labels."""

    name: str

    def prices(self, rungs: Rungs) -> Prices:
        """Return what every label of every level costs; prices never fall on the way up."""
        return _WAYS[self.name](rungs)

    def __str__(self) -> str:
        return self.name


_WAYS: dict[str, Callable[[Rungs], Prices]] = {"loss": _by_loss, "level": _by_level, "entropy": _by_entropy}
MEASURES = {name: Measure(name) for name in _WAYS}
DEFAULT = MEASURES["loss"]


def parse_measure(given: Measure | str | None) -> Measure:
    """Read the name of a measure; None is the default."""
    if given is None or isinstance(given, Measure):
        return given or DEFAULT
    if given not in MEASURES:
        raise InputError(f"'measure' must be one of {', '.join(MEASURES)}: {nearest(str(given), MEASURES)}")
    return MEASURES[given]
