"""Closed patterns of tables with any number of level vectors, by joining rows that are near each other.

What a row pays at least, in any group, is what the cheapest pattern costs that covers it and enough others. Patterns
that cost hardly more are listed for each row: these are few, however many columns there are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.kernels.patterns.joining import Joining
from kilt.model.patterns import useful_levels
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool, can_hold
from kilt.patterns.refined import Work
from kilt.run.threads import ALL_CORES

PART = 200  # row types at a time
MAX_WORK = 3_000_000  # looks at other rows to find the cheapest pattern of one: with more, something lower will do
UNLIMITED = 1 << 62
Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class NearPatterns:
    """The closed patterns of a problem that have enough rows for a group; costs are ``scale`` times those in units.

    All ladders together have up to 64 steps, and all rows look the same at the top. Once it is ``enough``, what is
    asked for is not found any more.
    """

    problem: Problem
    scale: int = 1
    enough: Callable[[], bool] = lambda: False

    def least_costs(self, enough: Callable[[], bool]) -> IntArray:
        """Return what a row of each type pays at least in a group of enough rows, in units.

        For most it is what the cheapest pattern costs that covers it. Where the work is too much, or once it is
        stopped, it is something lower.
        """
        problem = self.problem
        least, order = problem.base.copy(), np.lexsort(problem.codes.T)
        highest = np.full(len(order), problem.highest_cost * self.scale, dtype=np.int64)

        def find(row_types: IntArray) -> None:
            if enough():
                return
            found = np.zeros_like(least)
            self._joining().list_cheapest(row_types, highest.copy(), found, MAX_WORK)
            least[row_types] = found[row_types] // self.scale

        _in_parts(find, np.array_split(order, -(-len(order) // PART)))
        return np.maximum(least, problem.base)

    def below(self, limits: IntArray, most: Work, enough: Callable[[], bool]) -> tuple[Pool, IntArray]:
        """List for each row type the patterns that cover it and cost less than its limit, in units.

        Return them, and mark the row types whose patterns are listed: all, if there is room and time for them.
        """
        free = np.zeros_like(limits)
        order = np.argsort(-limits, kind="stable")
        parts = self._list(order, limits * self.scale, free, UNLIMITED, most, enough)
        done = np.zeros(len(limits), dtype=bool)
        done[order[: PART * len(parts)]] = True
        return self._pool(parts), done

    def priced(self, multipliers: IntArray, margin: int, most: Work, *, whole: bool) -> Pool | None:  # noqa: ARG002
        """List the patterns under which a group of enough rows has a reduced cost below the margin.

        They have all their row types. None if they are too many.
        """
        order = np.argsort(-multipliers, kind="stable")
        limits = multipliers + -(-margin // max(1, self.problem.rules.min_group_size))
        parts = self._list(order, limits, multipliers, margin, most, self.enough)
        return self._pool(parts) if PART * len(parts) >= len(order) else None

    def _list(
        self,
        order: IntArray,
        limits: IntArray,
        multipliers: IntArray,
        margin: int,
        most: Work,
        enough: Callable[[], bool],
    ) -> list[Joining]:
        """List patterns for the first row types of an order, as many as there is room and time for."""
        starts = range(0, len(order), PART)
        listed: list[Joining | None] = [None] * len(starts)
        used = [0, 0]

        def work(place: int) -> None:
            if used[0] > most.entries or used[1] > most.visits or enough():
                return
            first, last = starts[place], min(starts[place] + PART, len(order))
            joining = self._joining()
            joining.list_below(order, first, last, limits, multipliers, margin, most.entries, most.visits)
            used[0] += joining.n_entries
            used[1] += joining.work
            if joining.complete:
                listed[place] = joining

        _in_parts(work, range(len(starts)))
        entries = np.cumsum([UNLIMITED if each is None else each.n_entries for each in listed], dtype=float)
        visits = np.cumsum([UNLIMITED if each is None else each.work for each in listed], dtype=float)
        fitting = int(np.count_nonzero((entries <= most.entries) & (visits <= most.visits)))
        return [each for each in listed[:fitting] if each is not None]

    def _pool(self, parts: list[Joining]) -> Pool:
        """Put what was found into the order of its cost."""
        problem = self.problem
        found = [part.found() for part in parts] or [(np.zeros(0, dtype=np.int64),) * 4]
        types, lengths, joins, cost = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(cost, kind="stable")
        covers = Ragged.of_lengths(types.astype(np.int64), lengths.astype(np.int64)).picked(order)
        pool = Pool(covers, self._levels_of(joins[order].astype(np.uint64)), cost[order] // self.scale)
        return pool.kept(can_hold(problem, covers)) if len(pool) else pool

    def _levels_of(self, joins: IntArray) -> IntArray:
        """Return the level vectors of sets of steps."""
        levels = np.empty((len(joins), len(self.problem.columns)), dtype=np.int16)
        rest = joins
        for j, useful in enumerate(useful_levels(self.problem)):
            step = np.zeros(len(joins), dtype=np.int64)
            for _ in useful[1:]:
                step += (rest & np.uint64(1)).astype(np.int64)
                rest = rest >> np.uint64(1)
            levels[:, j] = np.array(useful, dtype=np.int16)[step]
        return levels

    def _joining(self) -> Joining:
        """Return a loop of its own for a thread."""
        return Joining(*self._tables, max(1, self.problem.rules.min_group_size))

    @cached_property
    def _tables(self) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
        """What the loop must know of the table."""
        problem, useful = self.problem, useful_levels(self.problem)
        width = int(problem.codes.max(initial=0)) + 1
        steps = [(j, level) for j, levels in enumerate(useful) for level in levels]
        labels, costs = np.zeros((len(steps), width), dtype=np.int32), np.zeros((len(steps), width), dtype=np.int64)
        for step, (j, level) in enumerate(steps):
            shown = problem.columns[j].levels[level][:width]
            labels[step, : len(shown)] = shown
            costs[step, : len(shown)] = problem.costs[j][level][:width] * self.scale
        firsts = np.cumsum([0, *map(len, useful)])
        return labels, costs, firsts, np.ascontiguousarray(problem.codes, dtype=np.int32), problem.counts


def _in_parts(work: Callable[[Part], None], parts: Iterable[Part]) -> None:
    """Do the work on all parts in their order, by as many threads as this one may use."""
    cores = getattr(threading.current_thread(), "cores", ALL_CORES)
    with ThreadPoolExecutor(cores) as threads:
        list(threads.map(work, parts))
