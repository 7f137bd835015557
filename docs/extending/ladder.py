"""A ladder: 34, then 30-39, then the mark."""

# ruff: noqa: ARG002 - it need not look at the other values of the column
from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from kilt.model.ladders import CodedColumn, Encoding, Mark, Values, by_level


class Decades:
    """A whole number may become its decade for half a star; what is not a whole number can only be hidden."""

    text_only, masks = True, False

    def encode(self, name: str, values: Values) -> Encoding:
        """Return one coded column of three levels; values that look alike at a level have the same code there."""
        decades, codes = [_decade(value) for value in values], np.arange(len(values))
        levels = (codes, np.array([decades.index(decade) for decade in decades]), np.zeros_like(codes))
        costs = by_level((Fraction(0), Fraction(1, 2), Fraction(1)), len(values))
        return Encoding(codes[:, None], (CodedColumn(name, levels, costs),))

    def show(self, value: str | None, levels: Sequence[int], values: Values, mark: Mark) -> Mark:
        """Show the decade at level 1, and the mark at level 2."""
        return _decade(value) if levels[0] == 1 else mark

    def ambiguous(self, values: Values, mark: Mark) -> int:
        """Count the values that could be taken for a decade or for the mark."""
        shown = {mark, *(_decade(value) for value in values if value and value.isdecimal())}
        return sum(1 for value in values if value in shown)

    def stars(self, original: str | None, released: str | None, values: Values, mark: Mark) -> Fraction | None:
        """Return what it cost to turn a cell into another one; None if the ladder does not lead there."""
        return {_decade(original): Fraction(1, 2), mark: Fraction(1)}.get(released)


def _decade(value: str | None) -> str | None:
    return f"{int(value) // 10 * 10}-{int(value) // 10 * 10 + 9}" if value and value.isdecimal() else value
