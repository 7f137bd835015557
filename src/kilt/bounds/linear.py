"""The oracle for all linear inequalities that legal groups obey: closeness in any space, and caps on shares.

If f never changes by more than the distance of two values, a group X that is t-close to the table P has
f(X) - f(P) <= t: the *slope* f - f(P) - t adds up to at most 0 over its rows. A value that may have at most 1/l of the
rows gives the slope l - 1 for itself and -1 for all others. Weighted sums of slopes are slopes. Each pattern has one,
whose weights follow its groups of least reduced cost: towards the inequalities that these violate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from kilt.bounds.incidence import Incidence
from kilt.certificates.proof.evidence import Evidence, PatternMultipliers
from kilt.certificates.proof.pair_limits import PairLimits
from kilt.kernels.bounds.linear import SlopedGroups
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, DiversityRule, Rules
from kilt.model.spaces import MatrixMetric, TreeMetric
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.run.threads import CHUNKS, PerThread, for_each_chunk, taken_by


@dataclass(frozen=True)
class Params:
    """How the weights of inequalities are improved."""

    rounds: int = 2  # evaluations for each step of the multipliers: the weights change between them
    first_step: float = 0.15  # of a weight, above the last one
    last_step: float = 0.01  # weights never stop moving, because the multipliers do not
    halving_steps: int = 40  # after so many the step is half of the first
    max_edges: int = 128  # of a space; edges beyond that share weights, so that large spaces stay fast


PARAMS = Params()


class AdamSteps:
    """Steps of about the same size for the weights of patterns, whatever the size of their gradients (Adam)."""

    def __init__(self, patterns: int, width: int) -> None:
        self.mean = np.zeros((patterns, width))
        self.square = np.zeros((patterns, width))
        self.age = np.zeros((patterns, 1))

    def step(self, patterns: IntArray, gradient: FloatArray) -> FloatArray:
        """Return the steps of some patterns along these gradients."""
        self.age[patterns] += 1
        age = self.age[patterns]
        self.mean[patterns] += 0.3 * (gradient - self.mean[patterns])
        self.square[patterns] += 0.1 * (gradient**2 - self.square[patterns])
        mean, square = self.mean[patterns] / (1 - 0.7**age), self.square[patterns] / (1 - 0.9**age)
        return np.asarray(
            (PARAMS.last_step + PARAMS.first_step / (1 + age / PARAMS.halving_steps)) * mean / (np.sqrt(square) + 1e-6)
        )


class CutFamily(Protocol):
    """A rule as a family of inequalities, one for every list of weights."""

    column: int

    def slope(self, patterns: IntArray) -> FloatArray:
        """Return the slopes of some patterns, value by value."""

    def tighten(self, patterns: IntArray, shares: FloatArray) -> None:
        """Move the weights of some patterns towards the inequalities that these shares of values violate."""

    def multipliers(self, patterns: IntArray, theta: FloatArray) -> FloatArray:
        """Return the multipliers of some patterns, in the form of a proof."""


class ClosenessCuts:
    """Closeness: a weight between -1 and 1 for every edge of the space, and one for the rule as a whole.

    A space that is no tree is bounded by one: the largest tree of clusters in which no two values are farther apart.
    """

    def __init__(self, rule: ClosenessRule, patterns: int, alone: bool) -> None:
        self.column = rule.column
        self.rule, self.alone = rule, alone
        self.share = rule.reference / rule.reference.sum()
        self.edges = edges_of(rule)  # what each adds to the potential, value by value
        self.group = np.arange(len(self.edges)) * min(PARAMS.max_edges, len(self.edges)) // max(1, len(self.edges))
        self.directions = np.zeros((int(self.group.max(initial=0)) + 1, len(self.share)))
        np.add.at(self.directions, self.group, self.edges)
        self.weights = np.zeros((patterns, len(self.directions)))
        self.whole = np.ones((patterns, 1))
        self.weight_steps, self.whole_steps = AdamSteps(patterns, len(self.directions)), AdamSteps(patterns, 1)

    def slope(self, patterns: IntArray) -> FloatArray:
        """Return f - f(P) - t."""
        potential = self.weights[patterns] @ self.directions
        return np.asarray(self.whole[patterns] * (potential - (potential @ self.share)[:, None] - float(self.rule.t)))

    def tighten(self, patterns: IntArray, shares: FloatArray) -> None:
        """Raise the weights of edges that too many of the group's rows are behind, lower those with too few."""
        over = (shares - self.share) @ self.directions.T
        violation = (self.weights[patterns] * over).sum(axis=1, keepdims=True) - float(self.rule.t)
        weights = self.weights[patterns] + self.weight_steps.step(patterns, over)
        self.weights[patterns] = np.clip(weights, -1, 1)
        if not self.alone:
            whole = self.whole[patterns] + self.whole_steps.step(patterns, violation)
            self.whole[patterns] = np.clip(whole, 1e-3, 1)

    def multipliers(self, patterns: IntArray, theta: FloatArray) -> FloatArray:
        """Return the weights of edges, or the potential itself in a space that is no tree."""
        weights = (theta[:, None] * self.whole[patterns]) * self.weights[patterns]
        return weights @ self.directions if isinstance(self.rule.ground, MatrixMetric) else weights[:, self.group]


