"""Numbers may become bands of ever larger widths: 23, 20-24, 20-29."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from kilt.errors import InputError
from kilt.model.ladders.domain import Domain
from kilt.model.ladders.numeric import Range, column_numbers, decimal_number, decimals_of, number_text, range_text
from kilt.model.ladders.path import Labels, PathLadder
from kilt.numbers import Number


@dataclass(frozen=True)
class Bands(PathLadder):
    """Bands of ever larger ``widths``, counted from the ``origin``.

    Numbers below ``bottom`` share one band, and so do numbers from ``top`` on. Missing values can only become the mark.
    The values and labels have the ``decimal`` sign; widths, origin and edges have a point.
    """

    widths: Sequence[Number]
    origin: Number = 0
    bottom: Number | None = None
    top: Number | None = None
    decimal: str = "."

    def __post_init__(self) -> None:
        for name in ("origin", "bottom", "top"):
            given = getattr(self, name)
            object.__setattr__(self, name, None if given is None else decimal_number(given, "bands"))
        widths = tuple(decimal_number(width, "bands") for width in self.widths)
        object.__setattr__(self, "widths", widths)
        if not widths or min(widths) <= 0:
            raise InputError("'bands' must be given widths above 0, as in bands=5,10,20")
        for narrow, wide in pairwise(widths):
            if wide <= narrow or (wide / narrow).denominator != 1:
                raise InputError(
                    f"'bands' must have widths of which each is a multiple of the one before: {number_text(wide)} is "
                    f"none of {number_text(narrow)}"
                )
        if self.bottom is not None and self.top is not None and self._edges[0] >= self._edges[1]:
            raise InputError("'bands' must have a bottom below its top, as in bands=5,10|18..90")

    @cached_property
    def _edges(self) -> tuple[Fraction, Fraction]:
        return Fraction(self.bottom or 0), Fraction(self.top or 0)

    @cached_property
    def _start(self) -> Fraction:
        return Fraction(self.origin)

    def names(self, domain: Domain) -> tuple[str, ...]:  # noqa: ARG002
        """Name the levels by their width."""
        return tuple(number_text(Fraction(width)) for width in self.widths)

    def labels(self, domain: Domain) -> Sequence[Labels]:
        """Name the band of every number."""
        return [self._labels(domain, Fraction(width)) for width in self.widths]

    def _labels(self, domain: Domain, width: Fraction) -> list[Hashable]:
        whole, digits, positions = self._whole(domain), self._digits(), self.positions(domain)
        labels: list[Hashable] = list(domain.values)
        known: dict[float, str] = {}
        for place, band in enumerate(self._numbered(domain, width)):
            if band is None:
                continue
            if band not in known:
                range_ = self._band(positions[place] or Fraction(0), width)
                known[band] = range_text(range_, whole=whole, digits=digits, decimal=self.decimal)
            labels[place] = known[band]
        return labels

    def _numbered(self, domain: Domain, width: Fraction) -> Iterator[float | None]:
        """Number the band of every value, those at the ends as infinite; None is that of a missing value."""
        unit, numbers = self._units(domain)
        step, origin, bottom, top = (int(number * unit) for number in (width, self._start, *self._edges))
        has_bottom, has_top = self.bottom is not None, self.top is not None
        for at in numbers:
            if at is None:
                yield None
            elif has_top and at >= top:
                yield math.inf
            else:
                yield -math.inf if has_bottom and at < bottom else (at - origin) // step

    def _units(self, domain: Domain) -> tuple[int, list[int | None]]:
        return domain.once(self, "units", lambda: self._in_units(domain))

    def _in_units(self, domain: Domain) -> tuple[int, list[int | None]]:
        """Return the numbers as whole multiples of a unit, and how many units make one: fractions would be slow."""
        numbers = self.positions(domain)
        given = [*(Fraction(width) for width in self.widths), self._start, *self._edges]
        unit = math.lcm(*{number.denominator for number in (*given, *numbers) if number is not None})
        return unit, [None if at is None else at.numerator * (unit // at.denominator) for at in numbers]

    def _band(self, at: Fraction, width: Fraction) -> Range:
        """Return the first number of a band, and the first behind it; None where there is none."""
        bottom, top = self._edges
        if self.bottom is not None and at < bottom:
            return None, bottom
        if self.top is not None and at >= top:
            return top, None
        low = (at - self._start) // width * width + self._start
        high = low + width
        return (
            low if self.bottom is None else max(low, bottom),
            high if self.top is None else min(high, top),
        )

    def loss(self, level: int, first: int, size: int, domain: Domain) -> Fraction:
        """Return the extent of a band within the range of the column."""
        del size
        numbers = self.positions(domain)
        at = numbers[first]
        if at is None:
            return Fraction(0)
        least, most = domain.once(self, "range", lambda: self._range(domain))
        low, high = self._band(at, Fraction(self.widths[level - 1]))
        begin = least if low is None else max(low, least)
        end = most if high is None else min(high - (1 if self._whole(domain) else 0), most)
        return (end - begin) / (most - least) if most > least else Fraction(0)

    def _range(self, domain: Domain) -> tuple[Fraction, Fraction]:
        """Return the smallest and the largest number."""
        unit, numbers = self._units(domain)
        present = [at for at in numbers if at is not None]
        return Fraction(min(present), unit), Fraction(max(present), unit)

    def positions(self, domain: Domain) -> Sequence[Fraction | None]:
        """Return the numbers."""
        return domain.once(self, "numbers", lambda: column_numbers(domain, "bands", self.decimal))

    def _whole(self, domain: Domain) -> bool:
        """Say whether all numbers are whole: those that are given, and those of the column."""
        given = [*self.widths, self.origin, *self._edges]
        return domain.once(
            self,
            "whole",
            lambda: (
                all(Fraction(at or 0).denominator == 1 for at in given)
                and all(at is None or at.denominator == 1 for at in self.positions(domain))
            ),
        )

    def _digits(self) -> int:
        return max(decimals_of(Fraction(number)) for number in (*self.widths, self.origin, *self._edges))

    def __str__(self) -> str:
        widths = ",".join(number_text(Fraction(width)) for width in self.widths)
        origin = f"@{number_text(Fraction(self.origin))}" if self.origin else ""
        edges = ["" if edge is None else number_text(Fraction(edge)) for edge in (self.bottom, self.top)]
        return f"bands={widths}{origin}" + (f"|{edges[0]}..{edges[1]}" if any(edges) else "")
