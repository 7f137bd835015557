"""The largest part of a bucket that is found to be legal, for many buckets at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.run.stopping import never

MAX_STEPS = 400  # after which a bucket is given up
BLOCK = 4_000_000  # numbers that are held at a time


def largest_legal(
    problem: Problem, types: IntArray, left: IntArray, owner: IntArray, is_over: Callable[[], bool] = never
) -> IntArray:
    """Return how many of the ``left`` copies of row types each bucket takes for a legal group, 0 where none is found.

    Entry i is in bucket ``owner[i]`` (0, 1, ... in order). A bucket that is legal is taken whole.
    From the others rows of the sensitive class that violates a rule most are removed, a twentieth of
    the bucket at a time and single rows in the end. When time is over, buckets that are not legal yet are given up.
    """
    copies = np.zeros_like(left)
    classes = len(problem.sensitive_totals)
    count = int(owner[-1]) + 1 if len(owner) else 0
    step = max(1, BLOCK // classes)
    for start in range(0, count, step):
        low, high = np.searchsorted(owner, [start, start + step])
        rows, class_in_bucket = (
            min(step, count - start),
            (owner[low:high] - start) * classes + problem.sensitive_class[types[low:high]],
        )
        whole = np.bincount(class_in_bucket, left[low:high], rows * classes).astype(np.int64).reshape(rows, classes)
        part = whole.copy()
        _trim(problem, part, is_over)
        copies[low:high] = _shared(left[low:high], class_in_bucket, part.ravel())
    return copies


def _shared(left: IntArray, class_in_bucket: IntArray, part: IntArray) -> IntArray:
    """Choose copies, first come first served, so that every sensitive class of a bucket gives its part."""
    order = np.argsort(class_in_bucket, kind="stable")
    ordered = left[order]
    before = np.cumsum(ordered) - ordered
    first = np.concatenate([[True], np.diff(class_in_bucket[order]) != 0]) if len(order) else np.zeros(0, dtype=bool)
    before -= np.repeat(before[first], np.diff(np.concatenate([np.flatnonzero(first), [len(order)]])))
    copies = np.empty_like(left)
    copies[order] = np.clip(part[class_in_bucket[order]] - before, 0, ordered)
    return copies


def _trim(problem: Problem, part: IntArray, is_over: Callable[[], bool]) -> None:
    part[part.sum(axis=1) < problem.rules.min_group_size] = 0
    open_ = np.flatnonzero(part.any(axis=1))
    for _ in range(MAX_STEPS):
        if not len(open_):
            break
        broken = ~_legal(problem, part[open_])
        open_ = open_[broken]
        if is_over():
            break
        if len(open_):
            _remove_rows(problem, part, open_)
            part[open_[part[open_].sum(axis=1) < problem.rules.min_group_size]] = 0
            open_ = open_[part[open_].any(axis=1)]
    part[open_] = 0


def _legal(problem: Problem, by_class: IntArray) -> BoolArray:
    return problem.is_legal(by_class)


def _remove_rows(problem: Problem, part: IntArray, open_: IntArray) -> None:
    """Remove rows of one sensitive class from every open bucket."""
    now = part[open_]
    groups = problem.groups(now)
    pressure = np.full(now.shape, -np.inf)
    undecided = np.ones(len(now), dtype=bool)
    for rule in problem.rules:
        values = rule.pressure(groups)
        if values is None or rule.column is None or not undecided.any():
            continue
        broken = undecided & ~rule.meets(groups)
        pressure[broken] = problem.by_value(rule.column, values[broken])
        undecided &= ~broken
    pressure[now == 0] = -np.inf
    chosen = pressure.argmax(axis=1)
    rows = np.arange(len(now))
    amount = np.clip(now.sum(axis=1) // 20, 1, np.maximum(now[rows, chosen] // 4, 1))
    part[open_, chosen] -= amount
    part[open_[~np.isfinite(pressure[rows, chosen])]] = 0
