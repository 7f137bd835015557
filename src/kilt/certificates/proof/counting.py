"""What counting cuts add to a proof: the groups that lie wholly in a set of rows are no more than fit into it.

For every set of row types a number of groups follows from its rows and the least size of a group. A pattern counts for
the set if all the row types that it covers are in it. Both are found here, and not taken from the evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.certificates.proof.evidence import CountingCuts
from kilt.certificates.proof.patterns import ProofPatterns
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.numbers import ROOM, BoolArray, IntArray


@dataclass(frozen=True)
class CountingProof:
    """Sets of row types as marks, with the multiplier of each; ``owed`` is what all of them subtract from the bound."""

    inside: tuple[BoolArray, ...]
    multipliers: tuple[int, ...]
    owed: int

    @classmethod
    def of(cls, problem: Problem, cuts: CountingCuts) -> CountingProof:
        """Count how many groups fit into every set; raise if the cuts are not about this table, or are too large."""
        multipliers = cuts.multipliers.tolist()
        if len(cuts.types) and not 0 <= int(cuts.types.min()) <= int(cuts.types.max()) < len(problem.counts):
            raise InputError("the proof counts groups of row types that do not exist")
        inside = tuple(_marks(problem, types) for types in cuts.sets())
        fitting = [int(problem.counts[marks].sum()) // max(1, problem.rules.min_group_size) for marks in inside]
        if 4 * sum(multipliers) >= ROOM:
            raise InputError("the multipliers of the proof are too large")
        return cls(
            inside, tuple(multipliers), sum(each * most for each, most in zip(multipliers, fitting, strict=True))
        )

    def penalties(self, patterns: ProofPatterns) -> IntArray:
        """Return for every pattern the multipliers of the sets that have all its row types."""
        total = np.zeros(len(patterns), dtype=np.int64)
        for marks, multiplier in zip(self.inside, self.multipliers, strict=True):
            total[self._counted(patterns, marks)] += multiplier
        return total

    def _counted(self, patterns: ProofPatterns, marks: BoolArray) -> IntArray:
        """Return the patterns whose row types are all in a set; most have a first one outside."""
        members = patterns.members
        possible = np.flatnonzero(marks[members.first] & (members.lengths <= np.count_nonzero(marks)))
        if not len(possible):
            return possible
        some = members.picked(possible)
        return np.asarray(possible[some.sums(~marks[some.values]) == 0])


def _marks(problem: Problem, types: IntArray) -> BoolArray:
    marks = np.zeros(len(problem.counts), dtype=bool)
    marks[types] = True
    return marks
