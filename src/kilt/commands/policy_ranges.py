"""Ranges of policies: every combination of the numbers that are given for k, l, t and average t."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from kilt.errors import InputError
from kilt.model.policy import Policy
from kilt.numbers import Number, rational

Range = Number | str | Sequence[Number] | Mapping[str, Number] | None
MOST_POLICIES = 200


def read_policies(diversity: str, **given_ranges: Range) -> list[Policy]:
    """Return a policy for every combination; each range is a number, a list of numbers, or text such as 2,5,10.

    A number for each column, as a configuration may have it, is the same in all of them.
    """
    ranges = [_numbers(name, given) for name, given in given_ranges.items()]
    combinations = list(product(*ranges))
    if len(combinations) > MOST_POLICIES:
        raise InputError(f"these are {len(combinations):,} policies; {MOST_POLICIES} are the most at a time")
    return [Policy(**dict(zip(given_ranges, each, strict=True)), diversity=diversity) for each in combinations]


def _numbers(name: str, given: Range) -> list[Any]:
    """Read one number, several, or a range."""
    if given is None or isinstance(given, Mapping):
        return [given]
    if isinstance(given, Sequence) and not isinstance(given, str):
        return list(given)
    found: list[Any] = []
    for part in str(given).split(","):
        found += _range(name, part.strip()) if ":" in part else [part.strip()]
    return found


def _range(name: str, text: str) -> list[Fraction]:
    default = "0.1" if name in ("t", "average_t") else "1"
    try:
        low, high, step = (rational(part) for part in (*text.split(":"), default)[:3])
    except (ValueError, ZeroDivisionError):
        raise InputError(f"'{name}' must be a number, a list such as 2,5,10 or a range such as 0.1:0.5") from None
    if step <= 0 or high < low:
        raise InputError(f"'{name}' must go up from the first number of a range to the second")
    return [low + step * i for i in range(int((high - low) / step) + 1)]
