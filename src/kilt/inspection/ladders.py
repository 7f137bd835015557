"""A ladder and a space that fit a column: asked of all its values, so that what is proposed is not refused later.

Floats guide these choices; whether a ladder fits is decided by the ladder itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kilt.errors import InputError
from kilt.inspection.kinds import Kind, is_date, is_number
from kilt.model.decimal_sign import in_decimal
from kilt.model.ladders import MARK, Domain, parse_ladder
from kilt.model.ladders.dates import read_moment
from kilt.model.ladders.numeric import is_missing
from kilt.model.spaces import parse_space
from kilt.numbers import pluralize

SUPPRESS = "suppress"
BANDS = 20  # about so many bands at the first level
STEPS = (1, 2, 5)  # widths are one of these times a power of ten
SKEWED = 0.5  # of the rows in one band: then bands that are filled equally say more
GROUPS = "groups=16,4"
FEW_VALUES = 10  # of whole numbers in a sensitive column: then neighbours are equally far apart
LONG_CODE = 6
DAYS = 366
MOST_CHECKED = 10_000  # values on which a ladder is tried out
MARKS = ("*", "?", "#", "~", "^", "%", "=", "@")


@dataclass(frozen=True)
class Choice:
    """A ladder or a space as `kilt.toml` writes it, and why."""

    word: str
    reason: str
    mark: str | None = None


def ladder_for(kind: Kind, domain: Domain, *, typed: bool, decimal: str = ".") -> Choice:
    """Return a ladder that takes all values of the column, and a mark if the usual one would be mistaken for one."""
    choice = _ladder(kind, domain, decimal)
    if choice.word != SUPPRESS and not _fits(choice.word, domain, decimal):
        choice = Choice(SUPPRESS, "its values have no common form")
    return Choice(choice.word, choice.reason, _mark(choice.word, domain, typed=typed))


def _ladder(kind: Kind, domain: Domain, decimal: str) -> Choice:
    present = [value for value in domain.values if not is_missing(value) and value is not None]
    if kind.name == "number":
        others = sum(1 for value in present if not is_number(decimal)(value))
        return _bands(domain, decimal) if not others else _refused(others, "a number")
    if kind.name == "date":
        others = sum(1 for value in present if not is_date(kind.format)(value))
        return _dates(kind.format, present) if not others else _refused(others, "a date")
    if kind.name == "code":
        return _prefix(max(map(len, present)))
    return Choice(SUPPRESS, "a taxonomy would lose less" if len(present) > FEW_VALUES else "few values")


def _refused(others: int, what: str) -> Choice:
    values = f"{pluralize(others, 'value')} {'is' if others == 1 else 'are'}"
    return Choice(SUPPRESS, f"{values} not {what}: with these missing, it could be blurred in steps")


def _bands(domain: Domain, decimal: str) -> Choice:
    """Choose widths by the range: about twenty bands, then half as many, then a quarter."""
    pairs = zip(domain.values, domain.counts.tolist(), strict=True)
    rows = [(float(value.replace(decimal, ".")), count) for value, count in pairs if value and not is_missing(value)]
    numbers = [at for at, _ in rows]
    whole = all(at.is_integer() for at in numbers)
    span = max(numbers) - min(numbers)
    if not math.isfinite(span) or span <= (4 if whole else 0):
        return Choice(SUPPRESS, "few values")
    power = math.floor(math.log10(span / BANDS))
    step = min(STEPS, key=lambda each: abs(math.log(span / BANDS / (each * 10.0**power))))
    if whole and step * 10.0**power < 2:
        power, step = 0, 2
    filled: Counter[int] = Counter()
    for at, count in rows:
        filled[math.floor(at / (step * 10.0**power))] += count
    if filled.most_common(1)[0][1] > SKEWED * filled.total() and len(numbers) > BANDS:
        return Choice(GROUPS, "most rows are in one part of its range: bands that are filled equally")
    widths = [_width(step * times, power) for times in (1, 2, 4)]
    return Choice(f"bands={','.join(widths)}", "numbers become bands")


def _width(step: int, power: int) -> str:
    """Write step times ten to a power, without the errors of floats."""
    return str(step * 10**power) if power >= 0 else f"{step / 10**-power:.{-power}f}"


def _dates(form: str | None, present: Sequence[str]) -> Choice:
    days = [moment.day.toordinal() for moment in (read_moment(value, form) for value in present) if moment is not None]
    years = (max(days) - min(days)) / DAYS
    levels = "month,year,decade" if years > 20 else "month,quarter,year"
    reason = "dates become months" + (" and years" if years > 1 else "")
    if form is not None and form.startswith(("%d/%m", "%m/%d")):
        first = "days" if form.startswith("%d") else "months"
        reason += f", read with {first} first: check that"
    return Choice(f"date{'' if form is None else f'({form})'}={levels}", reason)


def _prefix(width: int) -> Choice:
    if width < 2:
        return Choice(SUPPRESS, "single characters")
    lengths = sorted({width * 3 // 4, width // 2, width // 4} - {0}, reverse=True)
    word = "prefix" if width <= LONG_CODE else f"prefix={','.join(map(str, lengths))}"
    return Choice(word, "its first characters are the coarse part")


def _fits(word: str, domain: Domain, decimal: str) -> bool:
    if len(domain.values) > MOST_CHECKED:
        return True
    try:
        in_decimal(parse_ladder(word), decimal).encode(domain)
    except InputError:
        return False
    return True


def _mark(word: str, domain: Domain, *, typed: bool) -> str | None:
    """Return a mark that no value looks like, where the usual one does; the null of a typed column may be one."""
    ladder = parse_ladder(word)
    null_is_mark = typed and not ladder.text_only
    if null_is_mark and None not in domain.values:
        return None
    if not null_is_mark and not any(value and MARK in value for value in domain.values):
        return None
    free = (mark for mark in MARKS if not any(value and mark in value for value in domain.values))
    return next(free, None)


def space_for(kind: Kind, domain: Domain, decimal: str = ".") -> Choice:
    """Return how far the values of a sensitive column are apart."""
    numbers = kind.name == "number" and all(value is not None and is_number(decimal)(value) for value in domain.values)
    if not numbers:
        return Choice("equal", "its values have no order" if kind.name != "number" else "some values are no numbers")
    word = "ordered" if len(domain.values) <= FEW_VALUES else "numeric"
    if len(domain.values) <= MOST_CHECKED:
        try:
            in_decimal(parse_space(word), decimal).on(domain.values, domain.name)
        except InputError:
            return Choice("equal", "some values are no numbers")
    return Choice(word, "few numbers, in their order" if word == "ordered" else "numbers, as far apart as they are")
