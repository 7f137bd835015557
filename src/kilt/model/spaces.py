"""Metric spaces on the values of a sensitive column, and the earth mover's distance in them.

A space says how far two values are apart, with the largest distance 1: the largest of the *possible* values, which are
those that the space names (an order, a taxonomy, a matrix), and those of the table if it names none. On the values of a
table it becomes a *ground*: integers that measure how much work it takes to turn the counts of a group
into the counts of the table. With ``difference[i] = n * count[i] - N * reference[i]`` for a group
of N rows in a table of n rows, the distance is ``work(difference) / (scale * n * N)``.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np

from kilt.errors import InputError, nearest
from kilt.model.taxonomy import Taxonomy, read_cells
from kilt.model.transport import transport
from kilt.numbers import FloatArray, IntArray, Number, rational, read_number, widen

Values = Sequence[str | None]


class GroundDistance(Protocol):
    """Distances between the values of one column, in integers."""

    @property
    def scale(self) -> int:
        """The integer that stands for distance 1."""

    @property
    def least(self) -> int:
        """A lower bound on the distance of two different values."""

    def work(self, difference: IntArray) -> IntArray:
        """Return the least work that evens out each row of differences, exactly."""

    def bounds(self, difference: IntArray) -> tuple[IntArray, IntArray]:
        """Return proven lower and upper bounds on the work, as good as they are cheap."""

    def pressure(self, difference: IntArray) -> FloatArray:
        """Return how much one row less of each value would lessen the work; it guides, never decides."""


@dataclass(frozen=True)
class TreeMetric:
    """A tree metric: every edge cuts off an interval ``start:stop`` of the values in ``order``.

    The work is the sum over edges of weight times what must cross it, the closed form that equal
    distance (a star), ordered and numeric spaces (a line) and taxonomies (a tree) share.
    """

    order: IntArray
    start: IntArray
    stop: IntArray
    weight: IntArray
    scale: int
    least: int

    def work(self, difference: IntArray) -> IntArray:
        """Sum over the edges of weight times the absolute difference on one side."""
        return np.asarray(np.abs(self._crossing(difference)) @ self.weight)

    def bounds(self, difference: IntArray) -> tuple[IntArray, IntArray]:
        """Return the work itself, which is cheap here."""
        work = self.work(difference)
        return work, work

    def pressure(self, difference: IntArray) -> FloatArray:
        """Return the slope of the work in each count: that of the edges that have begun less those that have ended."""
        signs = np.sign(self._crossing(difference))
        slopes = widen(signs, 2 * sum(self.weight.tolist())) * self.weight
        begun, ended = self._begun_and_ended
        found = np.empty((len(slopes), len(self.order)))
        found[:, self.order] = (_sum_first(slopes, *begun) - _sum_first(slopes, *ended)) / self.scale
        return found

    def _crossing(self, difference: IntArray) -> IntArray:
        largest = int(np.abs(difference).sum(axis=1).max(initial=0))
        ordered = widen(difference, largest * (sum(self.weight.tolist()) + 1))[:, self.order]
        prefix = np.zeros((len(ordered), len(self.order) + 1), dtype=ordered.dtype)
        np.cumsum(ordered, axis=1, out=prefix[:, 1:])
        return np.asarray(prefix[:, self.stop] - prefix[:, self.start])

    @cached_property
    def _begun_and_ended(self) -> list[tuple[IntArray, IntArray]]:
        """The edges in the order of their starts, and how many have begun at each value; the same for their ends."""
        places, found = np.arange(len(self.order)), []
        for at in (self.start, self.stop):
            order = np.argsort(at, kind="stable")
            found.append((order, np.searchsorted(at[order], places, side="right")))
        return found


def _sum_first(numbers: IntArray, order: IntArray, many: IntArray) -> IntArray:
    """Return in every row the sums of the first so many numbers in an order."""
    sums = np.zeros((len(numbers), len(order) + 1), dtype=numbers.dtype)
    np.cumsum(numbers[:, order], axis=1, out=sums[:, 1:])
    return np.asarray(sums[:, many])


@dataclass(frozen=True)
class MatrixMetric:
    """Any metric as an integer matrix; the work is an exact transportation, proved from both sides.

    Potentials of earlier transports bound the work of later ones from below; sending everything
    through one value bounds it from above.
    """

    distance: tuple[tuple[int, ...], ...]
    scale: int
    _potentials: deque[tuple[int, ...]] = field(default_factory=lambda: deque(maxlen=64), repr=False, compare=False)

    def work(self, difference: IntArray) -> IntArray:
        """Transport each row of differences; a flow and a potential of equal value certify the answer."""
        distinct, where = np.unique(difference.astype(object).astype(str), axis=0, return_inverse=True)
        solved = [self._solve(tuple(map(int, row))) for row in distinct]
        return np.array(solved, dtype=object)[where.ravel()]

    @property
    def least(self) -> int:
        """The least distance of two different values."""
        return min((d for i, row in enumerate(self.distance) for j, d in enumerate(row) if i != j), default=0)

    def bounds(self, difference: IntArray) -> tuple[IntArray, IntArray]:
        """Bound the work by known potentials from below, and by the best hub from above."""
        largest = int(np.abs(difference).sum(axis=1).max(initial=0))
        wide = widen(difference, (largest + 1) * self.scale)
        high = (np.abs(wide) @ widen(np.array(self.distance), (largest + 1) * self.scale)).min(axis=1)
        if not self._potentials:
            return np.zeros_like(high), high
        return np.maximum((wide @ np.array(self._potentials).T).max(axis=1), 0), high

    def pressure(self, difference: IntArray) -> FloatArray:
        """Return the known potential with the best value: the slope of a bound on the work in each count."""
        if not self._potentials:
            self._solve(tuple(map(int, difference[0])))
        known = np.array(self._potentials, dtype=np.float64)
        best = (difference.astype(np.float64) @ known.T).argmax(axis=1)
        return np.asarray(known[best] / self.scale)

    def _solve(self, difference: tuple[int, ...]) -> int:
        divisor = math.gcd(*difference) or 1
        reduced = tuple(d // divisor for d in difference)
        plan = transport(reduced, self.distance)
        cost = plan.cost(reduced, self.distance)
        if cost != plan.value(reduced, self.distance):
            raise ArithmeticError("flow and potential disagree")
        if plan.potential not in self._potentials:
            self._potentials.append(plan.potential)
        return cost * divisor


class Space(Protocol):
    """How far the values of a sensitive column are apart."""

    def on(self, values: Values, column: str) -> GroundDistance:
        """Return the distances between these values of the column."""


def ground_of(space: Space, values: Values, column: str) -> GroundDistance:
    """Return the distances of a column's values, or raise if the space gives others than kilt can decide with."""
    ground = space.on(values, column)
    if not isinstance(ground, TreeMetric | MatrixMetric):
        raise InputError(
            f"the space of '{column}' must give a TreeMetric or a MatrixMetric, not a {type(ground).__name__}"
        )
    return ground


