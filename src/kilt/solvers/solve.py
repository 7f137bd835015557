"""The recipe for a solution: choose a solver, solve, polish if asked for, and find a bound where there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.errors import InputError, KiltError, VerificationError
from kilt.model.cells import cells_of
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.run.incumbent import Incumbent
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution, Solver
from kilt.solvers.cells import solve_cells
from kilt.solvers.choose import choose, reason_refused
from kilt.solvers.common.merging import merge_until_accepted
from kilt.solvers.registry import SolverInfo, solver_info

if TYPE_CHECKING:
    from kilt.certificates.proof.evidence import Evidence

SECONDS, GAP = 60.0, 0.005  # when a search stops if nothing else is said
ITERATIONS = 4_000  # for every row type: later there is little to find
BOUNDING_SHARE = 0.85  # the share of the time for a bound in the background: its last proof takes some more
CERTIFYING_SECONDS = (2.0, 20.0)  # at least, and at most, for a bound whose proof can be written down
FIRST_SHARE, ON_RELEASE = 0.5, "information"  # what is tried second under a rule on the release as a whole
MERGED_SHARE = 0.8  # the share of the time after which a solver is stopped whose groups are merged then
POLISHED_SHARE = 0.5  # the share of the time after which a solver is stopped that is polished then


def solve(
    problem: Problem,
    solver: str | Solver,
    stop: StoppingRule,
    observer: Observer,
    *,
    seed: int = 0,
    polish: bool = False,
    start: Partition | None = None,
) -> Solution:
    """Choose the solver and solve, from a legal partition on if it can; if it has no bound, find one.

    A solver without a bound that is limited by time has the bound beside it. Without a time one comes after the other,
    so that the same input gives the same answer.
    """
    stop = limited(problem, solver, stop, polish=polish)
    cells = cells_of(problem)

    def solve_one(part: Problem, limit: StoppingRule, observe: Observer) -> Solution:
        limit = replace(limit, base=part.base_cost)
        return _solve(part, solver, limit, observe, seed, polish=polish, start=start if part is problem else None)

    if len(cells) > 1:
        solution = solve_cells(problem, cells, solve_one, stop, observer)
    else:
        solution = solve_one(problem, stop, observer)
    return solution.with_bound(Bound(problem.base_cost)) if problem.base_cost else solution


def _solve(
    problem: Problem,
    solver: str | Solver,
    stop: StoppingRule,
    observer: Observer,
    seed: int,
    *,
    polish: bool,
    start: Partition | None,
) -> Solution:
    """Choose the solver and solve within limits; if it has no bound, find one."""
    info = choose(solver, problem)
    if solver == "auto" and problem.rules.on_release and not polish and info.kind != "exact":
        return _solve_on_release(problem, info, stop, observer, seed, start)
    if polish and info.ends:
        return _polish(problem, info, stop, observer, seed)
    if info.kind == "exact" and stop.iterations is not None and stop.seconds is None:
        stop = _limited_exact(solver, info, stop)
    if not info.brings_bound and stop.seconds is not None:
        return _solve_and_bound(problem, info, stop, observer, seed)
    solution = run(problem, info, stop, observer, seed, start)
    if solution.bound is not None and (info.brings_bound or solution.is_optimal):
        return solution
    return solution.with_bound(_bound_after(problem, solution, stop, observer))


def _solve_on_release(
    problem: Problem, info: SolverInfo, stop: StoppingRule, observer: Observer, seed: int, start: Partition | None
) -> Solution:
    """Solve under a rule on the release as a whole; where that costs stars, try also the heuristic that knows of it."""
    first = solve(problem, info.name, stop.share(FIRST_SHARE), observer, seed=seed, start=start)
    other = solver_info(ON_RELEASE)
    bound = None if first.bound is None else first.bound.cost
    if stop(first.cost, bound) or reason_refused(other, problem):
        return first
    second = run(problem, other, stop, observer, seed)
    return min(first, second.with_bound(first.bound), key=lambda solution: solution.cost)


def limited(problem: Problem, solver: str | Solver, stop: StoppingRule, *, polish: bool = False) -> StoppingRule:
    """Add limits where none are given.

    What is chosen by ``auto``, and a search that would not end, stops by default after a minute or at half a percent.
    """
    if solver != "auto" and solver_info(solver).ends and not polish:
        return stop
    return stop.with_defaults(SECONDS, ITERATIONS * len(problem.counts), GAP)


def _limited_exact(solver: str | Solver, info: SolverInfo, stop: StoppingRule) -> StoppingRule:
    """Limit an exact solver, which makes no moves that could be counted, if all that is given is their number."""
    if solver != "auto":
        raise InputError(
            f"'iterations' counts the moves of the search, and the solver '{info.name}' makes none: give it a 'time'"
        )
    return stop.at_most(SECONDS)


def run(
    problem: Problem,
    info: SolverInfo,
    stop: StoppingRule,
    observer: Observer,
    seed: int = 0,
    start: Partition | None = None,
) -> Solution:
    """Solve, from a partition on if the solver can, cell by cell if there are several, and note who did."""
    cells = cells_of(problem)
    if len(cells) > 1:
        return solve_cells(problem, cells, lambda p, limit, o: run(p, info, limit, o, seed), stop, observer)
    limit = stop.share(MERGED_SHARE) if problem.rules.on_release else stop
    solution = info.load(seed, start).solve(problem, limit, observer)
    if not isinstance(solution, Solution):
        raise KiltError(f"the solver '{info.name}' returned no Solution, but a {type(solution).__name__}")
    placed = np.bincount(solution.partition.types, solution.partition.counts, len(problem.counts))
    if not np.array_equal(placed, problem.counts):
        raise KiltError(f"the solver '{info.name}' did not put every row into exactly one group; nothing was written")
    if info.given is not None and not problem.is_legal(solution.partition.by_class(problem)).all():
        raise VerificationError(
            f"the solver '{info.name}' returned a group that violates the policy; nothing was written"
        )
    stopped = info.ends and not solution.is_optimal and limit()
    return replace(_accepted(problem, solution, stop), solver=info.name, stopped=stopped)


def _accepted(problem: Problem, solution: Solution, stop: StoppingRule) -> Solution:
    """Merge groups until the rules on the release are met, where they are not; a guarantee is lost then."""
    if not problem.rules.on_release or problem.rules.accepts(solution.partition.as_groups(problem)):
        return solution
    return replace(solution, partition=merge_until_accepted(problem, solution.partition, stop), factor=None)


def certifiable_bound(problem: Problem, solution: Solution, stop: StoppingRule, observer: Observer) -> Bound:
    """Return the best bound whose proof can be written down: that of the solution, or one of multipliers.

    These are what the proof makes of the multipliers of column generation, and the Lagrangian bound, which gets some
    time of its own if none is left.
    """
    from kilt.certificates.proof.evaluate import as_proved  # noqa: PLC0415 - only for a certificate

    if solution.bound is not None and solution.bound.parts:
        return as_proved(problem, solution.bound)
    least, most = CERTIFYING_SECONDS
    stop = replace(stop if stop.seconds is None else stop.at_least(least).at_most(most), gap=None)
    evidence = solution.evidence
    if evidence is None and len(cells_of(problem)) == 1:
        evidence = _column_multipliers(problem, solution, stop.share(0.5))
    known = _evaluated(problem, evidence)
    if known.cost >= solution.cost:
        return known
    return max(known, _bound_after(problem, solution, stop, observer), key=lambda bound: bound.rank)


def _column_multipliers(problem: Problem, solution: Solution, stop: StoppingRule) -> Evidence | None:
    from kilt.solvers.exact.column_generation.solver import multipliers_of  # noqa: PLC0415 - HiGHS is heavy

    return multipliers_of(problem, solution.partition, stop)


def _evaluated(problem: Problem, evidence: Evidence | None) -> Bound:
    """Return what the evidence proves, nothing if it cannot be evaluated."""
    from kilt.certificates.proof.evaluate import evaluate_bound  # noqa: PLC0415 - only for a certificate

    if evidence is None:
        return Bound(0)
    try:
        return Bound(evaluate_bound(problem, [evidence]), (evidence,))
    except InputError:  # numbers that are too large
        return Bound(0)


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
        return solution.with_bound(background.bound(stop))


def _polish(problem: Problem, info: SolverInfo, stop: StoppingRule, observer: Observer, seed: int) -> Solution:
    """Let the search go on from the groups that a solver found; it never gets worse, so what is guaranteed stays."""
    from kilt.solvers.search.solver import Search  # noqa: PLC0415 - small tables do without it

    reason = reason_refused(solver_info("search"), problem)
    if reason:
        raise InputError(f"the search cannot polish this: {reason}")
    rough = run(problem, info, stop.share(POLISHED_SHARE), observer, seed)
    if rough.is_optimal:
        return rough
    polished = _accepted(problem, Search(seed, rough.partition.tightened(problem)).solve(problem, stop, observer), stop)
    if polished.cost > rough.cost:  # where groups had to be merged
        polished = replace(polished, partition=rough.partition)
    named = replace(
        polished,
        solver=f"{info.name} + search",
        factor=rough.factor,
        factor_proof=rough.factor_proof,
        stopped=rough.stopped,
    )
    return named.with_bound(rough.bound)
