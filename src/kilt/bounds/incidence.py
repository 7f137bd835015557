"""Which row types are under which patterns, indexed both ways; only kernels iterate over it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from kilt.certificates.proof.evidence import Evidence
from kilt.kernels.bounds.incidence import Covers, by_type
from kilt.kernels.bounds.lagrangian import values_by_size
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.patterns.pool import Pool

MAX_SCALE = 10_000  # multipliers to a unit of cost, if there is room


@dataclass(frozen=True)
class Incidence:
    """The patterns of a pool, and for every row type its patterns from cheap to dear."""

    problem: Problem
    pool: Pool
    columns: tuple[int, ...]

    @cached_property
    def by_type(self) -> tuple[IntArray, IntArray]:
        """Where the patterns of each row type start, and the patterns."""
        return by_type(self.pool.types, self.pool.starts, len(self.problem.counts))[:2]

    @cached_property
    def covers(self) -> Covers:
        """The same for kernels, with the cost of a row under each pattern."""
        problem, pool = self.problem, self.pool
        lists = (pool.types, pool.starts, *self.by_type)
        return Covers(problem.counts, problem.sensitive_class, *lists, pool.cost * self.scale)

    @cached_property
    def scale(self) -> int:
        """How many multipliers make a unit of cost."""
        return self.problem.multiplier_scale(MAX_SCALE)

    def active(self, multipliers: IntArray) -> BoolArray:
        """Mark the patterns with a row whose multiplier exceeds its cost: no others have negative reduced costs."""
        return self.covers.active(multipliers)

    def near(self, multipliers: IntArray, most: float) -> BoolArray:
        """Mark the patterns that have a group with a reduced cost of at most so many stars, if its size is enough."""
        size, cost = max(1, self.problem.rules.min_group_size), self.pool.cost * self.scale
        values = values_by_size(multipliers, self.problem.counts, self.pool.types, self.pool.starts, cost, size)
        return np.asarray(values <= most * self.problem.unit * self.scale)

    def cheapest(self) -> IntArray:
        """Return for every row type what its cheapest pattern costs at least: the first multipliers."""
        starts, patterns = self.by_type
        listed = starts[1:] > starts[:-1]
        cheapest = np.zeros(len(listed), dtype=np.int64) + self.ceiling
        cheapest[listed] = self.pool.cost[patterns[starts[:-1][listed]]]
        return np.asarray(np.minimum(cheapest, self.ceiling))  # what was not listed may be cheaper than what was

    @property
    def ceiling(self) -> int | IntArray:
        """The largest multipliers for which all patterns that matter are listed: an unlisted one costs no less."""
        return int(self.pool.cost.max(initial=0)) if self.pool.ceiling is None else self.pool.ceiling


class Oracle(Protocol):
    """Finds groups of least reduced cost."""

    @property
    def incidence(self) -> Incidence:
        """The patterns and their row types."""

    @property
    def effort(self) -> int:
        """How often it goes through the patterns; 1 if its reduced costs are exact integers, and need no proof."""

    @property
    def period(self) -> int:
        """Of so many steps of an ascent one looks everywhere: 1 if all do."""

    @property
    def proof_effort(self) -> int:
        """How many evaluations a proof takes, about; 0 if it takes none, or if the last one shows it."""

    @property
    def judges_legality(self) -> bool:
        """Whether the patterns that are near are those with groups that are legal, not only large enough."""

    def least(self, multipliers: IntArray, everywhere: bool = True) -> tuple[float, FloatArray]:
        """Return the sum of the negative least reduced costs, and how many copies of each row type the groups hold.

        If not everywhere, patterns may be left out that have hardly such groups: then the sum proves nothing.
        """

    def near(self, multipliers: IntArray, most: float) -> BoolArray:
        """Mark the patterns that may have a legal group with a reduced cost of at most so many stars."""

    def evidence(self, multipliers: IntArray) -> Evidence:
        """Return what proves the bound of these multipliers."""


class ExactOracle:
    """An oracle whose least reduced costs are exact: the multipliers alone are a proof."""

    incidence: Incidence
    effort = 1
    period = 1
    proof_effort = 0
    judges_legality = False

    def near(self, multipliers: IntArray, most: float) -> BoolArray:
        """Mark the patterns that have a large enough group with a reduced cost of at most so many stars."""
        return self.incidence.near(multipliers, most)

    def evidence(self, multipliers: IntArray) -> Evidence:
        """Return the multipliers."""
        return Evidence(self.incidence.columns, multipliers, self.incidence.scale)