@dataclass(frozen=True)
class EqualDistance:
    """Any two different values are at distance 1: the distance is total variation."""

    def on(self, values: Values, column: str) -> GroundDistance:  # noqa: ARG002 - the same for every column
        """Return a star whose edges have length one half."""
        each = np.arange(len(values))
        return TreeMetric(each, each, each + 1, np.ones(len(values), dtype=np.int64), scale=2, least=2)


@dataclass(frozen=True)
class Ordered:
    """Values on a line, neighbours equally far apart: numbers by rank, or words in a given order."""

    order: tuple[str, ...] | None = None
    decimal: str = "."

    def on(self, values: Values, column: str) -> GroundDistance:
        """Return the line of ranks."""
        if self.order is None:
            numbers = _numbers(values, column, "ordered", self.decimal)
            rank = {number: Fraction(place) for place, number in enumerate(sorted(set(numbers)))}
            return _line([rank[number] for number in numbers])
        if len(set(self.order)) < len(self.order):
            raise InputError(f"the order of '{column}' names a value twice")
        place_of = {value: Fraction(place) for place, value in enumerate(self.order)}
        missing = sum(1 for value in values if value not in place_of)
        if missing:
            raise InputError(f"the order of '{column}' misses {missing} of its {len(values)} values")
        return _line([place_of[value] for value in values if value is not None], len(self.order) - 1)

    def widest(self, values: Values) -> Fraction:
        """Return the largest distance of two of these values."""
        used = set(values)
        places = [place for place, value in enumerate(self.order or ()) if value in used]
        return Fraction(max(places) - min(places), max(1, len(self.order or ()) - 1)) if places else Fraction(1)


