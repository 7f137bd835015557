"""Compiling rules: the rules of a problem as numbers for the kernels."""

from __future__ import annotations

import numpy as np

from kilt.kernels.model import rules as compiled
from kilt.kernels.model.rules import CompiledRules
from kilt.model.diversity import Distinct, Entropy, Frequency, Recursive
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, DiversityRule, Rule, SizeRule
from kilt.model.spaces import MatrixMetric, TreeMetric
from kilt.numbers import ROOM, IntArray

DIVERSITY = {Frequency: compiled.FrequencyRule, Distinct: compiled.DistinctRule, Entropy: compiled.EntropyRule}


def compile_rules(problem: Problem) -> CompiledRules | None:
    """Compile the rules to numbers; None if these are too large."""
    if not all(_fits(rule, problem.rows) for rule in problem.rules):
        return None
    return CompiledRules(
        [_compiled(rule, problem) for rule in problem.rules],
        min_group_size=max(1, problem.rules.min_group_size),
        unit=problem.unit,
        size_only=all(isinstance(rule, SizeRule) for rule in problem.rules),
    )


def _fits(rule: Rule, rows: int) -> bool:
    """Say whether all that is computed for a rule has room in 64 bits."""
    largest = max(_ratio(rule)) * (rows + 1)
    if isinstance(rule, ClosenessRule):
        ground = rule.ground
        if isinstance(ground, TreeMetric):
            dearest = sum(ground.weight.tolist())
        else:
            dearest = max((d for row in ground.distance for d in row), default=0)
        largest *= 2 * rows * max(ground.scale, dearest)
    return largest < ROOM


def _compiled(rule: Rule, problem: Problem) -> compiled.Rule:
    if isinstance(rule, SizeRule):
        return compiled.MinimumSize(rule.k)
    if rule.column is None:
        raise AssertionError("all rules but that of the size are about a column")
    value_of = problem.sensitive_values[:, rule.column].astype(np.int64)
    column = (np.ascontiguousarray(value_of), int(problem.sizes[rule.column]), *_ratio(rule))
    if isinstance(rule, DiversityRule):
        if isinstance(rule.form, Recursive):
            return compiled.RecursiveRule(*column, int(rule.l))
        return DIVERSITY[type(rule.form)](*column)
    if not isinstance(rule, ClosenessRule):
        raise AssertionError("a rule is about size, diversity or closeness")
    ground, table = rule.ground, (_numbers(rule.reference), rule.ground.scale)
    if isinstance(ground, MatrixMetric):
        return compiled.MetricClosenessRule(*column, *table, _numbers(ground.distance))
    if _is_star(ground):
        return compiled.ClosenessRule(*column, *table)
    edges = (ground.order, ground.start, ground.stop, ground.weight)
    return compiled.TreeClosenessRule(*column, *table, tuple(map(_numbers, edges)))


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
