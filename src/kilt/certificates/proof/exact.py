"""Least reduced costs of legal groups, exactly: for sizes, for different values, and for two sensitive classes."""

from __future__ import annotations

import numpy as np

from kilt.certificates.proof.patterns import ProofPatterns
from kilt.model.problem import Problem
from kilt.model.rules import Groups, SizeRule
from kilt.numbers import BoolArray, IntArray


def of_rows(patterns: ProofPatterns, min_group_size: int) -> IntArray:
    """Exact for groups of at least so many rows: all of negative reduced cost, and the cheapest others if needed."""
    return patterns.sums(rows_taken(patterns, min_group_size) * patterns.reduced_costs)


def rows_taken(patterns: ProofPatterns, min_group_size: int) -> IntArray:
    """Return how many copies of every entry are in the group of least reduced cost of so many rows at least."""
    missing = np.maximum(min_group_size - patterns.before(patterns.counts), 0)
    return np.where(patterns.reduced_costs < 0, patterns.counts, np.minimum(patterns.counts, missing))


def of_values(patterns: ProofPatterns, value_of: IntArray, min_group_size: int, fewest: int) -> IntArray:
    """Exact for groups of at least so many rows with at least so many values.

    All rows of negative reduced cost are in it; then one row of each of the cheapest missing values, then the cheapest.
    """
    owner, negative = patterns.owner, patterns.reduced_costs < 0
    by_value = np.lexsort((np.arange(len(owner)), value_of, owner))
    new = np.ones(len(owner), dtype=bool)
    new[1:] = (owner[by_value][1:] != owner[by_value][:-1]) | (value_of[by_value][1:] != value_of[by_value][:-1])
    opens = np.zeros(len(owner), dtype=bool)  # the cheapest entry of its value
    opens[by_value] = new
    missing = np.maximum(fewest - patterns.sums((opens & negative).astype(np.int64)), 0)
    candidate = (opens & ~negative).astype(np.int64)
    forced = candidate * (patterns.before(candidate) < missing[owner])
    left = np.where(negative, 0, patterns.counts - forced)
    have = patterns.sums(np.where(negative, patterns.counts, forced))
    room = np.maximum(np.maximum(min_group_size - have, 0)[owner] - patterns.before(left), 0)
    taken = np.where(negative, patterns.counts, forced + np.minimum(left, room))
    possible = (patterns.sums(forced) >= missing) & (patterns.sums(taken) >= min_group_size)
    return np.where(possible, patterns.sums(taken * patterns.reduced_costs), 0)


class TwoClassProof:
    """Exact for two sensitive classes: every number of rows of the rarer one is tried."""

    def __init__(self, problem: Problem) -> None:
        self.rare = int(problem.sensitive_totals.argmin())
        self.is_rare = problem.sensitive_class == self.rare
        self.lowest, self.highest = _legal_numbers(problem, self.rare)

    def least(self, patterns: ProofPatterns) -> IntArray:
        """Take the cheapest rows of both classes; of the commoner all of negative reduced cost, or nearly so."""
        rare = self.is_rare[patterns.types]
        n_patterns = len(patterns)
        sides = []
        for chosen in (rare, ~rare):
            reduced_costs = np.repeat(patterns.reduced_costs[chosen], patterns.counts[chosen])
            owner = np.repeat(patterns.owner[chosen], patterns.counts[chosen])
            number = np.bincount(owner, minlength=n_patterns)
            begin = np.cumsum(number) - number
            sums = np.concatenate([[0], np.cumsum(reduced_costs)])
            negative = np.bincount(owner, reduced_costs < 0, n_patterns).astype(np.int64)
            sides.append((number, begin, sums, negative))
        (rares, rare_begin, rare_sums, _), (others, other_begin, other_sums, wanted) = sides
        pattern = np.repeat(np.arange(n_patterns), rares + 1)
        first = np.cumsum(rares + 1) - (rares + 1)
        b = np.arange(len(pattern)) - first[pattern]
        most = np.minimum(self.highest[b], others[pattern])
        a = np.minimum(np.maximum(wanted[pattern], self.lowest[b]), most)
        reduced_cost = rare_sums[rare_begin[pattern] + b] - rare_sums[rare_begin[pattern]]
        begin = other_begin[pattern]
        reduced_cost = reduced_cost + other_sums[begin + np.maximum(a, 0)] - other_sums[begin]
        return np.minimum.reduceat(np.where(self.lowest[b] <= most, reduced_cost, 0), first)


def _legal_numbers(problem: Problem, rare: int) -> tuple[IntArray, IntArray]:
    """Return for every number of rows of the rare sensitive class the least and the largest legal number of the other.

    By convexity the legal numbers have no hole, and the number nearest to the shares of the table is legal if any is;
    the ends are found by halving. Rules on shares only are asked; the least size is applied afterwards.
    """
    totals = problem.sensitive_totals
    b, most = np.arange(int(totals[rare]) + 1), int(totals[1 - rare])
    on_shares = [rule for rule in problem.rules if not isinstance(rule, SizeRule)]

    def legal(a: IntArray) -> BoolArray:
        by_class = np.empty((len(b), 2), dtype=np.int64)
        by_class[:, rare], by_class[:, 1 - rare] = b, a
        groups = problem.groups(by_class)
        empty = groups.sizes == 0
        groups = Groups(np.where(empty, 1, groups.sizes), groups.counts)
        return np.asarray(np.logical_and.reduce([rule.meets(groups) for rule in on_shares]) & ~empty)

    below, above = b * most // int(totals[rare]), -(-b * most // int(totals[rare]))
    above[0] = 1  # without rows of the rare sensitive class all numbers but 0 have the same shares
    nearest = np.where(legal(below), below, above)
    some = legal(nearest)
    lowest, highest = nearest.copy(), nearest.copy()
    low, high = np.full_like(nearest, -1), np.full_like(nearest, most + 1)  # beyond the ends
    while ((lowest - low > 1) | (high - highest > 1)).any():
        middle = (low + lowest + 1) // 2
        good = legal(middle)
        low, lowest = np.where(good, low, np.minimum(middle, lowest - 1)), np.where(good, middle, lowest)
        middle = (highest + high) // 2
        good = legal(middle)
        high, highest = np.where(good, high, np.maximum(middle, highest + 1)), np.where(good, middle, highest)
    lowest = np.maximum(lowest, problem.rules.min_group_size - b)
    return np.where(some, lowest, 1), np.where(some, highest, 0)
