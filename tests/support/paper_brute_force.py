"""The definitions of the paper in plain Python, with integers and fractions, and the cheapest partition by trying all.

Written from the paper alone (section 2), and for what is not in it from docs/policy.md, docs/spaces.md and
docs/ladders.md. No code of kilt's and none of the other slow twins is used. Texts are cells, and None is a missing one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Cell = str | None
Row = tuple[Cell, ...]
Groups = list[list[int]]
Distance = list[list[Fraction]]


@dataclass(frozen=True)
class Quasi:
    """A quasi-identifier: suppress, characters, prefix, bands or taxonomy (a path from every value to the root)."""

    ladder: str = "suppress"
    weight: Fraction = Fraction(1)
    paths: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Sensitive:
    """A sensitive attribute: equal, ordered, numeric, tree (paths) or metric (distances of pairs)."""

    space: str = "equal"
    paths: dict[str, list[str]] = field(default_factory=dict)
    metric: dict[tuple[str, str], Fraction] = field(default_factory=dict)


@dataclass(frozen=True)
class Demands:
    """What every group must meet: k, l in a form (c is for the recursive one), t; None is no demand."""

    k: int | None = None
    l: Fraction | None = None
    form: str = "frequency"
    c: Fraction = Fraction(1)
    t: Fraction | None = None


# What a group costs


def padded(value: str, width: int) -> list[Cell]:
    """Return the characters of a value, and absent ones up to the width."""
    return [value[i] if i < len(value) else None for i in range(width)]


def stars_of_column(quasi: Quasi, cells: Sequence[Cell], column: Sequence[Cell]) -> Fraction:
    """Return what one row of a group pays in a column, given the cells of the group and those of the table."""
    if len(set(cells)) == 1:
        return Fraction(0)
    if quasi.ladder == "taxonomy":
        return quasi.weight * common_share([quasi.paths[str(cell)] for cell in cells], quasi.paths)
    if quasi.ladder == "bands":
        return quasi.weight * band_share(cells, column)
    if quasi.ladder in ("characters", "prefix"):
        return quasi.weight * masked_stars(quasi.ladder, cells, column)
    return quasi.weight


def masked_stars(ladder: str, cells: Sequence[Cell], column: Sequence[Cell]) -> Fraction:
    """Count the positions that differ or, where a tail is masked, the share of values that begin as the cells do."""
    width = max(1, *(len(cell) for cell in column if cell is not None))  # a mark has room even if all texts are empty
    if None in cells:
        return Fraction(width if ladder == "characters" else 1)
    positions = list(zip(*(padded(str(cell), width) for cell in cells), strict=True))
    differs = [len(set(position)) > 1 for position in positions]
    visible = differs.index(True)
    if ladder == "characters" or not visible:
        return Fraction(sum(differs) if ladder == "characters" else 1)
    alike = {cell for cell in column if cell is not None and cell[:visible] == str(cells[0])[:visible]}
    return Fraction(len(alike) - 1, len(set(column)) - 1)


def band_share(cells: Sequence[Cell], column: Sequence[Cell]) -> Fraction:
    """Return the share of the range that the narrowest common band of whole numbers has: of 2 numbers, then of 4."""
    numbers = [int(cell) for cell in column if cell is not None]
    for width in (2, 4):
        if None not in cells and len({int(str(cell)) // width for cell in cells}) == 1:
            low = int(str(cells[0])) // width * width
            within = max(low, min(numbers)), min(low + width - 1, max(numbers))
            return Fraction(within[1] - within[0], max(1, max(numbers) - min(numbers)))
    return Fraction(1)


def common_share(paths: Sequence[Sequence[str]], every: dict[str, list[str]]) -> Fraction:
    """Return the share of the values of a tree that are under the lowest common label; short paths are stretched."""
    height = max(map(len, every.values())) - 1
    stretched = {path[0]: [path[0]] * (height + 1 - len(path)) + list(path) for path in every.values()}
    mine = [stretched[path[0]] for path in paths]
    shared = next(h for h in range(height + 1) if len({path[h] for path in mine}) == 1)
    under = sum(1 for path in stretched.values() if path[shared] == mine[0][shared])
    return Fraction(under - 1, len(every) - 1)


def common_height(paths: Sequence[Sequence[str]], every: dict[str, list[str]]) -> Fraction:
    """Return the height of the lowest label that paths share, as a share of the tree's; short paths are stretched."""
    height = max(map(len, every.values())) - 1
    stretched = [[path[0]] * (height + 1 - len(path)) + list(path) for path in paths]
    shared = next(h for h in range(height + 1) if len({path[h] for path in stretched}) == 1)
    return Fraction(shared, height)


