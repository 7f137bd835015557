"""Residue: rows that are alike stay as they are, as many as can, and all others form one group.

Rows that are alike in all quasi columns form a *class*. In any legal partition the rows that are not blurred form legal
parts of classes, and all others together are legal, or none; so their number is at least that of the smallest
*residue*, and each of them pays something. A smallest residue is therefore at most as many times dearer than the
optimum as the dearest row is dearer than the cheapest: m times where every one of m columns costs a star.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.ladders import CodedColumn
from kilt.model.partition import Partition
from kilt.model.patterns import useful_levels
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.approximation.residue.proportional import proportional_kept
from kilt.solvers.approximation.residue.smallest import smallest_kept
from kilt.solvers.base import Solution
from kilt.solvers.common.equivalence_classes import EquivalenceClasses, equivalence_class, published, residue_of
from kilt.solvers.exact.milp.solver import PatternMilp


@dataclass(frozen=True)
class Residue:
    """At most m times the optimum, under any policy: a smallest residue, by dynamic programming or by a program."""

    def refuses(self, problem: Problem) -> str | None:  # noqa: ARG002 - it takes all
        """Refuse nothing."""
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Find a smallest residue: directly if t=0, else by its counts if they are few enough, else by a program."""
        cells = EquivalenceClasses.of(problem, equivalence_class(problem))
        kept = proportional_kept(problem, cells)
        if kept is None:
            kept = smallest_kept(problem, cells)
        if kept is None:
            return programmed(problem, stop, observer)
        staying = cells.stay(problem, kept)
        residue = residue_of(problem, staying)
        blurred = int(residue.counts.sum())
        return guaranteed(problem, published(problem, cells, staying, [residue]), blurred, Bound(blurred))


def programmed(problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
    """Find a smallest residue by a program: the optimum of the same table with one column, which names the class."""
    found = PatternMilp().solve(of_classes(problem), stop, observer)
    partition = found.partition
    return guaranteed(
        problem,
        Partition.of(problem, partition.types, partition.groups, partition.counts),
        blurred=partition.cost,
        least_blurred=found.bound or Bound(0),
    )


def of_classes(problem: Problem) -> Problem:
    """Return the problem in which a row costs one if it is blurred at all: one column, which names the class."""
    classes = equivalence_class(problem)
    every = np.arange(int(classes.max()) + 1)
    costs = tuple((Fraction(blurred),) * len(every) for blurred in (0, 1))
    column = CodedColumn("class", (every, np.zeros_like(every)), costs)
    return replace(problem, columns=(column,), codes=classes[:, None].astype(np.int32), credit=Fraction(0))


def guaranteed(problem: Problem, partition: Partition, blurred: int, least_blurred: Bound) -> Solution:
    """Say how good a partition is that blurs so many rows, where every one must blur at least so many.

    Every partition costs the base and what its blurred rows pay above it: the factor is that of these parts, and hence
    also one of the whole.
    """
    if partition.cost == problem.base_cost:
        return Solution(partition, Bound(partition.cost), factor=Fraction(1))
    least, most = row_costs(problem)
    fewest = least * least_blurred.cost
    if not fewest:
        return Solution(partition)
    bound = replace(least_blurred, cost=min(partition.cost, problem.base_cost + fewest))
    factor = Fraction(most * blurred, fewest)
    return Solution(partition, bound, factor=factor, factor_proof=least_blurred.arithmetic)


def row_costs(problem: Problem) -> tuple[int, int]:
    """Return what a row that is blurred costs at least and at most, in units, above what it would cost as it is."""
    least, most = [], 0
    for index, levels in enumerate(useful_levels(problem)):
        if len(levels) > 1:
            present = np.unique(problem.codes[:, index])
            costs = problem.costs[index][:, present]
            costs = costs - costs[0]
            least += [_least_wide(problem.columns[index].levels[h][present], costs[h]) for h in levels[1:]]
            most += int(costs[levels[-1]].max())
    return min(least, default=0), most


def _least_wide(labels: IntArray, costs: IntArray) -> int:
    """Return the least cost of a label that stands for more than one value; there is one at every useful level."""
    _, label, number = np.unique(labels, return_inverse=True, return_counts=True)
    return int(costs[number[label] > 1].min())
