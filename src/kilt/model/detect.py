"""What a column is that was given no role: one that identifies persons, or a plain one.

The decision is made from counts and a bounded sample of the distinct values, so that it is cheap on any table. A wrong
"identifies" costs the user one word (``keep``); a wrong "plain" could cost a person: in doubt, a column identifies.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import nsmallest
from typing import Literal

from kilt.model.looks import is_email, is_file, is_iban, is_name, is_person, is_phone, is_sentence
from kilt.numbers import decimal_text

Kind = Literal["plain", "unique", "text", "person", "e-mail", "phone", "iban", "file"]


@dataclass(frozen=True)
class Params:
    """When a column identifies; ``sample`` is how many distinct values are looked at."""

    rows: int = 50  # fewer rows may all differ by chance
    filled: int = 20  # so many cells must be there, where others are missing
    unique: Fraction = Fraction(9, 10)  # more than this share of the cells differ
    matching: Fraction = Fraction(1, 10)  # of the values that look like an e-mail address, a phone number, ...
    sentences: Fraction = Fraction(1, 5)  # of the values that are sentences, in a column of many values
    many: int = 50  # so many values are many,
    many_of: Fraction = Fraction(1, 4)  # and so are values that are this share of the cells
    persons: Fraction = Fraction(4, 5)  # of the values that look like persons, in a column of many values
    persons_of: Fraction = Fraction(1, 20)  # and these values are at least this share of the cells
    named: Fraction = Fraction(1, 2)  # of the values that could be names, in a column that is called so
    sample: int = 1_000
    characters: int = 1_000  # of a value are looked at


PARAMS = Params()


@dataclass(frozen=True)
class ColumnSample:
    """What is looked at of a column: how many cells are filled, with how many distinct values, and some of these."""

    name: str
    rows: int
    filled: int
    distinct: int
    values: Sequence[str]

    @classmethod
    def of(cls, name: str, counts: Mapping[str | None, int], most: int = PARAMS.sample) -> ColumnSample:
        """Take the sample of a column from its values with their numbers of cells: the first ones by their hash."""
        values = {value: count for value, count in counts.items() if value is not None}
        filled = sum(values.values())
        return cls(name, filled + counts.get(None, 0), filled, len(values), nsmallest(most, values, key=_hashed))


def _hashed(value: str) -> bytes:
    return hashlib.md5(value.encode(errors="surrogatepass"), usedforsecurity=False).digest()


@dataclass(frozen=True)
class ColumnKind:
    """What a column is, and the reason in words that fit behind its name."""

    name: str
    kind: Kind
    reason: str

    @property
    def identifies(self) -> bool:
        """Whether it could tell who somebody is."""
        return self.kind != "plain"


def detect(column: ColumnSample, params: Params = PARAMS) -> ColumnKind:
    """Say what a column is: by what its values look like, then by how many of them differ."""
    column = replace(column, values=[value[: params.characters] for value in column.values])
    found = _pattern(column, params) or _person(column, params) or _text(column, params) or _unique(column, params)
    kind, reason = found or ("plain", f"{column.distinct:,} different values in {column.filled:,} cells")
    return ColumnKind(column.name, kind, reason)


Found = tuple[Kind, str] | None
PATTERNS: dict[Kind, tuple[Callable[[str], bool], str]] = {
    "e-mail": (is_email, "looks like e-mail addresses"),
    "iban": (is_iban, "looks like account numbers"),
    "file": (is_file, "looks like names of files"),
    "phone": (is_phone, "looks like phone or id numbers"),
}


def _pattern(column: ColumnSample, params: Params) -> Found:
    """Find values that look like one of the patterns; a column of contacts may mix them."""
    kinds = (next((kind for kind, (looks, _) in PATTERNS.items() if looks(v)), None) for v in column.values)
    seen = Counter(kind for kind in kinds if kind is not None)
    if not seen or seen.total() < params.matching * len(column.values):
        return None
    kind = seen.most_common(1)[0][0]
    return kind, PATTERNS[kind][1]


def _person(column: ColumnSample, params: Params) -> Found:
    """Find names of persons: by the name of the column, or by the many values that look so."""
    if called_name(column.name) and _share(is_name, column.values) >= params.named:
        return "person", "looks like names of persons"
    many = column.distinct >= params.many and column.distinct >= params.persons_of * column.filled
    if many and _share(is_person, column.values) >= params.persons:
        return "person", "looks like names of persons"
    return None


def _text(column: ColumnSample, params: Params) -> Found:
    """Find free text, in which anything may stand."""
    many = column.distinct > 1 and (
        column.distinct >= params.many or column.distinct >= params.many_of * max(column.filled, 1)
    )
    return ("text", "is free text") if many and _share(is_sentence, column.values) >= params.sentences else None


def _unique(column: ColumnSample, params: Params) -> Found:
    """Find values that hardly any two rows share, such as numbers of patients."""
    if column.rows < params.rows or column.filled < params.filled:
        return None
    share = Fraction(column.distinct, column.filled)
    if share <= params.unique:
        return None
    return "unique", f"{decimal_text(100 * share, 1)}% of its values differ"


def _share(looks: Callable[[str], bool], values: Sequence[str]) -> Fraction:
    return Fraction(sum(map(looks, values)), len(values)) if values else Fraction(0)


NAMES = re.compile(
    "names?|surname|forename|firstname|lastname|fullname|username|patientname|vorname|nachname|familienname|nom|prenom|"
    "prénom|nombre|apellidos?|cognome|nome"
)
WHOSE = re.compile(
    "first|last|full|family|given|middle|maiden|birth|persons?|patients?|client|customer|member|employee|student|user|"
    "doctor|physician|nurse|mother|father|parent|child|partner|contact|of|the"
)


def called_name(column: str) -> bool:
    """Say whether a column is called the name of a person, as in ``surname`` or ``patient_name``, not ``drug name``."""
    names = [word for word in column_words(column) if not WHOSE.fullmatch(word)]
    return bool(names) and all(NAMES.fullmatch(word) for word in names)


def column_words(column: str) -> list[str]:
    """Return the words of the name of a column, in small letters: birth, date of ``birthDate`` and ``Birth_date``."""
    return [word.lower() for word in re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-zà-ÿ])(?=[A-Z])", " ", column))]


def refusal(found: Iterable[ColumnKind]) -> str | None:
    """Return the sentence that refuses columns that identify and that nobody decided on; None if there are none."""
    columns = [f"'{each.name}' ({each.reason})" for each in found if each.identifies]
    if not columns:
        return None
    verb, it = ("has", "it") if len(columns) == 1 else ("have", "each")
    return (
        f"{listed(columns)} {verb} no role and could identify persons: give {it} to --identifier (dropped), --quasi "
        "(blurred) or --keep (released as it is)"
    )


def note(found: Iterable[ColumnKind]) -> str | None:
    """Return the note that names the other columns that nobody decided on; None if there are none."""
    columns = [f"'{each.name}'" for each in found if not each.identifies]
    if not columns:
        return None
    verb, they, them = ("has", "it is", "it") if len(columns) == 1 else ("have", "they are", "them")
    return f"{listed(columns)} {verb} no role: {they} released unchanged; --keep says that you want {them} so"


def listed(words: Sequence[str]) -> str:
    """Write a list as in a sentence: a, b and c."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
