"""The oracle for closeness with equal distances: small groups size by size, large ones under linear inequalities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.bounds.incidence import Incidence
from kilt.bounds.linear import SlopeOracle, marked
from kilt.certificates.proof.evidence import Evidence
from kilt.kernels.bounds.by_size import least_of_sizes, sorted_members
from kilt.model.rules import ClosenessRule
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.run.threads import taken_by

LARGEST = 120  # rows of a group that is proved by its size: larger ones gain little from it
LARGE_ROUNDS = 8  # large groups are few, and their weights must be good


@dataclass
class SpreadOracle:
    """Groups near the table's shares: a relaxation, in floats, that knows that rows are not divisible.

    Most patterns need no more than linear inequalities. For the others groups of up to ``LARGEST`` rows are gone
    through size by size, and larger ones have inequalities of their own.
    """

    incidence: Incidence
    rule: ClosenessRule
    every: SlopeOracle
    large: SlopeOracle
    size: IntArray
    theta: FloatArray
    effort = 8

    @classmethod
    def of(cls, incidence: Incidence, rule: ClosenessRule) -> SpreadOracle:
        """Start with nothing known."""
        patterns, least_size = len(incidence.pool), max(1, incidence.problem.rules.least_size)
        every, large = (SlopeOracle.of(incidence, size) for size in (least_size, max(least_size, LARGEST + 1)))
        return cls(incidence, rule, every, large, np.zeros(patterns, dtype=np.int64), np.zeros(patterns))

    def least(self, prices: IntArray) -> tuple[float, FloatArray]:
        """Return the sum of the least values that are negative, and how many copies of each row type they hold."""
        of_every = self.every.values(prices, self.incidence.active(prices))
        of_large = self.large.values(prices, of_every < 0, LARGE_ROUNDS)
        values = of_large.copy()
        taken = self._small(prices, of_every < 0, values, np.zeros((0, 0)))
        # a pattern where the inequalities alone are better is rare: its small groups still guide
        taken += self.large.taken(prices, (values == of_large) & (values < 0))
        return float(np.maximum(values, of_every).sum()), taken

    def _small(self, prices: IntArray, active: BoolArray, values: FloatArray, thetas: FloatArray) -> FloatArray:
        """Lower the values where a small group has less, and return the copies of row types in these."""
        problem, incidence = self.incidence.problem, self.incidence
        order = np.argsort(-prices, kind="stable")
        members = sorted_members(order, *incidence.by_type, incidence.pool.starts, active)
        lists = (prices, problem.counts, problem.class_of, problem.class_totals, members, incidence.pool.starts)
        sizes = (self._allowed(), max(1, problem.rules.least_size))
        known = (self.every.slope, self.every.theta, self.size, self.theta, values)

        def lower(chunk: int, taken: FloatArray) -> None:
            least_of_sizes(chunk, *lists, incidence.cost, active, *sizes, *known, taken, thetas)

        return taken_by(len(values), len(problem.counts), lower)

    def _allowed(self) -> FloatArray:
        """Return the excess that groups of each size may have."""
        rows, t = self.incidence.problem.rows, self.rule.t
        return np.array([(t.numerator * rows * size // t.denominator) / rows for size in range(LARGEST + 1)])

    def evidence(self, prices: IntArray) -> Evidence:
        """Return the prices with the multipliers that go with them."""
        active = self.incidence.active(prices)
        open_ = self.every.values(prices, active, 1) < 0
        values = self.large.values(prices, open_, 1)
        thetas = np.full((len(values), LARGEST + 1), np.nan)
        self._small(prices, open_, values, thetas)
        patterns = np.flatnonzero(open_ & (self.theta > 0))
        other, sizes = np.nonzero(~np.isnan(thetas))
        numbers = np.vstack(
            [
                np.column_stack([np.zeros(len(patterns)), self.theta[patterns]]),
                np.column_stack([sizes, thetas[other, sizes]]),
            ]
        )
        small = marked(self.incidence, np.concatenate([patterns, other]), np.rint(numbers).astype(np.int64))
        slopes, tails = self.every.marks(active & ~open_), self.large.marks(open_)
        return Evidence(self.incidence.columns, prices, self.incidence.scale, LARGEST, small, slopes, tails)
