"""Oracles: for given multipliers the group of least reduced cost under every pattern, exactly, in integers.

The *reduced cost* of a group is the cost of its rows less their multipliers. By the union fact one group per pattern is
enough, so the multipliers of all rows, plus the least reduced costs where they are negative, are at most the cost of
any legal partition.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kilt.bounds.by_size import BySizeOracle
from kilt.bounds.incidence import ExactOracle, Incidence, Oracle
from kilt.bounds.linear import LinearOracle, has_cuts
from kilt.certificates.proof.by_size import sized_rule
from kilt.kernels.bounds.lagrangian import DiverseGroups, LargeGroups
from kilt.kernels.bounds.pairs import PairGroups
from kilt.model.problem import Problem
from kilt.model.rules import DiversityRule, Groups, Rules, SizeRule
from kilt.numbers import BoolArray, IntArray
from kilt.patterns.pool import Pool

Legal = Callable[[IntArray], IntArray]


@dataclass(frozen=True)
class Params:
    """Up to which size of a pool the better relaxations are affordable."""

    max_cut_entries: int = 8_000_000  # patterns times sensitive classes: inequalities are stored for each
    max_sized_patterns: int = 300_000  # patterns whose groups are bounded size by size, which is slow
    margin: float = 1.0  # units of cost: patterns with a reduced cost below that are looked at in every step


PARAMS = Params()


@dataclass(frozen=True)
class SizeOracle(ExactOracle):
    """Groups of at least so many rows: exact under k alone, a relaxation under any other policy."""

    incidence: Incidence
    min_group_size: int

    def least(self, multipliers: IntArray, everywhere: bool = True) -> tuple[int, IntArray]:  # noqa: ARG002
        """Take every row whose multiplier exceeds its cost, and the largest of the others if these are too few."""
        return self._groups.least(multipliers)

    @cached_property
    def _groups(self) -> LargeGroups:
        return LargeGroups(self.incidence.covers, self.min_group_size)


@dataclass(frozen=True)
class PairOracle(ExactOracle):
    """Groups of two sensitive classes: exact under any policy.

    b rows of the second sensitive class allow ``lowest[b]`` to ``highest[b]`` rows of the first.
    """

    incidence: Incidence
    second: IntArray
    lowest: IntArray
    highest: IntArray
    period = 10
    judges_legality = True

    @classmethod
    def of(cls, incidence: Incidence) -> PairOracle:
        """Tabulate what is legal; the rarer sensitive class is the second."""
        problem = incidence.problem
        rare = int(problem.sensitive_totals.argmin())
        lowest, highest = _legal_intervals(problem, rare)
        return cls(incidence, problem.sensitive_class == rare, lowest, highest)

    def least(self, multipliers: IntArray, everywhere: bool = True) -> tuple[int, IntArray]:
        """Try every number of rows of the second sensitive class."""
        return self._least(multipliers, everywhere, PARAMS.margin)

    def near(self, multipliers: IntArray, most: float) -> BoolArray:
        """Mark the patterns that have a legal group with a reduced cost of at most so many stars."""
        self._least(multipliers, True, most)
        return np.asarray(self._groups.near, dtype=bool)

    def _least(self, multipliers: IntArray, everywhere: bool, margin: float) -> tuple[int, IntArray]:
        stars = self.incidence.scale * self.incidence.problem.unit
        return self._groups.least(multipliers, np.argsort(-multipliers, kind="stable"), everywhere, int(margin * stars))

    @cached_property
    def _groups(self) -> PairGroups:
        return PairGroups(self.incidence.covers, self.second, self.lowest, self.highest)


@dataclass(frozen=True)
class DiverseOracle(ExactOracle):
    """Groups with at least so many values of one column: exact under distinct l and k, else a relaxation.

    All forms of l-diversity ask for l different values at least.
    """

    incidence: Incidence
    min_group_size: int
    fewest_values: int
    column: int

    def least(self, multipliers: IntArray, everywhere: bool = True) -> tuple[int, IntArray]:  # noqa: ARG002
        """Take every row whose multiplier exceeds its cost, then the best of missing values, then the best others."""
        return self._groups.least(multipliers)

    @cached_property
    def _groups(self) -> DiverseGroups:
        values = self.incidence.problem.sensitive[:, self.column]
        return DiverseGroups(self.incidence.covers, values, self.min_group_size, self.fewest_values)


def oracle_of(problem: Problem, pool: Pool, columns: tuple[int, ...] | None = None) -> Oracle:
    """Choose the oracle that is exact for the policy, or the best relaxation available.

    ``columns`` says which columns of the table the problem is about, if not all of them.
    """
    rules = problem.rules
    incidence = Incidence(problem, pool, tuple(range(len(problem.columns))) if columns is None else columns)
    if all(isinstance(rule, SizeRule) for rule in rules):
        return SizeOracle(incidence, max(rules.min_group_size, 1))
    if len(problem.sensitive_totals) == 2:
        return PairOracle.of(incidence)
    if len(pool) * len(problem.sensitive_totals) <= PARAMS.max_cut_entries:
        if len(pool) <= PARAMS.max_sized_patterns and (rule := sized_rule(problem)) is not None:
            return BySizeOracle.of(incidence, rule)
        if has_cuts(rules):
            return LinearOracle.of(incidence, max(rules.min_group_size, 1))
    diverse = [(math.ceil(rule.l), rule.column) for rule in rules if isinstance(rule, DiversityRule)]
    values, column = max(diverse, default=(1, 0))
    size = max(rules.min_group_size, values, 1)
    return SizeOracle(incidence, size) if values == 1 else DiverseOracle(incidence, size, values, column)


def _legal_intervals(problem: Problem, rare: int) -> tuple[IntArray, IntArray]:
    """Return for every number of rows of the rare sensitive class the least and the largest legal number of the other.

    All rules but k see shares only, and the table itself is legal. So for fixed b, legality in a only grows up to the
    share of the table and only falls from there on, and both ends are found by bisection.
    """
    totals = problem.sensitive_totals
    most_b, most_a = int(totals[rare]), int(totals[1 - rare])
    b = np.arange(most_b + 1)
    shares = replace(problem, rules=Rules(tuple(r for r in problem.rules if not isinstance(r, SizeRule))))

    def legal(a: IntArray) -> IntArray:
        by_class = np.empty((len(a), 2), dtype=np.int64)
        by_class[:, rare], by_class[:, 1 - rare] = b, a
        groups = shares.groups(by_class)
        filled = np.maximum(groups.sizes, 1)
        return np.asarray(shares.rules.meets(Groups(filled, groups.counts)) & (groups.sizes > 0))

    middle = b * most_a // most_b
    lowest, found = _first(legal, np.zeros_like(b), middle)
    above, more = _last(legal, np.minimum(middle + 1, most_a), np.full_like(b, most_a))
    lowest = np.where(found, lowest, np.minimum(middle + 1, most_a))
    highest = np.where(more, above, middle)
    lowest, highest = np.where(found | more, lowest, 1), np.where(found | more, highest, 0)
    return np.maximum(lowest, problem.rules.min_group_size - b), highest


def _first(legal: Legal, low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Return the least legal number between two, if legality only grows; and whether there is one."""
    exists = legal(high)
    low, high = low.copy(), high.copy()
    while (low < high).any():
        half = (low + high) // 2
        good = legal(half)
        high = np.where(good, half, high)
        low = np.where(good, low, np.minimum(half + 1, high))
    return low, exists


def _last(legal: Legal, low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Return the largest legal number between two, if legality only falls; and whether there is one."""
    exists = legal(low)
    low, high = low.copy(), high.copy()
    while (low < high).any():
        half = (low + high + 1) // 2
        good = legal(half)
        low = np.where(good, half, low)
        high = np.where(good, high, np.maximum(half - 1, low))
    return low, exists
