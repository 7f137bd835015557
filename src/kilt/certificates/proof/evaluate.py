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

from kilt.certificates.proof.by_size import SizeProof
from kilt.certificates.proof.evidence import Evidence
from kilt.certificates.proof.exact import TwoClassProof, of_rows, of_values
from kilt.certificates.proof.linear import LinearProof, stored
from kilt.certificates.proof.patterns import ProofPatterns, proof_patterns
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.model.rules import DiversityRule, SizeRule
from kilt.numbers import ROOM, BoolArray, IntArray, max_abs

MOST = 2**53  # no price and no multiplier is larger


def evaluate_bound(problem: Problem, parts: Sequence[Evidence]) -> int:
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
    largest = max(max_abs(evidence.multipliers) * problem.rows, evidence.scale * problem.most_cost)
    if 4 * largest >= ROOM or len(evidence.multipliers) != len(problem.counts):
        raise InputError("the prices of the proof are too large, or not one for every row type")
    least = _least(problem, evidence)
    total = int(evidence.multipliers.astype(object) @ problem.counts)
    for patterns in proof_patterns(problem, evidence):
        total += sum(np.minimum(least(patterns), 0).tolist())
    return max(0, -(-total // evidence.scale))


def _require_small(evidence: Evidence) -> None:
    """Raise if a multiplier is so large that nobody needs it."""
    for multipliers in (evidence.size_multipliers, evidence.linear_multipliers, evidence.tail_multipliers):
        if max_abs(multipliers.numbers) >= MOST:
            raise InputError("the multipliers of the proof are too large")


def _least(problem: Problem, evidence: Evidence) -> Callable[[ProofPatterns], IntArray]:
    """Choose how to find what no legal group's value is below: exactly, or with the multipliers that are given."""
    rules = problem.rules
    if all(isinstance(rule, SizeRule) for rule in rules):
        return lambda patterns: of_rows(patterns, rules.min_group_size)
    if len(problem.sensitive_totals) == 2:
        return TwoClassProof(problem).least
    return _relaxed(problem, evidence)


def _relaxed(problem: Problem, evidence: Evidence) -> Callable[[ProofPatterns], IntArray]:
    """Prove groups by what all l-diverse ones have, and by linear inequalities; where these do not do, size by size."""
    min_group_size = problem.rules.min_group_size
    linear_multipliers = LinearProof(problem, evidence.linear_multipliers, min_group_size)
    tail_multipliers = LinearProof(problem, evidence.tail_multipliers, max(min_group_size, evidence.largest + 1))
    sizes = SizeProof.of(problem, evidence) if evidence.largest else None
    diverse = [(math.ceil(rule.l), rule.column) for rule in problem.rules if isinstance(rule, DiversityRule)]
    fewest, column = max(diverse, default=(1, 0))
    shown = problem.sensitive[:, column]

    def least(patterns: ProofPatterns) -> IntArray:
        value = np.zeros(len(patterns), dtype=np.int64)
        open_ = np.flatnonzero(_possible(problem, patterns))
        if len(open_):
            some = patterns.some(open_)
            apart = of_values(some, shown[some.types], max(min_group_size, fewest), fewest)
            value = stored(value, open_, np.maximum(apart, linear_multipliers.least(some)))
        open_ = np.flatnonzero(value < 0)
        if len(open_) and sizes is not None:
            some = patterns.some(open_)
            apart = np.minimum(sizes.least(some), tail_multipliers.least(some))
            value = stored(value, open_, np.maximum(value[open_], apart))
        return value

    return least


def _possible(problem: Problem, patterns: ProofPatterns) -> BoolArray:
    """Decide for every pattern a necessary condition for a legal group: enough of the values are there."""
    possible = np.ones(len(patterns), dtype=bool)
    for rule in problem.rules:
        if rule.column is not None:
            present = np.zeros((len(patterns), problem.sizes[rule.column]), dtype=bool)
            present[patterns.owner, problem.sensitive[patterns.types, rule.column]] = True
            possible &= rule.possible(present)
    return possible
