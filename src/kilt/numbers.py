"""Exact numbers: rationals read from decimal text, and integer arrays that never overflow."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[Any]  # int64, or Python integers where int64 has no room
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
Number: TypeAlias = int | float | str | Decimal | Fraction

ROOM = 2**62
DECIMALS = (".", ",")
PLAIN = re.compile(r"(-?)([0-9]{1,18})(?:([.,])([0-9]{1,18}))?")


def rational(value: Number) -> Fraction:
    """Read a number exactly as it is written: 0.2 is one fifth, not its nearest float."""
    if isinstance(value, bool):
        raise ValueError("a truth value is not a number")
    if isinstance(value, Fraction | int):
        return Fraction(value)
    text = str(value).strip()
    if len(text) > 400:
        raise ValueError("too long for a number")
    if "/" not in text:
        decimal = Decimal(text) if _is_decimal(text) else None
        if decimal is None or not decimal.is_finite() or abs(decimal.adjusted()) > 400:
            raise ValueError("not a finite decimal number")
        return Fraction(decimal)
    return Fraction(text)


def read_number(text: str, decimal: str = ".") -> Fraction:
    """Read a number of a table, given its decimal sign; with a comma, 1,5 is a number and 1.5 is none.

    Raise ValueError (or ZeroDivisionError, for a fraction like 1/0) if it is not a number.
    """
    plain = PLAIN.fullmatch(text)
    if plain is not None:  # most numbers are, and are read faster so
        sign, whole, mark, decimals = plain.groups(default="")
        if mark in ("", decimal):
            return Fraction(int(f"{sign}{whole}{decimals}"), 10 ** len(decimals))
    if decimal == ".":
        return rational(text)
    if "." in text:
        raise ValueError("not a number with this decimal sign")
    return rational(text.replace(decimal, "."))


def _is_decimal(text: str) -> bool:
    return text.isascii() and "_" not in text and _parses(text)


def _parses(text: str) -> bool:
    try:
        Decimal(text)
    except ArithmeticError:
        return False
    return True


def decimal_text(value: Fraction, digits: int = 6, *, up: bool = False) -> str:
    """Write a rational as a decimal, rounded down (or up) so that it stays on the safe side."""
    scaled = value * 10**digits
    whole = -((-scaled.numerator) // scaled.denominator) if up else scaled.numerator // scaled.denominator
    text = f"{Decimal(whole).scaleb(-digits):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact_text(value: Fraction) -> str:
    """Write a rational as a decimal if 6 digits are enough, else as a fraction."""
    return decimal_text(value) if 10**6 % value.denominator == 0 else str(value)


def json_number(value: Fraction, digits: int = 6, *, up: bool = False) -> int | float:
    """Return a rational as a JSON number: an integer if it is one, else a decimal on the safe side."""
    return int(value) if value.denominator == 1 else float(decimal_text(value, digits, up=up))


def bound_number(bound: Fraction, stars: Fraction | None) -> int | float:
    """Return a lower bound as a JSON number, rounded down; one that equals the stars is shown as they are."""
    return json_number(bound, up=bound == stars)


def percent(share: Fraction) -> str:
    """Write a share as a percentage with three digits."""
    return f"{Decimal(f'{float(100 * share):.3g}'):f}%"  # a float itself would write 0.00002 as 2e-05


def bound_percent(bound: Fraction, share: Fraction | None = None) -> str:
    """Write a lower bound as a percentage, rounded down; one that equals the share that was reached, as that one."""
    if bound == share or not bound:
        return percent(bound)
    digits = max(0, 2 - (math.floor(math.log10(100 * bound))))
    return f"{decimal_text(100 * bound, digits)}%"


def whole_bound(bound: Fraction, stars: Fraction | None = None) -> str:
    """Write a lower bound without decimals, rounded down; one that equals the stars, as they are."""
    return f"{float(bound):,.0f}" if bound == stars else f"{math.floor(bound):,}"


def pluralize(number: int, noun: str) -> str:
    """Write a number of things: 1 row, 1,000 rows."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def max_abs(array: IntArray) -> int:
    """Return the largest number without its sign; also for the least integer of 64 bits, which has no positive twin."""
    return max(int(array.max(initial=0)), -int(array.min(initial=0)))


def widen(array: IntArray, bound: int) -> IntArray:
    """Return the array in a type that holds results up to ``bound``: int64, or Python integers."""
    return array.astype(np.int64, copy=False) if bound < ROOM else array.astype(object)
