"""The solvers: one algorithm, one module, one interface."""

from __future__ import annotations

from kilt.errors import InputError, nearest
from kilt.problem import Problem
from kilt.solvers.base import Solver
from kilt.solvers.exhaustive import Exhaustive
from kilt.solvers.greedy import Greedy

SOLVERS: dict[str, Solver] = {solver.name: solver for solver in (Exhaustive(), Greedy())}
NAMES = ("auto", *SOLVERS)


def choose(name: str, problem: Problem) -> Solver:
    """Return the solver of this name; ``auto`` is exhaustive on tiny tables and greedy on others."""
    if name == "auto":
        return next(solver for solver in SOLVERS.values() if solver.refuses(problem) is None)
    if name not in SOLVERS:
        raise InputError(f"'{name}' is not a solver: {nearest(name, NAMES)}")
    reason = SOLVERS[name].refuses(problem)
    if reason:
        able = [other.name for other in SOLVERS.values() if other.refuses(problem) is None]
        raise InputError(f"the solver '{name}' cannot do this: {reason}; these can: {', '.join(able)}")
    return SOLVERS[name]
