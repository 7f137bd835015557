"""Least reduced costs of legal groups, rounded down: groups of single sizes close to the shares of the table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.certificates.proof.evidence import MAX_SIZE, Evidence
from kilt.certificates.proof.linear import LinearProof, stored
from kilt.certificates.proof.nested import NestedShares, is_nested
from kilt.certificates.proof.pair_limits import PairLimits
from kilt.certificates.proof.patterns import ProofPatterns
from kilt.certificates.proof.trees import LOWEST, TreeProof
from kilt.certificates.proof.units import Lines, SizeShares, Units, in_parts
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule
from kilt.model.spaces import GroundDistance, TreeMetric
from kilt.numbers import IntArray

SIZES_AT_A_TIME = 1.25  # up to so many times the least of them
MAX_EDGES = 256  # of a tree: a sweep goes over all of them for each size
BySize = dict[int, tuple[IntArray, IntArray]]  # for a size the patterns that have a number of their own, and these


class SizeProof:
    """Groups of single sizes close to the shares of the table, in a tree of more than two values.

    What a group of N rows carries over the edges of the tree beyond the shares of the table is limited. So for any
    theta, its reduced cost is at least that of the cheapest N rows that pay theta for what they carry, less theta for
    the limit. Theta may be 0, too. With equal distances a tree that divides the groups may prove more, and a size is
    left out if no N rows carry little enough. Inequalities of other rules are added to the reduced costs of rows.
    """

    def __init__(self, problem: Problem, rule: ClosenessRule, evidence: Evidence) -> None:
        self.problem, self.evidence = problem, evidence
        self.shares: SizeShares | NestedShares
        self.trees = self.others = self.pair = None
        if is_star(problem, rule):
            self.shares = SizeShares(*reference_of(problem, rule), rule.t)
            self.trees = TreeProof(self.shares, problem.sensitive_values[:, rule.column], evidence.trees)
        else:
            self.shares = NestedShares.of(problem, rule)
            self.others = LinearProof(problem, evidence.linear_multipliers, 1, without=rule)
            self.pair = PairLimits.of(problem, rule)

    @classmethod
    def of(cls, problem: Problem, evidence: Evidence) -> SizeProof:
        """Find the rule, and check that single sizes can be proved under it."""
        rule = sized_rule(problem)
        if rule is None:
            raise InputError("groups can be proved size by size only for a sensitive column whose space is a tree")
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
        proved = self.trees.least(patterns, units) if self.trees else {}
        added = self.others.slopes(patterns) if self.others else None
        least = np.zeros(len(patterns), dtype=np.int64)
        low = max(1, self.problem.rules.min_group_size)
        while low <= int(largest.max(initial=0)):  # the smaller the sizes are, the fewer rows matter
            high = int(low * SIZES_AT_A_TIME) + 1
            here = np.flatnonzero((largest >= low) & (units.widths >= low))
            rows = units.some(here).up_to(self.shares.most(high))
            for part in in_parts(rows.widths):
                some = here[part]
                sizes = _Sizes(some, largest[some], theta, thetas, proved, added)
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
        sums = np.cumsum(np.where(lines.inside, lines.reduced_costs, 0), axis=1)
        last = min(int(sizes.largest.max()), sums.shape[1])
        for size in which:
            if size > last:
                break
            possible = lines.inside[:, size - 1] & (size <= sizes.largest)
            open_ = np.flatnonzero(possible & (sums[:, size - 1] < least))
            if not len(open_) or not self._possible(size):
                continue
            some = lines.some(open_)
            proved = self._proved(some, open_, sizes, size)
            found = np.maximum(np.maximum(proved, sums[open_, size - 1]), sizes.proved(open_, size))
            low = np.flatnonzero(found < least[open_])
            if len(low):
                legal = self.shares.legal(some.some(low), size)
                least = stored(least, open_[low[legal]], found[low[legal]])
        return least

    def _possible(self, size: int) -> bool:
        """Say whether any legal group can have this size."""
        return self.shares.possible(size) and (self.pair is None or self.pair.possible(size))

    def _proved(self, some: Lines, open_: IntArray, sizes: _Sizes, size: int) -> IntArray:
        """Bound one size for some lines, with what other rules add to the reduced costs of rows, and at most to all."""
        theta = sizes.theta(open_, size)
        if sizes.added is None:
            return self.shares.least(some, theta, size)
        added = sizes.added[sizes.chosen[open_]]
        proved = self.shares.least(some.raised(added), theta, size)
        return proved if self.pair is None else proved - self.pair.most(added, size)


def star_rule(problem: Problem) -> ClosenessRule | None:
    """Return the rule of closeness if its values are all equally far apart, and no other sensitive column is there."""
    rule = sized_rule(problem)
    return rule if rule is not None and is_star(problem, rule) else None


@dataclass(frozen=True)
class _Sizes:
    """What proves the sizes of some patterns: up to which, with which thetas, and what trees prove.

    ``added`` is what inequalities of other rules add to the reduced costs of rows, by pattern and sensitive class.
    """

    chosen: IntArray
    largest: IntArray
    each: IntArray
    thetas: BySize
    trees: BySize
    added: IntArray | None

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
    """Return the rule under which groups can be proved size by size: of those in a tree the one with most values."""
    rules = [rule for rule in problem.rules if isinstance(rule, ClosenessRule) and is_sized(rule.ground)]
    return max(rules, key=lambda rule: len(rule.reference), default=None)


def is_sized(ground: GroundDistance) -> bool:
    """Say whether groups can be proved size by size in these distances: a tree of not too many edges."""
    return isinstance(ground, TreeMetric) and len(ground.start) <= MAX_EDGES and is_nested(ground)


def is_star(problem: Problem, rule: ClosenessRule) -> bool:
    """Say whether the values of a rule are all equally far apart, and no other sensitive column is there."""
    ground = rule.ground
    if len(problem.sizes) != 1 or not isinstance(ground, TreeMetric):
        return False
    star = len(ground.start) == len(ground.order) and bool((ground.stop - ground.start == 1).all())
    return star and bool((2 * ground.weight == ground.scale).all())
