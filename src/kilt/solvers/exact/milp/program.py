"""The pattern program: the paper's mixed integer program in its smaller equivalent form.

A variable says how many copies of a row type are released under a pattern. Only closed patterns that
can hold a legal group take part. Closeness needs one variable per edge of a tree metric and pattern, and
flows only for a general metric; forms of diversity that are not linear are cut off where they are violated.
``docs/solvers/milp.md`` has the program and why it is equivalent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kilt.model.diversity import Distinct, Entropy, Frequency, Recursive
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, DiversityRule
from kilt.model.spaces import MatrixMetric, TreeMetric
from kilt.numbers import FloatArray, IntArray
from kilt.patterns.pool import Pool
from kilt.solvers.exact.milp.rows import INFINITE, Rows


@dataclass
class Program:
    """Variables and rows: first the copies (one per entry of the pool), then one opening per pattern, then others."""

    problem: Problem
    pool: Pool
    cost: FloatArray = field(init=False)
    upper: FloatArray = field(init=False)
    whole: list[IntArray] = field(default_factory=list)
    rows: Rows = field(default_factory=Rows)
    variables: int = 0

    def __post_init__(self) -> None:
        problem, pool = self.problem, self.pool
        self.owner = pool.owner
        self.entries = len(pool.types)
        self.left = problem.counts[pool.types].astype(np.float64)
        self.copies = np.arange(self.entries)
        self.openings = self.entries + np.arange(len(pool))
        self.variables = self.entries + len(pool)
        self.others: list[FloatArray] = []
        self._cover()
        self._open()
        for rule in problem.rules:
            if isinstance(rule, ClosenessRule):
                self._close(rule)
            elif isinstance(rule, DiversityRule):
                self._diversify(rule)

    def _new(self, count: int, upper: float = INFINITE) -> IntArray:
        """Add variables from 0 to ``upper``."""
        self.others.append(np.full(count, upper))
        self.variables += count
        return np.arange(self.variables - count, self.variables)

    def limits(self) -> FloatArray:
        """Return the upper limit of every variable; all lower ones are 0."""
        return np.concatenate([self.left, np.ones(len(self.pool)), *self.others])

    def objective(self) -> FloatArray:
        """Return what every variable costs, in units."""
        cost = np.zeros(self.variables)
        cost[: self.entries] = self.pool.cost[self.owner]
        return cost

    def integral(self) -> IntArray:
        """Return the variables that must be whole: for k alone the openings suffice, the rest is a transportation."""
        return self.openings if self.problem.rules.is_k_anonymity else np.arange(self.entries + len(self.pool))

    def _cover(self) -> None:
        """Every copy of a row type is released under one pattern."""
        counts = self.problem.counts.astype(np.float64)
        rows = self.rows.new(len(counts), counts, counts)
        self.rows.add(rows[self.pool.types], self.copies, 1.0)

    def _open(self) -> None:
        """A pattern is open if it is used, and then it has rows enough."""
        linked = self.rows.new(self.entries, upper=0.0)
        self.rows.add(linked, self.copies, 1.0)
        self.rows.add(linked, self.openings[self.owner], -self.left)
        sized = self.rows.new(len(self.pool), lower=0.0)
        self.rows.add(sized[self.owner], self.copies, 1.0)
        self.rows.add(sized, self.openings, -float(self.problem.rules.min_group_size))

    def _values(self, column: int) -> IntArray:
        return np.asarray(self.problem.sensitive[self.pool.types, column])

    def _close(self, rule: ClosenessRule) -> None:
        ground, size = rule.ground, len(rule.reference)
        share = rule.reference / rule.reference.sum()
        limit = float(rule.t) * ground.scale
        budget = self.rows.new(len(self.pool), upper=0.0)
        self.rows.add(budget[self.owner], self.copies, -limit)
        if isinstance(ground, TreeMetric):
            weight = np.array([float(w) for w in ground.weight.tolist()])
            for start, stop, each in zip(ground.start, ground.stop, weight, strict=True):
                inside = np.zeros(size)
                inside[ground.order[start:stop]] = 1
                self._crossing(rule.column, inside - float(inside @ share), budget, each)
        elif isinstance(ground, MatrixMetric):
            self._flows(rule.column, share, np.array(ground.distance, dtype=np.float64), budget)

    def _crossing(self, column: int, slope: FloatArray, budget: IntArray, weight: float) -> None:
        """One variable per pattern that is at least the absolute sum of slopes over the rows of its group."""
        crossing = self._new(len(self.pool))
        self.rows.add(budget, crossing, weight)
        for sign in (1.0, -1.0):
            rows = self.rows.new(len(self.pool), lower=0.0)
            self.rows.add(rows, crossing, 1.0)
            self.rows.add(rows[self.owner], self.copies, sign * slope[self._values(column)])

    def _flows(self, column: int, share: FloatArray, distance: FloatArray, budget: IntArray) -> None:
        """A flow from the counts of each group to those of the table, within the budget."""
        size, patterns = len(share), len(self.pool)
        flow = self._new(patterns * size * size).reshape(patterns, size, size)
        leaves = self.rows.new(patterns * size, 0.0, 0.0).reshape(patterns, size)
        arrives = self.rows.new(patterns * size, 0.0, 0.0).reshape(patterns, size)
        self.rows.add(leaves[self.owner, self._values(column)], self.copies, -1.0)
        for i in range(size):
            self.rows.add(arrives[self.owner, i], self.copies, -share[i])
            for j in range(size):
                self.rows.add(leaves[:, i], flow[:, i, j], 1.0)
                self.rows.add(arrives[:, j], flow[:, i, j], 1.0)
                self.rows.add(budget, flow[:, i, j], distance[i, j])

    def _diversify(self, rule: DiversityRule) -> None:
        values, size = self._values(rule.column), self.problem.sizes[rule.column]
        if isinstance(rule.form, Frequency):
            for value in range(size):
                rows = self.rows.new(len(self.pool), upper=0.0)
                self.rows.add(rows[self.owner], self.copies, np.where(values == value, float(rule.l), 0.0) - 1.0)
        else:  # at least l values in an open pattern; exact for the distinct form, necessary for the others
            present = self._new(len(self.pool) * size, 1.0).reshape(len(self.pool), size)
            backed = self.rows.new(present.size, upper=0.0).reshape(present.shape)
            self.rows.add(backed.ravel(), present.ravel(), 1.0)
            self.rows.add(backed[self.owner, values], self.copies, -1.0)
            enough = self.rows.new(len(self.pool), lower=0.0)
            self.rows.add(np.repeat(enough, size), present.ravel(), 1.0)
            self.rows.add(enough, self.openings, -float(math.ceil(rule.l)))

    def cut_off(self, pattern: int, counts: tuple[IntArray, ...]) -> bool:
        """Add rows that a group of this pattern, given by its counts, violates though no legal group does."""
        found = False
        for rule in self.problem.rules:
            if not isinstance(rule, DiversityRule) or isinstance(rule.form, Frequency | Distinct):
                continue
            count = counts[rule.column]
            if rule.form.meets(count[None, :], rule.l)[0]:
                continue
            slopes, strict = _slopes(rule, count)
            mine = np.flatnonzero(self.owner == pattern)
            row = self.rows.new(1, upper=0.0)
            self.rows.add(np.repeat(row, len(mine)), self.copies[mine], slopes[self._values(rule.column)[mine]])
            self.rows.add(row, self.openings[[pattern]], strict)
            found = True
        return found


def _slopes(rule: DiversityRule, count: IntArray) -> tuple[FloatArray, float]:
    """Return a linear inequality (slopes times counts, plus a constant for an open pattern, is at most 0)."""
    if isinstance(rule.form, Recursive):
        order = np.argsort(-count, kind="stable")
        slopes = np.zeros(len(count))
        slopes[order[int(rule.l) - 1 :]] -= rule.form.c.numerator
        slopes[order[0]] += rule.form.c.denominator
        return slopes, 1.0
    if not isinstance(rule.form, Entropy):
        raise AssertionError(f"no cut is known for {rule}")
    floor = 0.5
    while True:  # the tangent at a point near the counts; any tangent of a concave function holds everywhere
        point = np.maximum(count, floor)
        slopes = math.log(float(rule.l)) - np.log(point.sum() / point)
        if float(slopes @ count) > 1e-6 or floor < 1e-12:
            return slopes - 1e-12, 0.0
        floor /= 10


def groups_of(program: Program, copies: IntArray) -> Iterator[tuple[int, tuple[IntArray, ...]]]:
    """Yield the patterns that are used, with the counts of their sensitive values."""
    used = np.flatnonzero(np.bincount(program.owner, copies, len(program.pool)))
    for pattern in used:
        mine = np.flatnonzero(program.owner == pattern)
        yield (
            int(pattern),
            tuple(
                np.bincount(program._values(column)[mine], copies[mine], size).astype(np.int64)
                for column, size in enumerate(program.problem.sizes)
            ),
        )
