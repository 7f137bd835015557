"""Numbers that say which share of the rows a group must have, and how far from the table it may be."""

from __future__ import annotations

from fractions import Fraction

from kilt.errors import InputError
from kilt.numbers import Number, rational

THIRD, HALF = Fraction(1, 3), Fraction(1, 2)


def share(value: Number, name: str) -> Fraction:
    """Read a number from 0 to 1 exactly as it is written."""
    try:
        number = rational(value)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"'{name}' must be a number, not '{value}'") from None
    if not 0 <= number <= 1:
        raise InputError(f"'{name}' must be between 0 and 1, not {value}")
    return number


def rows_for(half: int, c: Fraction) -> int:
    """Return the rows of a table in which half/c rows, rounded down, make ``half`` the least size of a group.

    With n' = floor(half / c), c n' is at most half and above half - c, so that rounded up it is half.
    """
    return int(half / c)