@dataclass(frozen=True)
class Numeric:
    """Numbers on a line, as far apart as their values are."""

    decimal: str = "."

    def on(self, values: Values, column: str) -> GroundDistance:
        """Return the line of values."""
        return _line(_numbers(values, column, "numeric", self.decimal))


@dataclass(frozen=True)
class Tree:
    """Values at the leaves of a taxonomy: the distance is the height of the lowest common label.

    The label at which all leaves meet is at height 1; labels above it, which all share, do not count.
    """

    taxonomy: Taxonomy

    def on(self, values: Values, column: str) -> GroundDistance:
        """Return the edges of the tree above these values; each has length 1 / (2 height), up to where all meet."""
        self.taxonomy.require(values, column)
        paths = [self.taxonomy.paths[value] for value in values if value is not None]
        order = sorted(range(len(values)), key=lambda i: paths[i][::-1])
        edges: list[tuple[int, int]] = []
        height = max(1, self.taxonomy.meeting(list(self.taxonomy.paths)))
        for level in range(height):
            above = [paths[i][level:] for i in order]
            starts = [i for i in range(len(above)) if i == 0 or above[i] != above[i - 1]]
            edges += zip(starts, [*starts[1:], len(above)], strict=True)
        start, stop = np.array(edges).T
        weight = np.ones(len(edges), np.int64)
        return TreeMetric(np.array(order), start, stop, weight, scale=2 * height, least=2)

    def widest(self, values: Values) -> Fraction:
        """Return the largest distance of two of these values."""
        height = max(1, self.taxonomy.meeting(list(self.taxonomy.paths)))
        return Fraction(self.taxonomy.meeting([value for value in values if value is not None]), height)


@dataclass(frozen=True)
class Metric:
    """Any metric, given as a matrix of distances between values."""

    values: tuple[str, ...]
    distance: tuple[tuple[Fraction, ...], ...]

    @classmethod
    def read(cls, path: str | Path, encoding: str | None = None) -> Metric:
        """Read a file whose first line names the values and whose other lines give their distances.

        It is UTF-8, or else has the ``encoding`` of the table.
        """
        rows = read_cells(path, "metric", encoding)
        if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
            raise InputError(
                f"the metric file '{path}' is not a square matrix: the first line is an empty cell and the values, "
                "every other line a value and its distances"
            )
        if [row[0] for row in rows[1:]] != rows[0][1:]:
            raise InputError(f"the metric file '{path}' names other values in its first line than in its first column")
        return cls.of(rows[0][1:], [row[1:] for row in rows[1:]])

    @classmethod
    def of(cls, values: Sequence[str], distance: Sequence[Sequence[Number]]) -> Metric:
        """Check that the matrix is a metric: symmetric, zero exactly on the diagonal, no shortcut."""
        try:
            exact = tuple(tuple(rational(cell) for cell in row) for row in distance)
        except (ValueError, ZeroDivisionError):
            raise InputError("the metric has a distance that is not a number") from None
        problem = _why_not_metric(values, exact)
        if problem:
            raise InputError(f"the distances are not a metric: {problem}")
        return cls(tuple(values), exact)

    @property
    def largest(self) -> Fraction:
        """The largest distance; distances are divided by it."""
        return max((d for row in self.distance for d in row), default=Fraction(0))

    def on(self, values: Values, column: str) -> GroundDistance:
        """Return the matrix over these values, normalised so that the largest distance of the metric is 1."""
        place = {value: i for i, value in enumerate(self.values)}
        missing = sum(1 for value in values if value not in place)
        if missing:
            raise InputError(f"the metric of '{column}' misses {missing} of its {len(values)} values")
        unit = math.lcm(*(d.denominator for row in self.distance for d in row))
        rows = [self.distance[place[value]] for value in values if value is not None]
        matrix = tuple(tuple(int(row[place[v]] * unit) for v in values if v is not None) for row in rows)
        return MatrixMetric(matrix, int(self.largest * unit) or 1)

    def widest(self, values: Values) -> Fraction:
        """Return the largest distance of two of these values."""
        used = set(values)
        places = [i for i, value in enumerate(self.values) if value in used]
        return max((self.distance[i][j] for i in places for j in places), default=Fraction(0)) / (self.largest or 1)


