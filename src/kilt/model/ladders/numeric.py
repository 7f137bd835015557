"""Values as numbers."""

from __future__ import annotations

from fractions import Fraction

from kilt.model.ladders.domain import Values
from kilt.numbers import rational


def is_missing(value: str | None) -> bool:
    """Say whether a cell of numbers or dates is missing: null, or nothing but blanks."""
    return value is None or not value.strip()


def numbers_of(values: Values) -> tuple[list[Fraction | None], int]:
    """Read values as numbers, None where one is null; return also how many are something else."""
    numbers: list[Fraction | None] = []
    others = 0
    for value in values:
        try:
            numbers.append(None if value is None else rational(value))
        except (ValueError, ZeroDivisionError):
            numbers.append(None)
            others += 1
    return numbers, others
