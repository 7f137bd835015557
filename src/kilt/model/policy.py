"""The policy: the principles that every group of a release, or the release as a whole, must meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from kilt.errors import InputError, nearest, raise_all
from kilt.model.diversity import Form, Frequency, Recursive, parse_form
from kilt.model.rules import AverageRule, ClosenessRule, DiversityRule, Rule, Rules, SizeRule
from kilt.model.spaces import GroundDistance, Space, Values, ground_of, parse_space
from kilt.numbers import IntArray, Number, exact_text, rational


@dataclass(frozen=True)
class SensitiveColumn:
    """A sensitive column of a table: its values, how often each occurs, and how far they are apart."""

    name: str
    values: Values
    reference: IntArray
    space: Space

    @cached_property
    def ground(self) -> GroundDistance:
        """The distances of the values."""
        return ground_of(self.space, self.values, self.name)


@dataclass(frozen=True, init=False)
class KAnonymity:
    """Every group has at least k rows."""

    k: int

    def __init__(self, k: Number) -> None:
        number = _number(k, "k")
        if number < 1 or number.denominator != 1:
            raise InputError(f"'k' must be a whole number of at least 1, not {k}")
        object.__setattr__(self, "k", int(number))

    def bind(self, sensitive: Sequence[SensitiveColumn]) -> Iterator[Rule]:  # noqa: ARG002 - sizes only
        """Return the rule on sizes."""
        yield SizeRule(self.k)

    def __str__(self) -> str:
        return f"k={self.k}"


@dataclass(frozen=True, init=False)
class LDiversity:
    """The sensitive values of every group are diverse, in one of four forms (see `kilt.model.diversity`)."""

    l: Fraction
    form: Form
    column: str | None

    def __init__(self, l: Number, form: str | Form = "frequency", column: str | None = None) -> None:
        number = _number(l, "l")
        parsed = parse_form(form) if isinstance(form, str) else form
        if number < 1:
            raise InputError(f"'l' must be at least 1, not {l}")
        if parsed.whole and number.denominator != 1:
            raise InputError(f"'l' must be a whole number in {parsed.name} diversity, not {l}")
        object.__setattr__(self, "l", number)
        object.__setattr__(self, "form", parsed)
        object.__setattr__(self, "column", column)

    def bind(self, sensitive: Sequence[SensitiveColumn]) -> Iterator[Rule]:
        """Return one rule per sensitive column that this principle is about."""
        for index, column in _chosen(sensitive, self.column, "l"):
            yield DiversityRule(self.l, self.form, index, column.name, len(column.values))

    def __str__(self) -> str:
        form = "" if isinstance(self.form, Frequency) else f" ({self.form})"
        return f"l={exact_text(self.l)}{form}" + _of(self.column)


@dataclass(frozen=True, init=False)
class TCloseness:
    """The sensitive values of every group are distributed as in the whole table, up to a distance of t."""

    t: Fraction
    space: Space | None
    column: str | None

    def __init__(self, t: Number, space: str | Space | None = None, column: str | None = None) -> None:
        number = _number(t, "t")
        if not 0 <= number <= 1:
            raise InputError(f"'t' must be between 0 and 1, not {t}")
        object.__setattr__(self, "t", number)
        object.__setattr__(self, "space", parse_space(space) if isinstance(space, str) else space)
        object.__setattr__(self, "column", column)

    def bind(self, sensitive: Sequence[SensitiveColumn]) -> Iterator[Rule]:
        """Return one rule per sensitive column that this principle is about, each in its own space."""
        for index, column in _chosen(sensitive, self.column, "t"):
            ground = column.ground if self.space is None else ground_of(self.space, column.values, column.name)
            yield ClosenessRule(self.t, ground, column.reference, index, column.name)

    def __str__(self) -> str:
        return f"t={exact_text(self.t)}" + _of(self.column)


@dataclass(frozen=True, init=False)
class AverageCloseness:
    """Groups tell at most t bits of the sensitive values, on the average over all rows.

    It is about the release as a whole: the mutual information of the group and the sensitive value is at most t.
    """

    t: Fraction
    column: str | None

    def __init__(self, t: Number, column: str | None = None) -> None:
        number = _number(t, "average_t")
        if number < 0:
            raise InputError(f"'average_t' must be a number of bits, at least 0, not {t}")
        object.__setattr__(self, "t", number)
        object.__setattr__(self, "column", column)

    def bind(self, sensitive: Sequence[SensitiveColumn]) -> Iterator[AverageRule]:
        """Return one rule per sensitive column that this principle is about."""
        for index, column in _chosen(sensitive, self.column, "average_t"):
            yield AverageRule(self.t, index, column.name)

    def __str__(self) -> str:
        return f"average t={exact_text(self.t)}" + _of(self.column)


Principle: TypeAlias = KAnonymity | LDiversity | TCloseness | AverageCloseness
PerColumn: TypeAlias = Number | Mapping[str, Number] | None


@dataclass(frozen=True, init=False)
class Policy:
    """The principles that every group must meet, in any combination; ``average_t`` is about the release as a whole.

    ``Policy(k=5, l=2, t="0.2")`` asks for all three; l, t and average_t hold for every sensitive column, or
    for the columns of a mapping (``t={"disease": "0.2"}``). Principles can also be given as objects.
    """

    principles: tuple[Principle, ...]

    def __init__(
        self,
        *principles: Principle,
        k: Number | None = None,
        l: PerColumn = None,
        t: PerColumn = None,
        average_t: PerColumn = None,
        diversity: str | Form = "frequency",
    ) -> None:
        problems: list[str] = []
        made = [
            *principles,
            *_made(KAnonymity, [] if k is None else [((k,), {})], problems),
            *_made(LDiversity, [((v, diversity), {"column": c}) for c, v in _per_column(l)], problems),
            *_made(TCloseness, [((v,), {"column": c}) for c, v in _per_column(t)], problems),
            *_made(AverageCloseness, [((v,), {"column": c}) for c, v in _per_column(average_t)], problems),
        ]
        raise_all(problems)
        object.__setattr__(self, "principles", tuple(made))

    def bind(self, sensitive: Sequence[SensitiveColumn]) -> Rules:
        """Return the rules that decide about groups of a table with these sensitive columns."""
        problems: list[str] = []
        rules: list[Rule | AverageRule] = []
        for principle in self.principles:
            try:
                rules += principle.bind(sensitive)
            except InputError as error:
                problems.append(str(error))
        raise_all(list(dict.fromkeys(problems)))
        on_release = tuple(rule for rule in rules if isinstance(rule, AverageRule))
        return Rules(tuple(rule for rule in rules if not isinstance(rule, AverageRule)), on_release)

    def columns(self, sensitive: Sequence[str]) -> list[str]:
        """Return the sensitive columns that some principle is about, in their order."""
        speaking = [p for p in self.principles if not isinstance(p, KAnonymity)]
        unknown = [p.column for p in speaking if sensitive and p.column is not None and p.column not in sensitive]
        raise_all([f"'{name}' is not a sensitive column: {nearest(name, sensitive)}" for name in unknown])
        return [name for name in sensitive if any(p.column in (None, name) for p in speaking)]

    @property
    def recursive(self) -> Recursive:
        """The recursive form that the policy uses, with c = 1 if it uses none."""
        forms = [p.form for p in self.principles if isinstance(p, LDiversity)]
        return next((form for form in forms if isinstance(form, Recursive)), Recursive(Fraction(1)))

    def __bool__(self) -> bool:
        return bool(self.principles)

    def __str__(self) -> str:
        return ", ".join(map(str, self.principles)) or "no principle"


def _made(make: Any, calls: Sequence[tuple[tuple[Any, ...], dict[str, Any]]], problems: list[str]) -> list[Principle]:
    made: list[Principle] = []
    for positional, named in calls:
        try:
            made.append(make(*positional, **named))
        except InputError as error:
            problems.append(str(error))
    return made


def _per_column(value: PerColumn) -> list[tuple[str | None, Number]]:
    if value is None:
        return []
    return list(value.items()) if isinstance(value, Mapping) else [(None, value)]


def _chosen(
    sensitive: Sequence[SensitiveColumn], column: str | None, parameter: str
) -> list[tuple[int, SensitiveColumn]]:
    if not sensitive:
        raise InputError(f"'{parameter}' needs a sensitive column, and none is given")
    return [(i, c) for i, c in enumerate(sensitive) if column in (None, c.name)]


def _number(value: Number, parameter: str) -> Fraction:
    try:
        return rational(value)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"'{parameter}' must be a number, not '{value}'") from None


def _of(column: str | None) -> str:
    return "" if column is None else f" on '{column}'"
