"""The proof of a bound, evaluated in integers, with nothing of what found it.

Given a multiplier for every row, no legal partition costs less than the sum of all multipliers plus, for every pattern,
the least reduced cost (cost less multipliers) of a legal group under it, where that is negative. The multipliers may be
any integers. Here all patterns are listed again, and for each a lower bound on the reduced cost of its legal groups is
found: exactly, or rounded down with the help of multipliers of patterns, which may be any integers too. Sets of rows
may add that no more groups lie in them than fit.
``docs/certificates.md`` has the inequalities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from kilt.certificates.proof.by_size import SizeProof
from kilt.certificates.proof.counting import CountingProof
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.certificates.proof.exact import TwoClassProof, of_rows, of_values
from kilt.certificates.proof.linear import LinearProof, stored
from kilt.certificates.proof.patterns import ProofPatterns, in_batches, is_joined, proof_patterns
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.model.rules import DiversityRule, SizeRule
from kilt.numbers import ROOM, BoolArray, IntArray, max_abs

MAX_MULTIPLIER = 2**53


def evaluate_bound(problem: Problem, parts: Sequence[Evidence]) -> int:
    """Return the cost that no legal partition goes below, as far as this evidence proves it.

    What a partition costs is the sum of what it costs in disjoint sets of columns, so the bounds of these add up.
    """
    columns = [column for part in parts for column in part.columns]
    if len(set(columns)) < len(columns) or not set(columns) <= set(range(len(problem.columns))):
        raise InputError("the parts of the proof are not about different columns of the table")
    found = [problem.on(part.columns) for part in parts]
    return sum(_evaluate_part(on, part) * (problem.unit // on.unit) for on, part in zip(found, parts, strict=True))


def as_proved(problem: Problem, bound: Bound) -> Bound:
    """Return a bound with all that its evidence proves.

    Where rows are joined it was raised for groups of enough rows, whatever else the policy asks for.
    """
    if problem.rules.is_k_anonymity or not bound.parts or not is_joined(problem):
        return bound
    return Bound(evaluate_bound(problem, bound.parts), bound.parts)


def _evaluate_part(problem: Problem, evidence: Evidence) -> int:
    """Return the lower bound on the cost of a legal partition in the columns of the evidence."""
    _require_small(evidence)
    largest = max(max_abs(evidence.multipliers) * problem.rows, evidence.scale * problem.most_cost)
    if 4 * largest >= ROOM or len(evidence.multipliers) != len(problem.counts):
        raise InputError("the multipliers of the proof are too large, or not one for every row type")
    least, counting = _least(problem, evidence), CountingProof.of(problem, evidence.counting)
    total = int(evidence.multipliers.astype(object) @ problem.counts) - counting.owed
    for patterns in in_batches(proof_patterns(problem, evidence)):
        total += sum(np.minimum(least(patterns) + counting.penalties(patterns), 0).tolist())
    return max(0, -(-total // evidence.scale))


def _require_small(evidence: Evidence) -> None:
    """Raise if a multiplier is so large that nobody needs it."""
    listed = (evidence.size_multipliers, evidence.linear_multipliers, evidence.tail_multipliers)
    if any(
        max_abs(numbers) >= MAX_MULTIPLIER
        for numbers in (*(each.numbers for each in listed), evidence.trees.nodes, evidence.counting.multipliers)
    ):
        raise InputError("the multipliers of the proof are too large")


def _least(problem: Problem, evidence: Evidence) -> Callable[[ProofPatterns], IntArray]:
    """Choose how to bound the reduced costs of legal groups: exactly, or with the multipliers that are given."""
    rules = problem.rules
    if all(isinstance(rule, SizeRule) for rule in rules):
        return lambda patterns: of_rows(patterns, rules.min_group_size)
    if len(problem.sensitive_totals) == 2:
        return TwoClassProof(problem).least
    return _relaxation(problem, evidence)


def _relaxation(problem: Problem, evidence: Evidence) -> Callable[[ProofPatterns], IntArray]:
    """Bound groups by what all l-diverse ones have, and by linear inequalities; where these fail, size by size."""
    min_group_size = problem.rules.min_group_size
    every_size = LinearProof(problem, evidence.linear_multipliers, min_group_size)
    small_sizes = SizeProof.of(problem, evidence) if evidence.largest else None
    diverse = [(math.ceil(rule.l), rule.column) for rule in problem.rules if isinstance(rule, DiversityRule)]
    fewest, column = max(diverse, default=(1, 0))
    shown = problem.sensitive[:, column]

    def least(patterns: ProofPatterns) -> IntArray:
        reduced_cost = np.zeros(len(patterns), dtype=np.int64)
        open_ = np.flatnonzero(_possible(problem, patterns))
        if len(open_):
            some = patterns.some(open_)
            found = of_values(some, shown[some.types], max(min_group_size, fewest), fewest)
            reduced_cost = stored(reduced_cost, open_, np.maximum(found, every_size.least(some)))
        open_ = np.flatnonzero(reduced_cost < 0)
        if len(open_) and small_sizes is not None:
            some = patterns.some(open_)
            largest = small_sizes.largest(some)
            found = np.minimum(small_sizes.least(some, largest), _of_large_groups(problem, evidence, some, largest))
            reduced_cost = stored(reduced_cost, open_, np.maximum(reduced_cost[open_], found))
        return reduced_cost

    return least


def _of_large_groups(problem: Problem, evidence: Evidence, patterns: ProofPatterns, largest: IntArray) -> IntArray:
    """Bound groups of more rows than the largest that are proved by their size, with linear inequalities."""
    reduced_cost = np.zeros(len(patterns), dtype=np.int64)
    for most in np.unique(largest).tolist():
        mine = np.flatnonzero(largest == most)
        proof = LinearProof(problem, evidence.tail_multipliers, max(problem.rules.min_group_size, most + 1))
        reduced_cost = stored(reduced_cost, mine, proof.least(patterns.some(mine)))
    return reduced_cost


def _possible(problem: Problem, patterns: ProofPatterns) -> BoolArray:
    """Decide for every pattern a necessary condition for a legal group: enough of the values are there."""
    possible = np.ones(len(patterns), dtype=bool)
    for rule in problem.rules:
        if rule.column is not None:
            present = np.zeros((len(patterns), problem.sizes[rule.column]), dtype=bool)
            present[patterns.owner, problem.sensitive[patterns.types, rule.column]] = True
            possible &= rule.possible(present)
    return possible
