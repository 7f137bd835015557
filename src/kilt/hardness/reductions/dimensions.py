"""From 3-dimensional matching to k-anonymity and to l-diversity, for every k and l from 3 on.

A row stands for an element and a column for a tuple: its rows show the number of the tuple, all others a number of
their own, which occurs once. So only the rows of one tuple agree on anything. For k or l above 3, every element of X
gets more rows, which are in the same tuples as it is; a tuple has k rows then, or l, each with another sensitive value.

Tuples that share no element may share a column, since a row shows the number of its tuple. If no element is in more
than three tuples, which is still NP-hard, seven columns are enough.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

from kilt.errors import InputError
from kilt.hardness.instances.instance import Groups, Instance, Table, require_room
from kilt.hardness.problems.problem import OptimaRelation
from kilt.hardness.problems.triples import Matching, Triple, Triples
from kilt.hardness.reductions.reduction import Reduction
from kilt.model.policy import Policy


class _ByTuples(Reduction[Triples, Groups]):
    """What both have in common: a group of the least size saves one column if it is a tuple, and no other group any."""

    source: Matching
    compact: bool

    @property
    @abstractmethod
    def rows_of_tuple(self) -> int:
        """How many rows a tuple has, which is also the least size of a group."""

    @property
    def rows(self) -> int:
        """How many rows the table has: those of X, of Y, of Z, and then more of X."""
        return self.rows_of_tuple * self.source.size

    def members(self, triple: Triple) -> tuple[int, ...]:
        """Return the rows of a tuple."""
        first, *others = self.source.places(triple)
        more = [dimension * self.source.size + first for dimension in range(3, self.rows_of_tuple)]
        return first, *others, *more

    @cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The tuples of every column: one each, or if it is compact as many as share no element, the first that fit."""
        triples = range(len(self.source.triples))
        if not self.compact:
            return tuple((j,) for j in triples)
        columns: list[list[int]] = []
        taken: list[set[int]] = []
        for j in triples:
            places = set(self.source.places(self.source.triples[j]))
            free = next((c for c, each in enumerate(taken) if not places & each), len(columns))
            if free == len(columns):
                columns.append([])
                taken.append(set())
            columns[free].append(j)
            taken[free] |= places
        return tuple(map(tuple, columns))

    def _table(self, sensitive: tuple[str, ...] | None) -> Table:
        require_room(self.rows, len(self.columns))
        shown = [[str(row + 1) for _ in self.columns] for row in range(self.rows)]
        for c, column in enumerate(self.columns):
            for j in column:
                for row in self.members(self.source.triples[j]):
                    shown[row][c] = f"e{j + 1}"
        names = tuple(f"c{c + 1}" if self.compact else f"e{c + 1}" for c in range(len(self.columns)))
        return Table(names, tuple(map(tuple, shown)), sensitive)

    @property
    def _threshold(self) -> int:
        return self.rows * (len(self.columns) - 1)

    def forward(self, solution: Triples) -> Groups:
        """Make every tuple a group, and all other rows one more."""
        self.source.require(solution)
        chosen = [tuple(sorted(self.members(triple))) for triple in self.source.triples if triple in solution]
        covered = {row for group in chosen for row in group}
        rest = tuple(row for row in range(self.rows) if row not in covered)
        return (*chosen, rest) if rest else tuple(chosen)

    def back(self, solution: Groups) -> Triples:
        """Take the groups that are tuples."""
        self.instance.require(solution)
        groups = {frozenset(group) for group in solution}
        return frozenset(triple for triple in self.source.triples if frozenset(self.members(triple)) in groups)

    def claim(self) -> OptimaRelation:
        """Each row has all its cells hidden, but for one in the rows of every tuple of a matching."""
        return OptimaRelation.between(self.source, self.target, -self.rows_of_tuple, self.rows * len(self.columns))


@dataclass(frozen=True)
class MatchingToAnonymity(_ByTuples):
    """After Meyerson and Williams 2004: a group of k rows shows something only if it is a tuple."""

    source: Matching
    k: int = 3
    compact: bool = False

    def __post_init__(self) -> None:
        _require_three(self.k, "k")

    @property
    def rows_of_tuple(self) -> int:
        """A tuple has k rows."""
        return self.k

    @cached_property
    def target(self) -> Instance:
        """The table of elements and tuples."""
        return Instance(self._table(None), Policy(k=self.k), self._threshold)


@dataclass(frozen=True)
class MatchingToDiversity(_ByTuples):
    """After Xiao, Yi and Tao 2010: there are l values, equally often, so that a group has all of them equally often."""

    source: Matching
    l: int = 3
    compact: bool = False

    def __post_init__(self) -> None:
        _require_three(self.l, "l")

    @property
    def rows_of_tuple(self) -> int:
        """A tuple has a row of each of the l values."""
        return self.l

    @cached_property
    def target(self) -> Instance:
        """The table of elements and tuples; the sensitive value is the set of the element."""
        sensitive = tuple(str(row // self.source.size + 1) for row in range(self.rows))
        return Instance(self._table(sensitive), Policy(l=self.l), self._threshold)


def _require_three(number: int, name: str) -> None:
    if number < 3:
        raise InputError(
            f"'{name}' must be at least 3 here, not {number}: with 2 the problem is solved in polynomial time"
        )
