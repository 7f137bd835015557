"""The proof of a bound, evaluated in integers, with nothing of what found it.

Given prices for rows, no legal partition costs less than the sum of all prices plus, for every pattern, the least value
(cost less prices) of a legal group under it, where that is negative. The prices may be any integers. Here all patterns
are gone through again, and for each a number is found that no legal group's value is below: exactly, or rounded down
with the help of multipliers, which may be any integers too. ``docs/certificates.md`` has the inequalities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from kilt.certificates.proof.by_size import Sizes
from kilt.certificates.proof.evidence import Evidence, Marks
from kilt.certificates.proof.exact import Pairs, of_rows, of_values
from kilt.certificates.proof.linear import Slopes, stored
from kilt.certificates.proof.patterns import Buckets, all_buckets
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.model.rules import DiversityRule, SizeRule
from kilt.numbers import ROOM, BoolArray, IntArray, magnitude

MOST = 2**53  # no price and no multiplier is larger

__all__ = ["MOST", "Evidence", "Marks", "proved"]


def proved(problem: Problem, parts: Sequence[Evidence]) -> int:
    """Return the cost that no legal partition goes below, as far as this evidence proves it.

    What a partition costs is the sum of what it costs in disjoint sets of columns, so the bounds of these add up.
    """
    columns = [column for part in parts for column in part.columns]
    if len(set(columns)) < len(columns) or not set(columns) <= set(range(len(problem.columns))):
        raise InputError("the parts of the proof are not about different columns of the table")
    found = [problem.on(part.columns) for part in parts]
    return sum(_proved(on, part) * (problem.unit // on.unit) for on, part in zip(found, parts, strict=True))


def _proved(problem: Problem, evidence: Evidence) -> int:
    """Return what no legal partition's cost in the columns of the evidence is below."""
    _require_small(evidence)
    largest = max(magnitude(evidence.prices) * problem.rows, evidence.scale * problem.most_cost)
    if 4 * largest >= ROOM or len(evidence.prices) != len(problem.counts):
        raise InputError("the prices of the proof are too large, or not one for every row type")
    least = _least(problem, evidence)
    total = int(evidence.prices.astype(object) @ problem.counts)
    for buckets in all_buckets(problem, evidence):
        total += sum(np.minimum(least(buckets), 0).tolist())
    return max(0, -(-total // evidence.scale))


def _require_small(evidence: Evidence) -> None:
    """Raise if a multiplier is so large that nobody needs it."""
    for marks in (evidence.thetas, evidence.slopes, evidence.tails):
        if magnitude(marks.numbers) >= MOST:
            raise InputError("the multipliers of the proof are too large")


def _least(problem: Problem, evidence: Evidence) -> Callable[[Buckets], IntArray]:
    """Choose how to find what no legal group's value is below: exactly, or with the multipliers that are given."""
    rules = problem.rules
    if all(isinstance(rule, SizeRule) for rule in rules):
        return lambda buckets: of_rows(buckets, rules.least_size)
    if len(problem.class_totals) == 2:
        return Pairs(problem).least
    return _relaxed(problem, evidence)


def _relaxed(problem: Problem, evidence: Evidence) -> Callable[[Buckets], IntArray]:
    """Prove groups by what all l-diverse ones have, and by linear inequalities; where these do not do, size by size."""
    least_size = problem.rules.least_size
    slopes = Slopes(problem, evidence.slopes, least_size)
    tails = Slopes(problem, evidence.tails, max(least_size, evidence.largest + 1))
    sizes = Sizes.of(problem, evidence) if evidence.largest else None
    diverse = [(math.ceil(rule.l), rule.column) for rule in problem.rules if isinstance(rule, DiversityRule)]
    fewest, column = max(diverse, default=(1, 0))
    shown = problem.sensitive[:, column]

    def least(buckets: Buckets) -> IntArray:
        value = np.zeros(len(buckets), dtype=np.int64)
        open_ = np.flatnonzero(_possible(problem, buckets))
        if len(open_):
            some = buckets.some(open_)
            apart = of_values(some, shown[some.order], max(least_size, fewest), fewest)
            value = stored(value, open_, np.maximum(apart, slopes.least(some)))
        open_ = np.flatnonzero(value < 0)
        if len(open_) and sizes is not None:
            some = buckets.some(open_)
            apart = np.minimum(sizes.least(some), tails.least(some))
            value = stored(value, open_, np.maximum(value[open_], apart))
        return value

    return least


def _possible(problem: Problem, buckets: Buckets) -> BoolArray:
    """Decide for every pattern a necessary condition for a legal group: enough of the values are there."""
    possible = np.ones(len(buckets), dtype=bool)
    for rule in problem.rules:
        if rule.column is not None:
            present = np.zeros((len(buckets), problem.sizes[rule.column]), dtype=bool)
            present[buckets.owner, problem.sensitive[buckets.order, rule.column]] = True
            possible &= rule.possible(present)
    return possible