# Whether a group is legal


def distances(sensitive: Sensitive, values: Sequence[str]) -> Distance:
    """Return how far any two values of the table are apart."""
    size = range(len(values))
    if sensitive.space == "equal":
        return [[Fraction(i != j) for j in size] for i in size]
    if sensitive.space == "tree":
        paths = [sensitive.paths[value] for value in values]
        return [[common_height([paths[i], paths[j]], sensitive.paths) for j in size] for i in size]
    if sensitive.space == "metric":
        largest = max(sensitive.metric.values())
        return [[sensitive.metric[values[i], values[j]] / largest for j in size] for i in size]
    place = [Fraction(value) for value in values]
    if sensitive.space == "ordered":
        ranks = sorted(set(place))
        place = [Fraction(ranks.index(each)) for each in place]
    span = max(place) - min(place)
    return [[abs(place[i] - place[j]) / span if span else Fraction(0) for j in size] for i in size]


def earth_movers_distance(x: Sequence[Fraction], y: Sequence[Fraction], distance: Distance) -> Fraction:
    """Solve the linear program of the paper: move the mass of X to that of Y with the least work."""
    unit = math.lcm(*(mass.denominator for mass in (*x, *y)))
    scale = math.lcm(*(d.denominator for row in distance for d in row))
    sources, sinks = [i for i, mass in enumerate(x) if mass], [j for j, mass in enumerate(y) if mass]
    pairs = [(i, j) for i in sources for j in sinks]
    rows = [[int(i == source) for i, _ in pairs] for source in sources]
    rows += [[int(j == sink) for _, j in pairs] for sink in sinks]
    supply = [int(x[i] * unit) for i in sources] + [int(y[j] * unit) for j in sinks]
    return Fraction(least_cost(rows, supply, [int(distance[i][j] * scale) for i, j in pairs]), unit * scale)


def least_cost(rows: list[list[int]], right: list[int], cost: list[int]) -> int:
    """Minimise cost * f where rows * f = right and f >= 0: the simplex method in integers, by Bland's rule.

    The matrix of a transportation is totally unimodular, so that every pivot is 1. Artificial variables cost more than
    any flow does.
    """
    count, much = len(cost), 1 + sum(right) * max(cost, default=0)
    tableau = [
        [*row, *(int(i == j) for j in range(len(rows))), b] for i, (row, b) in enumerate(zip(rows, right, strict=True))
    ]
    basis = [count + i for i in range(len(rows))]
    prices = [*cost, *[much] * len(rows), 0]
    for row in tableau:
        prices = [price - much * cell for price, cell in zip(prices, row, strict=True)]
    while (entering := next((j for j, price in enumerate(prices[:-1]) if price < 0), None)) is not None:
        limits = [(row[-1], basis[i], i) for i, row in enumerate(tableau) if row[entering] > 0]
        _, _, leaving = min(limits)
        pivot = tableau[leaving]
        assert pivot[entering] == 1
        for i, row in enumerate(tableau):
            if i != leaving and row[entering]:
                tableau[i] = [cell - row[entering] * p for cell, p in zip(row, pivot, strict=True)]
        prices = [price - prices[entering] * p for price, p in zip(prices, pivot, strict=True)]
        basis[leaving] = entering
    assert not any(row[-1] for i, row in enumerate(tableau) if basis[i] >= count)
    return -prices[-1]


