"""The paper's mixed integer program for t-closeness as it stands, without anything that makes it smaller.

``x(v*, v, s)`` says how many copies of the row type (v, s) are released as v*, for every v* that generalises v, whether
or not a legal group fits there. ``g(v*, i, j)`` moves the counts of the sensitive values of v* to those of the table,
for every v* and every two values, whatever the metric. ``docs/solvers/paper_milp.md`` has the program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np

from kilt.model.patterns import buckets, costs_of
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule
from kilt.numbers import FloatArray, IntArray
from kilt.solvers.exact.milp.rows import INFINITE, Rows


@dataclass(frozen=True)
class Sizes:
    """How many copies, patterns and flows the program has, or at most has."""

    copies: int
    patterns: int
    flows: int

    @property
    def variables(self) -> int:
        """Copies and flows."""
        return self.copies + self.flows


def sizes(problem: Problem, *, with_empty: bool = False) -> Sizes:
    """Bound the size of the program without writing it down; with empty patterns, it is the size."""
    copies = len(problem.counts) * math.prod(len(column.levels) for column in problem.columns)
    every = math.prod(_labels(problem, index) for index in range(len(problem.columns)))
    patterns = every if with_empty else min(every, copies)
    return Sizes(copies, patterns, patterns * _pairs(problem))


def _labels(problem: Problem, index: int) -> int:
    """Return how many labels a column has, at all its levels together: the values that occur, and what they become."""
    present = np.unique(problem.codes[:, index])
    return sum(len(np.unique(codes[present])) for codes in problem.columns[index].levels)


def closeness_rules(problem: Problem) -> list[ClosenessRule]:
    """Return the rules that ask for t-closeness."""
    return [rule for rule in problem.rules if isinstance(rule, ClosenessRule)]


def _pairs(problem: Problem) -> int:
    return sum(len(rule.reference) ** 2 for rule in closeness_rules(problem))


@dataclass
class PaperProgram:
    """Variables and rows: first the copies x, then the flows g of each rule.

    ``with_empty`` adds the flows of patterns that generalise no row of the table, all of which must be 0.
    """

    problem: Problem
    with_empty: bool = False
    rows: Rows = field(default_factory=Rows)

    def __post_init__(self) -> None:
        self.pattern, self.row_type, self.cost = _copies(self.problem)
        self.patterns = int(self.pattern.max()) + 1
        if self.with_empty:
            self.patterns = sizes(self.problem, with_empty=True).patterns
        self.copies = np.arange(len(self.row_type))
        self.variables = len(self.copies)
        self._cover()
        for rule in closeness_rules(self.problem):
            self._move(rule)

    @property
    def sizes(self) -> Sizes:
        """How many variables there are."""
        return Sizes(len(self.copies), self.patterns, self.variables - len(self.copies))

    @cached_property
    def objective(self) -> FloatArray:
        """What every variable costs, in units: C(v*) for a copy, nothing for a flow."""
        return np.concatenate([self.cost.astype(np.float64), np.zeros(self.variables - len(self.copies))])

    def _cover(self) -> None:
        """Every copy of a row type is released in one way."""
        counts = self.problem.counts.astype(np.float64)
        rows = self.rows.new(len(counts), counts, counts)
        self.rows.add(rows[self.row_type], self.copies, 1.0)

    def _move(self, rule: ClosenessRule) -> None:
        """The flows of every pattern start from its counts, end at its share of the table's, and cost at most t."""
        values, patterns = len(rule.reference), self.patterns
        flow = self.variables + np.arange(patterns * values * values).reshape(patterns, values, values)
        self.variables += flow.size
        leave = self.rows.new(patterns * values, 0.0, 0.0).reshape(patterns, values)
        arrive = self.rows.new(patterns * values, 0.0, 0.0).reshape(patterns, values)
        budget = self.rows.new(patterns, upper=0.0)
        self.rows.add(leave[self.pattern, self.problem.sensitive[self.row_type, rule.column]], self.copies, -1.0)
        self.rows.add(budget[self.pattern], self.copies, -float(rule.t))
        distance = distances(rule)
        for i, j in product(range(values), repeat=2):
            self.rows.add(leave[:, i], flow[:, i, j], 1.0)
            self.rows.add(arrive[:, j], flow[:, i, j], float(self.problem.rows))
            self.rows.add(budget, flow[:, i, j], distance[i, j])
        for j in range(values):
            self.rows.add(arrive[self.pattern, j], self.copies, -float(rule.reference[j]))

    def limits(self) -> FloatArray:
        """Return the upper limit of every variable: there is none."""
        return np.full(self.variables, INFINITE)


def _copies(problem: Problem) -> tuple[IntArray, IntArray, IntArray]:
    """Return for every row type and each of its patterns: the pattern, the row type, the cost of a copy."""
    every = np.arange(len(problem.counts))
    pattern, row_type, cost, patterns = [], [], [], 0
    for levels in product(*(range(len(column.levels)) for column in problem.columns)):
        found = buckets(problem, levels, every)
        pattern.append(patterns + found.owner)
        row_type.append(found.values)
        cost.append(costs_of(problem, found.values, np.broadcast_to(levels, (len(every), len(levels)))))
        patterns += len(found)
    return np.concatenate(pattern), np.concatenate(row_type), np.concatenate(cost)


def distances(rule: ClosenessRule) -> FloatArray:
    """Return the distance between any two values: the work of moving one row from the one to the other."""
    values = len(rule.reference)
    moved = np.eye(values, dtype=np.int64)
    pairs = (moved[:, None, :] - moved[None, :, :]).reshape(-1, values)
    work = np.array([int(w) / rule.ground.scale for w in rule.ground.work(pairs)])
    return work.reshape(values, values)
