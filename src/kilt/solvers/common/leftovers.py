"""Leftovers: rows that form no legal group of their own join others, by a rule that always ends legally."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.run.stopping import never

Entries = tuple[IntArray, IntArray, IntArray]
MAX_RETURNED = 2_000  # groups that the rest took in, for which it is tried whether it needs them
BLOCK = 4_000_000  # numbers that are held at a time


def place_leftovers(
    problem: Problem,
    types: IntArray,
    groups: IntArray,
    counts: IntArray,
    left: IntArray,
    is_over: Callable[[], bool] = never,
) -> Partition:
    """Extend legal groups by the copies that are ``left`` over, so that all rows are in legal groups.

    First every leftover joins the cheapest group that it fits and that stays legal, until time is over. What remains
    becomes one group; if that is not legal, it takes in other groups until it is.
    """
    left = left.copy()
    if len(types) and left.any():
        types, groups, counts = _join(problem, Partition.of(problem, types, groups, counts), left, is_over)
    rest = np.flatnonzero(left)
    if not len(rest):
        return Partition.of(problem, types, groups, counts)
    number = 0
    if len(types):
        partition = Partition.of(problem, types, groups, counts)
        number = len(partition)
        absorbed = _absorbed_groups(problem, partition, rest, left)
        types, counts = partition.types, partition.counts
        groups = np.where(absorbed[partition.groups], number, partition.groups)
    return Partition.of(
        problem,
        np.concatenate([types, rest]),
        np.concatenate([groups, np.full(len(rest), number)]),
        np.concatenate([counts, left[rest]]),
    )


def place_illegal(
    problem: Problem, types: IntArray, groups: IntArray, counts: IntArray, is_over: Callable[[], bool] = never
) -> Partition:
    """Keep the groups that are legal; the rows of all others, and those in no group, are placed as leftovers."""
    kept = legal_groups(problem, types, groups, counts)[groups]
    left = problem.counts - np.bincount(types[kept], counts[kept], len(problem.counts)).astype(np.int64)
    return place_leftovers(problem, types[kept], groups[kept], counts[kept], left, is_over)


def legal_groups(problem: Problem, types: IntArray, groups: IntArray, counts: IntArray) -> BoolArray:
    """Decide for every group whether it is legal; their numbers are 0, 1, ..."""
    by_class = np.zeros((int(groups.max(initial=-1)) + 1, len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class, (groups, problem.sensitive_class[types]), counts)
    return problem.is_legal(by_class)


def _join(problem: Problem, partition: Partition, left: IntArray, is_over: Callable[[], bool]) -> Entries:
    """Let leftovers join groups whose pattern they fit, cheapest first; ``left`` shrinks."""
    by_class = partition.by_class(problem)
    representative, cost = partition.representatives, partition.row_costs(problem)
    shapes = bucket(list(partition.levels.T.astype(np.int64)), len(partition))
    entries = [(partition.types, partition.groups, partition.counts)]
    by_cost = sorted(range(len(shapes)), key=lambda s: int(cost[shapes.values[shapes.starts[s]]]))
    for shape in by_cost:
        members = shapes.values[shapes.starts[shape] : shapes.starts[shape + 1]]
        while left.any() and not is_over():
            types, joined = _fitting(problem, partition.levels[members[0]], members, representative, left)
            accepted = _one_per_group(problem, by_class, types, joined, left)
            if not accepted.any():
                break
            types, joined = types[accepted], joined[accepted]
            by_class[joined, problem.sensitive_class[types]] += left[types]
            entries.append((types, joined, left[types].copy()))
            left[types] = 0
    types, joined, counts = (np.concatenate(part) for part in zip(*entries, strict=True))
    return types, joined, counts


def _fitting(
    problem: Problem, levels: IntArray, groups: IntArray, representative: IntArray, left: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the leftover row types that look like one of the groups at these levels, and that group."""
    rest = np.flatnonzero(left)
    both = np.concatenate([representative[groups], rest])
    shown = [
        column.levels[level][problem.codes[both, j]]
        for j, (column, level) in enumerate(zip(problem.columns, levels, strict=True))
    ]
    ids = bucket(shown, len(both)).ids()
    group_of = np.full(int(ids.max()) + 1, -1)
    group_of[ids[: len(groups)]] = groups
    joined = group_of[ids[len(groups) :]]
    return rest[joined >= 0], joined[joined >= 0]


def _one_per_group(
    problem: Problem, by_class: IntArray, types: IntArray, joined: IntArray, left: IntArray
) -> BoolArray:
    """Accept for every group the first leftover with which it stays legal."""
    accepted = np.zeros(len(types), dtype=bool)
    if len(types):
        wider = by_class[joined]
        wider[np.arange(len(types)), problem.sensitive_class[types]] += left[types]
        legal = np.flatnonzero(problem.is_legal(wider))
        _, first = np.unique(joined[legal], return_index=True)
        accepted[legal[first]] = True
    return accepted


def _absorbed_groups(problem: Problem, partition: Partition, rest: IntArray, left: IntArray) -> BoolArray:
    """Choose the groups that the rest takes in to become legal: the most efficient first, and only what it needs."""
    by_class = partition.by_class(problem)
    total = np.bincount(problem.sensitive_class[rest], left[rest], len(problem.sensitive_totals)).astype(np.int64)
    absorbed = np.zeros(len(partition), dtype=bool)
    if not problem.is_legal(total[None, :])[0]:
        order = _by_efficiency(problem, partition, by_class, total)
        needed = order[: _first_legal(problem, by_class, order, total)]
        absorbed[needed] = True
        total = total + by_class[needed].sum(axis=0)
        for group in needed[::-1][:MAX_RETURNED]:
            without = total - by_class[group]
            if problem.is_legal(without[None, :])[0]:
                absorbed[group], total = False, without
    return absorbed


def _by_efficiency(problem: Problem, partition: Partition, by_class: IntArray, total: IntArray) -> IntArray:
    """Order groups by how much they bring the rest towards a legal group for each star that they would cost."""
    sizes = by_class.sum(axis=1)
    extra_cost = 1 + sizes * (problem.highest_cost - partition.row_costs(problem))
    relief = sizes.astype(np.float64)
    groups = problem.groups(total[None, :])
    for rule in problem.rules:
        pressure = rule.pressure(groups)
        if pressure is not None and rule.column is not None and not rule.meets(groups)[0]:
            of_class = problem.by_value(rule.column, pressure)[0]
            relief = by_class @ (of_class.max() - of_class)
            break
    return np.argsort(-relief / extra_cost, kind="stable")


def _first_legal(problem: Problem, by_class: IntArray, order: IntArray, total: IntArray) -> int:
    """Return how many groups, in this order, the rest must take in to be legal; with all of them it is the table."""
    step = max(1, BLOCK // by_class.shape[1])
    for start in range(0, len(order), step):
        sums = total + np.cumsum(by_class[order[start : start + step]], axis=0)
        legal = problem.is_legal(sums)
        if legal.any():
            return start + int(legal.argmax()) + 1
        total = sums[-1]
    raise AssertionError("the whole table is not legal")
