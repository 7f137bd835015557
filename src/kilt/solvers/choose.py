"""Choosing a solver: what ``auto`` takes, and why another one cannot be taken."""

from __future__ import annotations

from collections.abc import Mapping

from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.solvers.base import Solver
from kilt.solvers.registry import SOLVERS, SolverInfo, solver_info, warn_of_alias

# what is tried in this order, with the most row types for which it is meant
AUTO: Mapping[str, int | None] = {"exhaustive": None, "exact": 60, "matching": 1_000, "search": None, "greedy": None}


def choose(solver: str | Solver, problem: Problem) -> SolverInfo:
    """Return what is known of a solver; ``auto`` is the first that takes the problem, and is meant for its size."""
    if solver == "auto":
        meant = [name for name, most in AUTO.items() if most is None or len(problem.counts) <= most]
        return next(info for info in map(solver_info, meant) if info.load().refuses(problem) is None)
    warn_of_alias(solver)
    chosen = solver_info(solver)
    reason = chosen.load().refuses(problem)
    if reason:
        raise InputError(f"the solver '{chosen.name}' cannot do this: {reason}; these can: {', '.join(able(problem))}")
    return chosen


def able(problem: Problem) -> list[str]:
    """Return the names of the solvers that take a problem."""
    return [name for name, info in SOLVERS.items() if info.load().refuses(problem) is None]
