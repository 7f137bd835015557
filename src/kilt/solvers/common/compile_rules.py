"""Compiling rules: the rules of a problem as numbers for the kernels."""

from __future__ import annotations

import numpy as np

from kilt.kernels.model import rules as compiled
from kilt.kernels.model.rules import CompiledRules
from kilt.model.diversity import Distinct, Entropy, Frequency, Recursive
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, DiversityRule, Rule, SizeRule
from kilt.model.spaces import GroundDistance, MatrixMetric, TreeMetric
from kilt.numbers import ROOM, IntArray

DIVERSITY = {Frequency: compiled.FrequencyRule, Distinct: compiled.DistinctRule, Entropy: compiled.EntropyRule}


def compile_rules(problem: Problem) -> CompiledRules | None:
    """Compile the rules to numbers; None if these are too large."""
    if not all(_fits(rule, problem.rows) for rule in problem.rules):
        return None
    size = max((rule.k for rule in problem.rules if isinstance(rule, SizeRule)), default=0)
    others = [_compiled(rule, problem) for rule in problem.rules if not isinstance(rule, SizeRule)]
    return CompiledRules(size, others, max(1, problem.rules.min_group_size), problem.unit)


def _fits(rule: Rule, rows: int) -> bool:
    """Say whether all that is computed for a rule has room in 64 bits."""
    largest = max(_ratio(rule)) * (rows + 1)
    if isinstance(rule, ClosenessRule):
        largest *= 2 * rows * max(rule.ground.scale, _dearest(rule.ground))
    return largest < ROOM


def _dearest(ground: GroundDistance) -> int:
    """Return the most that the distance of two values can be, or all edges of a tree together."""
    if isinstance(ground, TreeMetric):
        return sum(ground.weight.tolist())
    if not isinstance(ground, MatrixMetric):
        raise AssertionError("a ground is a tree or a matrix")
    return max((distance for row in ground.distance for distance in row), default=0)


def _compiled(rule: Rule, problem: Problem) -> compiled.Rule:
    """Compile a rule on a column."""
    if rule.column is None:
        raise AssertionError("all rules but that of the size are about a column")
    value_of = _numbers(problem.sensitive_values[:, rule.column])
    column = (value_of, int(problem.sizes[rule.column]), *_ratio(rule))
    if isinstance(rule, ClosenessRule):
        return _compiled_closeness(rule.ground, (*column, _numbers(rule.reference), rule.ground.scale))
    if not isinstance(rule, DiversityRule):
        raise AssertionError("a rule is about size, diversity or closeness")
    if isinstance(rule.form, Recursive):
        return compiled.RecursiveRule(*column, int(rule.l))
    return DIVERSITY[type(rule.form)](*column)


def _compiled_closeness(ground: GroundDistance, given: tuple[IntArray, int, int, int, IntArray, int]) -> compiled.Rule:
    if isinstance(ground, MatrixMetric):
        return compiled.MetricClosenessRule(*given, _numbers(ground.distance))
    if not isinstance(ground, TreeMetric):
        raise AssertionError("a ground is a tree or a matrix")
    if _is_star(ground):
        return compiled.ClosenessRule(*given)
    order, start, stop, weight = map(_numbers, (ground.order, ground.start, ground.stop, ground.weight))
    return compiled.TreeClosenessRule(*given, (order, start, stop, weight))


def _ratio(rule: Rule) -> tuple[int, int]:
    if isinstance(rule, SizeRule):
        return rule.k, 1
    if isinstance(rule, DiversityRule):
        ratio = rule.form.c if isinstance(rule.form, Recursive) else rule.l
    elif isinstance(rule, ClosenessRule):
        ratio = rule.t
    return ratio.numerator, ratio.denominator


def _numbers(numbers: object) -> IntArray:
    return np.ascontiguousarray(np.array(numbers, dtype=np.int64))


def _is_star(metric: TreeMetric) -> bool:
    """Say whether the space has equal distances, one unit for every value: the order is that of the values."""
    each = np.arange(len(metric.order))
    lists = (metric.order, metric.start, metric.stop - 1)
    return bool((metric.weight == 1).all()) and all(np.array_equal(part, each) for part in lists)
