"""Least reduced costs of groups of one size in a tree, in integers: a sweep over nested sets of classes.

An edge of the tree cuts off some sensitive classes. If the table has R of its n rows beyond it, and a group of N rows
has C, then the edge carries |n C - R N|, and the *work* is the sum of that times the weights of the edges. Where work
costs theta, the costs of further rows beyond an edge never fall: they are those of its classes and of the edges among
these, sorted, and each is raised by what this edge adds. So the N least of them, where all rows are beyond, are those
of the cheapest group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kilt.certificates.proof.units import Lines
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule
from kilt.model.spaces import TreeMetric
from kilt.numbers import BoolArray, IntArray, max_abs, widen


@dataclass(frozen=True)
class NestedShares:
    """What a group of each size may carry over the edges of a tree.

    ``leaves`` are the sensitive classes in order. An edge cuts off those between two places: ``edges`` has these pairs
    in the order in which they end, inner ones first. Beyond an edge are ``totals`` of the table's ``rows`` rows, and
    its weight is ``weight``; ``scale`` of that is a distance of 1. Edges that cut off no class are ``idle``: what they
    carry depends on the size alone.
    """

    leaves: IntArray
    edges: IntArray
    totals: IntArray
    weight: IntArray
    idle: BoolArray
    rows: int
    scale: int
    t: Fraction

    @classmethod
    def of(cls, problem: Problem, rule: ClosenessRule) -> NestedShares:
        """Find the edges of a rule in a tree, and what the table has beyond them."""
        ground = rule.ground
        if not isinstance(ground, TreeMetric):
            raise AssertionError("only a tree is nested")
        place = np.empty(len(ground.order), dtype=np.int64)
        place[ground.order] = np.arange(len(place))
        of_class = place[problem.sensitive_values[:, rule.column]]
        leaves = np.argsort(of_class, kind="stable")
        ends = np.column_stack([np.searchsorted(of_class[leaves], at) for at in (ground.start, ground.stop)])
        sums = np.concatenate([[0], np.cumsum(rule.reference[ground.order])])
        totals = (sums[ground.stop] - sums[ground.start]).astype(np.int64)
        idle = ends[:, 0] == ends[:, 1]
        return cls(leaves, ends, totals, ground.weight, idle, int(rule.reference.sum()), ground.scale, rule.t)

    @property
    def order(self) -> IntArray:
        """The edges that are not idle, in the order in which they end, inner ones first."""
        order = np.lexsort((-self.edges[:, 0], self.edges[:, 1]))
        return order[~self.idle[order]]

    def allowed(self, size: int) -> int:
        """Return how much work a close group may need, besides that of idle edges."""
        idle = sum((self.weight[self.idle].astype(object) * self.totals[self.idle] * size).tolist())
        return self.t.numerator * self.scale * self.rows * size // self.t.denominator - int(idle)

    def possible(self, size: int) -> bool:
        """Say whether any close group can have this size: at best every edge carries a part of a row."""
        part = self.totals * size % self.rows
        least = np.minimum(part, self.rows - part).astype(object) * self.weight
        return bool(sum(least[~self.idle].tolist()) <= self.allowed(size))

    def most(self, size: int) -> IntArray:
        """Return how many rows of each class a close group can have."""
        return np.full(len(self.leaves), size)

    def legal(self, lines: Lines, size: int) -> BoolArray:
        """Say whether so many rows of each line can need as little work as a close group may."""
        free = replace(lines, reduced_costs=np.zeros_like(lines.reduced_costs))
        unit = np.full(len(lines.inside), self.rows * self.scale)
        return self.least(free, unit, size) <= 0

    def least(self, lines: Lines, theta: IntArray, size: int) -> IntArray:
        """Return a lower bound on the reduced cost of a close group, where work costs theta."""
        unit = self.rows * self.scale
        steepest = sum(self.weight.tolist()) * self.rows * int(theta.max())
        largest = max_abs(lines.reduced_costs) * unit + steepest
        far, theta = 4 * largest + 1, widen(theta, 8 * largest * (size + 1))
        runs, first, before = list[IntArray](), list[int](), np.zeros(len(lines.inside), dtype=theta.dtype)
        blocks, order, at = _Blocks(lines, size), self.order, 0
        for k, leaf in enumerate(self.leaves.tolist()):
            first.append(len(runs))
            runs.append(blocks.of_class(leaf, unit, far, theta.dtype))
            while at < len(order) and self.edges[order[at], 1] == k + 1:
                e = order[at]
                from_run = first[self.edges[e, 0]]
                merged = _sorted(runs[from_run:], size)
                carried = self.weight[e] * np.abs(self.rows * np.arange(merged.shape[1] + 1) - self.totals[e] * size)
                carried = widen(carried, 8 * largest * (size + 1))
                before = before + theta * carried[0]
                runs[from_run:] = [merged + theta[:, None] * np.diff(carried)]
                at += 1
        total = _sorted(runs, size)
        return np.asarray((before + total.sum(axis=1) - theta * self.allowed(size)) // unit)


class _Blocks:
    """The rows of each class in lines, cheap ones first, no more than a group has."""

    def __init__(self, lines: Lines, size: int) -> None:
        self.lines = lines
        line, place = np.nonzero(lines.inside & (lines.rank < size))
        value = lines.value[line, place]
        order = np.argsort(value, kind="stable")
        self.line, self.place, self.value = line[order], place[order], value[order]

    def of_class(self, leaf: int, unit: int, far: int, dtype: np.dtype) -> IntArray:
        """Return the costs of the rows of a class in units, far more where there are none."""
        begin, end = np.searchsorted(self.value, [leaf, leaf + 1])
        line, place = self.line[begin:end], self.place[begin:end]
        rank = self.lines.rank[line, place]
        found = np.full((len(self.lines.inside), int(rank.max(initial=-1)) + 1), far, dtype=dtype)
        found[line, rank] = self.lines.reduced_costs[line, place].astype(dtype) * unit
        return found


def _sorted(runs: list[IntArray], size: int) -> IntArray:
    """Merge runs, and keep no more than a group has."""
    if len(runs) == 1:
        return runs[0]
    together = np.concatenate(runs, axis=1)
    together.sort(axis=1)
    return together[:, :size]


def is_nested(ground: TreeMetric) -> bool:
    """Say whether of any two edges one cuts off all that the other does, or nothing of it."""
    start, stop = ground.start[:, None], ground.stop[:, None]
    return not ((start < ground.start) & (ground.start < stop) & (stop < ground.stop)).any()
