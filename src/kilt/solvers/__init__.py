"""The solvers: one algorithm, one module, one interface."""

from __future__ import annotations

from collections.abc import Mapping

from kilt.errors import InputError, nearest
from kilt.problem import Problem
from kilt.solvers.base import Solver
from kilt.solvers.catalogue import ALIASES, CATALOGUE, Entry

# what is tried, with the most row types for which it is
AUTO: Mapping[str, int | None] = {"exhaustive": None, "exact": 60, "matching": 1_000, "search": None, "greedy": None}
NAMES = ("auto", *CATALOGUE)


def entry_of(name: str) -> Entry:
    """Return what the catalogue has under this name, or under this name of its authors."""
    name = ALIASES.get(name, name)
    if name == "auto":
        raise InputError("'auto' chooses one of the others: name these, as 'kilt solvers' lists them")
    if name not in CATALOGUE:
        raise InputError(f"'{name}' is not a solver: {nearest(name, (*NAMES, *ALIASES))}")
    return CATALOGUE[name]


def solver(name: str) -> Solver:
    """Return the solver of this name."""
    return entry_of(name).load()


def choose(name: str, problem: Problem) -> Entry:
    """Return the entry of this name; ``auto`` is the first that takes the problem, and is meant for its size."""
    if name == "auto":
        meant = [each for each, most in AUTO.items() if most is None or len(problem.counts) <= most]
        return next(entry for entry in map(entry_of, meant) if entry.load().refuses(problem) is None)
    chosen = entry_of(name)
    reason = chosen.load().refuses(problem)
    if reason:
        raise InputError(f"the solver '{name}' cannot do this: {reason}; these can: {', '.join(able(problem))}")
    return chosen


def able(problem: Problem) -> list[str]:
    """Return the names of the solvers that take a problem."""
    return [name for name, entry in CATALOGUE.items() if entry.load().refuses(problem) is None]