class ShareCuts:
    """No value has more than 1/l of the rows: a weight between 0 and 1 for every value."""

    def __init__(self, column: int, l: float, patterns: int, values: int) -> None:
        self.column, self.l = column, l
        self.weights = np.zeros((patterns, values))
        self.steps = AdamSteps(patterns, values)

    def slope(self, patterns: IntArray) -> FloatArray:
        """Return l for a value, less 1 for all, weighted and added up."""
        weights = self.weights[patterns]
        return np.asarray(self.l * weights - weights.sum(axis=1, keepdims=True))

    def tighten(self, patterns: IntArray, shares: FloatArray) -> None:
        """Raise the weights of values that are too frequent."""
        step = self.steps.step(patterns, self.l * shares - 1)
        self.weights[patterns] = np.clip(self.weights[patterns] + step, 0, 1)

    def multipliers(self, patterns: IntArray, theta: FloatArray) -> FloatArray:
        """Return the weights."""
        return np.asarray(theta[:, None] * self.weights[patterns])


def cut_families(rules: Rules, patterns: int) -> list[CutFamily]:
    """Return the families of inequalities that the rules give, in the order of the rules."""
    families: list[CutFamily] = []
    alone = sum(isinstance(rule, ClosenessRule | DiversityRule) for rule in rules) == 1
    for rule in rules:
        if isinstance(rule, ClosenessRule):
            families.append(ClosenessCuts(rule, patterns, alone))
        elif isinstance(rule, DiversityRule) and (cap := rule.form.cap(rule.l)) is not None:
            families.append(ShareCuts(rule.column, float(cap), patterns, rule.values))
    return families


class OtherCuts:
    """The inequalities of all rules but one, added up for every pattern and weighted by its ``strength``.

    What they add to the reduced cost of a row of each sensitive class is ``slope``, in multipliers like the strength;
    ``star`` multipliers are a star. Where the rule can only be bounded alone, they are left out.
    """

    def __init__(self, problem: Problem, patterns: int, without: ClosenessRule, star: float, alone: bool) -> None:
        self.problem, self.without, self.star = problem, without, star
        self.families = cut_families(problem.rules, patterns)
        self.others = [] if alone else [f for f in self.families if getattr(f, "rule", None) is not without]
        self.strength, self.steps = np.zeros((patterns, 1)), AdamSteps(patterns, 1)
        self.slope = np.zeros((patterns, len(problem.sensitive_totals)) if self.others else (0, 0))
        self.pair = PairLimits.of(problem, without) if self.others else None

    def tighten(self, patterns: IntArray, by_class: FloatArray) -> None:
        """Move the weights of some patterns towards the inequalities that their groups violate."""
        if not self.others:
            return
        slope, rows = np.zeros((len(patterns), self.slope.shape[1])), by_class.sum(axis=1, keepdims=True)
        for family in self.others:
            counts = np.zeros((len(patterns), self.problem.sizes[family.column]))
            for c, value in enumerate(self.problem.sensitive_values[:, family.column].tolist()):
                counts[:, value] += by_class[:, c]
            family.tighten(patterns, counts / np.maximum(rows, 1e-9))
            slope += self.problem.by_value(family.column, family.slope(patterns))
        violation = ((slope * by_class).sum(axis=1, keepdims=True) - self._most(slope, rows)) / np.maximum(rows, 1e-9)
        strength = self.strength[patterns] + self.star * self.steps.step(patterns, violation)
        self.strength[patterns] = np.maximum(strength, 0)
        self.slope[patterns] = self.strength[patterns] * slope

    def _most(self, slope: FloatArray, rows: FloatArray) -> FloatArray:
        """Return what slopes add up to at most in legal groups of so many rows."""
        if self.pair is None:
            return np.zeros_like(rows)
        first, second = slope[:, [self.pair.classes[0]]], slope[:, [self.pair.classes[1]]]
        numbers = np.array([self.pair.numbers(size) for size in np.rint(rows).astype(int).ravel().tolist()])
        numbers = numbers.reshape(-1, 2)
        return np.asarray(((rows - numbers) * first + numbers * second).max(axis=1, keepdims=True))

    def alone(self, patterns: IntArray) -> IntArray:
        """Return the multipliers of some patterns without those of the rule."""
        return self.numbers(patterns, np.zeros(len(patterns)), np.zeros((len(patterns), len(edges_of(self.without)))))

    def numbers(self, patterns: IntArray, size_multiplier: FloatArray, of_rule: FloatArray) -> IntArray:
        """Return the multipliers of some patterns in the form of a proof, given those of the size and of the rule."""
        strength, found = self.strength[patterns].ravel(), list[FloatArray]()
        for family in self.families:
            is_rule = isinstance(family, ClosenessCuts) and family.rule is self.without
            found.append(of_rule if is_rule else family.multipliers(patterns, strength))
        return np.rint(np.hstack([size_multiplier[:, None], *found])).astype(np.int64)


