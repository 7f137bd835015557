"""The command ``ladder``: a preview of a ladder on a column, level by level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kilt.errors import InputError, printable_lines
from kilt.model.ladders import MARK, Domain, Ladder, Limited, PathLadder, Priced
from kilt.model.ladders.limited import VALUE
from kilt.model.measure import DEFAULT, Measure
from kilt.model.roles import Roles, Spec
from kilt.numbers import IntArray, json_number, pluralize
from kilt.report.text import columns_text
from kilt.sources.counted_table import read_decimals
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_source

RARE = 5  # labels of fewer rows are not shown, unless the user asks for them
EXAMPLES = 3


@dataclass(frozen=True)
class PreviewLevel:
    """A level: how many labels it has, the rows of the rarest, what it costs a row on average, and some labels."""

    name: str
    labels: int
    fewest: int
    stars: Fraction
    examples: tuple[tuple[str | None, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "level": self.name,
            "labels": self.labels,
            "fewest_rows": self.fewest,
            "stars_per_row": json_number(self.stars),
            "examples": [{"label": label, "rows": rows} for label, rows in self.examples],
        }


@dataclass(frozen=True)
class LadderPreview:
    """What a ladder makes of a column: the levels that may be shown, from the lowest to the highest."""

    column: str
    ladder: str
    measure: Measure
    rows: int
    levels: tuple[PreviewLevel, ...]
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Show the levels as a table."""
        rows = [
            (
                level.name,
                f"{level.labels:,}",
                f"{level.fewest:,}",
                f"{float(level.stars):.3g}",
                ", ".join(f"{_quoted(label)} ({pluralize(count, 'row')})" for label, count in level.examples)
                or f"(all have fewer than {RARE} rows)",
            )
            for level in self.levels
        ]
        header = ("level", "labels", "fewest rows", "stars a row", "for example")
        about = f"{self.column}: {self.ladder}, measure {self.measure}, {pluralize(self.rows, 'row')}"
        return printable_lines([about, *columns_text(header, rows), *(f"note: {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "column": self.column,
            "ladder": self.ladder,
            "measure": self.measure.name,
            "rows": self.rows,
            "levels": [level.to_dict() for level in self.levels],
            "notes": list(self.notes),
        }


def ladder(
    data: Any,
    column: Spec,
    *,
    measure: Measure | str | None = None,
    weights: Spec = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    show_values: bool = False,
) -> LadderPreview:
    """Show what a ladder makes of a column, as in ``kilt.ladder("patients.csv", "age:bands=5,10,20")``.

    Labels of fewer than 5 rows are left out, unless ``show_values`` is set.
    """
    source = open_source(data, FileStyle(delimiter, encoding, sheet=sheet))
    roles = Roles.read(source.columns, column, None, None, weights, measure, encoding=encoding)
    roles = read_decimals(roles, decimal, source)
    if len(roles.quasi) != 1:
        raise InputError("'column' must be one column with its ladder, as in age:bands=5,10,20")
    ((name, given),) = roles.quasi.items()
    domain = source.domain(name)
    path = _path(given)
    given.encode(domain)  # raises if the ladder does not fit
    low, high = path.span(domain)
    levels = tuple(_level(given, path, level, domain, show_values) for level in range(low, high + 1))
    return LadderPreview(name, _text(given), roles.measure, int(domain.counts.sum()), levels, given.remarks(name))


def _path(given: Ladder) -> PathLadder:
    inner = given.ladder if isinstance(given, Priced) else given
    if not isinstance(inner, PathLadder):
        raise InputError(f"the ladder '{inner}' has no levels to show: it is not a path of labels")
    return inner


def _text(given: Ladder) -> str:
    """Write a ladder; one of another package may have no text of its own."""
    inner = given.ladder if isinstance(given, Priced) else given
    plain = inner.ladder if isinstance(inner, Limited) else inner
    return type(plain).__name__ if type(plain).__str__ is object.__str__ else str(given)


def _level(given: Ladder, path: PathLadder, level: int, domain: Domain, show_values: bool) -> PreviewLevel:
    numbers = path.rungs(domain).numbers[level]
    _, first = np.unique(numbers, return_index=True)
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, numbers, domain.counts)
    rows: Counter[str | None] = Counter()
    labels = path.steps(domain)[level]
    for place, count in zip(first.tolist(), counts.tolist(), strict=True):
        rows[path.text(labels[place], domain, MARK)] += count
    common_first = sorted(rows.items(), key=lambda each: (-each[1], each[0] is not None, each[0] or ""))
    shown_rows = [each for each in common_first if show_values or each[1] >= RARE]
    names = (VALUE, *path.names(domain), "mark")
    return PreviewLevel(
        names[level],
        len(rows),
        min(rows.values()),
        _stars(given, path, level, counts, domain) / int(domain.counts.sum()),
        tuple(shown_rows[:EXAMPLES]),
    )


def _stars(given: Ladder, path: PathLadder, level: int, counts: IntArray, domain: Domain) -> Fraction:
    """Return what it costs all rows to show the column at a level, of whose labels so many rows have each."""
    measure, weight = (given.measure, given.weight) if isinstance(given, Priced) else (DEFAULT, Fraction(1))
    prices = path.prices(domain, measure)
    return weight * (_paid(prices[level], counts) - _paid(prices[0], domain.counts))


def _paid(prices: Sequence[Fraction], counts: IntArray) -> Fraction:
    return sum((price * count for price, count in zip(prices, counts.tolist(), strict=True) if price), Fraction(0))


def _quoted(label: str | None) -> str:
    return "(missing)" if label is None else label or '""'
