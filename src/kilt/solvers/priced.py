"""Greedy by prices: the bound's prices say what it is worth to place a row, and groups that save most are formed first.

The level greedy of `greedy` is run too, and the better of the two is handed over, with the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kilt.bounds.engine import MOST_ENTRIES, bounded
from kilt.bounds.incidence import Incidence
from kilt.bounds.oracles import PairOracle
from kilt.kernels.priced import form_groups, join_groups
from kilt.kernels.spread import sorted_members
from kilt.numbers import BoolArray, IntArray
from kilt.observe import Observer, Progress
from kilt.partition import Partition
from kilt.pool import Pool
from kilt.problem import Problem
from kilt.rules import SizeRule
from kilt.solvers.base import Kind, Solution
from kilt.solvers.greedy import Greedy
from kilt.solvers.rest import place_rest
from kilt.stop import Stop

PRICING = 0.7  # the share of the time for the prices
RAISE, ROUNDS = 4, 30  # rows that are left are worth a quarter of a star more in the next round


@dataclass(frozen=True)
class Priced:
    """Greedy by prices, for k alone and for two sensitive classes under any policy."""

    name: str = "priced"
    kind: Kind = "heuristic"
    brings_bound: bool = True

    def refuses(self, problem: Problem) -> str | None:
        """Refuse policies for which the best group under a pattern is not known exactly."""
        if all(isinstance(rule, SizeRule) for rule in problem.rules) or len(problem.class_totals) == 2:
            return None
        return "it takes k alone, or any policy on two different sensitive values"

    def solve(self, problem: Problem, stop: Stop, observer: Observer) -> Solution:
        """Find a release level by level, then prices, and with them another one."""
        start = Greedy().solve(problem, stop, observer)
        if start.bound is not None:  # no star at all
            return start
        stop.board.cost = start.partition.cost
        until = stop if stop.seconds is None else replace(stop, seconds=stop.elapsed + PRICING * _left(stop))
        bound = bounded(problem, until, observer)
        best = start.partition
        prices = stop.board.prices
        if prices is not None and bound.cost < best.cost:
            found = by_prices(problem, prices, bound.parts[0].scale)
            best = min(best, found, key=lambda partition: partition.cost)
        observer(Progress("solving", 1.0, problem.stars(best.cost), problem.stars(bound.cost)))
        return Solution(best, min(best.cost, bound.cost), parts=bound.parts)


def _left(stop: Stop) -> float:
    return max(0.0, (stop.seconds or 0.0) - stop.elapsed)


def by_prices(problem: Problem, prices: IntArray, scale: int) -> Partition:
    """Form groups while they save something, let others join; raise the prices of what is left, and go on."""
    incidence = Incidence(problem, Pool.of(problem, MOST_ENTRIES), tuple(range(len(problem.columns))))
    second, lowest, highest = _legal(incidence)
    pool, cost = incidence.pool, incidence.pool.cost * scale
    prices, left = prices.copy(), problem.counts.copy()
    rows = np.zeros((len(pool), 2), dtype=np.int64)
    found = [np.zeros((0, 3), dtype=np.int64)]
    for _ in range(ROUNDS):
        active = incidence.active(prices)
        order = np.argsort(-prices, kind="stable")
        entries = _formed(incidence, prices, left, order, active, cost, second, lowest, highest)
        np.add.at(rows, (entries[:, 1], second[entries[:, 0]].astype(np.int64)), entries[:, 2])
        joined = np.empty((int(left.sum()) + 1, 3), dtype=np.int64)
        given = (*incidence.by_type, cost, second, lowest, highest, rows)
        number = join_groups(prices, left, order[left[order] > 0], *given, joined)
        found += [entries, joined[:number]]
        if not left.any():
            break
        prices[left > 0] += max(1, scale * problem.unit // RAISE)
    types, groups, counts = np.concatenate(found).T
    return place_rest(problem, types, groups, counts, left)


def _legal(incidence: Incidence) -> tuple[BoolArray, IntArray, IntArray]:
    """Say which row types are of the rarer class, and which numbers of the other are legal with so many of these."""
    problem = incidence.problem
    if all(isinstance(rule, SizeRule) for rule in problem.rules):
        size, rows = max(1, problem.rules.least_size), problem.rows
        return np.zeros(len(problem.counts), dtype=bool), np.array([size]), np.array([rows])
    pair = PairOracle.of(incidence)
    return pair.second, pair.lowest, pair.highest


def _formed(
    incidence: Incidence,
    prices: IntArray,
    left: IntArray,
    order: IntArray,
    active: BoolArray,
    cost: IntArray,
    second: BoolArray,
    lowest: IntArray,
    highest: IntArray,
) -> IntArray:
    """Form groups under the active patterns; return entries (row type, pattern, copies)."""
    pool = incidence.pool
    members = sorted_members(order, *incidence.by_type, pool.starts, active)
    lengths = np.diff(pool.starts)
    chosen = np.flatnonzero(active)
    starts = np.concatenate([[0], np.cumsum(lengths[chosen])])
    entries = np.empty((int(left.sum()) + 1, 3), dtype=np.int64)
    mine = members[np.repeat(active, lengths)]
    number = form_groups(prices, left, mine, starts, cost[chosen], second, lowest, highest, entries)
    entries = entries[:number]
    entries[:, 1] = chosen[entries[:, 1]]
    return entries
