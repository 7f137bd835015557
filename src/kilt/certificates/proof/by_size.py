"""Least reduced costs of legal groups, rounded down: groups of single sizes close to the shares of the table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.certificates.proof.evidence import MAX_SIZE, Evidence
from kilt.certificates.proof.linear import stored
from kilt.certificates.proof.patterns import ProofPatterns
from kilt.certificates.proof.trees import LOWEST, TreeProof
from kilt.certificates.proof.units import Lines, SizeShares, Units, cheapest, in_parts
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule
from kilt.model.spaces import TreeMetric
from kilt.numbers import IntArray, max_abs, widen

SIZES_AT_A_TIME = 1.25  # up to so many times the least of them
BySize = dict[int, tuple[IntArray, IntArray]]  # for a size the patterns that have a number of their own, and these


class SizeProof:
    """Groups of single sizes close to the shares of the table, for equal distances of more than two values.

    A group of N rows may have R N / n rows of a value with R of the table's n rows; all above that is excess, the row
    that crosses the line in part, and the excess is at most t N. So for any theta the reduced cost of a group is at
    least that of the N cheapest rows, where a row pays theta times its excess, less theta t N. A size is left out if no
    N rows have little enough excess. Theta may be 0, too. Where there is a tree for a size, it may prove more.
    """

    def __init__(self, problem: Problem, rule: ClosenessRule, evidence: Evidence) -> None:
        self.problem, self.evidence = problem, evidence
        self.shares = SizeShares(*reference_of(problem, rule), rule.t)
        self.trees = TreeProof(self.shares, problem.sensitive_values[:, rule.column], evidence.trees)

    @classmethod
    def of(cls, problem: Problem, evidence: Evidence) -> SizeProof:
        """Find the rule, and check that single sizes can be proved under it."""
        rule = sized_rule(problem)
        if rule is None:
            raise InputError("groups can be proved size by size only for one sensitive column with equal distances")
        numbers = evidence.size_multipliers.numbers
        if len(numbers) and (numbers.shape[1] != 2 or numbers[:, 0].min() < 0):
            raise InputError("the proof does not have a theta for every size that it names")
        own = evidence.own_largest.numbers
        if len(own) and (own.shape[1] != 1 or not 0 <= own.min() <= own.max() <= MAX_SIZE):
            raise InputError(f"the largest sizes of patterns in the proof are not from 0 to {MAX_SIZE:,}")
        return cls(problem, rule, evidence)

    def largest(self, patterns: ProofPatterns) -> IntArray:
        """Return for every pattern up to which size its groups are proved here."""
        place = patterns.places(self.evidence.own_largest)
        found = np.full(len(patterns), self.evidence.largest)
        found[place[place >= 0]] = self.evidence.own_largest.numbers[place >= 0].ravel()
        return np.asarray(np.minimum(found, self.problem.rows))

    def least(self, patterns: ProofPatterns, largest: IntArray) -> IntArray:
        """Return for every pattern a lower bound on the reduced cost of a legal group of up to the largest size."""
        units = Units.of(patterns, self.problem.sensitive_class, largest)
        theta, thetas = self._thetas(patterns)
        proved = self.trees.least(patterns, units)
        least = np.zeros(len(patterns), dtype=np.int64)
        low = max(1, self.problem.rules.min_group_size)
        while low <= int(largest.max(initial=0)):  # the smaller the sizes are, the fewer rows matter
            high = int(low * SIZES_AT_A_TIME) + 1
            here = np.flatnonzero((largest >= low) & (units.widths >= low))
            rows = units.some(here).up_to(self.shares.most(high))
            for part in in_parts(rows.widths):
                some = here[part]
                sizes = _Sizes(some, largest[some], theta, thetas, proved)
                found = self._of_lines(rows.lines(part), sizes, range(low, high + 1), least[some])
                least = stored(least, some, found)
            low = high + 1
        return least

    def _thetas(self, patterns: ProofPatterns) -> tuple[IntArray, BySize]:
        """Return the theta of every pattern, and those of single sizes."""
        given = self.evidence.size_multipliers
        place, theta = patterns.places(given), np.zeros(len(patterns), dtype=np.int64)
        if not len(place):
            return theta, {}
        size, each = given.numbers[:, 0], np.maximum(given.numbers[:, 1], 0)
        of_all = (place >= 0) & (size == 0)
        theta[place[of_all]] = each[of_all]
        single = np.flatnonzero((place >= 0) & (size > 0))
        by_size = bucket([size[single]], len(single))
        parts = [single[by_size.values[a:b]] for a, b in pairwise(by_size.starts.tolist())]
        return theta, {int(size[part[0]]): (place[part], each[part]) for part in parts}

    def _of_lines(self, lines: Lines, sizes: _Sizes, which: range, least: IntArray) -> IntArray:
        """Bound some sizes, for patterns whose rows are in the lines of a matrix, cheap ones first."""
        rows, largest = self.shares.rows, max_abs(lines.reduced_costs)
        sums = np.cumsum(np.where(lines.inside, lines.reduced_costs, 0), axis=1)
        last = min(int(sizes.largest.max()), sums.shape[1])
        for size in which:
            if size > last:
                break
            possible = lines.inside[:, size - 1] & (size <= sizes.largest)
            open_ = np.flatnonzero(possible & (sums[:, size - 1] < least))
            if not len(open_) or not self.shares.possible(size):
                continue
            some, theta = lines.some(open_), sizes.theta(open_, size)
            excess, allowed = self.shares.excess(some, size), self.shares.allowed(size)
            each_theta = widen(theta, (largest + int(theta.max())) * rows * size * 4)
            each = some.reduced_costs * rows + each_theta[:, None] * excess
            total = cheapest(each, some.inside, size) - each_theta * allowed
            found = np.maximum(np.maximum(total // rows, sums[open_, size - 1]), sizes.proved(open_, size))
            low = np.flatnonzero(found < least[open_])
            if len(low):
                legal = cheapest(excess[low], some.inside[low], size) <= allowed
                least = stored(least, open_[low[legal]], found[low[legal]])
        return least


@dataclass(frozen=True)
class _Sizes:
    """What proves the sizes of some patterns: up to which, with which thetas, and what trees prove."""

    chosen: IntArray
    largest: IntArray
    each: IntArray
    thetas: BySize
    trees: BySize

    def theta(self, lines: IntArray, size: int) -> IntArray:
        """Return the thetas of some lines at a size."""
        return _replaced(self.each, self.thetas, size)[self.chosen[lines]]

    def proved(self, lines: IntArray, size: int) -> IntArray:
        """Return what trees prove of some lines at a size."""
        return _replaced(np.full(len(self.each), LOWEST), self.trees, size)[self.chosen[lines]]


def _replaced(numbers: IntArray, by_size: BySize, size: int) -> IntArray:
    """Return the numbers of patterns, with those of a size in their places."""
    return stored(numbers.copy(), *by_size[size]) if size in by_size else numbers


def reference_of(problem: Problem, rule: ClosenessRule) -> tuple[IntArray, int]:
    """Return how many rows of each class the table has that groups must be close to, and how many in all.

    The problem may be about a part of that table.
    """
    return rule.reference[problem.sensitive_values[:, rule.column]].astype(np.int64), int(rule.reference.sum())


def sized_rule(problem: Problem) -> ClosenessRule | None:
    """Return the rule under which groups can be proved size by size: closeness of one column, all equally far."""
    rules = [rule for rule in problem.rules if isinstance(rule, ClosenessRule)]
    if len(rules) != 1 or len(problem.sizes) != 1 or not isinstance(rules[0].ground, TreeMetric):
        return None
    ground = rules[0].ground
    star = len(ground.start) == len(ground.order) and bool((ground.stop - ground.start == 1).all())
    return rules[0] if star and bool((2 * ground.weight == ground.scale).all()) else None
