"""Ladders: how a quasi column may be blurred, from the value itself (level 0) up to the mark.

A ladder turns the values of a column into one or more coded *columns* of the problem, each with
its levels and their costs in stars, and knows what a value looks like at given levels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np

from kilt.errors import InputError, nearest
from kilt.model.taxonomy import ROOT, Taxonomy
from kilt.numbers import BoolArray, IntArray, rational

Values = Sequence[str | None]
Mark = str | None  # what a suppressed cell looks like; None is the null of a typed column
MARK = "*"


@dataclass(frozen=True)
class CodedColumn:
    """A column of the problem: ``levels[h][code]`` is the code at level h, ``costs[h][code]`` what that costs a row.

    Level 0 is the code itself; at the top level all codes are 0. Costs are in stars, never fall on the way up, and are
    the same for codes that are the same at a level: they belong to labels. ``looks[h][code]`` is the lowest level at
    which a code looks as it does at level h; None if it looks different at each. ``numbers`` are the values by code, if
    they are numbers.
    """

    name: str
    levels: tuple[IntArray, ...]
    costs: tuple[tuple[Fraction, ...], ...]
    looks: tuple[IntArray, ...] | None = None
    numbers: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class Encoding:
    """The distinct values of a quasi column, coded: row i of ``codes`` is value i in each coded column.

    ``credit`` stars are subtracted from the cost of any release.
    """

    codes: IntArray
    columns: tuple[CodedColumn, ...]
    credit: Fraction = Fraction(0)


def by_level(costs: Sequence[Fraction], size: int) -> tuple[tuple[Fraction, ...], ...]:
    """Return costs by level and code where all codes of a level cost the same."""
    return tuple((cost,) * size for cost in costs)


class Ladder(Protocol):
    """How one quasi column may be blurred."""

    @property
    def text_only(self) -> bool:
        """Whether a released column is always text."""

    @property
    def masks(self) -> bool:
        """Whether single characters are masked, so that the mark must be one character."""

    def encode(self, name: str, values: Values) -> Encoding:
        """Code the distinct values of a column."""

    def show(self, value: str | None, levels: Sequence[int], values: Values, mark: Mark) -> Mark:
        """Return what a blurred value looks like (not all levels are 0)."""

    def ambiguous(self, values: Values, mark: Mark) -> int:
        """Count the values that could be mistaken for blurred ones."""

    def stars(self, original: str | None, released: str | None, values: Values, mark: Mark) -> Fraction | None:
        """Return the cost of a released cell that differs from its original, or None if it is not a blur of it.

        Of the ``values`` only the longest counts.
        """


def _coded(values: Sequence[object]) -> IntArray:
    """Number the values in order of their first appearance."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int32)


def _ranked(values: Values) -> tuple[IntArray, tuple[Fraction, ...]]:
    """Number the values by size if all are numbers, else as they come; a missing value is the first.

    Return the numbers too, if there are any; a missing value stands where the smallest does.
    """
    try:
        keys = [(value is not None, rational(value or 0)) for value in values]
    except (ValueError, ZeroDivisionError):
        return np.arange(len(values), dtype=np.int32), ()
    order = sorted(range(len(values)), key=keys.__getitem__)
    codes = np.empty(len(values), dtype=np.int32)
    codes[order] = np.arange(len(values), dtype=np.int32)
    smallest = next((keys[i][1] for i in order if keys[i][0]), Fraction(0))
    return codes, tuple(keys[i][1] if keys[i][0] else smallest for i in order)