def is_diverse(counts: Sequence[int], l: Fraction, form: str, c: Fraction) -> bool:
    """Decide l-diversity of a group whose values occur so often: the paper's form is the frequency."""
    size, ordered = sum(counts), sorted(counts, reverse=True)
    if form == "frequency":
        return ordered[0] <= size / l
    if form == "distinct":
        return sum(count > 0 for count in counts) >= l
    if form == "recursive":
        return ordered[0] < c * sum(ordered[int(l) - 1 :])
    powers = math.prod(count**count for count in counts)
    return size**size * l.denominator**size >= l.numerator**size * powers


# The cheapest partition


def partitions(rows: Sequence[int]) -> Iterator[Groups]:
    """Yield every partition: the last row joins a group of the others, or is one."""
    if not rows:
        yield []
        return
    for groups in partitions(rows[:-1]):
        for i in range(len(groups)):
            yield [*groups[:i], [*groups[i], rows[-1]], *groups[i + 1 :]]
        yield [*groups, [rows[-1]]]


@dataclass
class BruteForce:
    """A table (its quasi cells, then its sensitive ones) under demands."""

    rows: Sequence[Row]
    quasi: Sequence[Quasi]
    sensitive: Sequence[Sensitive]
    demands: Demands

    def __post_init__(self) -> None:
        self._known: dict[tuple[int, ...], Fraction | None] = {}
        self._moved: dict[tuple[int, tuple[int, ...]], bool] = {}
        self._column = [[row[j] for row in self.rows] for j in range(len(self.quasi) + len(self.sensitive))]
        self._values = [sorted({str(cell) for cell in self._column[self._place(s)]}) for s in self._sensitive]
        self._distance = [distances(each, self._values[s]) for s, each in enumerate(self.sensitive)]

    @property
    def _sensitive(self) -> range:
        return range(len(self.sensitive))

    def _place(self, sensitive: int) -> int:
        return len(self.quasi) + sensitive

    def cost(self, group: Sequence[int]) -> Fraction:
        """Return the stars of all rows of a group."""
        columns = [([self.rows[i][j] for i in group], self._column[j]) for j in range(len(self.quasi))]
        each = [stars_of_column(quasi, *cells) for quasi, cells in zip(self.quasi, columns, strict=True)]
        return len(group) * sum(each, Fraction(0))

    def is_legal(self, group: Sequence[int]) -> bool:
        """Decide whether a group meets all demands, in every sensitive column."""
        if self.demands.k is not None and len(group) < self.demands.k:
            return False
        return all(self._is_legal_in(s, group) for s in self._sensitive)

    def _counts(self, sensitive: int, group: Sequence[int]) -> tuple[int, ...]:
        found = Counter(str(self.rows[i][self._place(sensitive)]) for i in group)
        return tuple(found[value] for value in self._values[sensitive])

    def _is_legal_in(self, sensitive: int, group: Sequence[int]) -> bool:
        counts, wanted = self._counts(sensitive, group), self.demands
        if wanted.l is not None and not is_diverse(counts, wanted.l, wanted.form, wanted.c):
            return False
        if wanted.t is None:
            return True
        if (sensitive, counts) not in self._moved:
            self._moved[sensitive, counts] = self.distance(sensitive, group) <= wanted.t
        return self._moved[sensitive, counts]

    def distance(self, sensitive: int, group: Sequence[int]) -> Fraction:
        """Return the earth mover's distance between a group and the table."""
        counts, total = self._counts(sensitive, group), self._counts(sensitive, range(len(self.rows)))
        x, y = ([Fraction(count, sum(each)) for count in each] for each in (counts, total))
        return earth_movers_distance(x, y, self._distance[sensitive])

    def price(self, group: Sequence[int]) -> Fraction | None:
        """Return the cost of a legal group; None if it is not."""
        key = tuple(group)
        if key not in self._known:
            self._known[key] = self.cost(group) if self.is_legal(group) else None
        return self._known[key]

    def optimum(self) -> Fraction | None:
        """Return the least cost of a partition into legal groups; None if there is none."""
        best: Fraction | None = None
        for groups in partitions(range(len(self.rows))):
            prices = [self.price(group) for group in groups]
            if None not in prices:
                total = sum((price for price in prices if price is not None), Fraction(0))
                best = total if best is None else min(best, total)
        return best
