"""Choosing a solver: what ``auto`` takes, and why another one cannot be taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kilt.certificates.proof.by_size import star_rule
from kilt.errors import InputError
from kilt.model.diversity import Distinct, Frequency
from kilt.model.problem import Problem
from kilt.model.rules import DiversityRule
from kilt.solvers.base import Solver
from kilt.solvers.registry import SOLVERS, SolverInfo, solver_info, warn_of_alias


@dataclass(frozen=True)
class Size:
    """The most row types, and the most rows, for which a solver is meant."""

    row_types: int
    rows: int  # under a policy that asks for more than k
    rows_if_curved: int  # where a form of diversity is not linear: each group that violates it needs a cut of its own
    rows_if_sized: int = 0  # where closeness alone decides, with equal distances: these are closed whatever row types

    def holds(self, problem: Problem) -> bool:
        """Say whether a problem is of this size at most."""
        forms = [rule.form for rule in problem.rules if isinstance(rule, DiversityRule)]
        curved = not all(isinstance(form, Frequency | Distinct) for form in forms)
        if problem.rows <= self.rows_if_sized and star_rule(problem) is not None and not forms:
            return True
        if len(problem.counts) > self.row_types:
            return False
        return problem.presolved.rules.is_k_anonymity or problem.rows <= (self.rows_if_curved if curved else self.rows)


# what is tried in this order, with the size for which it is meant
AUTO: Mapping[str, Size | None] = {
    "exhaustive": None,
    "exact": Size(60, 12_000, 1_200, 120),
    "matching": Size(1_000, 100_000, 0),
    "search": None,
    "greedy": None,
}


def choose(solver: str | Solver, problem: Problem) -> SolverInfo:
    """Return what is known of a solver; ``auto`` is the first that takes the problem, and is meant for its size."""
    if solver == "auto":
        meant = [name for name, size in AUTO.items() if size is None or size.holds(problem)]
        return next(info for info in map(solver_info, meant) if reason_refused(info, problem) is None)
    warn_of_alias(solver)
    chosen = solver_info(solver)
    reason = reason_refused(chosen, problem)
    if reason:
        raise InputError(f"the solver '{chosen.name}' cannot do this: {reason}; these can: {', '.join(able(problem))}")
    return chosen


def able(problem: Problem) -> list[str]:
    """Return the names of the solvers that take a problem."""
    return [name for name, info in SOLVERS.items() if reason_refused(info, problem) is None]


def reason_refused(info: SolverInfo, problem: Problem) -> str | None:
    """Say why a solver does not take a problem, or return None if it does."""
    if problem.rules.on_release and not info.takes_release_rules:
        return "it looks at one group at a time, and average t is about the release as a whole"
    return info.load().refuses(problem)
