"""The recipe for a solution: choose a solver, solve, polish if asked for, and find a bound where there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.run.progress import Observer
from kilt.run.stopping import Stop
from kilt.solvers.base import Solution
from kilt.solvers.registry import Entry, choose

if TYPE_CHECKING:
    from kilt.bounds.lagrangian import Bound

SECONDS, GAP = 60.0, 0.005  # when a search stops if nothing else is said
ITERATIONS = 4_000  # for every row type: later there is little to find
ROUGH = 0.5  # the share of the time after which a solver is stopped that is polished then
Answer = tuple[str, Solution, "Bound | None"]


def solved(
    problem: Problem, name: str, stop: Stop, observer: Observer, *, certified: bool = False, polish: bool = False
) -> Answer:
    """Choose the solver and solve; if it has no bound, or one without a proof is not enough, find one.

    What is chosen by ``auto``, and a search that would not end, stops by default after a minute or at half a percent.
    A solver without a bound that is limited by time has the bound beside it. Without a time one comes after the other,
    so that the same input gives the same answer.
    """
    entry = choose(name, problem)
    polish = polish and entry.name != "search"
    if name == "auto" or not entry.ends or polish:
        stop = stop.or_else(SECONDS, ITERATIONS * len(problem.counts), GAP)
    if polish:
        return _polished(problem, entry, stop, observer, certified=certified)
    if not entry.brings_bound and stop.seconds is not None:
        return _beside(problem, entry, stop, observer)
    solution = run(problem, entry, stop, observer)
    enough = entry.brings_bound or solution.bound == solution.partition.cost
    if enough and solution.bound is not None and not certified:
        return entry.name, solution, None
    from kilt.bounds.lagrangian import Bound, bounded  # noqa: PLC0415 - it loads compiled kernels

    if solution.parts:
        return entry.name, solution, Bound(solution.bound or 0, solution.parts)

    stop.board.cost = solution.partition.cost
    return entry.name, *_with_bound(solution, bounded(problem, stop, observer))


def run(problem: Problem, entry: Entry, stop: Stop, observer: Observer) -> Solution:
    """Solve, and note whether it was stopped."""
    solution = entry.load().solve(problem, stop, observer)
    optimal = solution.bound == solution.partition.cost
    return replace(solution, stopped=entry.ends and not optimal and stop())


def _beside(problem: Problem, entry: Entry, stop: Stop, observer: Observer) -> Answer:
    """Solve and bound side by side."""
    from kilt.bounds.background import Beside  # noqa: PLC0415 - it loads compiled kernels

    with Beside(problem, stop, observer) as beside:
        solution = run(problem, entry, stop, beside.observe)
        stop.board.cost = solution.partition.cost
        return entry.name, *_with_bound(solution, beside.bound())


def _polished(problem: Problem, entry: Entry, stop: Stop, observer: Observer, *, certified: bool) -> Answer:
    """Let the search go on from what a solver found; it never gets worse, so what is guaranteed stays."""
    from kilt.bounds.lagrangian import Bound  # noqa: PLC0415 - it loads compiled kernels
    from kilt.solvers.search.solver import Search  # noqa: PLC0415

    reason = Search().refuses(problem)
    if reason:
        raise InputError(f"the search cannot polish this: {reason}")
    rough = run(problem, entry, stop.share(ROUGH), observer)
    if rough.bound == rough.partition.cost and not certified:
        return entry.name, rough, None
    found = Search(rough.partition).solve(problem, stop, observer)
    bound = Bound(found.bound or 0, found.parts)
    return f"{entry.name} + search", _with_promise(found, rough), bound


def _with_promise(polished: Solution, rough: Solution) -> Solution:
    """Keep what is known of the solution that was polished."""
    return replace(_better_bound(polished, rough), factor=rough.factor, stopped=rough.stopped)


def _with_bound(solution: Solution, bound: Bound) -> tuple[Solution, Bound]:
    """Keep the better bound of the two."""
    known = Solution(solution.partition, min(solution.partition.cost, bound.cost))
    return _better_bound(solution, known), bound


def _better_bound(solution: Solution, other: Solution) -> Solution:
    """Take the bound of another solution if it is better."""
    better = other.bound is not None and (solution.bound is None or solution.bound < other.bound)
    if not better:
        return solution
    return replace(solution, bound=min(solution.partition.cost, other.bound or 0), proof=other.proof)