def _two_level(name: str, codes: IntArray, looks: IntArray | None = None) -> CodedColumn:
    """Return a column of two levels; ``looks`` has the lowest level that looks like the upper one."""
    size = int(codes.max(initial=-1)) + 1
    identity, zeros = np.arange(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    costs = by_level((Fraction(0), Fraction(1)), size)
    return CodedColumn(name, (identity, zeros), costs, None if looks is None else (zeros, looks))


def _looks(same: Sequence[BoolArray]) -> tuple[IntArray, ...]:
    """Return the lowest level that looks like each, given for each above 0 whether it looks like the one below."""
    looks = [np.zeros(len(same[0]), dtype=np.int32)]
    for level, as_below in enumerate(same, 1):
        looks.append(np.where(as_below, looks[-1], level).astype(np.int32))
    return tuple(looks)


@dataclass(frozen=True)
class Suppression:
    """A value, or the mark: the ladder of two levels."""

    text_only: bool = False
    masks: bool = False

    def encode(self, name: str, values: Values) -> Encoding:
        """One coded column of two levels, in the order of the values, which methods that cut between them follow."""
        codes, numbers = _ranked(values)
        return Encoding(codes[:, None], (replace(_two_level(name, codes), numbers=numbers),))

    def show(self, value: str | None, levels: Sequence[int], values: Values, mark: Mark) -> Mark:  # noqa: ARG002
        """Show the mark."""
        return mark

    def ambiguous(self, values: Values, mark: Mark) -> int:
        """Count values that equal the mark."""
        return sum(1 for value in values if value == mark)

    def stars(
        self,
        original: str | None,  # noqa: ARG002 - every value may become the mark
        released: str | None,
        values: Values,  # noqa: ARG002
        mark: Mark,
    ) -> Fraction | None:
        """One star for the mark."""
        return Fraction(1) if released == mark else None


@dataclass(frozen=True)
class Characters:
    """Every character position is a column of its own: 98765 may become 98*** or 9*7**.

    Shorter values are padded with an absent character, which is a value like any other; so is the
    missing value, in every position. It has no characters to mask: by itself it stays as it is.
    """

    text_only: bool = True
    masks: bool = True

    def encode(self, name: str, values: Values) -> Encoding:
        """One two-level column per position."""
        width = _width(values)
        codes = np.column_stack([_coded([_character(v, i) for v in values]) for i in range(width)])
        looks = [_masked(codes[:, i], values) for i in range(width)]
        columns = tuple(_two_level(f"{name}[{i + 1}]", codes[:, i], looks[i]) for i in range(width))
        return Encoding(codes, columns)

    def show(self, value: str | None, levels: Sequence[int], values: Values, mark: Mark) -> Mark:  # noqa: ARG002
        """Mask the positions at level 1."""
        shown = [mark if level else _character(value, place) for place, level in enumerate(levels)]
        return "".join(character for character in shown if character is not None)

    def ambiguous(self, values: Values, mark: Mark) -> int:
        """Count values that hold the mark."""
        return sum(1 for value in values if value is not None and str(mark) in value)

    def stars(self, original: str | None, released: str | None, values: Values, mark: Mark) -> Fraction | None:
        """Count the masked positions; every other position must be as it was."""
        if released is None or len(released) > _width(values) or len(released) < len(original or ""):
            return None
        if original is None and released != str(mark) * _width(values):  # it differs from any other in every position
            return None
        masked = sum(1 for shown in released if shown == mark)
        kept = all(shown in (mark, _character(original, i)) for i, shown in enumerate(released))
        return Fraction(masked) if kept and masked else None


@dataclass(frozen=True)
class Prefix:
    """Only a tail may be masked: 98765, 9876*, 987**, and so on; every masked position is a star.

    A shorter value is masked by itself only where it has characters in the tail, or altogether.
    """

    text_only: bool = True
    masks: bool = True

    def encode(self, name: str, values: Values) -> Encoding:
        """One column with a level for every length of the tail."""
        width = _width(values)
        levels = [_coded(list(values))]
        levels += [_coded([_head(v, width - tail) for v in values]) for tail in range(1, width)]
        levels.append(np.zeros(len(values), dtype=np.int32))
        costs = by_level([Fraction(tail) for tail in range(width + 1)], len(values))
        lengths = np.array([len(value or "") for value in values])
        nothing_masked = [np.asarray(lengths <= width - tail) for tail in range(1, width)]
        looks = _looks([*nothing_masked, np.zeros(len(values), dtype=bool)])
        return Encoding(levels[0][:, None], (CodedColumn(name, tuple(levels), costs, looks),))

    def show(self, value: str | None, levels: Sequence[int], values: Values, mark: Mark) -> Mark:
        """Mask the tail."""
        width, tail = _width(values), levels[0]
        return (value or "")[: width - tail] + str(mark) * tail

    def ambiguous(self, values: Values, mark: Mark) -> int:
        """Count values that hold the mark."""
        return Characters().ambiguous(values, mark)

    def stars(self, original: str | None, released: str | None, values: Values, mark: Mark) -> Fraction | None:
        """Count the tail of marks behind what must be the beginning of the original."""
        if released is None or len(released) != _width(values):
            return None
        head = released.rstrip(str(mark))
        tail = len(released) - len(head)
        return Fraction(tail) if tail and (original or "").startswith(head) else None


@dataclass(frozen=True)
class Taxonomic:
    """A value may become one of ever wider labels; a step costs its share of a star."""

    taxonomy: Taxonomy
    text_only: bool = True
    masks: bool = False

    def encode(self, name: str, values: Values) -> Encoding:
        """One column with the levels of the taxonomy."""
        self.taxonomy.require(values, name)
        self._require_clear_labels(values, name)
        height = self.taxonomy.height
        paths = [self.taxonomy.paths[value] for value in values if value is not None]
        levels = tuple(_coded([path[level] for path in paths]) for level in range(height + 1))
        costs = by_level([Fraction(level, height) for level in range(height + 1)], len(paths))
        looks = _looks([np.array([path[h] == path[h - 1] for path in paths]) for h in range(1, height + 1)])
        return Encoding(levels[0][:, None], (CodedColumn(name, levels, costs, looks),))

    def show(self, value: str | None, levels: Sequence[int], values: Values, mark: Mark) -> Mark:  # noqa: ARG002
        """Show the label, and the mark for the root."""
        label = self.taxonomy.paths[str(value)][levels[0]]
        return mark if label == ROOT else label

    def ambiguous(self, values: Values, mark: Mark) -> int:
        """Count values, and labels below the root, that equal the mark."""
        labels = {label for value in values if value in self.taxonomy.paths for label in self._below_root(value)}
        return sum(1 for label in labels if label == mark)

    def _require_clear_labels(self, values: Values, name: str) -> None:
        """Raise if one label stands for two different sets of values: a release could be read in two ways."""
        meaning: dict[str, frozenset[int]] = {}
        for level in range(self.taxonomy.height):
            members: dict[str, set[int]] = {}
            for index, value in enumerate(values):
                members.setdefault(self.taxonomy.paths[str(value)][level], set()).add(index)
            for label, indices in members.items():
                if meaning.setdefault(label, frozenset(indices)) != indices:
                    raise InputError(
                        f"the taxonomy of '{name}' uses one label at level {level} and, for other values, at a lower "
                        "level: rename one, or the release could be read in two ways"
                    )

    def _below_root(self, value: str | None) -> tuple[str, ...]:
        return self.taxonomy.paths[str(value)][:-1]

    def stars(
        self,
        original: str | None,
        released: str | None,
        values: Values,  # noqa: ARG002 - the taxonomy knows its values
        mark: Mark,
    ) -> Fraction | None:
        """Return the share of the lowest level at which the original has this label."""
        path = self.taxonomy.paths.get(str(original), ())
        shown = [mark if label == ROOT else label for label in path]
        return Fraction(shown.index(released), self.taxonomy.height) if released in shown else None


@dataclass(frozen=True)
class Weighted:
    """A ladder whose stars count for more, or less, than one each."""

    ladder: Ladder
    weight: Fraction

    @property
    def text_only(self) -> bool:
        """As the ladder itself."""
        return self.ladder.text_only

    @property
    def masks(self) -> bool:
        """As the ladder itself."""
        return self.ladder.masks

    def encode(self, name: str, values: Values) -> Encoding:
        """Multiply the costs."""
        encoding = self.ladder.encode(name, values)
        columns = tuple(
            replace(c, costs=tuple(tuple(cost * self.weight for cost in level) for level in c.costs))
            for c in encoding.columns
        )
        return Encoding(encoding.codes, columns, encoding.credit * self.weight)

    def show(self, value: str | None, levels: Sequence[int], values: Values, mark: Mark) -> Mark:
        """Show as the ladder itself does."""
        return self.ladder.show(value, levels, values, mark)

    def ambiguous(self, values: Values, mark: Mark) -> int:
        """Count as the ladder itself does."""
        return self.ladder.ambiguous(values, mark)

    def stars(self, original: str | None, released: str | None, values: Values, mark: Mark) -> Fraction | None:
        """Multiply the stars."""
        stars = self.ladder.stars(original, released, values, mark)
        return None if stars is None else stars * self.weight


def _width(values: Values) -> int:
    return max((len(value) for value in values if value is not None), default=0) or 1


def _character(value: str | None, position: int) -> str | None:
    """Return the character at a position, '' where the value is shorter, None for the missing value."""
    return None if value is None else value[position : position + 1]


def _masked(codes: IntArray, values: Values) -> IntArray:
    """Return for every code of a position the lowest level that looks masked: 0 for the missing value alone."""
    looks = np.ones(int(codes.max(initial=-1)) + 1, dtype=np.int32)
    looks[[code for code, value in zip(codes.tolist(), values, strict=True) if value is None]] = 0
    return looks


def _head(value: str | None, length: int) -> str | None:
    return None if value is None else value[:length]


def parse_ladder(text: str) -> Ladder:
    """Read a ladder as the command line writes it: suppress, characters, prefix or taxonomy=FILE."""
    name, _, argument = text.partition("=")
    if name in LADDERS and not argument:
        return LADDERS[name]
    if name == "taxonomy" and argument:
        return Taxonomic(Taxonomy.read(argument))
    raise InputError(f"'{text}' is not a ladder: {nearest(text, [*LADDERS, 'taxonomy=FILE'])}")


LADDERS: Mapping[str, Ladder] = {"suppress": Suppression(), "characters": Characters(), "prefix": Prefix()}
