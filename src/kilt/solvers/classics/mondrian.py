"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006): cut the table at medians, and the parts again, while they are legal.

A part is cut along the column in which it is widest, compared with the table. *Strict*: rows up to the median go to one
side, all others to the other. *Relaxed*: the rows of the median value are shared out, so that both sides are equally
large. If a side is not legal, the next widest column is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.part import Part, Sides, are_legal, cut_up, partition_of


@dataclass(frozen=True)
class Mondrian:
    """Any table under any policy, in a time that grows with the rows times the depth of the cuts."""

    relaxed: bool = False

    def refuses(self, problem: Problem) -> str | None:  # noqa: ARG002 - it takes all
        """Refuse nothing."""
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Cut the table until no cut is legal, or until stopped."""
        whole = Part.whole(problem)
        parts = cut_up(whole, partial(self._cut, problem, spans(problem, whole)), stop, observer)
        return Solution(partition_of(problem, parts))

    def _cut(self, problem: Problem, whole: list[Fraction], part: Part) -> Sides | None:
        """Cut a part along the widest column that allows it."""
        for column in widest_first(whole, spans(problem, part)):
            codes = problem.codes[part.types, column]
            sides = cut_in_half(part, codes) if self.relaxed else cut_at_median(part, codes)
            if sides is not None and are_legal(problem, sides):
                return sides
        return None


def spans(problem: Problem, part: Part) -> list[Fraction]:
    """Return for every column how far the values of a part are apart: as numbers, or else in the order of codes."""
    codes = problem.codes[part.types]
    found = []
    for column, low, high in zip(problem.columns, codes.min(axis=0).tolist(), codes.max(axis=0).tolist(), strict=True):
        found.append(column.numbers[high] - column.numbers[low] if column.numbers else Fraction(high - low))
    return found


def widest_first(whole: list[Fraction], part: list[Fraction]) -> Iterator[int]:
    """Yield the columns in the order of their range in a part, as a share of that in the table."""
    shares = [-(mine / all_) if all_ else Fraction(0) for mine, all_ in zip(part, whole, strict=True)]
    yield from sorted(range(len(shares)), key=shares.__getitem__)


def cut_at_median(part: Part, codes: IntArray) -> Sides | None:
    """Cut behind the median; None if no value is above it."""
    value = np.unique(codes, return_inverse=True)[1]
    up_to = np.cumsum(np.bincount(value, part.counts).astype(np.int64))
    left = value <= int(np.argmax(2 * up_to >= up_to[-1]))
    if left.all():
        return None
    return Part(part.types[left], part.counts[left]), Part(part.types[~left], part.counts[~left])


def cut_in_half(part: Part, codes: IntArray) -> Sides | None:
    """Cut in the middle, also between rows of the same value; None if all have the same."""
    if codes.min() == codes.max():
        return None
    order = np.argsort(codes, kind="stable")
    types, counts = part.types[order], part.counts[order]
    before = np.cumsum(counts) - counts
    left = np.clip((int(counts.sum()) + 1) // 2 - before, 0, counts)
    lower, upper = (Part(types[copies > 0], copies[copies > 0]) for copies in (left, counts - left))
    return lower, upper


@dataclass(frozen=True)
class RelaxedMondrian(Mondrian):
    """Mondrian that shares out the rows of the median value."""

    relaxed: bool = True
