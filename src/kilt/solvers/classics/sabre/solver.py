"""SABRE (after Cao, Karras, Kalnis and Tan 2011): groups that draw rows from buckets of near sensitive values.

*Bucketisation*: the sensitive values are put into buckets. *Redistribution*: how many rows of each bucket a group has
is found by halving the counts of the table, as long as all groups that have so many are legal. *Filling*: every group
starts with a row, and draws what it wants from each bucket, always the row that makes it least dearer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kilt.kernels.classics.filling import Filling
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, SizeRule
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.classics.sabre.bucketing import Bucketing, bucketings
from kilt.solvers.classics.sabre.draws import ValueDraws
from kilt.solvers.common.equivalence_classes import equivalence_class
from kilt.solvers.common.leftovers import place_illegal
from kilt.solvers.common.stacked_ladders import stacked

MOST_VALUES = 500
MOST_ROWS = 50_000_000  # groups are drawn one by one
MOST_BUCKETINGS = 16  # that are tried
LEFTOVER_SECONDS = 0.7  # for rows that are not drawn when the time is over to find groups


@dataclass(frozen=True)
class Sabre:
    """Close groups by construction, in a time that grows with the square of the row types."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse all but t-closeness on one column, with or without k, and columns with too many values."""
        rule = closeness(problem)
        if rule is None:
            return "it takes t-closeness on one sensitive column, with or without k"
        if problem.rows > MOST_ROWS:
            return f"it draws groups one by one, from up to {MOST_ROWS:,} rows, not {problem.rows:,}"
        values = len(rule.reference)
        return None if values <= MOST_VALUES else f"it takes up to {MOST_VALUES} sensitive values, not {values:,}"

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Find out what groups draw, and fill them; when told to stop, the rows that are not drawn yet are the rest."""
        rule = closeness(problem)
        if rule is None:
            raise AssertionError("there is no rule to follow")
        drawn = list(_filled(problem, rule, stop, observer))
        nothing = np.zeros(0, dtype=np.int64)
        types = np.concatenate([nothing, *(types for types, _ in drawn)])
        counts = np.concatenate([nothing, *(counts for _, counts in drawn)])
        groups = np.repeat(np.arange(len(drawn)), [len(types) for types, _ in drawn])
        return Solution(place_illegal(problem, types, groups, counts, stop.delayed(LEFTOVER_SECONDS)))


def closeness(problem: Problem) -> ClosenessRule | None:
    """Return the rule of t-closeness, if there is one and none beside it but that of the size."""
    rules = [rule for rule in problem.rules if not isinstance(rule, SizeRule)]
    return rules[0] if len(rules) == 1 and isinstance(rules[0], ClosenessRule) else None


def best_draws(rule: ClosenessRule, least: int) -> tuple[Bucketing, IntArray]:
    """Return the buckets from which most groups can be drawn, and the draws of these groups."""
    every = bucketings(rule)
    tried = every[:: -(-len(every) // MOST_BUCKETINGS)]
    found = [(buckets, *ValueDraws(rule, buckets, least).leaves()) for buckets in tried]
    buckets, draws, times = max(found, key=lambda each: int(each[2].sum()))
    return buckets, np.repeat(draws, times, axis=0)


def _filled(
    problem: Problem, rule: ClosenessRule, stop: StoppingRule, observer: Observer
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the row types and copies of one group after the other; rows with many that are alike come first."""
    buckets, draws = best_draws(rule, max(1, problem.rules.min_group_size))
    bucket_of = buckets.of_values()[problem.sensitive[:, rule.column]]
    alike = equivalence_class(problem)
    order = np.lexsort((alike, -np.bincount(alike, problem.counts)[alike]))
    filling = Filling(problem.codes[order], stacked(problem), bucket_of[order], problem.counts[order])
    for number, wanted in enumerate(draws):
        if stop():
            return
        observer(Progress("solving", number / len(draws)))
        places, counts = filling.fill(wanted)
        yield order[places], counts
