"""All patterns that matter to a proof, found again: level vector by level vector, by exact keys."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.evidence import Evidence, Levels, PatternMultipliers
from kilt.certificates.proof.near import can_be_joined, joined_buckets
from kilt.certificates.proof.refine import Buckets, refined_buckets
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.numbers import ROOM, BoolArray, IntArray, max_abs

BATCH = 1_000_000  # entries
MANY_LEVEL_VECTORS = 2_000  # from so many on row types are divided column by column,
VERY_MANY_LEVEL_VECTORS = 100_000  # and from so many on joined with others near them, if they are not too many


@dataclass(frozen=True)
class ProofPatterns:
    """Patterns that matter, level vector by level vector: their row types, by falling multiplier, and reduced costs.

    ``vectors`` are level vectors, ``vector`` says which of them a pattern has.
    """

    vectors: tuple[Levels, ...]
    vector: IntArray
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
        of_entries = self.reduced_costs[entries], self.counts[entries]
        return ProofPatterns(self.vectors, self.vector[kept], self.members.kept(kept), *of_entries)

    def places(self, known: PatternMultipliers) -> IntArray:
        """Return for every entry of known patterns its place among these, or -1."""
        vector_of = {levels: i for i, levels in enumerate(self.vectors)}
        vectors = np.array([vector_of.get(levels, -1) for levels in known.vectors], dtype=np.int64)
        span = 1 + max_abs(self.types)
        named = np.where((known.first >= 0) & (known.first < span), vectors[known.vector] * span + known.first, -1)
        mine = self.vector * span + self.first
        order = np.argsort(mine)
        place = order[np.minimum(np.searchsorted(mine[order], named), len(mine) - 1)]
        return np.where((named >= 0) & (mine[place] == named), place, -1)


def joined(parts: Sequence[ProofPatterns]) -> ProofPatterns:
    """Put the patterns of different level vectors together."""
    before = np.cumsum([0, *(len(part.vectors) for part in parts)])
    return ProofPatterns(
        tuple(levels for part in parts for levels in part.vectors),
        np.concatenate([part.vector + start for part, start in zip(parts, before, strict=False)]),
        Ragged.joined([part.members for part in parts]),
        np.concatenate([part.reduced_costs for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


def in_batches(found: Iterable[ProofPatterns], entries: int = BATCH) -> Iterator[ProofPatterns]:
    """Put as many patterns together as have some entries: arrays of a fair size are processed quickly."""
    parts, number = list[ProofPatterns](), 0
    for part in found:
        parts.append(part)
        number += len(part.types)
        if number >= entries:
            yield joined(parts)
            parts, number = [], 0
    if parts:
        yield joined(parts)


def is_joined(problem: Problem) -> bool:
    """Say whether row types are joined to list patterns, so that these have only the rows that matter."""
    vectors = math.prod(len(column.levels) for column in problem.columns)
    return vectors > VERY_MANY_LEVEL_VECTORS and can_be_joined(problem)


def proof_patterns(problem: Problem, evidence: Evidence) -> Iterator[ProofPatterns]:
    """Yield all closed patterns under which some row has a negative reduced cost, one level vector at a time.

    Where level vectors are many, those are left out under which no group of enough rows has one.
    """
    by_multiplier = np.argsort(-evidence.multipliers, kind="stable")
    vectors = math.prod(len(column.levels) for column in problem.columns)
    if vectors > MANY_LEVEL_VECTORS:
        joined = is_joined(problem)
        if joined and len(evidence.counting):
            raise InputError("groups cannot be counted where patterns are listed with only some of their rows")
        by_levels = (joined_buckets if joined else refined_buckets)(problem, evidence, by_multiplier)
        yield from _with_reduced_costs(by_levels, problem, evidence, by_multiplier)
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
            members = Ragged(by_multiplier[found.values], found.starts)
            yield _of_vector(levels, members, reduced_costs, counts[found.values])


def _with_reduced_costs(
    found: Iterable[tuple[Levels, Buckets]], problem: Problem, evidence: Evidence, by_multiplier: IntArray
) -> Iterator[ProofPatterns]:
    """Yield patterns of row types that are given by their places, with the reduced costs of these."""
    for levels, buckets in found:
        types = by_multiplier[buckets.members.values]
        reduced_costs = np.repeat(buckets.cost, buckets.members.lengths) - evidence.multipliers[types]
        yield _of_vector(levels, Ragged(types, buckets.members.starts), reduced_costs, problem.counts[types])


def _of_vector(levels: Levels, members: Ragged, reduced_costs: IntArray, counts: IntArray) -> ProofPatterns:
    return ProofPatterns((levels,), np.zeros(len(members), dtype=np.int64), members, reduced_costs, counts)


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
