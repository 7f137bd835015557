"""Covering by tuples: the fewest tuples of a matching problem that have every element among them.

Tuples may share elements here. As many tuples as each set has elements cover everything only if they share none, so the
answer is yes if there is a perfect matching.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kilt.errors import InputError
from kilt.hardness.problems.problem import Goal, OptimizationProblem
from kilt.hardness.problems.triples import Matching, Triples
from kilt.numbers import pluralize


@dataclass(frozen=True)
class TupleCover(OptimizationProblem[Triples]):
    """Choose the fewest tuples that cover all elements. Every element must be in a tuple."""

    counts: ClassVar[str] = "cover"
    matching: Matching

    def __post_init__(self) -> None:
        left = self._left(frozenset(self.matching.triples))
        if left:
            raise InputError(f"{pluralize(left, 'element')} of these sets are in no tuple, so that nothing covers them")

    @property
    def goal(self) -> Goal:
        """As many tuples as the sets have elements: they are a perfect matching."""
        return Goal(self.matching.size)

    def value(self, solution: Triples) -> int:
        """Count the tuples, which must cover everything."""
        if not solution <= set(self.matching.triples):
            raise InputError("a solution has a tuple that may not be chosen")
        if self._left(solution):
            raise InputError("the tuples of a solution do not cover all elements")
        return len(solution)

    def _left(self, solution: Triples) -> int:
        covered = {place for triple in solution for place in self.matching.places(triple)}
        return 3 * self.matching.size - len(covered)
