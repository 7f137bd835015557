"""Closed patterns of tables with many level vectors, by refinement: up to a ceiling, or where multipliers ask for them.

Few of the level vectors have patterns with enough rows for a group, and a compiled loop finds these without a look at
the others. Those up to a ceiling are listed once. With multipliers all that matter are found, whatever they cost: the
patterns under which a group has a reduced cost below a margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.kernels.patterns.refine import Refinement
from kilt.model.patterns import useful_levels
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.patterns.pool import Pool, can_hold

CEILING_GROWTH = 1.25  # of the ceiling, as long as there is room for more patterns
FIRST_CEILING = 1 / 64  # of the highest cost of a row
Pairs = tuple[BoolArray, IntArray, IntArray]  # which rows are of the second class, and what is legal: see `PairOracle`


@dataclass(frozen=True)
class Work:
    """How much may be listed: entries, and the row types that are looked at, over and over."""

    entries: int
    visits: int


TRIAL_CEILING, TRIAL = 1 / 8, Work(entries=1_000_000, visits=50_000_000)  # by which the order of columns is chosen


@dataclass(frozen=True, eq=False)
class RefinedPatterns:
    """The closed patterns of a problem that have enough rows for a group; costs are ``scale`` times those in units."""

    problem: Problem
    scale: int = 1
    pairs: Pairs | None = None

    def up_to_ceiling(self, most: Work) -> Pool:
        """List patterns up to a ceiling, as high as there is room; at least one ceiling is listed to its end."""
        highest = self.problem.highest_cost + 1
        ceiling = max(1, int(highest * FIRST_CEILING))
        pool = self._below(ceiling, Work(1 << 62, 1 << 62))
        while pool is not None and ceiling < highest:
            listed, ceiling = pool, min(highest, max(ceiling + 1, int(ceiling * CEILING_GROWTH)))
            pool = self._below(ceiling, most)
            if pool is None:
                return listed
        if pool is None:
            raise AssertionError("a list without limits ends")
        return Pool(pool.covers, pool.levels, pool.cost)

    def _below(self, ceiling: int, most: Work) -> Pool | None:
        """List the patterns that cost less than a ceiling; None if they are too many."""
        every = np.arange(len(self.problem.counts), dtype=np.int32)
        self._refinement.list_all(every, ceiling * self.scale, most.entries, most.visits)
        return self._found(ceiling)

    def priced(self, multipliers: IntArray, margin: int, most: Work, *, whole: bool) -> Pool | None:
        """List the patterns under which a group has a reduced cost below the margin; None if they are too many.

        They have all their row types if they are ``whole``, else only those of such groups.
        """
        order = np.argsort(-multipliers, kind="stable").astype(np.int32)
        ceiling = max(0, int(multipliers.max(initial=0))) + margin
        self._refinement.list_priced(order, multipliers, margin, ceiling, most.entries, most.visits, whole)
        return self._found(None)

    @property
    def visits(self) -> int:
        """How many row types the last list looked at."""
        return int(self._refinement.work)

    def _found(self, ceiling: int | None) -> Pool | None:
        if not self._refinement.complete:
            return None
        types, lengths, steps, cost = self._refinement.found()
        order = np.argsort(cost, kind="stable")
        covers = Ragged.of_lengths(types, lengths.astype(np.int64)).picked(order)
        levels = np.empty_like(steps)
        levels[:, self._columns] = self._levels[steps[order]]
        pool = Pool(covers, levels, cost[order] // self.scale, ceiling)
        return pool if self.pairs is not None or not len(pool) else pool.kept(can_hold(self.problem, covers))

    @property
    def _columns(self) -> tuple[int, ...]:
        return self._refinement_by_columns[0]

    @property
    def _refinement(self) -> Refinement:
        return self._refinement_by_columns[1]

    @cached_property
    def _refinement_by_columns(self) -> tuple[tuple[int, ...], Refinement]:
        """The order of the columns, and the loop that refines by it.

        Columns with many values first, or last: whatever takes less for the patterns up to a low ceiling.
        """
        widths = [len(np.unique(codes)) for codes in self.problem.codes.T]
        ordered = tuple(sorted(range(len(widths)), key=lambda j: widths[j]))
        every = np.arange(len(self.problem.counts), dtype=np.int32)
        ceiling = int(self.problem.highest_cost * TRIAL_CEILING) * self.scale
        tried: list[tuple[int, tuple[int, ...], Refinement]] = []
        for columns in (ordered[::-1], ordered):
            refinement = self._by(columns)
            refinement.list_all(every, ceiling, TRIAL.entries, min([TRIAL.visits, *(each[0] for each in tried)]))
            tried.append((refinement.work, columns, refinement))
        return min(tried, key=lambda each: each[0])[1:]

    @cached_property
    def _levels(self) -> IntArray:
        """The level of every step."""
        useful = useful_levels(self.problem)
        return np.array([level for j in self._columns for level in useful[j]], dtype=np.int16)

    def _by(self, columns: tuple[int, ...]) -> Refinement:
        """Return the loop that refines by columns in this order."""
        problem, useful = self.problem, useful_levels(self.problem)
        steps = [(j, level) for j in columns for level in useful[j]]
        width = max(len(column.levels[0]) for column in problem.columns)
        labels, costs = np.zeros((len(steps), width), dtype=np.int32), np.zeros((len(steps), width), dtype=np.int64)
        for step, (j, level) in enumerate(steps):
            shown = problem.columns[j].levels[level]
            labels[step, : len(shown)], costs[step, : len(shown)] = shown, problem.costs[j][level] * self.scale
        least = [int(problem.costs_at(j, 0).min()) * self.scale for j in columns]
        refinement = Refinement(
            labels,
            costs,
            np.cumsum([0, *(len(useful[j]) for j in columns)]),
            np.append(np.cumsum(least[::-1])[::-1], 0),
            np.ascontiguousarray(problem.codes[:, columns].T, dtype=np.int32),
            problem.counts,
            max(1, problem.rules.min_group_size),
        )
        if self.pairs is not None:
            refinement.pair(*self.pairs)
        return refinement
