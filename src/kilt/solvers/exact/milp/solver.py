"""Pattern MILP: the optimum by HiGHS, under any policy, warm-started and anytime.

What HiGHS proves it proves in floating point, so its bound is labelled so; the partition itself is
checked in integers like any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import highspy
import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import FloatArray, IntArray
from kilt.patterns.pool import Pool, every_pattern, too_many_patterns
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.highs import quiet, solve, whole_bound
from kilt.solvers.exact.compositions.solver import close_gap
from kilt.solvers.exact.milp.program import Program, groups_of
from kilt.solvers.exact.milp.rows import highs_model
from kilt.solvers.greedy.solver import greedy_start

MOST_ENTRIES = 500_000  # row types under patterns: HiGHS does not look at the clock in larger programs for long


@dataclass(frozen=True)
class PatternMilp:
    """Exact under any policy, up to the tolerance of floating point; good for some hundred rows."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables whose patterns are too many to list."""
        return too_many_patterns(problem.presolved, MOST_ENTRIES)

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Start from the greedy partition and let HiGHS improve and bound it until told to stop."""
        problem = problem.presolved
        pool = every_pattern(problem, stop)
        start = greedy_start(problem, pool, stop, observer)
        if pool is None:
            return start
        return improve(problem, pool, close_gap(problem, pool, start, stop, observer), stop, observer)


def improve(
    problem: Problem, pool: Pool, start: Solution, stop: StoppingRule, observer: Observer, most_nodes: int | None = None
) -> Solution:
    """Solve the program over a pool of patterns; what its groups violate is cut off, and it is solved again."""
    best = start
    program = Program(problem, pool)
    while not best.is_optimal and not stop(best.cost, None if best.bound is None else best.bound.cost):
        found = _run(program, best, stop, observer, most_nodes)
        if found.bound is not None:
            best = best.with_bound(Bound(found.bound, arithmetic="float"))
        if found.copies is None:
            break
        cut = [program.cut_off(*group) for group in groups_of(program, found.copies)]
        if not any(cut):
            used = found.copies > 0
            partition = Partition.of(problem, pool.types[used], program.owner[used], found.copies[used])
            if problem.is_legal(partition.by_class(problem)).all() and partition.cost <= best.cost:
                best = replace(best, partition=partition, bound=None).with_bound(best.bound)
            break
    return best


@dataclass(frozen=True)
class Found:
    """What a run of HiGHS found: copies for every entry of the pool, and a bound; None where there is none."""

    copies: IntArray | None
    bound: int | None


def _run(program: Program, best: Solution, stop: StoppingRule, observer: Observer, most_nodes: int | None) -> Found:
    """Run HiGHS on the program, from the best partition known."""
    problem, known = program.problem, best.cost
    highs = quiet()
    highs.passModel(_model(program))
    _start(highs, program, best.partition)

    def watch(cost: float, bound: float) -> None:
        stars = problem.stars(min(known, round(cost)) if math.isfinite(cost) else known)
        proved = whole_bound(bound)
        observer(Progress("solving", None, stars, None if proved is None else problem.stars(proved)))

    outcome = solve(highs, stop, watch, most_nodes)
    copies = _whole(outcome.values[: program.entries], program) if len(outcome.values) else None
    return Found(copies, outcome.bound)


def _start(highs: highspy.Highs, program: Program, partition: Partition) -> None:
    """Hand over a partition, if all its patterns are there."""
    entries = program.pool.entries_of(partition)
    if (entries < 0).any():
        return
    index = np.arange(program.entries + len(program.pool))
    value = np.zeros(len(index))
    value[entries] = partition.counts
    value[program.openings[np.unique(program.owner[entries])]] = 1.0
    highs.setSolution(len(index), index.astype(np.int32), value)


def _whole(values: FloatArray, program: Program) -> IntArray | None:
    """Round the copies; where only openings had to be whole, a transportation is solved for whole ones."""
    copies = np.rint(values).astype(np.int64)
    if np.abs(values - copies).max() > 1e-5:
        return _transported(values, program)
    placed = np.bincount(program.pool.types, copies, len(program.problem.counts))
    return copies if (placed == program.problem.counts).all() else None


def _transported(values: FloatArray, program: Program) -> IntArray | None:
    """Solve for whole copies with the open patterns fixed: a vertex of this linear program is whole."""
    open_ = np.bincount(program.owner, values, len(program.pool)) > 1e-6
    highs = quiet()
    highs.setOptionValue("solver", "simplex")
    model = _model(program)
    upper = program.limits()
    lower = np.zeros(len(upper))
    lower[program.openings] = open_
    upper[program.openings] = open_
    model.col_lower_, model.col_upper_ = lower, upper
    model.integrality_ = []
    highs.passModel(model)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = np.array(highs.getSolution().col_value)[: program.entries]
    copies = np.rint(found).astype(np.int64)
    return copies if np.abs(found - copies).max() < 1e-5 else None


def _model(program: Program) -> highspy.HighsLp:
    """Hand the program over."""
    return highs_model(program.rows, program.objective(), program.limits(), program.integral())
