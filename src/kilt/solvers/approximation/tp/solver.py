"""Tuple minimization (Xiao, Yi and Tao 2010): classes keep all rows that l-diversity allows, and give what it needs.

*Phase 1*: an equivalence class keeps of every sensitive value as many rows as it can, but no more than h, where h is as
large as it can be. No legal part of the class has a value more often, so that every residue contains what is left; it
also has l times as many rows as its most frequent value. This is the *least* residue that there can be.

If what is left is l-diverse, it is the smallest residue. Else `ResiduePhases` has phases 2 and 3, in which classes
give it more rows. If phase 2 is enough, the residue has fewer than l rows more than the least. In any case it has at
most l times as many, so that what is released costs at most l times m times the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.diversity import Frequency
from kilt.model.problem import Problem
from kilt.model.rules import DiversityRule, SizeRule
from kilt.numbers import IntArray
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.approximation.residue.solver import guaranteed
from kilt.solvers.approximation.tp.phases import ResiduePhases
from kilt.solvers.base import Solution
from kilt.solvers.common.equivalence_classes import EquivalenceClasses, equivalence_class, published, residue_of
from kilt.solvers.greedy.balanced_cuts import BalancedCuts


@dataclass(frozen=True)
class TupleMinimization:
    """At most l times m times the optimum, under frequency l-diversity, in little more than the time to sort."""

    cuts: bool = False

    def refuses(self, problem: Problem) -> str | None:
        """Refuse anything but l-diversity of one column by frequency, with a whole l."""
        if diversity_of(problem) is None:
            return "it takes a whole l (frequency) on the one sensitive column, with k up to l"
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Keep what classes can keep, and let them give what the residue needs; cut the residue if asked to."""
        l, classes = diversity_of(problem) or 1, EquivalenceClasses.of(problem, equivalence_class(problem))
        most = most_kept(classes, l)
        kept = legal_residue_kept(classes, most, l, stop)
        staying = classes.stay(problem, kept)
        residue = residue_of(problem, staying)
        parts = BalancedCuts().parts(problem, residue, stop, observer) if self.cuts else [residue]
        partition = published(problem, classes, staying, parts)
        return guaranteed(problem, partition, int(residue.counts.sum()), Bound(least_residue(classes, most, l)))


@dataclass(frozen=True)
class TupleMinimizationPlus(TupleMinimization):
    """The same, with the residue cut into smaller groups as balanced cuts are, which is never dearer."""

    cuts: bool = True


def diversity_of(problem: Problem) -> int | None:
    """Return the l of a policy that asks for frequency l-diversity of one column, and no more (k up to l follows)."""
    rules = [rule for rule in problem.rules if not isinstance(rule, SizeRule)]
    if len(rules) != 1 or len(problem.sizes) != 1:
        return None
    rule = rules[0]
    if not isinstance(rule, DiversityRule) or not isinstance(rule.form, Frequency) or rule.l.denominator != 1:
        return None
    return int(rule.l) if problem.rules.min_group_size <= rule.l else None


def most_kept(classes: EquivalenceClasses, l: int) -> IntArray:
    """Return how many rows of every block its class can keep at most: phase 1.

    The heights at which a class is legal, if it keeps all that is not above, are those from 0 to the one sought.
    """
    low = np.zeros(classes.shape[0], dtype=np.int64)
    high = _by_class(classes, classes.counts) // l
    while (low < high).any():
        middle = (low + high + 1) // 2
        legal = _by_class(classes, np.minimum(classes.counts, middle[classes.class_of])) >= l * middle
        low, high = np.where(legal, middle, low), np.where(legal, high, middle - 1)
    return np.minimum(classes.counts, low[classes.class_of])


def least_residue(classes: EquivalenceClasses, most: IntArray, l: int) -> int:
    """Return how many rows every residue has at least, if so many rows of every block can be kept at most."""
    residue = _by_value(classes, classes.counts - most)
    return max(int(residue.sum()), l * int(residue.max()))


def legal_residue_kept(classes: EquivalenceClasses, most: IntArray, l: int, stop: StoppingRule) -> IntArray:
    """Return how many rows of every block are kept once the residue is legal: phases 2 and 3, if they are needed."""
    residue = _by_value(classes, classes.counts - most)
    if residue.sum() >= l * residue.max():
        return most
    phases = ResiduePhases(l, classes.table(most), residue)
    phases.run(stop)
    return np.asarray(phases.kept[classes.class_of, classes.value_of])


def _by_class(classes: EquivalenceClasses, rows: IntArray) -> IntArray:
    return np.bincount(classes.class_of, rows, classes.shape[0]).astype(np.int64)


def _by_value(classes: EquivalenceClasses, rows: IntArray) -> IntArray:
    return np.bincount(classes.value_of, rows, classes.shape[1]).astype(np.int64)
