"""Coded columns: what solvers see of a quasi column and its ladder."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kilt.numbers import BoolArray, IntArray


@dataclass(frozen=True)
class CodedColumn:
    """A column of the problem: ``levels[h][code]`` is the code at level h, and ``costs[h][code]`` what its label costs.

    Level 0 is the code itself; it costs something only if the ladder never shows the value. At the top level all codes
    are 0, unless the ladder never hides the cell altogether. Costs are in stars and never fall from a level to the
    next, and codes with the same label cost the same. ``looks[h][code]`` is the lowest level at which a code looks as
    it does at level h; None if it looks different at each. ``numbers`` are the values by code, if they are numbers.
    """

    name: str
    levels: tuple[IntArray, ...]
    costs: tuple[tuple[Fraction, ...], ...]
    looks: tuple[IntArray, ...] | None = None
    numbers: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class Encoding:
    """The values of a quasi column, coded: row i of ``codes`` is value i in each coded column.

    Values that a ladder never tells apart have the same codes. ``credit`` is subtracted from the cost of any release.
    """

    codes: IntArray
    columns: tuple[CodedColumn, ...]
    credit: Fraction = Fraction(0)


def numbered(labels: Sequence[Hashable]) -> IntArray:
    """Number the labels in order of their first appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int32)


def lowest_looks(same: Sequence[BoolArray]) -> tuple[IntArray, ...] | None:
    """Return the lowest level that looks like each, given for each above 0 whether it looks like the one below."""
    if not any(as_below.any() for as_below in same):
        return None
    looks = [np.zeros(len(same[0]), dtype=np.int32)]
    for level, as_below in enumerate(same, 1):
        looks.append(np.where(as_below, looks[-1], level).astype(np.int32))
    return tuple(looks)
