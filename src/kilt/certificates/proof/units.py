"""Single rows of patterns, and what they add to the excess of a group of one size, in integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.patterns import ProofPatterns, starts_of
from kilt.numbers import BoolArray, IntArray, max_abs, widen

WIDTHS = (0, 16, 32, 64, 128, 256, 512, 1 << 62)  # lines with about as many rows are processed together
MAX_CELLS = 1_000_000  # of a matrix


@dataclass(frozen=True)
class Lines:
    """Rows of patterns as lines of a matrix, cheap ones first; what is not ``inside`` is not a row.

    ``value`` is the sensitive class of a row, and ``rank`` the number of cheaper rows of this class in the line.
    """

    inside: BoolArray
    reduced_costs: IntArray
    value: IntArray
    rank: IntArray

    def raised(self, by: IntArray) -> Lines:
        """Return them with higher reduced costs, by so much for each line and value."""
        each = np.take_along_axis(by, self.value, axis=1)
        return replace(self, reduced_costs=self.reduced_costs + each)

    def some(self, lines: IntArray) -> Lines:
        """Return some of the lines."""
        return Lines(self.inside[lines], self.reduced_costs[lines], self.value[lines], self.rank[lines])


@dataclass(frozen=True)
class Units:
    """Rows by pattern, cheap ones first: their number in each, their reduced costs, their sensitive class and rank."""

    widths: IntArray
    reduced_costs: IntArray
    value: IntArray
    rank: IntArray

    @classmethod
    def of(cls, patterns: ProofPatterns, sensitive_class: IntArray, largest: IntArray) -> Units:
        """Expand row types into rows, no more of a value than the largest size of the pattern."""
        value = sensitive_class[patterns.types]
        slot = patterns.owner * (int(sensitive_class.max(initial=0)) + 1) + value
        by_class = np.argsort(slot, kind="stable")
        counts = patterns.counts[by_class]
        before = Ragged(by_class, starts_of(slot[by_class])).before(counts)
        number = np.minimum(counts, np.maximum(largest[patterns.owner[by_class]] - before, 0))
        entry = np.repeat(by_class, number)
        rank = np.repeat(before, number) + np.arange(len(entry))
        rank -= np.repeat(np.cumsum(number) - number, number)
        back = np.lexsort((patterns.reduced_costs[entry], patterns.owner[entry]))
        entry, rank = entry[back], rank[back]
        widths = np.bincount(patterns.owner[entry], minlength=len(patterns))
        return cls(widths, patterns.reduced_costs[entry], value[entry], rank)

    def by_value(self, values: int) -> IntArray:
        """Return how many rows of each value every pattern has."""
        slot = np.repeat(np.arange(len(self.widths)), self.widths) * values + self.value
        return np.bincount(slot, minlength=len(self.widths) * values).reshape(-1, values)

    def lines(self, chosen: IntArray) -> Lines:
        """Return the rows of some patterns as lines of a matrix."""
        widths, begin = self.widths[chosen], (np.cumsum(self.widths) - self.widths)[chosen]
        column = np.arange(int(widths.max()))
        inside = column < widths[:, None]
        at = np.where(inside, begin[:, None] + column, 0)
        return Lines(inside, self.reduced_costs[at], self.value[at], self.rank[at])

    def up_to(self, most: IntArray) -> Units:
        """Leave out all rows of a value but so many, the cheapest ones."""
        kept = self.rank < most[self.value]
        owner = np.repeat(np.arange(len(self.widths)), self.widths)[kept]
        widths = np.bincount(owner, minlength=len(self.widths))
        return Units(widths, self.reduced_costs[kept], self.value[kept], self.rank[kept])

    def some(self, patterns: IntArray) -> Units:
        """Return the rows of some patterns."""
        widths, begin = self.widths[patterns], (np.cumsum(self.widths) - self.widths)[patterns]
        at = np.arange(int(widths.sum())) + np.repeat(begin - (np.cumsum(widths) - widths), widths)
        return Units(widths, self.reduced_costs[at], self.value[at], self.rank[at])


@dataclass(frozen=True)
class SizeShares:
    """What a group of each size may have: ``totals`` are the rows of each value in a table of ``rows`` rows.

    Excess is counted in parts of a row, as many to a row as the table has rows.
    """

    totals: IntArray
    rows: int
    t: Fraction

    def free(self, size: int) -> IntArray:
        """Return how many rows of each value have no excess."""
        return self.totals * size // self.rows

    def crossing(self, size: int) -> IntArray:
        """Return the excess of the first row of each value that has some."""
        return np.asarray((self.free(size) + 1) * self.rows - self.totals * size)

    def allowed(self, size: int) -> int:
        """Return how much excess a close group may have."""
        return self.t.numerator * self.rows * size // self.t.denominator

    def most(self, size: int) -> IntArray:
        """Return how many rows of each value a close group can have."""
        return np.asarray((self.totals * size + self.allowed(size)) // self.rows)

    def possible(self, size: int) -> bool:
        """Say whether any close group can have this size: rows are distributed by largest remainders."""
        missing = size - int(self.free(size).sum())
        return int(np.sort(self.crossing(size))[:missing].sum()) <= self.allowed(size)

    def legal(self, lines: Lines, size: int) -> BoolArray:
        """Say whether so many rows of each line can have as little excess as a close group."""
        return cheapest(self.excess(lines, size), lines.inside, size) <= self.allowed(size)

    def least(self, lines: Lines, theta: IntArray, size: int) -> IntArray:
        """Return a lower bound on the reduced cost of a close group, where excess costs theta."""
        theta = widen(theta, (max_abs(lines.reduced_costs) + int(theta.max())) * self.rows * size * 4)
        each = lines.reduced_costs * self.rows + theta[:, None] * self.excess(lines, size)
        total = cheapest(each, lines.inside, size) - theta * self.allowed(size)
        return np.asarray(total // self.rows)

    def excess(self, lines: Lines, size: int) -> IntArray:
        """Return the excess of every row, if all cheaper ones of its value are in the group."""
        free, crossing = self.free(size)[lines.value], self.crossing(size)[lines.value]
        return np.where(lines.rank < free, 0, np.where(lines.rank == free, crossing, self.rows))


def cheapest(each: IntArray, inside: BoolArray, number: int) -> IntArray:
    """Add up the least numbers inside each line."""
    far = int(each.max(initial=0)) + 1
    return np.asarray(np.partition(np.where(inside, each, far), number - 1, axis=1)[:, :number].sum(axis=1))


def in_parts(widths: IntArray) -> Iterator[IntArray]:
    """Divide lines with so many rows into parts: lines of about the same width, whose matrices are not too large.

    Lines without rows are left out.
    """
    order = np.argsort(widths, kind="stable")
    ends = np.searchsorted(widths[order], WIDTHS, side="right").tolist()
    for begin, end in pairwise(ends):
        step = max(1, MAX_CELLS // max(1, int(widths[order[begin:end]].max(initial=0))))
        for start in range(begin, end, step):
            yield order[start : min(start + step, end)]
