"""The oracle for closeness with equal distances: small groups size by size, large ones under linear inequalities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kilt.bounds.incidence import Incidence
from kilt.bounds.linear import LinearOracle, pattern_multipliers
from kilt.certificates.proof.evidence import Evidence
from kilt.kernels.bounds.by_size import SmallGroups, SortedCovers
from kilt.model.rules import ClosenessRule
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.run.threads import CHUNKS, PerThread, taken_by


@dataclass(frozen=True)
class Params:
    """Which groups are bounded by their size, and the effort for the others."""

    max_size: int = 120  # rows of a group that is bounded by its size: larger ones gain little from it
    large_rounds: int = 8  # large groups are few, and their weights must be good


PARAMS = Params()


@dataclass
class BySizeOracle:
    """Groups close to the shares of the table: a relaxation, in floats, that knows that rows are not divisible.

    Most patterns need no more than linear inequalities. For the others groups of up to ``Params.max_size`` rows
    are bounded size by size, and larger ones have inequalities of their own.
    """

    incidence: Incidence
    rule: ClosenessRule
    every: LinearOracle
    large: LinearOracle
    size: IntArray
    theta: FloatArray
    effort = 8

    @classmethod
    def of(cls, incidence: Incidence, rule: ClosenessRule) -> BySizeOracle:
        """Start without multipliers of patterns."""
        patterns, min_group_size = len(incidence.pool), max(1, incidence.problem.rules.min_group_size)
        every, large = (
            LinearOracle.of(incidence, size) for size in (min_group_size, max(min_group_size, PARAMS.max_size + 1))
        )
        return cls(incidence, rule, every, large, np.zeros(patterns, dtype=np.int64), np.zeros(patterns))

    def least(self, multipliers: IntArray) -> tuple[float, FloatArray]:
        """Return the sum of the negative least reduced costs, and how many copies of each row type the groups hold."""
        of_every = self.every.reduced_costs(multipliers, self.incidence.active(multipliers))
        of_large = self.large.reduced_costs(multipliers, of_every < 0, PARAMS.large_rounds)
        reduced_costs = of_large.copy()
        taken = self._small(multipliers, of_every < 0, reduced_costs, np.zeros((0, 0)))
        # patterns where the inequalities alone are better are rare: their small groups still guide the ascent
        taken += self.large.taken(multipliers, (reduced_costs == of_large) & (reduced_costs < 0))
        return float(np.maximum(reduced_costs, of_every).sum()), taken

    def _small(
        self, multipliers: IntArray, active: BoolArray, reduced_costs: FloatArray, size_multipliers: FloatArray
    ) -> FloatArray:
        """Lower the reduced costs where a small group has less, and return the copies of row types in these groups."""
        groups = self._groups
        self._sorted.sort(np.argsort(-multipliers, kind="stable"), active)

        def lower(chunk: int, taken: FloatArray) -> None:
            groups.mine.lower(chunk, CHUNKS, multipliers, active, reduced_costs, taken, size_multipliers)

        return taken_by(len(reduced_costs), len(multipliers), lower)

    @cached_property
    def _sorted(self) -> SortedCovers:
        return SortedCovers(self.incidence.covers)

    @cached_property
    def _groups(self) -> PerThread[SmallGroups]:
        sizes = (self.incidence.problem.sensitive_totals, self._allowed(), self.every.min_group_size)
        known = (self.every.slope, self.every.theta, self.size, self.theta)
        return PerThread(lambda: SmallGroups(self._sorted, *sizes, *known))

    def _allowed(self) -> FloatArray:
        """Return the excess that groups of each size may have."""
        rows, t = self.incidence.problem.rows, self.rule.t
        return np.array([(t.numerator * rows * size // t.denominator) / rows for size in range(PARAMS.max_size + 1)])

    def evidence(self, multipliers: IntArray) -> Evidence:
        """Return the multipliers of row types, with those of patterns that go with them."""
        active = self.incidence.active(multipliers)
        open_ = self.every.reduced_costs(multipliers, active, 1) < 0
        reduced_costs = self.large.reduced_costs(multipliers, open_, 1)
        size_multipliers = np.full((len(reduced_costs), PARAMS.max_size + 1), np.nan)
        self._small(multipliers, open_, reduced_costs, size_multipliers)
        patterns = np.flatnonzero(open_ & (self.theta > 0))
        other, sizes = np.nonzero(~np.isnan(size_multipliers))
        numbers = np.vstack(
            [
                np.column_stack([np.zeros(len(patterns)), self.theta[patterns]]),
                np.column_stack([sizes, size_multipliers[other, sizes]]),
            ]
        )
        small = pattern_multipliers(
            self.incidence, np.concatenate([patterns, other]), np.rint(numbers).astype(np.int64)
        )
        linear_multipliers, tail_multipliers = self.every.multipliers(active & ~open_), self.large.multipliers(open_)
        return Evidence(
            self.incidence.columns,
            multipliers,
            self.incidence.scale,
            PARAMS.max_size,
            small,
            linear_multipliers,
            tail_multipliers,
        )
