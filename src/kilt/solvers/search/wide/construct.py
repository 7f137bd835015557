"""A first partition where patterns are too many to list: groups grow from rows by the rows that are near.

A pattern grows from every row that is left; those that save most become groups, and so on with the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kilt.kernels.model.legal import Law, scratch
from kilt.kernels.search.wide.construct import bud_for, grown
from kilt.model.partition import Partition, pattern_ids
from kilt.model.patterns import costs_of
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.run.stopping import Stop
from kilt.solvers.common.distances import stacked
from kilt.solvers.search.state import Field, one_group
from kilt.solvers.search.wide.neighbours import near_rows, on_all_cores

STEPS, STEP = 6, 0.5  # how often rows that found no group are worth more, and by how many stars
CHUNK = 2_000  # seeds at a time
NEAR, EACH, MOST_NEAR = 24, 4, 240  # how many rows are near: at least, for each row that a group must have, at most
DOUBLED = 8  # times as many are near at most where nothing grows


def near_enough(law: Law) -> int:
    """Return among how many near rows a group finds its members."""
    return max(NEAR, min(EACH * law.least_size, MOST_NEAR), law.least_size)


@dataclass
class Growth:
    """Groups so far, and the copies of each row type that are left."""

    problem: Problem
    law: Law
    seed: int

    def __post_init__(self) -> None:
        self.left, self.whole = self.problem.counts.copy(), one_group(self.problem)
        self.ladders = stacked(self.problem)
        self.placed: list[tuple[IntArray, IntArray, IntArray]] = []
        self.groups = 0

    def partition(self, stop: Stop) -> Partition:
        """Form groups until all rows have one, or until told to stop; what is left then is a group."""
        near, rounds = near_enough(self.law), 0
        most = DOUBLED * near
        while self.left.sum() >= 2 * self.law.least_size and near <= most and not stop():
            if self._formed(near, self.seed + rounds, stop) == 0:
                near = 2 * near if near < np.count_nonzero(self.left) else most + 1
            rounds += 1
        rest = np.flatnonzero(self.left)
        self._place(rest, np.zeros_like(rest), self.left[rest])
        return Partition.of(self.problem, *(np.concatenate(part) for part in zip(*self.placed, strict=True)))

    def _place(self, types: IntArray, groups: IntArray, counts: IntArray) -> None:
        self.placed.append((types, groups + self.groups, counts))
        self.groups += int(groups.max(initial=-1)) + 1
        np.subtract.at(self.left, types, counts)

    def _formed(self, near: int, seed: int, stop: Stop) -> int:
        """Let patterns grow from all rows that are left, and form the groups that save most; count their rows."""
        before = self.left.sum()
        pool = merged(self.problem, [as_pool(self.problem, self.whole), self._grown(near, seed, stop)])
        field = Field.of(pool, self.law, self.whole, self.problem, seed)
        rest = np.flatnonzero(self.left)
        field = field.with_rows(field.arena.starts[1:][rest] - 1, self.left[rest])
        worth = np.full(len(self.left), np.inf)
        np.minimum.at(worth, pool.types, pool.cost[pool.owner()].astype(float))
        for step in range(1, STEPS):
            field.build(worth + step * STEP * self.problem.unit)
        used = np.flatnonzero(field.state.copies)
        used = used[field.arena.pattern_of[used] < len(pool) - 1]
        types, patterns = (part[used].astype(np.int64) for part in (field.arena.kind_of, field.arena.pattern_of))
        self._place(types, patterns, field.state.copies[used])
        return int(before - self.left.sum())

    def _grown(self, number: int, seed: int, stop: Stop) -> Pool:
        """Return the patterns that grow from the rows that are left."""
        kinds, rng = np.flatnonzero(self.left), np.random.default_rng(seed)
        codes = np.ascontiguousarray(self.problem.codes[kinds])
        near = near_rows(codes, self.ladders, number, rng, stop)
        counts, class_of = self.left[kinds], self.problem.class_of[kinds].astype(np.int64)

        def grow(seeds: IntArray) -> tuple[IntArray, IntArray, IntArray]:
            classes, columns = len(self.problem.class_totals), codes.shape[1]
            bud = bud_for(columns, near.shape[1], classes, scratch(self.law), seed + int(seeds[0]))
            return grown(
                codes, counts, class_of, self.ladders, self.law, seeds[: 0 if stop() else None], near[seeds], bud
            )

        found = on_all_cores(grow, np.array_split(np.arange(len(kinds)), -(-len(kinds) // CHUNK)))
        types, lengths, levels = (np.concatenate(part) for part in zip(*found, strict=True))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return Pool(kinds[types], starts, levels, costs_of(self.problem, levels))


def as_pool(problem: Problem, partition: Partition) -> Pool:
    """Return the patterns of the groups of a partition, with their members only."""
    return Pool(partition.types, partition.starts, partition.levels, costs_of(problem, partition.levels))


def merged(problem: Problem, pools: Sequence[Pool]) -> Pool:
    """Put pools together: a pattern has the row types that it has in any; of equally dear ones the largest is last."""
    types, levels = (np.concatenate([getattr(pool, name) for pool in pools]) for name in ("types", "levels"))
    lengths = np.concatenate([np.diff(pool.starts) for pool in pools])
    ids = pattern_ids(problem, types[np.cumsum(lengths) - lengths], levels)
    _, first, pattern = np.unique(ids, return_index=True, return_inverse=True)
    cost, kinds = costs_of(problem, levels[first]), len(problem.counts)
    pairs = np.unique(np.repeat(pattern, lengths) * kinds + types)
    pattern, types = np.divmod(pairs, kinds)
    sizes = np.bincount(pattern, minlength=len(first))
    order = np.lexsort((sizes, cost))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    types = types[np.argsort(rank[pattern], kind="stable")]
    return Pool(types, np.concatenate([[0], np.cumsum(sizes[order])]), levels[first][order], cost[order])
