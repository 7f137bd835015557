"""Folding: values of few rows are never named; numbers are named by round limits, and dates by years.

So no limit is the value of a row.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kilt.model.ladders.dates import read_moment
from kilt.numbers import read_number

MOST = 12  # values that are named
RANGES = 8
MISSING, OTHERS = "(missing)", "(others)"


@dataclass(frozen=True)
class Folded:
    """What is named in place of the values, in order; ``name_of`` has it for every value."""

    names: tuple[str, ...]
    name_of: Mapping[str | None, str]


@dataclass(frozen=True)
class Line:
    """Values as places on a line, which can be parted at limits: how a limit is rounded, and what ranges are called."""

    places: Mapping[str | None, float]
    rounded: Callable[[float], float]
    names: Callable[[Sequence[float]], list[str]]


def fold(
    values: Iterable[str | None], counts: Iterable[int], fewest: int, decimal: str = ".", date_format: str | None = None
) -> Folded:
    """Name the values of a column, each with its number of rows, so that no name is that of fewer than ``fewest``."""
    rows: Counter[str | None] = Counter()
    for value, count in zip(values, counts, strict=True):
        rows[value] += count
    line = _line(rows, decimal, date_format) if len(rows) > MOST else None
    name_of = _ranges(rows, line, fewest) if line else {v: _shown(v) for v in rows}
    name_of = _without_rare(name_of, rows, fewest)
    totals: Counter[str] = Counter()
    for value, name in name_of.items():
        totals[name] += rows[value]
    first = list(dict.fromkeys(name_of.values())) if line else [name for name, _ in _common_first(totals)]
    return Folded((*(n for n in first if n != OTHERS), *([OTHERS] if OTHERS in totals else [])), name_of)


def _shown(value: str | None) -> str:
    """Return a value as it is named; one that looks like a name of ours is told apart."""
    if value is None:
        return MISSING
    return f"'{value}'" if value in (MISSING, OTHERS) else value


def _line(rows: Iterable[str | None], decimal: str, date_format: str | None) -> Line | None:
    """Return the values as numbers, or as the years of dates; None if one of them is neither."""
    values = [value for value in rows if value is not None]
    if numbers := _places(values, lambda value: _number(value, decimal)):
        return Line(numbers, _rounded, _range_names)
    if years := _places(values, lambda value: _year(value, date_format)):
        return Line(years, float, _year_names)
    return None


def _places(values: Sequence[str], read: Callable[[str], float | None]) -> dict[str | None, float] | None:
    found: dict[str | None, float] = {}
    for value in values:
        place = read(value)
        if place is None:
            return None
        found[value] = place
    return found or None


def _number(value: str, decimal: str) -> float | None:
    try:
        return float(read_number(value, decimal))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def _year(value: str, form: str | None) -> float | None:
    moment = read_moment(value, form)
    return None if moment is None else float(moment.day.year)


def _ranges(rows: Mapping[str | None, int], line: Line, fewest: int) -> dict[str | None, str]:
    """Name values by ranges of about equally many rows with round limits."""
    places = line.places
    ordered = sorted(places, key=lambda value: places[value])
    limits = _limits([(places[value], rows[value]) for value in ordered], line.rounded)
    within: list[list[str | None]] = [[] for _ in range(len(limits) + 1)]
    for value in ordered:
        within[sum(places[value] >= limit for limit in limits)].append(value)
    limits, within = _merged(limits, within, rows, fewest)
    names = line.names(limits)
    named = {value: name for name, values in zip(names, within, strict=True) for value in values}
    return named | ({None: MISSING} if None in rows else {})


def _limits(counted: Sequence[tuple[float, int]], rounded: Callable[[float], float]) -> list[float]:
    limits: list[float] = []
    total, seen = sum(count for _, count in counted), 0
    for number, count in counted:
        while seen >= total * (len(limits) + 1) / RANGES:
            limits.append(rounded(number))
        seen += count
    return sorted(set(limits))


def _rounded(number: float) -> float:
    """Round to two digits."""
    if number == 0:
        return 0.0
    digits = 1 - math.floor(math.log10(abs(number)))
    return float(round(number, digits))


def _merged(
    limits: list[float], within: list[list[str | None]], rows: Mapping[str | None, int], fewest: int
) -> tuple[list[float], list[list[str | None]]]:
    """Merge ranges of few rows with the next one, the last with the one before."""
    kept, merged = [], [list(within[0])]
    for limit, values in zip(limits, within[1:], strict=True):
        if sum(rows[v] for v in merged[-1]) >= fewest:
            kept.append(limit)
            merged.append([])
        merged[-1] += values
    if kept and sum(rows[v] for v in merged[-1]) < fewest:
        kept.pop()
        merged[-2:] = [merged[-2] + merged[-1]]
    return kept, merged


def _range_names(limits: Sequence[float]) -> list[str]:
    texts = [f"{limit:,.10g}" for limit in limits]
    if not texts:
        return ["all numbers"]
    between = [f"{low} to under {high}" for low, high in pairwise(texts)]
    return [f"under {texts[0]}", *between, f"{texts[-1]} or more"]


def _year_names(limits: Sequence[float]) -> list[str]:
    years = [int(limit) for limit in limits]
    if not years:
        return ["all dates"]
    between = [f"{low} to {high - 1}" if low < high - 1 else f"{low}" for low, high in pairwise(years)]
    return [f"before {years[0]}", *between, f"{years[-1]} or later"]


def _without_rare(
    name_of: Mapping[str | None, str], rows: Mapping[str | None, int], fewest: int
) -> dict[str | None, str]:
    """Fold rare names, and those beyond the most common, into others, which are never few themselves."""
    totals: Counter[str] = Counter()
    for value, name in name_of.items():
        totals[name] += rows[value]
    common = _common_first(totals)
    kept = [name for name, count in common if count >= fewest][:MOST]
    others = sum(count for name, count in common if name not in kept)
    while kept and 0 < others < fewest:
        others += totals[kept.pop()]
    return {value: name if name in kept else OTHERS for value, name in name_of.items()}


def _common_first(totals: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(totals.items(), key=lambda each: (-each[1], each[0]))
