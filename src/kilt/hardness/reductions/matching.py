"""From 3-dimensional matching to t-closeness, for t below 1/3, and for 1/3 <= t < 1/2 with a metric of four points.

A row for every element, a column for every tuple; a row shows 0 in the columns of its tuples, and its own number
elsewhere. The sensitive value says which of the three sets the element is of. Groups of one or two rows are too far
from the whole table, and of the others only the three rows of a tuple agree on anything, on its column. So every row
has all its cells hidden but one at most, and a matching saves three stars for each of its tuples.

For a larger t, rows with a fourth value are added until groups of two old rows are again too far from the table. The
fourth value is half as far from the others as these are from each other, so that a tuple is close, and so is a new row
alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from kilt.errors import InputError
from kilt.hardness.instances.instance import Groups, Instance, Table, require_room
from kilt.hardness.problems.problem import OptimaRelation
from kilt.hardness.problems.triples import Matching, Triples
from kilt.hardness.reductions.reduction import Reduction
from kilt.hardness.reductions.shares import HALF, THIRD, share
from kilt.model.policy import Policy, TCloseness
from kilt.model.spaces import Metric
from kilt.numbers import Number

FOUR_POINTS = Metric.of("1234", [[0, 1, 1, "1/2"], [1, 0, 1, "1/2"], [1, 1, 0, "1/2"], ["1/2", "1/2", "1/2", 0]])


@dataclass(frozen=True)
class MatchingToCloseness(Reduction[Triples, Groups]):
    """Three rows of a tuple are a group that is distributed as the whole table is, a third of each value."""

    source: Matching
    t: Number = 0

    def __post_init__(self) -> None:
        if self.exact_t >= THIRD:
            raise InputError(f"'t' must be below 1/3 here, not {self.t}")

    @property
    def exact_t(self) -> Fraction:
        """How far a group may be from the whole table."""
        return share(self.t, "t")

    @cached_property
    def target(self) -> Instance:
        """The table of elements and tuples."""
        return Instance(_table(self.source), Policy(TCloseness(self.exact_t)), _threshold(self.source))

    def forward(self, solution: Triples) -> Groups:
        """Make every tuple a group, and all other rows one more."""
        self.source.require(solution)
        return _groups(self.source, solution)

    def back(self, solution: Groups) -> Triples:
        """Take the groups that are tuples."""
        self.target.require(solution)
        return _tuples(self.source, solution)

    def claim(self) -> OptimaRelation:
        """Each of the 3n rows has all its m cells hidden, but for three stars that a tuple saves."""
        return OptimaRelation.between(self.source, self.target, -3, 3 * self.source.size * len(self.source.triples))


@dataclass(frozen=True)
class MatchingToFourPoints(Reduction[Triples, Groups]):
    """New rows of a fourth value, each a group of its own, keep groups of two old rows away from the table."""

    source: Matching
    t: Number

    def __post_init__(self) -> None:
        if not THIRD <= self.exact_t < HALF:
            raise InputError(f"'t' must be at least 1/3 and below 1/2 here, not {self.t}")

    @property
    def exact_t(self) -> Fraction:
        """How far a group may be from the whole table."""
        return share(self.t, "t")

    @property
    def old(self) -> int:
        """How many old rows there are."""
        return 3 * self.source.size

    @cached_property
    def target(self) -> Instance:
        """The table of elements and tuples, with new rows that agree with none."""
        rows = rows_with_fourth(self.source.size, self.exact_t)
        table = _table(self.source, rows - self.old)
        return Instance(table, Policy(TCloseness(self.exact_t)), _threshold(self.source), FOUR_POINTS)

    def forward(self, solution: Triples) -> Groups:
        """Make every tuple a group, all other old rows one more, and leave new rows alone."""
        self.source.require(solution)
        new = range(self.old, len(self.target.table.rows))
        return (*_groups(self.source, solution), *((row,) for row in new))

    def back(self, solution: Groups) -> Triples:
        """Take the groups that are tuples."""
        self.target.require(solution)
        return _tuples(self.source, solution)

    def claim(self) -> OptimaRelation:
        """New rows cost nothing, and old rows what they did for a smaller t."""
        return OptimaRelation.between(self.source, self.target, -3, self.old * len(self.source.triples))


def rows_with_fourth(size: int, t: Fraction) -> int:
    """Return how many rows make a tuple as far from the table as t allows: n' = 3n/(1 - 2t), rounded down.

    Rounding does no harm. With a share p = 1 - 3n/n' of new rows, a tuple has the distance p/2 and a new row (1 - p)/2;
    both are at most t, as 1 - 2t <= p <= 2t. Two old rows have 1/3 + p/6 or more, which is above t if p > 6t - 2. With
    x = 1 - 2t, n' > 3n/x - 1 gives p > 1 - 3nx/(3n - x), which is above 1 - 3x = 6t - 2, as x < 2n.
    """
    return int(3 * size / (1 - 2 * t))


def _table(source: Matching, new: int = 0) -> Table:
    """Write down 0 where an element is in a tuple, else its own number; new rows have their number everywhere."""
    require_room(3 * source.size + new, len(source.triples))
    columns = tuple(f"e{j + 1}" for j in range(len(source.triples)))
    members = [set(source.places(triple)) for triple in source.triples]
    rows = [tuple("0" if i in each else str(i + 1) for each in members) for i in range(3 * source.size + new)]
    sensitive = tuple(str(i // source.size + 1) for i in range(3 * source.size))
    return Table(columns, tuple(rows), (*sensitive, *("4",) * new))


def _threshold(source: Matching) -> int:
    """Return the stars of a matching that covers everything."""
    return 3 * source.size * (len(source.triples) - 1)


def _groups(source: Matching, solution: Triples) -> Groups:
    chosen = [tuple(sorted(source.places(triple))) for triple in source.triples if triple in solution]
    covered = {row for group in chosen for row in group}
    rest = tuple(row for row in range(3 * source.size) if row not in covered)
    return (*chosen, rest) if rest else tuple(chosen)


def _tuples(source: Matching, solution: Groups) -> Triples:
    groups = {frozenset(group) for group in solution}
    return frozenset(triple for triple in source.triples if frozenset(source.places(triple)) in groups)
