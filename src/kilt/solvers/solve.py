"""The recipe for a solution: choose a solver, solve, polish if asked for, and find a bound where there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kilt.errors import InputError, KiltError, VerificationError
from kilt.model.problem import Problem
from kilt.run.incumbent import Incumbent
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution, Solver
from kilt.solvers.choose import choose
from kilt.solvers.registry import SolverInfo, solver_info

if TYPE_CHECKING:
    from kilt.certificates.proof.evidence import Bound

SECONDS, GAP = 60.0, 0.005  # when a search stops if nothing else is said
ITERATIONS = 4_000  # for every row type: later there is little to find
BOUNDING_SHARE = 0.85  # the share of the time for a bound in the background: its last proof takes some more
POLISHED_SHARE = 0.5  # the share of the time after which a solver is stopped that is polished then


def solve(
    problem: Problem,
    solver: str | Solver,
    stop: StoppingRule,
    observer: Observer,
    *,
    seed: int = 0,
    polish: bool = False,
) -> Solution:
    """Choose the solver and solve; if it has no bound, find one.

    A solver without a bound that is limited by time has the bound beside it. Without a time one comes after the other,
    so that the same input gives the same answer.
    """
    info, stop = choose(solver, problem), limited(problem, solver, stop, polish=polish)
    if polish and info.ends:
        return _polish(problem, info, stop, observer, seed)
    if not info.brings_bound and stop.seconds is not None:
        return _solve_and_bound(problem, info, stop, observer, seed)
    solution = run(problem, info, stop, observer, seed)
    if solution.bound is not None and (info.brings_bound or solution.is_optimal):
        return solution
    return solution.with_bound(_bound_after(problem, solution, stop, observer))


def limited(problem: Problem, solver: str | Solver, stop: StoppingRule, *, polish: bool = False) -> StoppingRule:
    """Add limits where none are given.

    What is chosen by ``auto``, and a search that would not end, stops by default after a minute or at half a percent.
    """
    if solver != "auto" and solver_info(solver).ends and not polish:
        return stop
    return stop.with_defaults(SECONDS, ITERATIONS * len(problem.counts), GAP)


def run(problem: Problem, info: SolverInfo, stop: StoppingRule, observer: Observer, seed: int = 0) -> Solution:
    """Solve, and note who did and whether it was stopped."""
    solution = info.load(seed).solve(problem, stop, observer)
    if not isinstance(solution, Solution):
        raise KiltError(f"the solver '{info.name}' returned no Solution, but a {type(solution).__name__}")
    placed = np.bincount(solution.partition.types, solution.partition.counts, len(problem.counts))
    if not np.array_equal(placed, problem.counts):
        raise KiltError(f"the solver '{info.name}' did not put every row into exactly one group; nothing was written")
    if info.given is not None and not problem.is_legal(solution.partition.by_class(problem)).all():
        raise VerificationError(
            f"the solver '{info.name}' returned a group that violates the policy; nothing was written"
        )
    return replace(solution, solver=info.name, stopped=info.ends and not solution.is_optimal and stop())


def certifiable_bound(problem: Problem, solution: Solution, stop: StoppingRule, observer: Observer) -> Bound:
    """Return the bound of a solution if its proof can be written down, or else one that has such a proof."""
    if solution.bound is not None and solution.bound.parts:
        return solution.bound
    return _bound_after(problem, solution, stop, observer)


def _bound_after(problem: Problem, solution: Solution, stop: StoppingRule, observer: Observer) -> Bound:
    """Bound a problem of which a solution is known."""
    from kilt.bounds.lagrangian import lower_bound  # noqa: PLC0415 - small tables do without it

    return lower_bound(problem, stop, observer, Incumbent(cost=solution.cost))


def _solve_and_bound(problem: Problem, info: SolverInfo, stop: StoppingRule, observer: Observer, seed: int) -> Solution:
    """Solve and bound side by side."""
    from kilt.bounds.background import BackgroundBound  # noqa: PLC0415 - small tables do without it

    incumbent = Incumbent()
    with BackgroundBound(problem, stop.share(BOUNDING_SHARE), observer, incumbent) as background:
        solution = run(problem, info, stop, background.observe, seed)
        incumbent.improve(solution.cost)
        return solution.with_bound(background.bound())


def _polish(problem: Problem, info: SolverInfo, stop: StoppingRule, observer: Observer, seed: int) -> Solution:
    """Let the search go on from the groups that a solver found; it never gets worse, so what is guaranteed stays."""
    from kilt.solvers.search.solver import Search  # noqa: PLC0415 - small tables do without it

    reason = Search().refuses(problem)
    if reason:
        raise InputError(f"the search cannot polish this: {reason}")
    rough = run(problem, info, stop.share(POLISHED_SHARE), observer, seed)
    if rough.is_optimal:
        return rough
    polished = Search(seed, rough.partition.tightened(problem)).solve(problem, stop, observer)
    named = replace(polished, solver=f"{info.name} + search", factor=rough.factor, stopped=rough.stopped)
    return named.with_bound(rough.bound)
