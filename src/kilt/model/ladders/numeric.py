"""Values as numbers, and numbers and their ranges as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from kilt.errors import InputError
from kilt.model.ladders.domain import Domain, Values
from kilt.numbers import Number, pluralize, rational, read_number

Range: TypeAlias = tuple[Fraction | None, Fraction | None]  # from a number, to before another


def is_missing(value: str | None) -> bool:
    """Say whether a cell of numbers or dates is missing: null, or nothing but blanks."""
    return value is None or not value.strip()


def numbers_of(values: Values, decimal: str = ".") -> tuple[list[Fraction | None], int]:
    """Read values as numbers with a decimal sign, None where one is null; return also how many are something else."""
    numbers: list[Fraction | None] = []
    others = 0
    for value in values:
        try:
            numbers.append(None if value is None else read_number(value, decimal))
        except (ValueError, ZeroDivisionError):
            numbers.append(None)
            others += 1
    return numbers, others


def column_numbers(domain: Domain, word: str, decimal: str) -> list[Fraction | None]:
    """Read the values of a column as numbers, None where one is missing; raise if some are something else."""
    values = [None if is_missing(value) else value for value in domain.values]
    numbers, others = numbers_of(values, decimal)
    if others:
        with_comma = decimal == "." and not numbers_of(values, ",")[1]
        hint = "with a decimal comma they all are: give 'decimal', as in --decimal ,"
        raise InputError(
            f"'{word}' needs numbers, and {pluralize(others, 'different value')} of '{domain.name}' "
            f"{'is' if others == 1 else 'are'} not: {hint if with_comma else 'choose another ladder for it'}"
        )
    return numbers


def ordered(numbers: Sequence[Fraction | None]) -> list[int]:
    """Return where the numbers stand, from the smallest to the largest; those that are missing come first."""
    unit = math.lcm(*{number.denominator for number in numbers if number is not None})
    whole = [(-1, 0) if at is None else (0, at.numerator * (unit // at.denominator)) for at in numbers]
    return sorted(range(len(whole)), key=whole.__getitem__)


def decimal_number(given: Number, word: str) -> Fraction:
    """Read a number that is given to a ladder, which must have finitely many decimals."""
    try:
        number = rational(given)
        decimals_of(number)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"'{word}' must be given decimal numbers, as in {word}=0.5,1, not '{given}'") from None
    return number


def decimals_of(number: Fraction) -> int:
    """Return how many decimals a number has."""
    for digits in range(40):
        if 10**digits % number.denominator == 0:
            return digits
    raise ValueError("not a short decimal number")


def number_text(number: Fraction, digits: int | None = None, decimal: str = ".") -> str:
    """Write a number with its decimals, or with so many."""
    digits = decimals_of(number) if digits is None else digits
    return f"{Decimal(int(number * 10**digits)).scaleb(-digits):f}".replace(".", decimal)


def range_text(range_: Range, *, whole: bool, digits: int, decimal: str = ".") -> str:
    """Write a range: 20-24 for whole numbers, 20.0-<20.5 for others, <18, 90+; with 'to' if a number is negative."""
    low, high = range_
    if low is None:
        return f"<{number_text(high or Fraction(0), digits, decimal)}"
    if high is None:
        return f"{number_text(low, digits, decimal)}+"
    end = number_text(high - 1, digits, decimal) if whole else f"<{number_text(high, digits, decimal)}"
    return f"{number_text(low, digits, decimal)}{' to ' if low < 0 else '-'}{end}"
