"""Dynamic programming over the sub-multisets of a small table.

A multiset of row types is an index in mixed radix: ``sum(count[i] * stride[i])``, so that the index of a
difference is the difference of the indices. With one copy of each row type an index is a bit mask.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from kilt.arrays.bits import Words
from kilt.kernels.patterns.bits import weight_of
from kilt.numbers import BoolArray, IntArray

INFINITE = np.int64(1) << 61  # two of them still fit


class Counter(NamedTuple):
    """The state of counting up all multisets: entry i of all but ``digit`` belongs to the digits from i on.

    ``member`` is a row type in it (-1 if there is none), ``size`` its rows, ``steps`` the steps up the ladders that it
    takes as one group, and ``weight`` what these cost a row.
    """

    digit: IntArray
    member: IntArray
    size: IntArray
    steps: Words
    weight: IntArray

    @classmethod
    def of(cls, kinds: int, words: int) -> Counter:
        """Return the empty multiset."""
        numbers = [np.zeros(kinds + 1, dtype=np.int64) for _ in range(3)]
        return cls(numbers[0], np.full(kinds + 1, -1), numbers[1], np.zeros((kinds + 1, words), np.uint64), numbers[2])


@njit(cache=True)
def costs_of_multisets(
    counter: Counter, counts: IntArray, differs: Words, weights: IntArray, begin: int, end: int, cost: IntArray
) -> None:  # pragma: no cover - compiled
    """Fill in what multisets from ``begin`` to ``end`` cost as one group, counting up from where the counter is.

    ``differs[i, j]`` are the steps of the ladders that row types i and j make a group take, and ``weights`` what these
    cost a row, by byte.
    """
    digit, member, size, steps, weight = counter
    fresh = np.empty(steps.shape[1], dtype=np.uint64)
    for index in range(begin, end):
        place = 0
        while digit[place] == counts[place]:
            digit[place] = 0
            place += 1
        digit[place] += 1
        for i in range(place, -1, -1):
            other = member[i + 1]
            size[i], member[i], weight[i] = size[i + 1] + digit[i], other, weight[i + 1]
            steps[i] = steps[i + 1]
            if digit[i] and other < 0:
                member[i] = i
            elif digit[i]:
                for w in range(len(fresh)):
                    fresh[w] = differs[i, other, w] & ~steps[i, w]
                    steps[i, w] |= fresh[w]
                weight[i] += weight_of(fresh, weights)
        cost[index] = size[0] * weight[0]


@njit(cache=True)
def _size(rows: int) -> int:  # pragma: no cover - compiled
    size = 0
    while rows:
        rows &= rows - 1
        size += 1
    return size


@njit(cache=True)
def indecomposable_masks(legal: BoolArray, smallest: int) -> BoolArray:  # pragma: no cover - compiled
    """Mark the legal sets of rows that are not the union of two legal sets; no other group is ever needed."""
    needed = np.zeros_like(legal)
    for rows in range(1, len(legal)):
        if not legal[rows]:
            continue
        first = rows & -rows
        others = rows ^ first
        part = (others - 1) & others if others else 0
        needed[rows] = True
        while others and _size(rows) >= 2 * smallest:
            group = part | first
            if legal[group] and legal[rows ^ group]:
                needed[rows] = False
                break
            if not part:
                break
            part = (part - 1) & others
    return needed


@njit(cache=True)
def best_masks(
    legal: BoolArray,
    needed: BoolArray,
    cost: IntArray,
    groups: IntArray,
    starts: IntArray,
    smallest: int,
    begin: int,
    end: int,
    best: IntArray,
    choice: IntArray,
) -> None:  # pragma: no cover - compiled
    """Fill in the cheapest partition of sets of rows from ``begin`` to ``end``: of the table, and of what it may leave.

    A group of the first row leaves a set without that row, and without as many rows as the ``smallest`` group has. A
    set that is not legal has no legal partition, and a needed one no other. Of other sets either the needed groups of
    the first row are tried, or all subsets, whichever are fewer: ``groups[starts[i]:starts[i + 1]]`` are the needed
    groups whose first row is i, in ascending order.
    """
    table = len(best) - 1
    most = _size(table) - smallest
    for rows in range(begin, end):
        if rows != table and (rows & 1 or _size(rows) > most):
            continue
        if needed[rows]:
            best[rows], choice[rows] = cost[rows], rows
        if needed[rows] or not legal[rows]:
            continue
        first, place = rows & -rows, 0
        while not (rows >> place) & 1:
            place += 1
        lowest, taken = INFINITE, 0
        if starts[place + 1] - starts[place] < 1 << (_size(rows) - 1):
            for index in range(starts[place], starts[place + 1]):
                group = groups[index]
                if group > rows:
                    break
                if group & ~rows == 0:
                    total = cost[group] + best[rows ^ group]
                    if total < lowest:
                        lowest, taken = total, group
        else:
            others = rows ^ first
            part = others
            while True:
                group = part | first
                if needed[group]:
                    total = cost[group] + best[rows ^ group]
                    if total < lowest:
                        lowest, taken = total, group
                if not part:
                    break
                part = (part - 1) & others
        best[rows], choice[rows] = lowest, taken


@njit(cache=True)
def best_multisets(
    legal: BoolArray,
    cost: IntArray,
    counts: IntArray,
    strides: IntArray,
    smallest: int,
    begin: int,
    end: int,
    best: IntArray,
    choice: IntArray,
) -> None:  # pragma: no cover - compiled
    """Fill in the cheapest partition of multisets from ``begin`` to ``end``: any group with a first row type.

    A multiset of fewer rows than two of the ``smallest`` groups has no other partition than itself; one of more rows
    than the table has without such a group is needed for nothing, but for the table itself.
    """
    kinds, most = len(counts), counts.sum() - smallest
    have = np.zeros(kinds, np.int64)
    take = np.zeros(kinds, np.int64)
    for rows in range(begin, end):
        if not legal[rows]:
            continue
        rest, first, size = rows, -1, 0
        for i in range(kinds - 1, -1, -1):
            have[i] = rest // strides[i]
            rest -= have[i] * strides[i]
            size += have[i]
            take[i] = 0
            if have[i]:
                first = i
        if size < 2 * smallest:
            best[rows], choice[rows] = cost[rows], rows
        if size < 2 * smallest or (size > most and rows + 1 < len(best)):
            continue
        take[first] = 1
        group = strides[first]
        lowest, taken = INFINITE, np.int64(0)
        while True:
            if legal[group] and best[rows - group] < INFINITE:
                total = cost[group] + best[rows - group]
                if total < lowest:
                    lowest, taken = total, group
            place = first
            while place < kinds and take[place] == have[place]:
                back = take[place] - (1 if place == first else 0)
                group -= back * strides[place]
                take[place] -= back
                place += 1
            if place == kinds:
                break
            take[place] += 1
            group += strides[place]
        best[rows], choice[rows] = lowest, taken


@njit(cache=True)
def indecomposable_vectors(
    vectors: IntArray, strides: IntArray, legal: BoolArray, most: int
) -> BoolArray:  # pragma: no cover - compiled
    """Mark the vectors, given from small to large, that are not the sum of two legal ones; ``legal`` is by index.

    No more are marked than so many.
    """
    needed = np.zeros(len(vectors), dtype=np.bool_)
    atoms = np.empty(len(vectors), dtype=np.int64)
    size = vectors.sum(axis=1)
    found = 0
    for i in range(len(vectors)):
        if found == most:
            break
        needed[i] = True
        index = np.int64(0)
        for c in range(vectors.shape[1]):
            index += vectors[i, c] * strides[c]
        for j in range(found):
            if size[atoms[j]] + size[0] > size[i]:
                break
            fits = True
            part = np.int64(0)
            for c in range(vectors.shape[1]):
                if vectors[atoms[j], c] > vectors[i, c]:
                    fits = False
                    break
                part += vectors[atoms[j], c] * strides[c]
            if fits and legal[index - part]:
                needed[i] = False
                break
        if needed[i]:
            atoms[found] = i
            found += 1
    return needed
