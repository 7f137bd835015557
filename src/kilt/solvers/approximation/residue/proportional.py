"""The smallest residue under t=0, for any number of sensitive values.

A group is distributed exactly as the table is if and only if it is a multiple of one *unit*: the counts of the table,
divided by their greatest common divisor. A class keeps as many units as fit into it, and what remains of the table is
a multiple as well. Only k can ask for more, and then units are counted as rows are under k-anonymity.
"""

from __future__ import annotations

import numpy as np

from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule
from kilt.numbers import IntArray
from kilt.solvers.common.equivalence_classes import EquivalenceClasses


def proportional_kept(problem: Problem, cells: EquivalenceClasses) -> IntArray | None:
    """Return how many rows of every block to keep for a smallest residue; None if other groups are legal."""
    unit = _unit(problem)
    if unit is None:
        return None
    most = _units_that_fit(cells, unit)
    total = int(problem.sensitive_totals[0] // unit[0])
    least = -(-problem.rules.min_group_size // int(unit.sum()))
    return np.asarray(_kept_units(most, total, max(1, least))[cells.class_of] * unit[cells.value_of])


def _unit(problem: Problem) -> IntArray | None:
    """Return the counts that every legal group is a multiple of, if t=0 for the only sensitive column."""
    exact = [rule for rule in problem.rules if isinstance(rule, ClosenessRule) and not rule.t and rule.ground.least]
    if not exact or len(problem.sizes) != 1:
        return None
    reference = exact[0].reference
    return np.asarray((reference // np.gcd.reduce(reference))[problem.sensitive_values[:, 0]])


def _units_that_fit(cells: EquivalenceClasses, unit: IntArray) -> IntArray:
    """Return how many units every class has; none if it lacks a value."""
    classes, values = cells.shape
    most = np.full(classes, cells.counts.sum())
    np.minimum.at(most, cells.class_of, cells.counts // unit[cells.value_of])
    most[np.bincount(cells.class_of, minlength=classes) < values] = 0
    return most


def _kept_units(most: IntArray, total: int, least: int) -> IntArray:
    """Return how many units every class keeps, none or ``least`` of them, if as many must be left or none at all."""
    kept = np.where(most >= least, most, 0)
    missing = least - (total - int(kept.sum()))
    if missing == least or missing <= 0:
        return kept
    spare = np.where(kept > 0, kept - least, 0)
    if spare.sum() >= missing:
        before = np.cumsum(spare) - spare
        return np.asarray(kept - np.clip(missing - before, 0, spare))
    smallest = int(np.where(kept > 0, kept, total + 1).argmin())
    kept[smallest] = 0
    return kept
