"""Balanced cuts: cut the table in two, and the parts again, each time as evenly as legal sides permit.

A part is cut along the column that has the largest share of its values there, between the two values that are nearest
to the middle of those where both sides are legal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.part import Part, Sides, cut_up, partition_of


@dataclass(frozen=True)
class BalancedCuts:
    """Any table under any policy, in a time that grows with the rows times the depth of the cuts."""

    def refuses(self, problem: Problem) -> str | None:  # noqa: ARG002 - it takes all
        """Refuse nothing."""
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Cut the table until no cut is legal, or until stopped."""
        return Solution(partition_of(problem, self.parts(problem, Part.whole(problem), stop, observer)))

    def parts(self, problem: Problem, whole: Part, stop: StoppingRule, observer: Observer) -> list[Part]:
        """Cut a part of the table until no cut is legal, or until stopped."""
        widths = np.array([len(np.unique(codes)) for codes in problem.codes.T])
        return cut_up(whole, partial(_cut, problem, widths), stop, observer)


def _cut(problem: Problem, widths: IntArray, part: Part) -> Sides | None:
    """Cut a part along the column that has the largest share of its values here, of those that allow it."""
    values = np.array([len(np.unique(codes)) for codes in problem.codes[part.types].T])
    for column in np.argsort(-(values - 1) / np.maximum(widths - 1, 1), kind="stable"):
        if values[column] > 1:
            sides = cut_between(problem, part, problem.codes[part.types, column])
            if sides is not None:
                return sides
    return None


def cut_between(problem: Problem, part: Part, codes: IntArray) -> Sides | None:
    """Cut between two values, as near to the middle as both sides are legal."""
    values, value = np.unique(codes, return_inverse=True)
    by_class = np.zeros((len(values), len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class, (value, problem.sensitive_class[part.types]), part.counts)
    below = np.cumsum(by_class, axis=0)
    above = below[-1] - below[:-1]
    legal = problem.is_legal(below[:-1]) & problem.is_legal(above)
    if not legal.any():
        return None
    unevenness = np.abs(2 * below[:-1].sum(axis=1) - below[-1].sum())
    last = int(np.argmin(np.where(legal, unevenness, np.iinfo(np.int64).max)))
    left = value <= last
    return Part(part.types[left], part.counts[left]), Part(part.types[~left], part.counts[~left])
