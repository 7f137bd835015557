"""Dates may become months, quarters, years and decades."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from kilt.errors import InputError, nearest
from kilt.model.ladders.domain import Domain
from kilt.model.ladders.numeric import is_missing
from kilt.model.ladders.path import Labels, PathLadder
from kilt.numbers import pluralize

DAY = 86_400  # seconds
_TIME = r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d+)?)?"
_ISO = re.compile(rf"(?P<date>\d{{4}}-\d{{2}}-\d{{2}})(?:[T ]{_TIME} ?(?:Z|[+-]\d{{2}}(?::?\d{{2}}){{0,2}})?)?")


class Moment(NamedTuple):
    """A date, and the second of the day if a time is given; a time zone does not matter."""

    day: date
    second: int


class Period(NamedTuple):
    """What a level of dates shows, and the first and the last day of it."""

    text: Callable[[date], str]
    first: Callable[[date], date]
    last: Callable[[date], date]


def _months(day: date, size: int) -> tuple[date, date]:
    """Return the first and last day of a span of so many months."""
    first = (day.month - 1) // size * size + 1
    after = first + size
    last = date.max if after > 12 and day.year == 9999 else date(day.year + after // 13, after % 13 or 1, 1)
    return date(day.year, first, 1), last if last == date.max else date.fromordinal(last.toordinal() - 1)


def _decade(day: date) -> tuple[date, date]:
    start = day.year // 10 * 10
    return date(max(1, start), 1, 1), date(start + 9, 12, 31)


LEVELS = {  # from fine to coarse, each nested in the next
    "day": Period(lambda day: day.isoformat(), lambda day: day, lambda day: day),
    "month": Period(
        lambda day: f"{day.year:04}-{day.month:02}", lambda day: _months(day, 1)[0], lambda day: _months(day, 1)[1]
    ),
    "quarter": Period(
        lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
        lambda day: _months(day, 3)[0],
        lambda day: _months(day, 3)[1],
    ),
    "year": Period(lambda day: f"{day.year:04}", lambda day: date(day.year, 1, 1), lambda day: date(day.year, 12, 31)),
    "decade": Period(
        lambda day: f"{day.year // 10 * 10:04}s", lambda day: _decade(day)[0], lambda day: _decade(day)[1]
    ),
}
# what a format must have so that a level can be told: one of these directives of strptime
DIRECTIVES = {"year": set("YyGcx")}
DIRECTIVES["month"] = DIRECTIVES["quarter"] = set("mbBjUWVcx")
DIRECTIVES["day"] = set("djuwaAcx")
DIRECTIVES["decade"] = DIRECTIVES["year"]
PARTS = {"year": "year", "decade": "year", "month": "month", "quarter": "month", "day": "day"}


@dataclass(frozen=True)
class Dates(PathLadder):
    """Dates and timestamps at ever coarser ``levels``; ISO dates, or in a ``format`` as `strptime` reads it.

    Missing values can only become the mark.
    """

    levels: tuple[str, ...]
    format: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        for name in self.levels:
            if name == "week":
                raise InputError("'date' has no weeks: a week can lie in two months, and in two years")
            if name not in LEVELS:
                raise InputError(f"'{name}' is not a level of 'date': {nearest(name, LEVELS)}")
        self._require_format()
        order = [list(LEVELS).index(name) for name in self.levels]
        if not order or any(fine >= coarse for fine, coarse in pairwise(order)):
            raise InputError("'date' must be given levels from fine to coarse, as in date=month,year,decade")

    def _require_format(self) -> None:
        """Raise if the format of the dates leaves open what a level shows."""
        if self.format is None:
            return
        given = set(re.findall(r"%(.)", self.format.replace("%%", "")))
        for name in ("year", *self.levels):
            if not given & DIRECTIVES[name]:
                raise InputError(
                    f"'date({self.format})' has no {PARTS[name]}, which the level '{name}' needs: name a format such "
                    "as %d.%m.%Y, or coarser levels"
                )

    def names(self, domain: Domain) -> tuple[str, ...]:  # noqa: ARG002
        """Name the levels as they are given."""
        return self.levels

    def labels(self, domain: Domain) -> Sequence[Labels]:
        """Name the period of every date."""
        found = self._moments(domain)
        return [
            [_label(LEVELS[name], value, moment) for value, moment in zip(domain.values, found, strict=True)]
            for name in self.levels
        ]

    def loss(self, level: int, first: int, size: int, domain: Domain) -> Fraction:
        """Return the extent of a period within the range of the column, in days, or in seconds if it has times."""
        del size
        moment = self._moments(domain)[first]
        if moment is None:
            return Fraction(0)
        timed, least, most = domain.once(self, "range", lambda: self._range(domain))
        period = LEVELS[self.levels[level - 1]]
        begin = max(least, _position(Moment(period.first(moment.day), 0), timed))
        end = min(most, _position(Moment(period.last(moment.day), DAY - 1), timed))
        return Fraction(end - begin, most - least) if most > least else Fraction(0)

    def positions(self, domain: Domain) -> Sequence[Fraction | None]:
        """Return the dates as days or seconds."""
        timed = self._range(domain)[0]
        return [None if each is None else Fraction(_position(each, timed)) for each in self._moments(domain)]

    def _range(self, domain: Domain) -> tuple[bool, int, int]:
        """Say whether some date has a time, and return the earliest and the latest position."""
        present = [moment for moment in self._moments(domain) if moment is not None]
        timed = any(moment.second for moment in present)
        positions = [_position(moment, timed) for moment in present]
        return timed, min(positions, default=0), max(positions, default=0)

    def _moments(self, domain: Domain) -> list[Moment | None]:
        return domain.once(self, "moments", lambda: self._read(domain))

    def _read(self, domain: Domain) -> list[Moment | None]:
        found = [None if is_missing(value) else read_moment(str(value), self.format) for value in domain.values]
        others = sum(1 for value, moment in zip(domain.values, found, strict=True) if not (moment or is_missing(value)))
        if others:
            form, hint = "such as 2024-03-05", "name their format, as in date(%d.%m.%Y)=month,year"
            if self.format is not None:
                form, hint = f"in the format {self.format}", "correct them, or name another format"
            raise InputError(
                f"'date' needs dates {form}, and {pluralize(others, 'different value')} of '{domain.name}' "
                f"{'is' if others == 1 else 'are'} not: {hint}"
            )
        return found

    def __str__(self) -> str:
        return f"date{'' if self.format is None else f'({self.format})'}={','.join(self.levels)}"


def date_format_of(ladder: object) -> str | None:
    """Return the format in which a ladder reads dates, if it reads them in one of its own."""
    while (inner := getattr(ladder, "ladder", None)) is not None:
        ladder = inner
    return ladder.format if isinstance(ladder, Dates) else None


def read_moment(text: str, form: str | None = None) -> Moment | None:
    """Read a date as in ISO 8601, or in a form as `strptime` reads it; None if it is none."""
    text = text.strip()
    if form is None:
        return _iso(text)
    try:
        found = datetime.strptime(text, form)
    except (ValueError, re.error):
        return None
    return Moment(found.date(), found.hour * 3600 + found.minute * 60 + found.second)


def _iso(text: str) -> Moment | None:
    found = _ISO.fullmatch(text)
    try:
        day = date.fromisoformat(found["date"]) if found else None
    except ValueError:
        day = None
    if found is None or day is None:
        return None
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    return Moment(day, hour * 3600 + minute * 60 + second)


def _label(period: Period, value: str | None, moment: Moment | None) -> Hashable:
    return value if moment is None else period.text(moment.day)


def _position(moment: Moment, timed: bool) -> int:
    return moment.day.toordinal() * DAY + moment.second if timed else moment.day.toordinal()
