"""From k-anonymity to t-closeness.

Give every row a sensitive value of its own, all equally far apart. A group of r rows of n is then at distance exactly
1 - r/n from the whole table: it is t-close for t = 1 - k/n if and only if it has at least k rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from kilt.errors import InputError
from kilt.hardness.instances.instance import Groups, Instance
from kilt.hardness.problems.problem import OptimaRelation
from kilt.hardness.reductions.reduction import Reduction
from kilt.hardness.reductions.shares import share
from kilt.model.policy import Policy, TCloseness
from kilt.numbers import Number


@dataclass(frozen=True)
class AnonymityToCloseness(Reduction[Groups, Groups]):
    """The same table, every row with a sensitive value of its own, and t = 1 - k/n.

    Another ``t`` may be given if it asks for the same: groups of at least k rows, k = (1 - t) n rounded up.
    """

    source: Instance
    t: Number | None = None

    def __post_init__(self) -> None:
        least = math.ceil((1 - self.exact_t) * len(self.source.table.rows))
        if least != self.source.k:
            raise InputError(f"t={self.t} asks for groups of {least} rows in this table, and not of k={self.source.k}")

    @property
    def exact_t(self) -> Fraction:
        """The t of the target."""
        if self.t is not None:
            return share(self.t, "t")
        return 1 - Fraction(self.source.k, len(self.source.table.rows))

    @cached_property
    def target(self) -> Instance:
        """The same rows, each with its number as its sensitive value."""
        table = self.source.table
        values = tuple(str(i + 1) for i in range(len(table.rows)))
        return Instance(replace(table, sensitive=values), Policy(TCloseness(self.exact_t)), self.source.threshold)

    def forward(self, solution: Groups) -> Groups:
        """Keep the groups."""
        self.source.require(solution)
        return solution

    def back(self, solution: Groups) -> Groups:
        """Keep the groups."""
        self.target.require(solution)
        return solution

    def claim(self) -> OptimaRelation:
        """The same partitions are legal, and they have the same stars."""
        return OptimaRelation.between(self.source, self.target, 1)
