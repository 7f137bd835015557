"""A first partition where patterns are too many to list: groups grow from rows by their nearest neighbours.

A pattern grows from every row that is left; those that save most become groups, and so on with the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.kernels.model.rules import CompiledRules
from kilt.kernels.random import Random
from kilt.kernels.search.wide.construct import GrowingPattern
from kilt.model.partition import Partition, pattern_ids
from kilt.model.patterns import costs_of
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.run.stopping import StoppingRule
from kilt.run.threads import on_all_cores
from kilt.solvers.common.stacked_ladders import stacked
from kilt.solvers.search.state import SearchState, one_group
from kilt.solvers.search.wide.neighbours import nearest_neighbours


@dataclass(frozen=True)
class Params:
    """How groups grow; costs are in stars."""

    steps: int = 6  # how often the multipliers of rows without a group are raised
    multiplier_step: float = 0.5
    chunk: int = 2_000  # seeds at a time
    min_neighbours: int = 48
    neighbours_per_row: int = 4  # for each row that a group must have
    max_neighbours: int = 240
    max_growth: int = 8  # times as many neighbours at most where nothing grows


PARAMS = Params()


def n_neighbours(rules: CompiledRules) -> int:
    """Return among how many nearest neighbours of a row its group is formed."""
    wanted = min(PARAMS.neighbours_per_row * rules.min_group_size, PARAMS.max_neighbours)
    return max(PARAMS.min_neighbours, wanted, rules.min_group_size)


@dataclass
class Construction:
    """Groups so far, and the copies of each row type that are left."""

    problem: Problem
    rules: CompiledRules
    seed: int

    def __post_init__(self) -> None:
        self.left, self.whole = self.problem.counts.copy(), one_group(self.problem)
        self.ladders = stacked(self.problem)
        self.placed: list[tuple[IntArray, IntArray, IntArray]] = []
        self.groups = 0

    def partition(self, stop: StoppingRule) -> Partition:
        """Form groups until all rows have one, or until stopped; what is left then is a group."""
        near, rounds = n_neighbours(self.rules), 0
        most = PARAMS.max_growth * near
        while self.left.sum() >= 2 * self.rules.min_group_size and near <= most and not stop():
            if self._form_groups(near, self.seed + rounds, stop) == 0:
                near = 2 * near if near < np.count_nonzero(self.left) else most + 1
            rounds += 1
        rest = np.flatnonzero(self.left)
        self._place(rest, np.zeros_like(rest), self.left[rest])
        return Partition.of(self.problem, *(np.concatenate(part) for part in zip(*self.placed, strict=True)))

    def _place(self, types: IntArray, groups: IntArray, counts: IntArray) -> None:
        self.placed.append((types, groups + self.groups, counts))
        self.groups += int(groups.max(initial=-1)) + 1
        np.subtract.at(self.left, types, counts)

    def _form_groups(self, near: int, seed: int, stop: StoppingRule) -> int:
        """Grow patterns from all remaining rows, form the groups that save most, and count their rows."""
        before = self.left.sum()
        pool = merged(self.problem, [as_pool(self.problem, self.whole), self._grow_patterns(near, seed, stop)])
        state = SearchState.of(pool, self.rules, self.whole, self.problem, seed)
        rest = np.flatnonzero(self.left)
        state = state.with_rows(state.last_entries[rest], self.left[rest])
        multipliers = np.full(len(self.left), np.inf)
        np.minimum.at(multipliers, pool.types, pool.cost[pool.owner].astype(float))
        for step in range(1, PARAMS.steps):
            state.build(multipliers + step * PARAMS.multiplier_step * self.problem.unit)
        used = np.flatnonzero(state.copies)
        used = used[state.pattern_of[used] < len(pool) - 1]
        types, patterns = (part[used].astype(np.int64) for part in (state.row_type_of, state.pattern_of))
        self._place(types, patterns, state.copies[used])
        return int(before - self.left.sum())

    def _grow_patterns(self, number: int, seed: int, stop: StoppingRule) -> Pool:
        """Grow a pattern from every remaining row type."""
        row_types, rng = np.flatnonzero(self.left), np.random.default_rng(seed)
        codes = np.ascontiguousarray(self.problem.codes[row_types])
        near = nearest_neighbours(codes, self.ladders, number, rng, stop)
        counts, sensitive_class = self.left[row_types], self.problem.sensitive_class[row_types].astype(np.int64)
        n_classes = len(self.problem.sensitive_totals)

        def grow(seeds: IntArray) -> tuple[IntArray, IntArray, IntArray]:
            rules, random = self.rules.copy(), Random.of_seed(seed + int(seeds[0]))
            pattern = GrowingPattern(codes, self.ladders, counts, sensitive_class, n_classes, near, rules, random)
            return pattern.grow_all(seeds[: 0 if stop() else None])

        found = on_all_cores(grow, np.array_split(np.arange(len(row_types)), -(-len(row_types) // PARAMS.chunk)))
        types, lengths, levels = (np.concatenate(part) for part in zip(*found, strict=True))
        covers = Ragged.of_lengths(row_types[types], lengths)
        return Pool(covers, levels, costs_of(self.problem, covers.first, levels))


def as_pool(problem: Problem, partition: Partition) -> Pool:
    """Return the patterns of the groups of a partition, with their members only."""
    return Pool(Ragged(partition.types, partition.starts), partition.levels, partition.row_costs(problem))


def merged(problem: Problem, pools: Sequence[Pool]) -> Pool:
    """Merge pools: a pattern has the row types that it has in any; of equally dear ones the largest is last."""
    covers = Ragged.joined([pool.covers for pool in pools])
    levels = np.concatenate([pool.levels for pool in pools])
    ids = pattern_ids(problem, covers.first, levels)
    _, first, pattern = np.unique(ids, return_index=True, return_inverse=True)
    cost, n_row_types = costs_of(problem, covers.first[first], levels[first]), len(problem.counts)
    pairs = np.unique(pattern[covers.owner] * n_row_types + covers.values)
    pattern, types = np.divmod(pairs, n_row_types)
    sizes = np.bincount(pattern, minlength=len(first))
    order = np.lexsort((sizes, cost))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    types = types[np.argsort(rank[pattern], kind="stable")]
    return Pool(Ragged.of_lengths(types, sizes[order]), levels[first][order], cost[order])
