"""Minimal groups: the legal groups that do not split into two legal groups.

Splitting never makes a group dearer, so an optimal partition into minimal groups exists. The rules see a group only
through its counts per sensitive class, so minimal groups are listed as count vectors. Under k alone they are the sizes
k to 2k-1; under 2-diversity two or three rows of different values; under any other policy they are found by trying.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from kilt.kernels.exact.subsets import indecomposable_vectors
from kilt.model.diversity import Frequency
from kilt.model.problem import Problem
from kilt.model.rules import DiversityRule, SizeRule
from kilt.numbers import BoolArray, IntArray
from kilt.run.stopping import never


@dataclass(frozen=True)
class Params:
    """How many vectors are tried."""

    max_counts: int = 4_500_000  # in all vectors, one for each sensitive class: they are held at a time
    first_counts: int = 150_000  # the same for a first list
    max_table: int = 2**25  # entries of the table that says which vectors are legal
    max_groups: int = 10_000  # minimal groups: each is tried under every pattern
    decided: int = 4_096  # vectors that are decided at a time, so that the time is checked between
    compared: int = 50_000_000  # pairs of vectors that are compared at a time, for the same reason
    few: int = 1_000  # minimal groups that may be found while they are


PARAMS = Params()


@dataclass(frozen=True)
class MinimalGroups:
    """Count vectors over the sensitive classes of row types.

    ``largest`` is the size up to which all are listed, or None if there are no larger ones. If ``distinct``, a vector
    has a single entry, its size, and stands for that many rows of different sensitive classes.
    """

    sensitive_class: IntArray
    vectors: IntArray
    largest: int | None
    distinct: bool = False

    @classmethod
    def of(cls, problem: Problem, stop: Callable[[], bool] = never) -> MinimalGroups | None:
        """List the minimal groups of a problem, small ones first; None if they are too many, or time is over."""
        rules = problem.rules.rules
        if all(isinstance(rule, SizeRule) for rule in rules):
            k = problem.rules.min_group_size
            sizes = np.arange(k, min(2 * k, problem.rows + 1))
            return cls(np.zeros(len(problem.counts), dtype=np.int64), sizes[:, None], None)
        if is_two_diversity(problem):
            return cls(problem.sensitive_class, np.array([[2], [3]]), None, distinct=True)
        return _enumerate(problem, stop)

    def part(self, types: IntArray) -> MinimalGroups:
        """Return the same minimal groups for some of the row types."""
        return replace(self, sensitive_class=self.sensitive_class[types])

    def reach(self) -> float:
        """Return the size up to which all are listed."""
        return float("inf") if self.largest is None else self.largest

    @property
    def least(self) -> int:
        """The size of the smallest minimal group."""
        return int(self.vectors.sum(axis=1).min())


def is_two_diversity(problem: Problem) -> bool:
    """Say whether the policy asks for frequency 2-diversity of one column, and no more (k up to 2 follows)."""
    rules = [rule for rule in problem.rules if not isinstance(rule, SizeRule)]
    return (
        len(rules) == 1
        and problem.rules.min_group_size <= 2
        and len(problem.sizes) == 1
        and isinstance(rules[0], DiversityRule)
        and isinstance(rules[0].form, Frequency)
        and rules[0].l == 2
    )


def _enumerate(problem: Problem, stop: Callable[[], bool]) -> MinimalGroups | None:
    """List small vectors first, which takes an instant, and then as many as there is room and time for."""
    found: MinimalGroups | None = None
    for most in (PARAMS.first_counts, PARAMS.max_counts):
        if not stop() and (found is None or found.largest is not None):
            more = _list(problem, min(most, PARAMS.max_counts), stop)
            found = max(filter(None, (found, more)), key=MinimalGroups.reach, default=None)
    return found


def _list(problem: Problem, most_counts: int, stop: Callable[[], bool]) -> MinimalGroups | None:
    """List the legal vectors from small to large, as far as there is room and time, and leave out those that split."""
    totals = problem.sensitive_totals
    largest = _listable(totals, most_counts)
    box = np.minimum(totals, largest)
    if prod(int(side) + 1 for side in box) > PARAMS.max_table:
        return None
    vectors = _vectors(box, largest)
    vectors = vectors[np.argsort(vectors.sum(axis=1), kind="stable")][1:]
    legal = _legal(problem, vectors, stop)
    vectors, largest = _whole_sizes(vectors, len(legal), largest)
    minimal_groups, largest = _indecomposable(vectors[legal[: len(vectors)]], box, largest, stop)
    if not len(minimal_groups):
        return None
    return MinimalGroups(problem.sensitive_class, minimal_groups, None if largest >= problem.rows else largest)


def _legal(problem: Problem, vectors: IntArray, stop: Callable[[], bool]) -> BoolArray:
    """Decide which vectors are legal, from the first on until time is over."""
    parts = [np.zeros(0, dtype=bool)]
    for start in range(0, len(vectors), PARAMS.decided):
        if stop():
            break
        parts.append(problem.is_legal(vectors[start : start + PARAMS.decided]))
    return np.concatenate(parts)


def _indecomposable(vectors: IntArray, box: IntArray, largest: int, stop: Callable[[], bool]) -> tuple[IntArray, int]:
    """Return the legal vectors that do not split, as many as can be used, and the size up to which these are all."""
    strides = np.concatenate([[1], np.cumprod(box[:-1] + 1)]).astype(np.int64)
    table = np.zeros(prod(int(side) + 1 for side in box), dtype=bool)
    table[vectors @ strides] = True
    found, begin = vectors[:0], 0
    while begin < len(vectors) and len(found) <= PARAMS.max_groups and not stop():
        end = begin + max(len(found), PARAMS.compared // max(PARAMS.few, len(found)))
        # those that were found are smaller than all that follow, and do not split: they are found again
        some = np.concatenate([found, vectors[begin:end]])
        found, begin = some[indecomposable_vectors(some, strides, table, PARAMS.max_groups + 1)], end
    if len(found) > PARAMS.max_groups:
        return _whole_sizes(found, PARAMS.max_groups, largest)
    if begin < len(vectors):
        largest = int(vectors[begin].sum()) - 1
    return found[found.sum(axis=1) <= largest], largest


def _whole_sizes(vectors: IntArray, number: int, largest: int) -> tuple[IntArray, int]:
    """Return so many of the first vectors, without the size that is not there as a whole, and the largest that is."""
    if number >= len(vectors):
        return vectors, largest
    largest = int(vectors[number].sum()) - 1
    return vectors[vectors.sum(axis=1) <= largest], largest


def _listable(totals: IntArray, most_counts: int) -> int:
    """Return the largest size up to which all vectors within the totals can be listed, whatever the totals.

    There is a vector of every size up to the number of rows, so sizes above the number of vectors do not matter.
    """
    most = most_counts // len(totals)
    vectors = np.zeros(min(most, sum(totals.tolist())) + 1, dtype=np.int64)  # of every size, so many; no more than most
    vectors[0] = 1
    for total in totals.tolist():
        up_to = np.cumsum(vectors)
        vectors = up_to.copy()
        vectors[total + 1 :] -= up_to[: max(0, len(up_to) - total - 1)]
        np.minimum(vectors, most + 1, out=vectors)
    return max(1, int(np.searchsorted(np.cumsum(vectors), most, side="right")) - 1)


def _vectors(box: IntArray, largest: int) -> IntArray:
    """List all vectors in a box up to a size."""
    vectors = np.zeros((1, 0), dtype=np.int64)
    sizes = np.zeros(1, dtype=np.int64)
    for side in box.tolist():
        entry = np.tile(np.arange(side + 1), len(vectors))
        vectors = np.column_stack([np.repeat(vectors, side + 1, axis=0), entry])
        sizes = np.repeat(sizes, side + 1) + entry
        kept = sizes <= largest
        vectors, sizes = vectors[kept], sizes[kept]
    return vectors
