"""Diving: groups with the largest shares in the linear program are fixed, and the program of the rest is solved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.master import RestrictedMaster, solve_relaxation
from kilt.solvers.exact.column_generation.pricing import Pricing


def dive(pricing: Pricing, relaxation: RestrictedMaster, share: float, stop: StoppingRule) -> Partition | None:
    """Round the linear program to a legal partition; None if it was stopped before.

    In every round at least this share of the remaining rows is placed.
    """
    problem = pricing.problem
    left = problem.counts.copy()
    fixed: list[Columns] = []
    while not stop():
        fixed.append(_fixed_groups(problem, relaxation, left, share))
        np.subtract.at(left, fixed[-1].types, 1)
        if not left.any():
            return Columns.joined(fixed).partition(problem)
        columns = relaxation.columns
        fitting = columns.picked(np.flatnonzero(columns.inside(left)))
        rest = replace(pricing, problem=replace(problem, counts=left.copy()))
        relaxation = solve_relaxation(rest, Columns.joined([fitting, _rest(problem, left)]), stop)
    return None


def _rest(problem: Problem, counts: IntArray) -> Columns:
    """Return all that is left as one group."""
    return Columns.of(problem, np.repeat(np.arange(len(counts)), counts), np.array([counts.sum()]))


def _fixed_groups(problem: Problem, relaxation: RestrictedMaster, counts: IntArray, share: float) -> Columns:
    """Fix groups from the largest share down while what is left stays legal, until enough rows are placed."""
    columns, shares = relaxation.columns, relaxation.shares
    order = np.argsort(-shares, kind="stable")
    left = counts.copy()
    enough = int(counts.sum() * (1 - share))
    fixed: list[int] = []
    for group in order[: int((shares > 1e-6).sum())].tolist():
        if shares[group] < 0.999 and left.sum() <= enough:
            break
        types = columns.types[columns.starts[group] : columns.starts[group + 1]]
        after = left - np.bincount(types, minlength=len(left))
        if after.min() >= 0 and _legal(problem, after):
            left = after
            fixed.append(group)
    if not fixed:
        return _rest(problem, counts)
    return columns.picked(np.array(fixed))


def _legal(problem: Problem, counts: IntArray) -> bool:
    """Say whether what is left is legal as one group, or nothing."""
    by_class = np.bincount(problem.sensitive_class, counts, len(problem.sensitive_totals)).astype(np.int64)
    return not by_class.any() or bool(problem.is_legal(by_class[None, :])[0])