def _numbers(values: Values, column: str, space: str, decimal: str) -> list[Fraction]:
    numbers = [number for number in (_number(value, decimal) for value in values) if number is not None]
    wrong = len(values) - len(numbers)
    if wrong:
        with_comma = decimal == "." and all(_number(value, ",") is not None for value in values)
        hint = "; with a decimal comma they all are: give 'decimal', as in --decimal ," if with_comma else ""
        raise InputError(
            f"'{column}' has {wrong} of {len(values)} values that are not numbers, which its {space} space needs{hint}"
        )
    return numbers


def _number(value: str | None, decimal: str) -> Fraction | None:
    try:
        return read_number(value or "", decimal)
    except (ValueError, ZeroDivisionError):
        return None


def _line(place: Sequence[Fraction], length: int | None = None) -> TreeMetric:
    """Put values in their places on a line of this length (by default, from the first value to the last)."""
    order = sorted(range(len(place)), key=lambda i: place[i])
    unit = math.lcm(*(p.denominator for p in place))
    along = [int(place[i] * unit) for i in order]
    gaps = [high - low for low, high in pairwise(along)]
    span = length * unit if length is not None else along[-1] - along[0]
    weight = widen(np.array(gaps, dtype=object), span)
    start, stop = np.zeros(len(gaps), np.int64), np.arange(1, len(gaps) + 1)
    return TreeMetric(np.array(order, dtype=np.int64), start, stop, weight, scale=span or 1, least=min(gaps, default=0))


def _why_not_metric(values: Sequence[str], distance: tuple[tuple[Fraction, ...], ...]) -> str | None:
    size = len(values)
    if len(set(values)) < size or len(distance) != size or any(len(row) != size for row in distance):
        return "it needs one row and one column for each of the different values"
    pairs = [(i, j) for i in range(size) for j in range(size)]
    if any(distance[i][i] for i in range(size)):
        return "a value has a distance to itself that is not 0"
    if any(distance[i][j] != distance[j][i] for i, j in pairs):
        return "it is not symmetric"
    if any(distance[i][j] <= 0 for i, j in pairs if i != j):
        return "two different values have a distance that is not positive"
    if any(distance[i][h] + distance[h][j] < d for i, j in pairs if (d := distance[i][j]) for h in range(size)):
        return "the triangle inequality fails, a detour is shorter than the direct way"
    return None


def parse_space(text: str, encoding: str | None = None) -> Space:
    """Read a space as the command line writes it: equal, ordered, numeric, tree=FILE or metric=FILE.

    Files are UTF-8, or else have the ``encoding`` of the table.
    """
    name, _, argument = text.partition("=")
    if name in SPACES and not argument:
        return SPACES[name]
    if name == "tree" and argument:
        return Tree(Taxonomy.read(argument, encoding))
    if name == "metric" and argument:
        return Metric.read(argument, encoding)
    known = [*SPACES, "tree=FILE", "metric=FILE"]
    raise InputError(f"'{text}' is not a space: {nearest(text, known)}")


SPACES: dict[str, Space] = {"equal": EqualDistance(), "ordered": Ordered(), "numeric": Numeric()}
