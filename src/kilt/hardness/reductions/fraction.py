"""From (n/2)-anonymity to (cn)-anonymity, for c up to 1/3.

Add rows that all look the same until there are n' = n/(2c), rounded down, and columns in which old rows show one symbol
and new rows another. The new columns are n times as many as the old ones: a group that mixes old and new rows has more
stars than all old rows together. So the new rows are groups of their own, which cost nothing, and the old rows stay as
they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from kilt.errors import InputError
from kilt.hardness.instances.instance import Groups, Instance, Table, require_room
from kilt.hardness.problems.problem import OptimaRelation
from kilt.hardness.reductions.reduction import Reduction
from kilt.hardness.reductions.shares import THIRD, rows_for, share
from kilt.model.policy import Policy
from kilt.numbers import Number


@dataclass(frozen=True)
class HalfToFraction(Reduction[Groups, Groups]):
    """New rows and columns around an old table; the least size of a group, c n' rounded up, is still n/2.

    The new columns are all alike. With ``compact`` there is only one of them, and a star in it counts for all.
    """

    source: Instance
    c: Number
    compact: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.exact_c <= THIRD:
            raise InputError(f"'c' must be above 0 and at most 1/3 here, not {self.c}")
        if self.old < 4 or 2 * self.source.k != self.old:
            raise InputError(
                f"this starts from (n/2)-anonymity with an even n of at least 4, not from k={self.source.k} "
                f"and n={self.old}"
            )

    @property
    def exact_c(self) -> Fraction:
        """The share of the rows that a group must have."""
        return share(self.c, "c")

    @property
    def old(self) -> int:
        """How many old rows there are."""
        return len(self.source.table.rows)

    @cached_property
    def target(self) -> Instance:
        """The table with new rows and columns."""
        table = self.source.table
        old, new = _fresh_symbols(table)
        count = 1 if self.compact else self.old * len(table.columns)
        weight = -(-self.old * table.size // count)  # rounded up
        total = rows_for(self.source.k, self.exact_c)
        require_room(total, len(table.columns) + count)
        rows = [(*row, *(old,) * count) for row in table.rows]
        rows += [(new,) * (len(table.columns) + count)] * (total - self.old)
        columns = (*table.columns, *(f"new{j + 1}" for j in range(count)))
        weights = (*table.weighted, *(weight,) * count)
        plain = all(weight == 1 for weight in weights)
        made = Table(columns, tuple(rows), weights=None if plain else weights)
        return Instance(made, Policy(k=self.source.k), self.source.threshold)

    def forward(self, solution: Groups) -> Groups:
        """Keep the groups, and make the new rows one more."""
        self.source.require(solution)
        return (*solution, tuple(range(self.old, len(self.target.table.rows))))

    def back(self, solution: Groups) -> Groups:
        """Keep the groups of old rows; if one mixes old and new, all old rows in one group are better."""
        self.target.require(solution)
        olds = tuple(tuple(row for row in group if row < self.old) for group in solution)
        if any(0 < len(kept) < len(group) for kept, group in zip(olds, solution, strict=True)):
            return (tuple(range(self.old)),)
        return tuple(group for group in olds if group)

    def claim(self) -> OptimaRelation:
        """New rows cost nothing, and old rows what they did."""
        return OptimaRelation.between(self.source, self.target, 1)


def _fresh_symbols(table: Table) -> tuple[str, str]:
    """Return two symbols that are nowhere in the table."""
    taken = {cell for row in table.rows for cell in row}
    old, new = "A", "B"
    while old in taken or new in taken:
        old, new = old + "'", new + "'"
    return old, new
