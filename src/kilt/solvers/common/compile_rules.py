"""Compiling rules: the rules of a problem as numbers for the kernels."""

from __future__ import annotations

import numpy as np

from kilt.kernels.model.legal import CLOSENESS, DISTINCT, ENTROPY, FREQUENCY, METRIC, RECURSIVE, SIZE, CompiledRules
from kilt.model.diversity import Distinct, Entropy, Frequency, Recursive
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, DiversityRule, Rule, SizeRule
from kilt.model.spaces import MatrixMetric, TreeMetric
from kilt.numbers import ROOM, IntArray, widen


def compile_rules(problem: Problem) -> CompiledRules | None:
    """Compile the rules to numbers; None if these are too large."""
    if not all(_fits(rule, problem.rows) for rule in problem.rules):
        return None
    rules = list(problem.rules)
    closeness = [rule if isinstance(rule, ClosenessRule) else None for rule in rules]
    metrics = [None if rule is None else _tree_metric(rule) for rule in closeness]
    columns = [rule.column for rule in rules]
    value_of = [
        np.zeros(len(problem.sensitive_totals)) if c is None else problem.sensitive_values[:, c] for c in columns
    ]
    return CompiledRules(
        kind=_numbers([_kind(rule) for rule in rules]),
        above=_numbers([_ratio(rule)[0] for rule in rules]),
        below=_numbers([_ratio(rule)[1] for rule in rules]),
        value_of=np.array(value_of, dtype=np.int64).reshape(len(rules), -1),
        values=_numbers([1 if c is None else problem.sizes[c] for c in columns]),
        first_value=_starts([0 if c is None else len(c.order) for c in metrics]),
        first_cut=_starts([0 if c is None else len(c.start) for c in metrics]),
        scale=_numbers([_scale(rule) for rule in rules]),
        star=np.array([c is not None and _is_star(c) for c in metrics], dtype=bool),
        place=_joined([c.order for c in metrics if c]),
        reference=_joined([r.reference[c.order] for r, c in zip(closeness, metrics, strict=True) if r and c]),
        start=_joined([c.start for c in metrics if c]),
        stop=_joined([c.stop for c in metrics if c]),
        weight=_joined([c.weight for c in metrics if c]),
        rows=problem.rows,
        min_group_size=max(1, problem.rules.min_group_size),
        unit=problem.unit,
        one_column=len(problem.sizes) == 1
        and np.array_equal(problem.sensitive_values[:, 0], np.arange(problem.sizes[0])),
        size_only=all(isinstance(rule, SizeRule) for rule in rules),
    )


def _fits(rule: Rule, rows: int) -> bool:
    """Say whether all that is computed for a rule has room in 64 bits."""
    largest = max(_ratio(rule)) * (rows + 1)
    if isinstance(rule, ClosenessRule):
        weights = _tree_metric(rule).weight.tolist()
        largest *= (
            2 * rows * max(rule.ground.scale, sum(weights) if isinstance(rule.ground, TreeMetric) else max(weights))
        )
    return largest < ROOM


def _kind(rule: Rule) -> int:
    if isinstance(rule, SizeRule):
        return SIZE
    if isinstance(rule, DiversityRule):
        return {Frequency: FREQUENCY, Distinct: DISTINCT, Entropy: ENTROPY, Recursive: RECURSIVE}[type(rule.form)]
    return CLOSENESS if isinstance(rule, ClosenessRule) and isinstance(rule.ground, TreeMetric) else METRIC


def _tree_metric(rule: ClosenessRule) -> TreeMetric:
    """Return the edges of a tree metric; for another one its distances take their place."""
    ground = rule.ground
    if isinstance(ground, TreeMetric):
        return ground
    if not isinstance(ground, MatrixMetric):
        raise AssertionError("a ground is a tree or a matrix")
    size = len(ground.distance)
    distance = np.array([d for row in ground.distance for d in row], dtype=object)
    nowhere = np.zeros(size * size, dtype=np.int64)
    return TreeMetric(np.arange(size), nowhere, nowhere, widen(distance, int(distance.max(initial=0))), ground.scale, 0)


def _ratio(rule: Rule) -> tuple[int, int]:
    if isinstance(rule, SizeRule):
        return rule.k, 1
    if isinstance(rule, DiversityRule):
        ratio = rule.form.c if isinstance(rule.form, Recursive) else rule.l
    elif isinstance(rule, ClosenessRule):
        ratio = rule.t
    return ratio.numerator, ratio.denominator


def _scale(rule: Rule) -> int:
    if isinstance(rule, ClosenessRule):
        return rule.ground.scale
    return int(rule.l) if isinstance(rule, DiversityRule) else 1


def _numbers(numbers: list[int]) -> IntArray:
    return np.array(numbers, dtype=np.int64)


def _starts(lengths: list[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)


def _is_star(metric: TreeMetric) -> bool:
    """Say whether the space has equal distances, one unit for every value: the order is that of the values."""
    each = np.arange(len(metric.order))
    lists = (metric.order, metric.start, metric.stop - 1)
    return bool((metric.weight == 1).all()) and all(np.array_equal(part, each) for part in lists)
