"""The kind of a column: what its values are, as far as it matters for roles, ladders and spaces.

It is found in a sample of the different values; what the sample says of numbers and dates is then asked of all values
(`kilt.inspection.ladders`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from kilt.inspection import names
from kilt.model.column_counts import ColumnCounts
from kilt.model.detect import called_name, detect
from kilt.model.ladders.dates import read_moment

KindName = Literal["identifier", "text", "date", "number", "code", "category", "constant", "nested"]
FORMATS = (  # of dates that are not as in ISO 8601; the first that all values have
    "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%d.%m.%y", "%m/%d/%y", "%d.%m.%Y %H:%M",
    "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M",
)  # fmt: skip
COMPACT = "%Y%m%d"  # only in a column that is called a date: other numbers have eight digits, too
_DIGITS = "[0-9]{1,100}"
NUMBER = {
    sign: re.compile(rf" *[-+]?(?:{_DIGITS}(?:[{sign}][0-9]{{0,100}})?|[{sign}]{_DIGITS})(?:[eE][-+]?[0-9]{{1,2}})? *")
    for sign in (".", ",")
}
DATED = re.compile(r"[0-9]{1,8}[-./0-9]*(?:[T ][0-9].*)?")  # what is worth being tried as a date
DIGITS = re.compile(r"0[0-9]+")
CODE = re.compile(r"(?=.*[0-9])[A-Za-z0-9]+(?:[-./ ][A-Za-z0-9]+)*")
DIAGNOSIS = re.compile(r"[A-Z][0-9]{2}(?:\.?[0-9A-Z]{1,4})?")


@dataclass(frozen=True)
class Params:
    """When the values of a sample make a kind."""

    nearly: Fraction = Fraction(9, 10)  # of the values look alike: the others are exceptions, and are named
    longest_code: int = 12  # characters
    code_lengths: int = 4  # by which the values of a code may differ in length
    codes: int = 10  # different values at least
    begins: int = 3  # different first halves of values at least


PARAMS = Params()


@dataclass(frozen=True)
class Kind:
    """What a column is, with the reason in a few words; dates with their format, if it is not that of ISO 8601."""

    name: KindName
    reason: str
    format: str | None = None

    @property
    def identifies(self) -> bool:
        """Whether single values could tell who somebody is."""
        return self.name in ("identifier", "text", "nested")


def kind_of(column: ColumnCounts, decimal: str = ".", nested: str | None = None) -> Kind:
    """Say what a column is; ``nested`` is what it holds, if that is more than one value in a cell."""
    if nested is not None:
        return Kind("nested", f"holds {nested}, which cannot be blurred")
    if not column.values or column.looks <= 1:
        return Kind("constant", "has one value only" if column.values else "has no values")
    form = date_format(column)
    return _of_words(column, decimal) if form is False else Kind("date", "dates", form)


def _of_words(column: ColumnCounts, decimal: str) -> Kind:
    """Say what a column is that has several values, which are no dates."""
    found = detect(column.sample)
    unique = found.reason if found.kind == "unique" else None  # numbers may be so, too: costs, for example
    if found.identifies and unique is None:
        return Kind("text" if found.kind == "text" else "identifier", found.reason)
    if (called := _called(column.name)) and column.distinct > PARAMS.codes:
        return Kind("identifier", called)
    if share(is_number(decimal), column.values) >= PARAMS.nearly:
        return _number(column, unique)
    return Kind("identifier", unique) if unique else _word(column)


def _called(name: str) -> str | None:
    """Say whether a column is called something that identifies, whatever its values look like."""
    if called_name(name):
        return "is called a name"
    return "is called an id" if names.ID.are_in(name) else None


def _word(column: ColumnCounts) -> Kind:
    """Tell codes from other words."""
    return Kind("code", "codes") if _is_code(column) else Kind("category", "categories")


def _number(column: ColumnCounts, unique: str | None) -> Kind:
    """Tell numbers from codes and ids that are written with digits alone."""
    values = [value.strip() for value in column.values]
    padded = sum(1 for value in values if DIGITS.fullmatch(value))
    whole = all(value.lstrip("+-").isdecimal() for value in values)
    if whole and (padded or names.CODE.are_in(column.name)) and max(map(len, values)) <= PARAMS.longest_code:
        return Kind("code", "codes of digits")
    if whole and unique is not None and not names.AMOUNT.are_in(column.name):
        return Kind("identifier", unique)
    if column.distinct <= 2:
        return Kind("category", "categories")
    return Kind("number", "whole numbers" if whole else "numbers")


def _is_code(column: ColumnCounts) -> bool:
    """Say whether the values are short and built alike: letters and digits, of about the same length.

    They differ from the first characters on, unless the column is called a code: ward 1 and ward 2 are words.
    """
    values = [value.strip() for value in column.values]
    begins = {value[: (len(value) + 1) // 2] for value in values}
    lengths = [len(value) for value in values]
    alike = max(lengths) <= PARAMS.longest_code and max(lengths) - min(lengths) < PARAMS.code_lengths
    many = (column.distinct >= PARAMS.codes and len(begins) >= PARAMS.begins) or names.CODE.are_in(column.name)
    return bool(many and alike) and share(lambda value: CODE.fullmatch(value) is not None, values) >= PARAMS.nearly


def date_format(column: ColumnCounts) -> str | Literal[False] | None:
    """Return the format of dates, None for that of ISO 8601, and False if the values are no dates."""
    forms = [*FORMATS]
    if names.DATE.are_in(column.name) and all(len(value.strip()) == 8 for value in column.values):
        forms.append(COMPACT)
    if share(lambda value: DATED.fullmatch(value.strip()) is not None, column.values) < PARAMS.nearly:
        return False
    if share(is_date(None), column.values) >= PARAMS.nearly:
        return None
    shares = {form: share(is_date(form), column.values) for form in forms}
    best = max(forms, key=lambda form: shares[form])
    return best if shares[best] >= PARAMS.nearly else False


def is_date(form: str | None) -> Callable[[str], bool]:
    """Return what says whether a value is a date of a format."""
    return lambda value: read_moment(value, form) is not None


def is_number(decimal: str) -> Callable[[str], bool]:
    """Return what says whether a value is a number with this decimal sign."""
    return lambda value: NUMBER[decimal].fullmatch(value) is not None


def is_diagnosis(column: ColumnCounts) -> bool:
    """Say whether the values look like codes of diagnoses (ICD)."""
    return share(lambda value: DIAGNOSIS.fullmatch(value.strip()) is not None, column.values) >= PARAMS.nearly


def share(looks: Callable[[str], bool], values: Sequence[str]) -> Fraction:
    """Return the share of the values that look so."""
    return Fraction(sum(map(looks, values)), len(values)) if values else Fraction(0)


def decimal_sign(columns: Sequence[ColumnCounts]) -> str:
    """Return the decimal sign of a table's text columns: a comma if some numbers have one, and none has a point."""
    signs = [sign for column in columns for sign in (".", ",") if _has_sign(column.values, sign)]
    return "," if "," in signs and "." not in signs else "."


def _has_sign(values: Sequence[str], sign: str) -> bool:
    return any(sign in value for value in values) and share(is_number(sign), values) >= PARAMS.nearly
