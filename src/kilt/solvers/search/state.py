"""The state of a search: an index of patterns and the row types they cover, and an assignment of rows to patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.bounds.incidence import Incidence
from kilt.kernels.bounds.incidence import by_type
from kilt.kernels.model.rules import CompiledRules
from kilt.kernels.random import Random
from kilt.kernels.search.anneal import Annealing
from kilt.kernels.search.assignment import Assignment, CoverIndex
from kilt.kernels.search.build import Building
from kilt.model.partition import Partition, pattern_ids
from kilt.model.patterns import buckets, costs_of
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.patterns.pool import Pool

MAX_CLOSED_SIZE = 4  # times the median size: larger groups are not closed
Near = Callable[[IntArray, float], BoolArray]  # marks the patterns that may have a group of so many stars at most
WIDER = 3.0  # how much dearer patterns may be where too few are found


@dataclass(frozen=True)
class SearchState:
    """The patterns of a pool, indexed, and where every copy of a row type is; ``rules`` decide what is legal.

    ``patterns`` cover enough rows for a group, and ``row_types`` are those with copies in this state.
    """

    problem: Problem
    pool: Pool
    index: CoverIndex
    assignment: Assignment
    rules: CompiledRules
    annealing: Annealing
    patterns: IntArray
    row_types: IntArray

    @classmethod
    def of(cls, pool: Pool, rules: CompiledRules, partition: Partition, problem: Problem, seed: int) -> SearchState:
        """Place a partition whose patterns are all in the pool."""
        n_row_types = len(problem.counts)
        classes = 1 if rules.size_only else len(problem.sensitive_totals)
        sensitive_class = problem.sensitive_class if classes > 1 else np.zeros(n_row_types)
        pool = _by_class(pool, sensitive_class.astype(np.int32), classes)
        starts, patterns, places = by_type(pool.types, pool.starts, n_row_types)
        entries = np.empty(len(places), dtype=np.int32)
        entries[places] = np.arange(len(places), dtype=np.int32)
        row_types = pool.types[places].astype(np.int32)
        index = CoverIndex(
            sensitive_class=sensitive_class.astype(np.int32),
            classes=classes,
            starts=starts,
            pattern_of=patterns,
            row_type_of=row_types,
            first=pool.starts.astype(np.int64),
            entries=entries,
            covered=pool.types.astype(np.int32),
            cost=pool.cost.astype(np.int64),
        )
        state = cls._empty(problem, pool, index, rules, seed)
        keys = row_types.astype(np.int64) * len(pool) + patterns
        pattern = _pattern_of(problem, pool, partition)[partition.groups]
        state.assignment.place(np.searchsorted(keys, partition.types * len(pool) + pattern), partition.counts)
        return state

    @classmethod
    def _empty(cls, problem: Problem, pool: Pool, index: CoverIndex, rules: CompiledRules, seed: int) -> SearchState:
        """Return a state without any rows; its rules are its own, since no two threads may share them."""
        assignment, rules = Assignment(index), rules.copy()
        annealing = Annealing(index, assignment, rules, Random.of_seed(seed))
        every = np.arange(len(problem.counts))
        return cls(problem, pool, index, assignment, rules, annealing, np.arange(len(pool)), every)

    def emptied(self, seed: int) -> SearchState:
        """Return a state of the same patterns without any rows."""
        return self._empty(self.problem, self.pool, self.index, self.rules, seed)

    def with_rows(self, entries: IntArray, copies: IntArray) -> SearchState:
        """Return the state with these rows in place of its own."""
        self.assignment.clear()
        self.assignment.place(entries, copies)
        self.annealing.forget_all()
        here = np.bincount(self.row_type_of[entries], copies, len(self.problem.counts))
        rows = np.add.reduceat(here[self.pool.types], self.pool.starts[:-1])
        patterns = np.flatnonzero(rows >= max(1, self.problem.rules.min_group_size))
        return replace(self, patterns=patterns, row_types=np.flatnonzero(here))

    @property
    def cost(self) -> int:
        """The cost of the partition."""
        return int(self.assignment.cost)

    @property
    def copies(self) -> IntArray:
        """How many copies are at each entry of the index; it changes as rows move."""
        return np.asarray(self.assignment.copies)

    @property
    def row_type_of(self) -> IntArray:
        """The row type of each entry of the index."""
        return np.asarray(self.index.row_type_of)

    @property
    def pattern_of(self) -> IntArray:
        """The pattern of each entry of the index."""
        return np.asarray(self.index.pattern_of)

    @property
    def last_entries(self) -> IntArray:
        """The entry of each row type under the dearest pattern that covers it."""
        return np.asarray(self.index.starts)[1:] - 1

    @property
    def sizes(self) -> IntArray:
        """The rows under each pattern; it changes as rows move."""
        return np.asarray(self.assignment.size)

    def build(self, multipliers: FloatArray) -> None:
        """Form groups, guided by multipliers, from the rows under the last pattern, which covers all."""
        Building(self.annealing.moves, self.annealing.offers).build(multipliers)

    def rest(self) -> BoolArray:
        """Mark the row types that are still under the last pattern."""
        return np.asarray(self.copies[self.last_entries] > 0)

    def anneal(self, moves: int, temperature: float) -> None:
        """Try moves, at a temperature in stars."""
        max_closed_size = MAX_CLOSED_SIZE * self.usual_size()
        self.annealing.anneal(self.patterns, self.row_types, moves, temperature, max_closed_size)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int((self.sizes > 0).sum())

    def usual_size(self) -> int:
        """Return the median size of the groups."""
        return int(np.median(self.sizes[self.sizes > 0]))

    def partition(self) -> Partition:
        """Return the partition into the groups of this state."""
        return self.at(self.copies)

    def at(self, copies: IntArray) -> Partition:
        """Return the partition with these copies at the entries of the index; raise if a row is lost."""
        placed = np.bincount(self.row_type_of, copies, len(self.problem.counts))
        if (copies < 0).any() or (placed != self.problem.counts).any():
            raise ArithmeticError("a search lost a row")
        used = np.flatnonzero(copies)
        types, patterns = (part[used].astype(np.int64) for part in (self.row_type_of, self.pattern_of))
        return Partition.of(self.problem, types, patterns, copies[used])


def _by_class(pool: Pool, sensitive_class: IntArray, classes: int) -> Pool:
    """Order the row types of each pattern by sensitive class."""
    if classes == 1:
        return pool
    order = np.argsort(pool.owner * classes + sensitive_class[pool.types], kind="stable")
    return Pool(Ragged(pool.types[order], pool.starts), pool.levels, pool.cost, pool.ceiling)


def one_group(problem: Problem) -> Partition:
    """Return the partition of all rows into one group, which is legal."""
    every = np.arange(len(problem.counts))
    return Partition.of(problem, every, np.zeros_like(every), problem.counts)


def filter_by_reduced_cost(incidence: Incidence, near: Near, multipliers: IntArray, most: float, fewest: int) -> Pool:
    """Keep the patterns that may have a group of so many stars at most, or of more if these are too few."""
    problem, pool = incidence.problem, incidence.pool
    found = near(multipliers, most)
    while found.sum() < min(fewest, len(found)) and most * problem.unit <= problem.highest_cost:
        most *= WIDER
        found = near(multipliers, most)
    chosen = np.flatnonzero(found)
    pool = Pool(pool.covers.picked(chosen), pool.levels[chosen], pool.cost[chosen], pool.ceiling)
    return keep_entries(problem, pool, np.ones(len(pool.types), dtype=bool))


def filter_by_extra_cost(problem: Problem, pool: Pool, partition: Partition, more: float) -> Pool:
    """Keep of the row types of a pattern those that would pay at most so many stars more than they do now."""
    paid = np.zeros(len(problem.counts), dtype=np.int64)
    np.maximum.at(paid, partition.types, partition.row_costs(problem)[partition.groups])
    cost = np.repeat(pool.cost, np.diff(pool.starts))
    return keep_entries(problem, pool, cost <= paid[pool.types] + int(more * problem.unit))


def keep_entries(problem: Problem, pool: Pool, entries: BoolArray) -> Pool:
    """Keep some entries, and the patterns that have enough rows for a group."""
    owner = pool.owner
    rows = np.bincount(owner[entries], problem.counts[pool.types[entries]], len(pool))
    enough = rows >= max(1, problem.rules.min_group_size)
    entries = entries & enough[owner]
    lengths = np.bincount(owner[entries], minlength=len(pool))[enough]
    covers = Ragged.of_lengths(pool.types[entries], lengths)
    return Pool(covers, pool.levels[enough], pool.cost[enough], pool.ceiling)


def with_groups(problem: Problem, pool: Pool, partitions: Sequence[Partition]) -> Pool:
    """Add the patterns of partitions, with all row types that fit under them, in place of what is there of them.

    Patterns are in the order of their cost; one that covers all row types is the last.
    """
    parts = [*(_covered(problem, partition) for partition in partitions), pool]
    covers = Ragged.joined([part.covers for part in parts])
    levels = np.concatenate([part.levels for part in parts])
    _, chosen = np.unique(pattern_ids(problem, covers.first, levels), return_index=True)
    cost = costs_of(problem, covers.first, levels)
    chosen = chosen[np.lexsort((covers.lengths[chosen], cost[chosen]))]
    return Pool(covers.picked(chosen), levels[chosen], cost[chosen], pool.ceiling)


def _pattern_of(problem: Problem, pool: Pool, partition: Partition) -> IntArray:
    """Return for every group of a partition its pattern in a pool that has it."""
    representative = np.concatenate([pool.covers.first, partition.representatives])
    ids = pattern_ids(problem, representative, np.concatenate([pool.levels, partition.levels]))
    place_of = np.full(int(ids.max()) + 1, -1)
    place_of[ids[: len(pool)]] = np.arange(len(pool))
    return np.asarray(place_of[ids[len(pool) :]])


def _covered(problem: Problem, partition: Partition) -> Pool:
    """Return the patterns of a partition with all row types that fit under them."""
    every = np.arange(len(problem.counts))
    vectors, vector = np.unique(partition.levels, axis=0, return_inverse=True)
    covers, levels = [], []
    for index, shape in enumerate(vectors):
        found = buckets(problem, tuple(shape.tolist()), every)
        wanted = np.zeros(len(found), dtype=bool)
        wanted[found.ids()[partition.representatives[np.flatnonzero(vector.ravel() == index)]]] = True
        covers.append(found.kept(wanted))
        levels.append(np.broadcast_to(shape, (len(covers[-1]), len(shape))))
    covered, shapes = Ragged.joined(covers), np.concatenate(levels)
    return Pool(covered, shapes, costs_of(problem, covered.first, shapes))
