"""Least reduced costs of legal groups, rounded down: linear inequalities that all legal groups obey."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from kilt.certificates.proof.evidence import PatternMultipliers
from kilt.certificates.proof.exact import of_rows
from kilt.certificates.proof.patterns import ProofPatterns
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, DiversityRule, Rules
from kilt.model.spaces import MatrixMetric, TreeMetric
from kilt.numbers import IntArray, max_abs, widen


class LinearProof:
    """Groups of at least so many rows under linear inequalities.

    A rule gives for every list of multipliers an inequality: its *slope* adds up to at most 0 over the rows of a legal
    group. So the reduced cost of a group is at least the multiplier of its size times the least size, plus what those
    rows add up to whose reduced cost, less that multiplier and plus the slope, is negative.
    """

    def __init__(
        self,
        problem: Problem,
        multipliers: PatternMultipliers,
        min_group_size: int,
        without: ClosenessRule | None = None,
    ) -> None:
        self.problem, self.multipliers, self.min_group_size = problem, multipliers, min_group_size
        self.families = cut_families(problem.rules)
        self.unit = math.lcm(problem.rows, *(family.unit for family in self.families))
        if len(multipliers.first) and multipliers.numbers.shape[1] != 1 + sum(family.width for family in self.families):
            raise InputError("the proof does not have one multiplier for all that the policy needs one for")
        self.counted = [not (isinstance(f, TreeClosenessCuts) and f.rule is without) for f in self.families]

    def least(self, patterns: ProofPatterns) -> IntArray:
        """Return for every pattern a lower bound on the reduced cost of a legal group; 0 if none is large enough."""
        reduced_cost = of_rows(patterns, self.min_group_size)
        place = patterns.places(self.multipliers)
        entry = np.full(len(patterns), -1)
        entry[place[place >= 0]] = np.flatnonzero(place >= 0)
        given = np.flatnonzero(entry >= 0)
        if len(given):
            numbers = self.multipliers.numbers[entry[given]]
            reduced_cost = stored(reduced_cost, given, self._sloped(patterns.some(given), numbers))
        return np.where(patterns.sums(patterns.counts) >= self.min_group_size, reduced_cost, 0)

    def slopes(self, patterns: ProofPatterns) -> IntArray:
        """Return what every pattern adds to the reduced costs of rows, by sensitive class, rounded down."""
        place = patterns.places(self.multipliers)
        slopes = np.zeros((len(patterns), len(self.problem.sensitive_totals)), dtype=np.int64)
        given = np.flatnonzero(place >= 0)
        if len(given) and any(self.counted):
            slope = self._slope(self.multipliers.numbers[given, 1:]) // self.unit
            slopes = stored(slopes, place[given], slope)
        return slopes

    def _sloped(self, patterns: ProofPatterns, numbers: IntArray) -> IntArray:
        size_multiplier, slope = np.maximum(numbers[:, 0], 0), self._slope(numbers[:, 1:])
        most = (max_abs(patterns.reduced_costs) + max_abs(size_multiplier)) * self.unit + max_abs(slope)
        size_multiplier = widen(size_multiplier, 2 * most * max(self.problem.rows, self.min_group_size))
        each = (patterns.reduced_costs - size_multiplier[patterns.owner]) * self.unit
        each = each + slope[patterns.owner, self.problem.sensitive_class[patterns.types]]
        total = patterns.sums(np.minimum(each, 0) * patterns.counts) + size_multiplier * self.min_group_size * self.unit
        return np.asarray(total // self.unit)

    def _slope(self, numbers: IntArray) -> IntArray:
        """Return the slope of every pattern by sensitive class, in units."""
        largest = max(1, max_abs(numbers))
        most = sum(family.most(largest) for family in self.families) * self.unit * 4 * self.problem.rows
        at, total = 0, np.zeros((len(numbers), len(self.problem.sensitive_totals)), dtype=np.int64)
        for family, counted in zip(self.families, self.counted, strict=True):
            mine = widen(numbers[:, at : at + family.width], most)
            at += family.width
            if counted:
                total = total + self.problem.by_value(family.column, family.slope(mine, self.unit))
        return total


class CutFamily(Protocol):
    """A rule as a family of inequalities, one for every list of ``width`` multipliers."""

    @property
    def column(self) -> int:
        """The sensitive column."""

    @property
    def width(self) -> int:
        """The number of multipliers."""

    @property
    def unit(self) -> int:
        """What makes all numbers whole."""

    def most(self, largest: int) -> int:
        """Return what no potential is larger than if no multiplier is larger than this."""

    def slope(self, numbers: IntArray, unit: int) -> IntArray:
        """Return what every value adds to the inequality, in units."""


@dataclass(frozen=True)
class TreeClosenessCuts:
    """Closeness in a tree: a multiplier for every edge; f changes by multiplier times length along it.

    So f never changes by more than theta times the distance, where theta is the largest multiplier, and f(X) - f(P) is
    at most t theta for a group X that is t-close to the table P.
    """

    rule: ClosenessRule
    ground: TreeMetric

    @property
    def column(self) -> int:
        """The sensitive column."""
        return self.rule.column

    @property
    def width(self) -> int:
        """One multiplier for every edge."""
        return len(self.ground.start)

    @property
    def unit(self) -> int:
        """What makes all numbers whole."""
        return self.rule.t.denominator * self.ground.scale * int(self.rule.reference.sum())

    def most(self, largest: int) -> int:
        """Return a bound on all potentials."""
        return int(largest * (sum(self.ground.weight.tolist()) + self.ground.scale))

    def slope(self, numbers: IntArray, unit: int) -> IntArray:
        """Return f - f(P) - t theta."""
        along = np.zeros((len(self.ground.order) + 1, len(numbers)), dtype=numbers.dtype)
        crossed = numbers.T * self.ground.weight[:, None]
        np.add.at(along, self.ground.start, crossed)
        np.subtract.at(along, self.ground.stop, crossed)
        potential = np.zeros((len(numbers), len(self.ground.order)), dtype=numbers.dtype)
        potential[:, self.ground.order] = np.cumsum(along[:-1], axis=0).T
        theta = np.abs(numbers).max(axis=1, initial=0)
        return _closeness_slope(self.rule, potential, unit // self.ground.scale, theta, unit)


@dataclass(frozen=True)
class SpaceClosenessCuts:
    """Closeness in any metric: a multiplier for every value is f itself; theta is the fastest that it changes."""

    rule: ClosenessRule
    ground: MatrixMetric

    @property
    def column(self) -> int:
        """The sensitive column."""
        return self.rule.column

    @property
    def width(self) -> int:
        """One multiplier for every value."""
        return len(self.ground.distance)

    @property
    def unit(self) -> int:
        """What makes all numbers whole."""
        return self.rule.t.denominator * int(self.rule.reference.sum())

    def most(self, largest: int) -> int:
        """Return a bound on all potentials."""
        return largest * 2 * self.ground.scale

    def slope(self, numbers: IntArray, unit: int) -> IntArray:
        """Return f - f(P) - t theta."""
        theta = np.zeros(len(numbers), dtype=numbers.dtype)
        for i, row in enumerate(self.ground.distance):
            for j, distance in enumerate(row[:i]):
                change = np.abs(numbers[:, i] - numbers[:, j]) * self.ground.scale
                theta = np.maximum(theta, -(-change // distance))
        return _closeness_slope(self.rule, numbers, unit, theta, unit)


def _closeness_slope(rule: ClosenessRule, potential: IntArray, each: int, theta: IntArray, unit: int) -> IntArray:
    """Return f - f(P) - t theta in units, where ``each`` unit makes one of the potential."""
    rows = int(rule.reference.sum())
    at_table = (potential * rule.reference).sum(axis=1) * (each // rows)
    limit = theta * (unit // rule.t.denominator) * rule.t.numerator
    return np.asarray(each * potential - (at_table + limit)[:, None])


@dataclass(frozen=True)
class ShareCuts:
    """No value has more than 1/l of the rows: a multiplier g that is not negative for every value; l g - sum(g)."""

    column: int
    width: int
    l: Fraction

    @property
    def unit(self) -> int:
        """What makes all numbers whole."""
        return self.l.denominator

    def most(self, largest: int) -> int:
        """Return a bound on all potentials."""
        return largest * (self.width + math.ceil(self.l))

    def slope(self, numbers: IntArray, unit: int) -> IntArray:
        """Return l g - sum(g)."""
        g = np.maximum(numbers, 0)
        return np.asarray(g * (unit // self.l.denominator * self.l.numerator) - unit * g.sum(axis=1)[:, None])


def cut_families(rules: Rules) -> list[CutFamily]:
    """Return the rules that are proved with linear inequalities, in their order."""
    families: list[CutFamily] = []
    for rule in rules:
        if isinstance(rule, ClosenessRule) and isinstance(rule.ground, TreeMetric):
            families.append(TreeClosenessCuts(rule, rule.ground))
        elif isinstance(rule, ClosenessRule) and isinstance(rule.ground, MatrixMetric):
            families.append(SpaceClosenessCuts(rule, rule.ground))
        elif isinstance(rule, DiversityRule) and (cap := rule.form.cap(rule.l)) is not None:
            families.append(ShareCuts(rule.column, rule.values, cap))
    return families


def stored(values: IntArray, places: IntArray, found: IntArray) -> IntArray:
    """Put numbers into their places, in a type that holds them."""
    values = values.astype(object) if found.dtype == object else values
    values[places] = found
    return values
