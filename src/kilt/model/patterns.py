"""Patterns: one level per column; which row types fit under them, and which pattern fits a group."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

import numpy as np

from kilt.arrays.ragged import Ragged, bucket
from kilt.model.problem import Problem
from kilt.numbers import IntArray

Levels = tuple[int, ...]


def buckets(problem: Problem, levels: Levels, types: IntArray) -> Ragged:
    """Put together the given row types that look the same at these levels (positions into ``types``)."""
    columns = [
        column.levels[level][problem.codes[types, index]]
        for index, (column, level) in enumerate(zip(problem.columns, levels, strict=True))
        if level + 1 < len(column.levels) or column.levels[-1].any()
    ]
    return bucket(columns, len(types))


def useful_levels(problem: Problem) -> list[list[int]]:
    """Return for every column the levels that merge more than the level before: the others cost for nothing."""
    useful = []
    for index, column in enumerate(problem.columns):
        present = np.unique(problem.codes[:, index])
        widths = [len(np.unique(codes[present])) for codes in column.levels]
        useful.append([h for h in range(len(widths)) if h == 0 or widths[h] < widths[h - 1]])
    return useful


def n_level_vectors(problem: Problem) -> int:
    """Return how many useful level vectors there are."""
    return math.prod(map(len, useful_levels(problem)))


def least_costs(problem: Problem) -> list[list[int]]:
    """Return for every column and level the least that a row can pay there, in units."""
    return [[int(problem.costs_at(j, h).min()) for h in range(len(c.levels))] for j, c in enumerate(problem.columns)]


def total_costs(problem: Problem) -> list[list[int]]:
    """Return for every column and level what all rows would pay there, in units."""
    return [
        [int(problem.counts @ problem.costs_at(j, h)) for h in range(len(c.levels))]
        for j, c in enumerate(problem.columns)
    ]


def level_vectors(problem: Problem, costs_of_levels: Sequence[Sequence[int]]) -> Iterator[tuple[int, Levels]]:
    """Yield every useful level vector once, with its cost, from cheap to dear, given costs by column and level."""
    useful = useful_levels(problem)
    costs = [[costs_of_levels[j][h] for h in levels] for j, levels in enumerate(useful)]
    heap: list[tuple[int, Levels, int]] = [(sum(cost[0] for cost in costs), (0,) * len(useful), 0)]
    while heap:
        cost, steps, last = heapq.heappop(heap)
        yield cost, tuple(useful[j][step] for j, step in enumerate(steps))
        for j in range(last, len(useful)):
            step = steps[j] + 1
            if step < len(useful[j]):
                child = (*steps[:j], step, *steps[j + 1 :])
                heapq.heappush(heap, (cost + costs[j][step] - costs[j][step - 1], child, j))


def tightest(problem: Problem, types: IntArray, starts: IntArray) -> IntArray:
    """Return for every group the lowest level of each column on which its row types agree.

    Group g has the row types ``types[starts[g]:starts[g + 1]]``.
    """
    levels = np.empty((len(starts) - 1, len(problem.columns)), dtype=np.int16)
    for index, column in enumerate(problem.columns):
        codes = problem.codes[types, index]
        found = np.full(len(starts) - 1, len(column.levels) - 1, dtype=np.int16)
        for level in range(len(column.levels) - 2, -1, -1):
            shown = column.levels[level][codes]
            low, high = (extreme.reduceat(shown, starts[:-1]) for extreme in (np.minimum, np.maximum))
            found[low == high] = level
        levels[:, index] = found
    return levels


def costs_of(problem: Problem, types: IntArray, levels: IntArray) -> IntArray:
    """Return what a row pays under each pattern, in units; it is given by levels and a row type that it covers."""
    total = np.zeros(len(levels), dtype=np.int64)
    for index, cost in enumerate(problem.costs):
        total += cost[levels[:, index], problem.codes[types, index]]
    return total


def look_levels(problem: Problem, vector: Levels, types: IntArray) -> IntArray:
    """Return for row types the lowest level of each column that looks as one level for all does: what is released."""
    levels = np.empty((len(types), len(vector)), dtype=np.int16)
    for index, (column, level) in enumerate(zip(problem.columns, vector, strict=True)):
        levels[:, index] = level if column.looks is None else column.looks[level][problem.codes[types, index]]
    return levels
