"""The master: choose groups that hold every row once, at the least cost.

Its linear relaxation, solved by column generation, gives multipliers; as an integer program over a list of groups it
gives a partition.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import FloatArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.highs import Outcome, quiet, solve
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.pricing import Multipliers, Pricing

MAX_NEW_COLUMNS = 4_000  # per round


@dataclass(frozen=True)
class RestrictedMaster:
    """The best multipliers, and the groups of the linear program, with their shares in its solution."""

    multipliers: Multipliers
    columns: Columns
    shares: FloatArray


def solve_relaxation(pricing: Pricing, start: Columns, stop: StoppingRule) -> RestrictedMaster:
    """Solve over some groups that hold every row, add the cheapest group of every pattern, and so on.

    The multipliers of every round are lowered until they are feasible; those with the highest total are returned, so it
    may be stopped at any time.
    """
    problem = pricing.problem
    highs = _covering(problem)
    _add(highs, start)
    parts = [start]
    # lowering the multipliers by the tolerance loses a twentieth of a unit
    tolerance = pricing.scale * pricing.minimal_groups.least // (20 * problem.rows)
    best: Multipliers | None = None
    while True:
        if stop.seconds is not None:
            highs.setOptionValue("time_limit", max(0.0, stop.seconds - stop.elapsed))
        highs.run()
        solution = highs.getSolution()
        duals = np.array(solution.row_dual)
        multipliers = pricing.rounded(duals) if len(duals) else np.zeros_like(problem.counts)
        cheapest = pricing.find_cheapest(multipliers)
        found = pricing.feasible(multipliers, min(0, int(cheapest.reduced_cost.min())))
        best = found if best is None or found.total > best.total else best
        wanted = np.flatnonzero(cheapest.reduced_cost < -tolerance)
        if not len(wanted) or stop():
            return RestrictedMaster(best, Columns.joined(parts), np.array(solution.col_value))
        wanted = wanted[np.argsort(cheapest.reduced_cost[wanted], kind="stable")[:MAX_NEW_COLUMNS]]
        parts.append(pricing.columns(cheapest, wanted))
        _add(highs, parts[-1])


def select_columns(
    problem: Problem,
    columns: Columns,
    known: Partition,
    stop: StoppingRule,
    observer: Observer,
    max_nodes: int | None = None,
    *,
    proof: bool = True,
) -> tuple[Partition, Outcome]:
    """Select the cheapest partition from a list of groups and those of a known one; return the better of the two.

    Where no ``proof`` is needed, presolve makes it faster.
    """
    every = Columns.joined([columns, Columns.of_partition(problem, known)])
    highs = _covering(problem, presolve=not proof)
    _add(highs, every, whole=True)
    index = np.arange(len(every), dtype=np.int32)
    highs.setSolution(len(index), index, (index >= len(columns)).astype(np.float64))

    def watch(cost: float, bound: float) -> None:  # noqa: ARG001 - the bound holds for these groups only
        stars = problem.stars(min(known.cost, round(cost)) if np.isfinite(cost) else known.cost)
        observer(Progress("solving", None, stars))

    outcome = solve(highs, stop, watch, max_nodes)
    if not len(outcome.values):
        return known, outcome
    times = np.rint(outcome.values).astype(np.int64)
    groups = every.picked(np.repeat(index, times))
    if (np.bincount(groups.types, minlength=len(problem.counts)) != problem.counts).any():
        return known, outcome
    partition = groups.partition(problem)
    legal = problem.is_legal(partition.by_class(problem)).all()
    return (partition if legal and partition.cost <= known.cost else known), outcome


def _covering(problem: Problem, *, presolve: bool = False) -> highspy.Highs:
    """Return a program without groups: every copy of a row type must be in one."""
    highs = quiet(presolve=presolve)
    counts = problem.counts.astype(np.float64)
    nothing = np.zeros(0, dtype=np.int32)
    highs.addRows(len(counts), counts, counts, 0, np.zeros(len(counts), dtype=np.int32), nothing, np.zeros(0))
    return highs


def _add(highs: highspy.Highs, columns: Columns, *, whole: bool = False) -> None:
    """Add groups to a program."""
    starts, types, copies = columns.matrix()
    number, first = len(columns), highs.getNumCol()
    cost, free = columns.cost.astype(np.float64), np.full(number, np.inf)
    entries = (starts.astype(np.int32), types.astype(np.int32), copies.astype(np.float64))
    highs.addCols(number, cost, np.zeros(number), free, len(types), *entries)
    if whole:
        index = np.arange(first, first + number, dtype=np.int32)
        highs.changeColsIntegrality(number, index, np.full(number, highspy.HighsVarType.kInteger))


def enumerate_columns(
    pricing: Pricing, multipliers: Multipliers, limit: int, most: int, stop: StoppingRule
) -> tuple[Columns, int]:
    """List the groups up to a reduced cost, or up to the first fraction of it at which they are not too many."""
    if multipliers.least_unlisted is not None:
        limit = min(limit, multipliers.least_unlisted - 1)
    least = pricing.find_cheapest(multipliers.values).reduced_cost
    if len(least) > most:  # every pattern with a group up to the limit has at least one
        limit = min(limit, int(np.partition(least, most)[most]) - 1)
    while limit >= 0 and not stop():
        columns = pricing.with_patterns(least <= limit).list_groups(multipliers.values, limit, most)
        if columns is not None:
            return columns, limit
        limit = limit * 3 // 4 if limit else -1
    return Columns.none(), -1


def bound_of_selection(multipliers: Multipliers, limit: int, outcome: Outcome) -> int:
    """Return the bound that a selection from all groups up to a reduced cost proves: all others are above the limit."""
    unlisted = cost_of_unlisted(multipliers, limit)
    return max(multipliers.bound, min(unlisted, outcome.bound if outcome.bound is not None else multipliers.bound))


def cost_of_unlisted(multipliers: Multipliers, limit: int) -> int:
    """Return what a partition costs at least that has a group above the limit."""
    return -(-(multipliers.total + limit + 1) // multipliers.scale)
