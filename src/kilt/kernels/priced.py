"""Groups by prices: the pattern whose group saves most is formed first, again and again; the others join."""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit

from kilt.kernels.lagrange import best_pair, summed
from kilt.numbers import BoolArray, IntArray


@njit(cache=True, nogil=True)
def _large_group(
    members: IntArray, left: IntArray, prices: IntArray, cost: int, least_size: int, taken: IntArray
) -> int:  # pragma: no cover - compiled
    """Take the rows whose price is above the cost, and the dearest others if these are too few; return the value."""
    value, mass = 0, 0
    taken[: len(members)] = 0
    for i in range(len(members)):
        each = cost - prices[members[i]]
        if each >= 0 and mass >= least_size:
            break
        copies = left[members[i]]
        taken[i] = copies if each < 0 else min(copies, least_size - mass)
        value += taken[i] * each
        mass += taken[i]
    return value if mass >= least_size else 0


@njit(cache=True, nogil=True)
def _pair_group(
    members: IntArray,
    left: IntArray,
    prices: IntArray,
    cost: int,
    second: BoolArray,
    lowest: IntArray,
    highest: IntArray,
    sides: IntArray,
    sums: IntArray,
    taken: IntArray,
) -> int:  # pragma: no cover - compiled
    """Do the same for two classes: b rows of the second allow from ``lowest[b]`` to ``highest[b]`` of the first."""
    firsts, seconds, rows = 0, 0, 0
    taken[: len(members)] = 0
    for kind in members:
        if left[kind] == 0:
            continue
        if second[kind]:
            sides[1, seconds] = kind
            seconds += 1
        else:
            sides[0, firsts] = kind
            firsts += 1
            rows += left[kind]
    sums[0] = 0
    above = summed(sides[0, :firsts], left, prices, cost, sums)
    value, a, b = best_pair(sides[1, :seconds], left, prices, cost, sums, rows, above, lowest, highest)
    for i in range(len(members) if value < 0 else 0):
        kind = members[i]
        taken[i] = min(left[kind], b if second[kind] else a)
        if second[kind]:
            b -= taken[i]
        else:
            a -= taken[i]
    return value


@njit(cache=True, nogil=True)
def form_groups(
    prices: IntArray,
    left: IntArray,
    members: IntArray,
    starts: IntArray,
    cost: IntArray,
    second: BoolArray,
    lowest: IntArray,
    highest: IntArray,
    entries: IntArray,
) -> int:  # pragma: no cover - compiled
    """Form the group of least value under any pattern until none is negative; return how many entries were written.

    ``members`` are dear ones first. An entry is a row type, a pattern, and a number of copies; ``left`` shrinks.
    """
    longest = 0
    for p in range(len(cost)):
        longest = max(longest, starts[p + 1] - starts[p])
    taken = np.zeros(longest, dtype=np.int64)
    sides = np.zeros((2, longest), dtype=np.int64)
    sums = np.zeros(left.sum() + 1, dtype=np.int64)
    one_class = len(lowest) == 1
    heap = [(-(1 << 62), p) for p in range(len(cost))]  # all are to be evaluated
    number = 0
    while len(heap) > 0:
        p = heapq.heappop(heap)[1]
        mine = members[starts[p] : starts[p + 1]]
        if one_class:
            value = _large_group(mine, left, prices, cost[p], lowest[0], taken)
        else:
            value = _pair_group(mine, left, prices, cost[p], second, lowest, highest, sides, sums, taken)
        if value >= 0:
            continue
        if len(heap) > 0 and value > heap[0][0]:
            heapq.heappush(heap, (value, p))
            continue
        for i in range(len(mine)):
            if taken[i] > 0:
                entries[number, 0], entries[number, 1], entries[number, 2] = mine[i], p, taken[i]
                number += 1
                left[mine[i]] -= taken[i]
        heapq.heappush(heap, (value, p))
    return number


@njit(cache=True, nogil=True)
def join_groups(
    prices: IntArray,
    left: IntArray,
    order: IntArray,
    type_starts: IntArray,
    patterns: IntArray,
    cost: IntArray,
    second: BoolArray,
    lowest: IntArray,
    highest: IntArray,
    rows: IntArray,
    entries: IntArray,
) -> int:  # pragma: no cover - compiled
    """Let copies that are left join the cheapest open pattern that costs no more than their price and stays legal.

    ``rows`` has the rows of both classes under each pattern; open ones have some. It is repeated while one copy makes
    room for another.
    """
    number, changed = 0, True
    one_class = len(lowest) == 1
    while changed:
        changed = False
        for kind in order:
            side = 1 if second[kind] else 0
            for entry in range(type_starts[kind], type_starts[kind + 1]):
                p = patterns[entry]
                if left[kind] == 0 or cost[p] > prices[kind]:
                    break
                if rows[p, 0] + rows[p, 1] == 0:
                    continue
                copies = 0
                while copies < left[kind]:
                    a, b = rows[p, 0] + copies * (1 - side), rows[p, 1] + copies * side
                    a, b = a + 1 - side, b + side
                    if not one_class and (b >= len(lowest) or a < lowest[b] or a > highest[b]):
                        break
                    copies += 1
                if copies > 0:
                    entries[number, 0], entries[number, 1], entries[number, 2] = kind, p, copies
                    number += 1
                    rows[p, side] += copies
                    left[kind] -= copies
                    changed = not one_class
    return number
