"""The smallest residue by dynamic programming, where sensitive classes are few (after Dondi et al. 2012).

All that matters of a residue is how many rows of each sensitive class it has. Class by class, the set of such counts
that can be reached grows: a class keeps a legal part, or nothing, and adds its other rows. In the end the smallest
counts that are legal win, or none at all if these are reached.

A set of counts is one large integer with a bit for each, numbered in mixed radix, so that to add rows is to shift it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np

from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.solvers.common.equivalence_classes import EquivalenceClasses

MOST_CELLS = 2**22
MOST_COUNTS = 2**20
MOST_PARTS = 2**15
MOST_WORK = 2**33
SHIFT = 2**12  # what a shift costs, however few bits it has
BLOCK = 256  # a metric learns from each block what decides most of the next one


@dataclass(frozen=True)
class Radix:
    """Numbers for all counts up to some limits."""

    limits: IntArray

    @property
    def size(self) -> int:
        """How many counts there are."""
        return math.prod(limit + 1 for limit in self.limits.tolist())

    def numbers(self, counts: IntArray) -> IntArray:
        """Return the number of each row of counts."""
        return np.asarray(counts @ self._places())

    def counts(self, numbers: IntArray) -> IntArray:
        """Return the counts that have these numbers."""
        return np.asarray(numbers[:, None] // self._places() % (self.limits + 1))

    def rows(self, numbers: IntArray) -> IntArray:
        """Return how many rows the counts with these numbers are."""
        rows = np.zeros_like(numbers)
        for place, limit in zip(self._places().tolist(), self.limits.tolist(), strict=True):
            if limit:
                rows += numbers // place % (limit + 1)
        return rows

    def _places(self) -> IntArray:
        return np.concatenate([[1], np.cumprod(self.limits + 1)[:-1]])


@dataclass(frozen=True)
class Choices:
    """The classes that may keep rows, and for each kind of class (equal counts) the parts that it may keep.

    ``left`` has the numbers of what remains if it keeps them.
    """

    classes: IntArray
    kinds: list[int]
    parts: list[IntArray]
    left: list[list[int]]


def smallest_kept(problem: Problem, cells: EquivalenceClasses) -> IntArray | None:
    """Return how many rows of every cell to keep for a smallest residue; None where the counts are too many."""
    if math.prod(cells.shape) > MOST_CELLS:
        return None
    table = cells.table(cells.counts)
    able = _able(problem, table)
    radix = Radix(table[able].sum(axis=0))
    choices = None if radix.size > MOST_COUNTS else _choices(problem, table, np.flatnonzero(able), radix)
    if choices is None:
        return None
    reached = _reached(choices)
    number = _smallest_legal(problem, reached[-1], radix, table[~able].sum(axis=0))
    return np.asarray(_kept(table, choices, reached, number)[cells.class_of, cells.value_of])


def _able(problem: Problem, table: IntArray) -> BoolArray:
    """Leave out classes that are too small, or have too few values, to keep anything."""
    groups = problem.groups(table)
    able = np.asarray(groups.sizes >= problem.rules.min_group_size, dtype=bool)
    for rule in problem.rules:
        if rule.column is not None:
            able &= rule.possible(groups.counts[rule.column] > 0)
    return able


def _choices(problem: Problem, table: IntArray, classes: IntArray, radix: Radix) -> Choices | None:
    """List what each class may keep, unless that or all shifts together are too many."""
    different: dict[tuple[int, ...], int] = {}
    kinds = [different.setdefault(tuple(counts), len(different)) for counts in table[classes].tolist()]
    sizes = [math.prod(count + 1 for count in counts) for counts in different]
    if sum(sizes) > MOST_PARTS or sum(sizes[kind] for kind in kinds) * (radix.size + SHIFT) > MOST_WORK:
        return None
    vectors = [np.array(counts, dtype=np.int64) for counts in different]
    parts = [_legal_parts(problem, counts) for counts in vectors]
    left = [radix.numbers(counts - kept).tolist() for counts, kept in zip(vectors, parts, strict=True)]
    return Choices(classes, kinds, parts, left)


def _legal_parts(problem: Problem, counts: IntArray) -> IntArray:
    """Return all that a class with these counts can keep: any legal part, or nothing."""
    present = np.flatnonzero(counts)
    inside = np.indices(tuple((counts[present] + 1).tolist())).reshape(len(present), -1).T
    parts = np.zeros((len(inside), len(counts)), dtype=np.int64)
    parts[:, present] = inside
    blocks = np.array_split(parts, range(BLOCK, len(parts), BLOCK))
    return np.asarray(parts[np.concatenate([_legal(problem, block) for block in blocks])])


def _legal(problem: Problem, counts: IntArray) -> BoolArray:
    """Decide for each row of counts whether it is legal, or nothing."""
    return np.asarray(problem.is_legal(counts) | ~counts.any(axis=1), dtype=bool)


def _reached(choices: Choices) -> list[int]:
    """Return the sets of counts that the first classes can leave, for none of them, for one, and so on."""
    reached = [1]
    for kind in choices.kinds:
        reached.append(reduce(or_, (reached[-1] << left for left in choices.left[kind])))
    return reached


def _smallest_legal(problem: Problem, reached: int, radix: Radix, always: IntArray) -> int:
    """Return the number of the smallest counts in a set that are legal, or none, with the rows that are always left."""
    bits = np.frombuffer(reached.to_bytes(radix.size // 8 + 1, "little"), dtype=np.uint8)
    numbers = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
    numbers = numbers[np.argsort(radix.rows(numbers), kind="stable")]
    for start in range(0, len(numbers), BLOCK):
        legal = _legal(problem, always + radix.counts(numbers[start : start + BLOCK]))
        if legal.any():
            return int(numbers[start + int(legal.argmax())])
    raise AssertionError("the whole table is not legal")


def _kept(table: IntArray, choices: Choices, reached: list[int], number: int) -> IntArray:
    """Go back from the counts of a residue, class by class, to what each class keeps."""
    kept = np.zeros_like(table)
    for each in reversed(range(len(choices.kinds))):
        kind = choices.kinds[each]
        chosen, left = next(
            (chosen, left)
            for chosen, left in enumerate(choices.left[kind])
            if left <= number and reached[each] >> (number - left) & 1
        )
        kept[choices.classes[each]] = choices.parts[kind][chosen]
        number -= left
    return kept