def has_cuts(rules: Rules) -> bool:
    """Say whether some rule gives inequalities."""
    return bool(cut_families(rules, 0))


@dataclass
class LinearOracle:
    """Groups of at least so many rows under all linear inequalities of the policy: a relaxation, in floats."""

    incidence: Incidence
    min_group_size: int
    families: Sequence[CutFamily]
    theta: FloatArray
    size_multiplier: FloatArray
    mix: FloatArray
    slope: FloatArray
    effort = 8
    period = 1
    proof_effort = 0
    judges_legality = False

    @classmethod
    def of(cls, incidence: Incidence, min_group_size: int) -> LinearOracle:
        """Start with all weights 0."""
        patterns, classes = len(incidence.pool), len(incidence.problem.sensitive_totals)
        theta, size_multiplier, mix = np.zeros(patterns), np.zeros(patterns), np.zeros((patterns, 3))
        families = cut_families(incidence.problem.rules, patterns)
        return cls(incidence, min_group_size, families, theta, size_multiplier, mix, np.zeros((patterns, classes)))

    def least(self, multipliers: IntArray, everywhere: bool = True) -> tuple[float, FloatArray]:  # noqa: ARG002
        """Return the sum of the negative least reduced costs, and how many copies of each row type the groups hold."""
        reduced_costs = self.reduced_costs(multipliers, self.incidence.active(multipliers))
        return float(reduced_costs.sum()), self.taken(multipliers, reduced_costs < 0)

    def reduced_costs(self, multipliers: IntArray, active: BoolArray, rounds: int = PARAMS.rounds) -> FloatArray:
        """Return the least reduced cost of each active pattern, or 0; between rounds the weights are improved."""
        groups, reduced_costs, by_class = self._groups, np.zeros(len(self.theta)), np.zeros_like(self.slope)

        def find(chunk: int) -> None:
            groups.mine.find(chunk, CHUNKS, multipliers, active, reduced_costs, by_class)

        for left in reversed(range(rounds)):
            for_each_chunk(len(reduced_costs), find)
            if left:
                self._tighten(np.flatnonzero(reduced_costs < 0), by_class)
        return reduced_costs

    def _tighten(self, patterns: IntArray, by_class: FloatArray) -> None:
        problem = self.incidence.problem
        self.slope[patterns] = 0
        for family in self.families:
            counts = np.zeros((len(patterns), problem.sizes[family.column]))
            for c, value in enumerate(problem.sensitive_values[:, family.column].tolist()):
                counts[:, value] += by_class[patterns, c]
            family.tighten(patterns, counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-9))
            self.slope[patterns] += problem.by_value(family.column, family.slope(patterns))

    def near(self, multipliers: IntArray, most: float) -> BoolArray:
        """Mark the patterns that have a large enough group with a reduced cost of at most so many stars."""
        return self.incidence.near(multipliers, most)

    def taken(self, multipliers: IntArray, wanted: BoolArray) -> FloatArray:
        """Return how many copies of each row type are in the groups of least reduced cost of the wanted patterns."""
        groups = self._groups

        def take(chunk: int, taken: FloatArray) -> None:
            groups.mine.take(chunk, CHUNKS, multipliers, wanted, taken)

        return taken_by(len(self.theta), len(multipliers), take)

    @cached_property
    def _groups(self) -> PerThread[SlopedGroups]:
        given = (self.incidence.covers, self.min_group_size, self.slope, self.theta, self.size_multiplier, self.mix)
        return PerThread(lambda: SlopedGroups(*given))

    def evidence(self, multipliers: IntArray) -> Evidence:
        """Return the multipliers of row types, with those of patterns that go with them."""
        active = self.incidence.active(multipliers)
        self.reduced_costs(multipliers, active, 1)
        return Evidence(
            self.incidence.columns, multipliers, self.incidence.scale, linear_multipliers=self.multipliers(active)
        )

    def multipliers(self, active: BoolArray) -> PatternMultipliers:
        """Return the multipliers of active patterns that have some."""
        patterns = np.flatnonzero(active & (self.theta > 0))
        theta = self.theta[patterns]
        numbers = [
            self.size_multiplier[patterns, None],
            *(family.multipliers(patterns, theta) for family in self.families),
        ]
        return pattern_multipliers(self.incidence, patterns, np.rint(np.hstack(numbers)).astype(np.int64))


