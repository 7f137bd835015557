"""The paper's program for t-closeness as it stands, without anything that makes it smaller.

A variable for every row type under every one of its patterns, usable or not, and flows in every pattern, whatever the
metric. It is a cross-check of kilt's program in the tests and its baseline in the benchmarks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from kilt.model.patterns import buckets
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule


@dataclass(frozen=True)
class Answer:
    """The least cost found (None if none was), the bound, and whether HiGHS says that it is the optimum."""

    cost: int | None
    bound: float
    optimal: bool


def solve(problem: Problem, seconds: float | None = None) -> Answer:
    """Give the program to HiGHS, without presolve, which has called such programs infeasible that are not."""
    (rule,) = problem.rules
    assert isinstance(rule, ClosenessRule)
    pattern, kind, cost = _copies(problem)
    patterns, values, rows = int(pattern.max()) + 1, len(rule.reference), problem.rows
    copies = len(kind)
    value = problem.sensitive[kind, rule.column]
    flow = copies + np.arange(patterns * values * values).reshape(patterns, values, values)
    each = np.arange(copies)
    share, distance = rule.reference / rows, distances(rule)
    entries: list[tuple[np.ndarray, np.ndarray, np.ndarray | float]] = [(kind, each, 1.0)]
    leaves = len(problem.counts) + np.arange(patterns * values).reshape(patterns, values)
    arrives = leaves + patterns * values
    budget = len(problem.counts) + 2 * patterns * values + np.arange(patterns)
    entries.append((leaves[pattern, value], each, -1.0))
    entries.append((budget[pattern], each, -float(rule.t)))
    for i, j in product(range(values), repeat=2):
        entries.append((leaves[:, i], flow[:, i, j], 1.0))
        entries.append((arrives[:, j], flow[:, i, j], 1.0))
        entries.append((budget, flow[:, i, j], distance[i, j]))
    entries += [(arrives[pattern, j], each, -share[j]) for j in range(values)]
    row, column, number = (np.concatenate(part) for part in zip(*map(_spread, entries), strict=True))
    size = (int(budget[-1]) + 1, copies + flow.size)
    upper = np.concatenate([problem.counts, np.zeros(2 * patterns * values + patterns)]).astype(float)
    lower = upper.copy()
    lower[budget] = -np.inf
    found = milp(
        np.concatenate([cost, np.zeros(flow.size)]),
        constraints=LinearConstraint(coo_array((number, (row, column)), shape=size).tocsr(), lower, upper),
        integrality=np.concatenate([np.ones(copies), np.zeros(flow.size)]),
        bounds=Bounds(0, np.inf),
        options={"presolve": False, "mip_rel_gap": 0.0, **({} if seconds is None else {"time_limit": seconds})},
    )
    bound = found.mip_dual_bound if found.mip_dual_bound is not None else -np.inf
    return Answer(None if found.x is None else round(found.fun), bound, found.status == 0)


def _spread(entry: tuple[np.ndarray, np.ndarray, np.ndarray | float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    row, column, number = entry
    return row.ravel(), column.ravel(), np.broadcast_to(np.asarray(number, dtype=float), row.shape).ravel()


def _copies(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for every row type and each of its patterns: the pattern, the row type, the cost."""
    every = np.arange(len(problem.counts))
    pattern, kind, cost, patterns = [], [], [], 0
    for levels in product(*(range(len(column.levels)) for column in problem.columns)):
        found = buckets(problem, levels, every)
        pattern.append(patterns + found.owner)
        kind.append(found.values)
        cost.append(np.full(len(every), problem.level_cost(levels)))
        patterns += len(found)
    return np.concatenate(pattern), np.concatenate(kind), np.concatenate(cost)


def distances(rule: ClosenessRule) -> np.ndarray:
    """Return the distance between any two values: the work of moving one row from the one to the other."""
    values = len(rule.reference)
    moved = np.eye(values, dtype=np.int64)
    pairs = (moved[:, None, :] - moved[None, :, :]).reshape(-1, values)
    work = np.array([float(w) for w in rule.ground.work(pairs)])
    return work.reshape(values, values) / rule.ground.scale
