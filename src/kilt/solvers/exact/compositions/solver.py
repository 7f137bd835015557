"""Closing the gap between a partition and the bound of its multipliers, by asking for ever more stars."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import highspy
import numpy as np

from kilt.bounds.oracles import oracle_of
from kilt.bounds.subgradient import StepSchedule, subgradient_ascent
from kilt.certificates.proof.by_size import star_rule
from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, SizeRule
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.highs import quiet
from kilt.solvers.exact.compositions.lists import Compositions, Lister, Members
from kilt.solvers.exact.compositions.tree import Tree


@dataclass(frozen=True)
class Params:
    """The effort: steps of the ascent, compositions that are listed, visits for the list of a pattern, nodes."""

    steps: int = 400
    rate: float = 0.2  # stars of its first step
    power: float = 1.5
    max_rows: int = 600
    max_patterns: int = 4_000
    max_compositions: int = 2_000_000
    max_visits: int = 20_000_000
    few_nodes: int = 10
    max_nodes: int = 20_000


PARAMS = Params()


@dataclass(frozen=True)
class Ascent:
    """The multipliers that an ascent has found, ``scale`` of them to a unit of cost."""

    multipliers: IntArray
    scale: int


def rule_of(problem: Problem) -> ClosenessRule | None:
    """Return the rule whose groups have compositions that can be listed: closeness, all values equally far, and k."""
    rule = star_rule(problem)
    others = [each for each in problem.rules if each is not rule]
    fits = problem.rows <= PARAMS.max_rows and all(isinstance(each, SizeRule) for each in others)
    return rule if fits else None


def close_gap(
    problem: Problem,
    pool: Pool,
    start: Solution,
    stop: StoppingRule,
    observer: Observer,
    params: Params = PARAMS,
    ascent: Ascent | None = None,
) -> Solution:
    """Raise the bound question by question, until there is a partition that costs no more, or it must stop.

    Multipliers are looked for unless they are given.
    """
    rule = rule_of(problem)
    if rule is None or not len(pool) or len(pool) > params.max_patterns or start.is_optimal or stop():
        return start
    members = Members.of(problem, pool)
    lister = Lister.of(problem, rule, members, params.max_compositions, params.max_visits, stop)
    ascent = ascent or ascend(problem, pool, stop, params)
    multipliers, scale = members.multipliers(ascent.multipliers, problem.counts), ascent.scale
    least = lister.least(multipliers, scale)
    if least is None:
        return start
    total = int(multipliers @ members.counts) + sum(least.tolist())
    best = start.with_bound(Bound(max(0, -(-total // scale))))
    step, longest = 1, best.cost
    while best.bound is not None and best.bound.cost < best.cost and not stop(best.cost, best.bound.cost):
        ceiling = min(best.cost, best.bound.cost + step * problem.unit) - 1
        compositions = lister.within(multipliers, scale, ceiling * scale - total + least)
        if compositions is None:
            if step == 1 or stop():
                break
            step = longest = step // 2
            continue
        tree = Tree(compositions, ceiling, partial(_fill, problem, pool, compositions), stop, params.max_nodes)
        is_decided = tree.solve()
        if tree.best is not None:
            best = replace(best, partition=tree.best, bound=None).with_bound(best.bound)
        if not is_decided:
            break
        best = best.with_bound(Bound(tree.ceiling + 1))
        if tree.nodes < params.few_nodes:
            step = min(2 * step, longest)
        observer(Progress("solving", None, problem.stars(best.cost), problem.stars(best.bound.cost)))  # type: ignore[union-attr]
    return best


def ascend(problem: Problem, pool: Pool, stop: StoppingRule, params: Params = PARAMS) -> Ascent:
    """Find multipliers by an ascent."""
    oracle = oracle_of(problem, pool)
    scale = oracle.incidence.scale
    best, highest = oracle.incidence.cheapest() * scale, -float("inf")
    schedule = StepSchedule.of_steps(params.steps, params.rate, params.power)
    for multipliers, total in subgradient_ascent(oracle, schedule, best):
        if total > highest:
            best, highest = multipliers, total
        if stop():
            break
    return Ascent(best, scale)


def _fill(problem: Problem, pool: Pool, compositions: Compositions, chosen: IntArray) -> Partition | None:
    """Fill the compositions with rows: a transportation problem, the vertices of which are whole."""
    under = np.isin(pool.owner, compositions.owner[chosen])
    types, owner = pool.types[under], pool.owner[under]
    place = np.full(len(pool), -1)
    place[compositions.owner[chosen]] = np.arange(len(chosen))
    wanted = compositions.rows[chosen]
    row_types, classes = len(problem.counts), wanted.shape[1]
    needs = np.concatenate([problem.counts, wanted.ravel()]).astype(np.float64)
    to = row_types + place[owner] * classes + problem.sensitive_class[types]
    highs = quiet()
    highs.setOptionValue("solver", "simplex")
    number = len(types)
    nothing = np.zeros(0, dtype=np.int32)
    highs.addRows(len(needs), needs, needs, 0, np.zeros(len(needs), dtype=np.int32), nothing, np.zeros(0))
    index = np.column_stack([types, to]).ravel().astype(np.int32)
    starts = np.arange(0, 2 * number, 2, dtype=np.int32)
    free = np.full(number, np.inf)
    highs.addCols(number, np.zeros(number), np.zeros(number), free, 2 * number, starts, index, np.ones(2 * number))
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    copies = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)
    used = copies > 0
    if (np.bincount(types, copies, row_types) != problem.counts).any():
        return None
    partition = Partition.of(problem, types[used], owner[used], copies[used])
    return partition if problem.is_legal(partition.by_class(problem)).all() else None