def pattern_multipliers(incidence: Incidence, patterns: IntArray, numbers: IntArray) -> PatternMultipliers:
    """Name patterns as a proof does: by their level vector and their first row type."""
    pool = incidence.pool
    first = np.minimum.reduceat(pool.types, pool.starts[:-1]) if len(pool) else pool.types[:0]
    vectors, vector = np.unique(pool.levels[patterns], axis=0, return_inverse=True)
    return PatternMultipliers(tuple(map(tuple, vectors.tolist())), vector.ravel(), first[patterns], numbers)


def joined(*parts: PatternMultipliers) -> PatternMultipliers:
    """Return the multipliers of different patterns together."""
    some = [part for part in parts if len(part.first)]
    if not some:
        return PatternMultipliers()
    vectors = tuple(sorted({levels for part in some for levels in part.vectors}))
    places = [np.array([vectors.index(levels) for levels in part.vectors])[part.vector] for part in some]
    first, numbers = np.concatenate([part.first for part in some]), np.vstack([part.numbers for part in some])
    return PatternMultipliers(vectors, np.concatenate(places), first, numbers)


def edges_of(rule: ClosenessRule) -> FloatArray:
    """Return for every edge of a tree what it adds to the potential of each value."""
    ground = rule.ground
    if isinstance(ground, TreeMetric):
        edges = np.zeros((len(ground.start), len(ground.order)))
        for edge, (start, stop) in enumerate(zip(ground.start.tolist(), ground.stop.tolist(), strict=True)):
            edges[edge, ground.order[start:stop]] = ground.weight[edge] / ground.scale
        return edges
    if isinstance(ground, MatrixMetric):
        return _clusters(np.array([[d / ground.scale for d in row] for row in ground.distance]))
    raise AssertionError("a ground is a tree or a matrix")


def _clusters(distance: FloatArray) -> FloatArray:
    """Merge the nearest values again and again; two values are as far apart as the clusters that joined them."""
    between = distance + np.diag(np.full(len(distance), np.inf))
    clusters = [(np.eye(len(distance))[i], 0.0) for i in range(len(distance))]  # members, height
    edges = []
    while len(clusters) > 1:
        i, j = sorted(divmod(int(between.argmin()), len(between)))
        height = float(between[i, j]) / 2
        edges += [(height - clusters[c][1]) * clusters[c][0] for c in (i, j)]
        clusters[i] = (clusters[i][0] + clusters[j][0], height)
        nearest = np.minimum(between[i], between[j])
        nearest[i] = np.inf
        between[i], between[:, i] = nearest, nearest
        between = np.delete(np.delete(between, j, axis=0), j, axis=1)
        del clusters[j]
    return np.array(edges).reshape(-1, len(distance))
