"""What an inequality of a second sensitive column adds up to at most, where that column has two values: in integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, DiversityRule, SizeRule
from kilt.model.spaces import TreeMetric
from kilt.numbers import IntArray, max_abs, widen


@dataclass(frozen=True)
class PairLimits:
    """How many rows of the second of two values a close group of each size may have: ``total`` of ``rows`` have it.

    The distance is that of the shares of this value, times ``weight / scale``. ``classes`` are a sensitive class with
    each of the values.
    """

    rule: ClosenessRule
    total: int
    rows: int
    weight: int
    scale: int
    classes: tuple[int, int]

    @classmethod
    def of(cls, problem: Problem, without: ClosenessRule) -> PairLimits | None:
        """Return the limits if there is one other rule, closeness of two values."""
        others = [rule for rule in problem.rules if rule is not without and not isinstance(rule, SizeRule)]
        linear = [rule for rule in others if not isinstance(rule, DiversityRule) or rule.form.cap(rule.l) is not None]
        rule = linear[0] if len(linear) == 1 else None
        if not isinstance(rule, ClosenessRule) or not isinstance(rule.ground, TreeMetric) or len(rule.reference) != 2:
            return None
        values = problem.sensitive_values[:, rule.column].tolist()
        if not {0, 1} <= set(values):
            return None
        total, rows = int(rule.reference[1]), int(rule.reference.sum())
        weight = int(rule.ground.weight[rule.ground.stop - rule.ground.start == 1].sum())
        return cls(rule, total, rows, weight, rule.ground.scale, (values.index(0), values.index(1)))

    def numbers(self, size: int) -> tuple[int, int]:
        """Return the least and the largest number of rows of the second value; the largest is less if there is none."""
        limit = self.rule.t.numerator * self.scale * self.rows * size // (self.rule.t.denominator * self.weight)
        lowest = -((limit - self.total * size) // self.rows)
        return max(0, lowest), min(size, (self.total * size + limit) // self.rows)

    def possible(self, size: int) -> bool:
        """Say whether any close group has this size."""
        least, largest = self.numbers(size)
        return least <= largest

    def most(self, added: IntArray, size: int) -> IntArray:
        """Return what rows of close groups add up to at most, where those of each sensitive class add so much."""
        first, second = widen(added[:, list(self.classes)], 4 * (size + 1) * (max_abs(added) + 1)).T
        least, largest = ((size - number) * first + number * second for number in self.numbers(size))
        return np.asarray(np.maximum(least, largest))
