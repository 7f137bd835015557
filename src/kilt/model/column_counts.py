"""What is counted of a column before anybody has decided on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from kilt.model.detect import PARAMS, ColumnSample
from kilt.model.ladders import Domain

FREQUENT = 3  # so many of the most frequent values are kept


@dataclass(frozen=True)
class ColumnCounts:
    """A column: a sample of its values, and how its rows share them.

    ``unique`` rows have a value that no other row has, ``blank`` ones a text of nothing but spaces. ``frequent`` has
    the most frequent values with their rows; null is among them.
    """

    sample: ColumnSample
    unique: int
    blank: int
    frequent: tuple[tuple[str | None, int], ...]

    @classmethod
    def of(cls, domain: Domain, most: int = PARAMS.sample) -> ColumnCounts:
        """Count a column whose values are all at hand."""
        counts: Counter[str | None] = Counter()
        for value, count in zip(domain.values, domain.counts.tolist(), strict=True):
            counts[value] += count  # values of different types may look the same
        return cls(
            ColumnSample.of(domain.name, counts, most),
            int((domain.counts == 1).sum()),
            sum(count for value, count in counts.items() if value is not None and not value.strip(" ")),
            tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0] is not None, each[0] or ""))[:FREQUENT]),
        )

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.sample.name

    @property
    def rows(self) -> int:
        """The rows of the table."""
        return self.sample.rows

    @property
    def distinct(self) -> int:
        """How many different values there are, without null."""
        return self.sample.distinct

    @property
    def looks(self) -> int:
        """How many different values there are, null among them."""
        return self.distinct + (self.sample.filled < self.rows)

    @property
    def missing(self) -> int:
        """How many cells are null or blank."""
        return self.sample.rows - self.sample.filled + self.blank

    @property
    def unique_share(self) -> Fraction:
        """The share of the rows whose value no other row has."""
        return Fraction(self.unique, max(1, self.rows))

    @property
    def values(self) -> list[str]:
        """The values of the sample that are not blank."""
        return [value for value in self.sample.values if value.strip()]
