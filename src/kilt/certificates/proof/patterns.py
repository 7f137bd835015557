"""All patterns that matter to a proof, found again: one level vector at a time, by exact keys."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.evidence import Evidence, Levels
from kilt.certificates.proof.refine import refined_buckets
from kilt.model.problem import Problem
from kilt.numbers import ROOM, BoolArray, IntArray

MANY_LEVEL_VECTORS = 2_000  # from so many on row types are divided column by column


@dataclass(frozen=True)
class ProofPatterns:
    """All patterns of one level vector that matter: their row types, by falling multiplier, and reduced costs."""

    levels: Levels
    members: Ragged
    reduced_costs: IntArray
    counts: IntArray

    def __len__(self) -> int:
        return len(self.members)

    @property
    def types(self) -> IntArray:
        """The row types, pattern by pattern."""
        return self.members.values

    @property
    def owner(self) -> IntArray:
        """The pattern of every entry."""
        return self.members.owner

    @property
    def first(self) -> IntArray:
        """The first row type of every pattern."""
        return np.asarray(np.minimum.reduceat(self.types, self.members.starts[:-1]))

    def sums(self, each: IntArray) -> IntArray:
        """Add up numbers of entries by pattern."""
        return self.members.sums(each)

    def before(self, each: IntArray) -> IntArray:
        """Return for every entry the sum of those before it in its pattern."""
        return self.members.before(each)

    def some(self, patterns: IntArray) -> ProofPatterns:
        """Return some of the patterns."""
        kept = np.zeros(len(self), dtype=bool)
        kept[patterns] = True
        entries = self.members.entries_of(kept)
        return ProofPatterns(self.levels, self.members.kept(kept), self.reduced_costs[entries], self.counts[entries])


def proof_patterns(problem: Problem, evidence: Evidence) -> Iterator[ProofPatterns]:
    """Yield all closed patterns under which some row has a negative reduced cost, one level vector at a time.

    Where level vectors are many, those are left out under which no group of enough rows has one.
    """
    by_multiplier = np.argsort(-evidence.multipliers, kind="stable")
    if math.prod(len(column.levels) for column in problem.columns) > MANY_LEVEL_VECTORS:
        yield from _refined_patterns(problem, evidence, by_multiplier)
        return
    multipliers, counts = evidence.multipliers[by_multiplier], problem.counts[by_multiplier]
    shown = [
        [level[problem.codes[by_multiplier, j]] for level in column.levels] for j, column in enumerate(problem.columns)
    ]
    costs = [
        [cost[problem.codes[by_multiplier, j]] * evidence.scale for cost in costs]
        for j, costs in enumerate(problem.costs)
    ]
    min_group_size = problem.rules.min_group_size
    for levels, cost in _vectors(costs, multipliers):
        key = _key([shown[j][level] for j, level in enumerate(levels)], len(multipliers))
        order = np.argsort(key, kind="stable")
        found = Ragged(order, starts_of(key[order]))
        enough = found.sums(counts[order]) >= min_group_size
        found = found.kept((multipliers[found.first] > cost[found.first]) & enough)
        found = found.kept(_closed(found, levels, shown))
        if len(found):
            reduced_costs = cost[found.values] - multipliers[found.values]
            yield ProofPatterns(
                levels, Ragged(by_multiplier[found.values], found.starts), reduced_costs, counts[found.values]
            )


def _refined_patterns(problem: Problem, evidence: Evidence, by_multiplier: IntArray) -> Iterator[ProofPatterns]:
    """Yield the patterns under which a group of enough rows has a negative reduced cost."""
    for levels, buckets in refined_buckets(problem, evidence, by_multiplier):
        types = by_multiplier[buckets.members.values]
        reduced_costs = np.repeat(buckets.cost, buckets.members.lengths) - evidence.multipliers[types]
        yield ProofPatterns(levels, Ragged(types, buckets.members.starts), reduced_costs, problem.counts[types])


def _closed(found: Ragged, levels: Levels, shown: Sequence[Sequence[IntArray]]) -> BoolArray:
    """Say of every pattern whether it is the tightest one for the row types under it."""
    closed = np.ones(len(found), dtype=bool)
    for j, level in enumerate(levels):
        if level and len(found):
            below, starts = shown[j][level - 1][found.values], found.starts[:-1]
            closed &= np.maximum.reduceat(below, starts) > np.minimum.reduceat(below, starts)
    return closed


def _vectors(costs: Sequence[Sequence[IntArray]], multipliers: IntArray) -> Iterator[tuple[Levels, IntArray]]:
    """Yield all level vectors under which some row pays less than its multiplier, and what rows pay; no others matter.

    What a row pays in the columns that are still to come is at least what it pays there at level 0.
    """
    at_least = np.cumsum([cost[0] for cost in costs[::-1]], axis=0)[::-1]

    def longer(levels: Levels, cost: IntArray) -> Iterator[tuple[Levels, IntArray]]:
        place = len(levels)
        if place == len(costs):
            yield levels, cost
            return
        later = at_least[place + 1] if place + 1 < len(costs) else 0
        for level, more in enumerate(costs[place]):
            if not (cost + more + later < multipliers).any():
                return  # nor does any pay less at a higher level
            yield from longer((*levels, level), cost + more)

    return longer((), np.zeros_like(multipliers))


def _key(columns: Sequence[IntArray], rows: int) -> IntArray:
    """Return a number for every row, the same for rows that agree on all columns, exactly."""
    key, span = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        size = int(column.max(initial=0)) + 1
        if size == 1:
            continue
        if span * size >= ROOM:
            key = np.unique(key, return_inverse=True)[1].ravel().astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key, span = key * size + column, span * size
    return key


def starts_of(ordered: IntArray) -> IntArray:
    """Return where equal numbers start, and the end."""
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate([[0], changes, [len(ordered)]])
