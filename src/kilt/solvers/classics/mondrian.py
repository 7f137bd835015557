"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006): cut the table in two, and the parts again, as long as they are legal.

*Strict*: a part is cut between two values of a column, as near to the middle as both sides are legal. *Relaxed*: it is
cut exactly in the middle, and rows with the value there go to either side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.part import Part


@dataclass(frozen=True)
class Mondrian:
    """Any table under any policy, in a time that grows with the rows times the depth of the cuts."""

    relaxed: bool = False

    def refuses(self, problem: Problem) -> str | None:  # noqa: ARG002 - it takes all
        """Refuse nothing."""
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Cut the table until no cut is legal, or until stopped."""
        parts = self.parts(problem, Part(np.arange(len(problem.counts)), problem.counts), stop, observer)
        types, counts = (np.concatenate([getattr(part, name) for part in parts]) for name in ("types", "counts"))
        groups = np.repeat(np.arange(len(parts)), [len(part.types) for part in parts])
        return Solution(Partition.of(problem, types, groups, counts))

    def parts(self, problem: Problem, whole: Part, stop: StoppingRule, observer: Observer) -> list[Part]:
        """Cut a part of the table until no cut is legal, or until stopped."""
        widths = np.array([len(np.unique(codes)) for codes in problem.codes.T])
        parts, leaves = [whole], []
        while parts:
            part = parts.pop()
            cut = None if stop() else self._cut(problem, part, widths)
            if cut is None:
                leaves.append(part)
                observer(Progress("solving"))
            else:
                parts.extend(cut)
        return leaves

    def _cut(self, problem: Problem, part: Part, widths: IntArray) -> tuple[Part, Part] | None:
        """Cut a part along the widest column, of those that have a share of all their values here, that allows it."""
        values = np.array([len(np.unique(codes)) for codes in problem.codes[part.types].T])
        for column in np.argsort(-(values - 1) / np.maximum(widths - 1, 1), kind="stable"):
            if values[column] > 1:
                codes = problem.codes[part.types, column]
                cut = cut_in_half(problem, part, codes) if self.relaxed else cut_between(problem, part, codes)
                if cut is not None:
                    return cut
        return None


def cut_between(problem: Problem, part: Part, codes: IntArray) -> tuple[Part, Part] | None:
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


def cut_in_half(problem: Problem, part: Part, codes: IntArray) -> tuple[Part, Part] | None:
    """Cut in the middle, if both sides are legal."""
    order = np.argsort(codes, kind="stable")
    types, counts = part.types[order], part.counts[order]
    before = np.cumsum(counts) - counts
    left = np.clip((int(counts.sum()) + 1) // 2 - before, 0, counts)
    sides = [Part(types[copies > 0], copies[copies > 0]) for copies in (left, counts - left)]
    by_class = np.array(
        [np.bincount(problem.sensitive_class[s.types], s.counts, len(problem.sensitive_totals)) for s in sides],
        dtype=np.int64,
    )
    return (sides[0], sides[1]) if problem.is_legal(by_class).all() else None


@dataclass(frozen=True)
class RelaxedMondrian(Mondrian):
    """Mondrian that cuts in the middle of equal values too."""

    relaxed: bool = True
