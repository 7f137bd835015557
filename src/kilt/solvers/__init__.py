"""The solvers: one algorithm, one module, one interface."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from kilt.errors import InputError, nearest
from kilt.problem import Problem
from kilt.solvers.base import Solver

# name: module and class; a module is loaded when its solver is asked for, since some load heavy libraries
MODULES: Mapping[str, tuple[str, str]] = {
    "exhaustive": ("exhaustive", "Exhaustive"),
    "recursion": ("recursion", "Recursion"),
    "subsets": ("subsets", "Subsets"),
    "milp": ("milp", "PatternMilp"),
    "matching": ("matching", "PairsAndTriples"),
    "exact": ("exact", "Exact"),
    "search": ("search", "Search"),
    "greedy": ("greedy", "Greedy"),
    "classes": ("classes", "Classes"),
    "residue": ("residue", "Residue"),
    "cover": ("cover", "Cover"),
    "forest": ("forest", "Forest"),
    "mondrian": ("mondrian", "Mondrian"),
    "mondrian-relaxed": ("mondrian", "RelaxedMondrian"),
    "incognito": ("incognito", "Incognito"),
}
# what is tried, with the most row types for which it is
AUTO: Mapping[str, int | None] = {"exhaustive": None, "exact": 60, "matching": 1_000, "search": None, "greedy": None}
NAMES = ("auto", *MODULES)


def solver(name: str) -> Solver:
    """Return the solver of this name."""
    if name not in MODULES:
        raise InputError(f"'{name}' is not a solver: {nearest(name, NAMES)}")
    module, made = MODULES[name]
    found: Solver = getattr(import_module(f"kilt.solvers.{module}"), made)()
    return found


def choose(name: str, problem: Problem) -> Solver:
    """Return the solver of this name; ``auto`` is the first that takes the problem, and is meant for its size."""
    if name == "auto":
        meant = [each for each, most in AUTO.items() if most is None or len(problem.counts) <= most]
        return next(each for each in map(solver, meant) if each.refuses(problem) is None)
    chosen = solver(name)
    reason = chosen.refuses(problem)
    if reason:
        able = [other for other in MODULES if solver(other).refuses(problem) is None]
        raise InputError(f"the solver '{name}' cannot do this: {reason}; these can: {', '.join(able)}")
    return chosen
