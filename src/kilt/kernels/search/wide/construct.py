"""Patterns that grow from a row, always by the neighbour that raises their cost least, until they hold a group.

``codes`` has a row for every row type, and ``near`` the row types that are nearest to each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from kilt.kernels.common.old_nearest import Ladders, agreeing
from kilt.kernels.lean import lean
from kilt.kernels.model.legal import CompiledRules, violation
from kilt.kernels.search.moves import INFEASIBLE_COST, NONE, draw
from kilt.numbers import BoolArray, IntArray

SIZE = 0
NOISE = 1.0  # stars: how far the choice of the next row is left to chance


class GrowingPattern(NamedTuple):
    """A pattern while it grows: its levels, its members and their counts, and scratch space for the rules."""

    levels: IntArray
    inside: BoolArray
    by_class: IntArray
    number: IntArray
    counts: IntArray
    sums: IntArray
    random: IntArray


def growing_pattern_for(
    columns: int, near: int, classes: int, room: tuple[IntArray, IntArray], seed: int
) -> GrowingPattern:
    """Return room for patterns to grow, one after the other."""
    return GrowingPattern(
        levels=np.zeros(columns, dtype=np.int64),
        inside=np.zeros(near, dtype=np.bool_),
        by_class=np.zeros(classes, dtype=np.int64),
        number=np.zeros(1, dtype=np.int64),
        counts=room[0],
        sums=room[1],
        random=np.random.SeedSequence(seed).generate_state(1, np.uint64),
    )


@njit(cache=True, nogil=True)
def grown(
    codes: IntArray,
    counts: IntArray,
    sensitive_class: IntArray,
    ladders: Ladders,
    rules: CompiledRules,
    seeds: IntArray,
    near: IntArray,
    growing: GrowingPattern,
) -> tuple[IntArray, IntArray, IntArray]:  # pragma: no cover - compiled
    """Grow a pattern from every seed: return the row types that they cover, how many each, and their levels."""
    types, lengths = np.empty(len(seeds) * (near.shape[1] + 1), dtype=np.int32), np.empty(len(seeds), dtype=np.int64)
    levels, used, made = np.empty((len(seeds), codes.shape[1]), dtype=np.int16), 0, 0
    for s in range(len(seeds)):
        u = seeds[s]
        growing.levels[:], growing.inside[:], growing.by_class[:], growing.number[:] = 0, False, 0, 0
        _take(counts, sensitive_class, growing, u)
        broken = violation(rules, growing.by_class, growing.number[SIZE], growing.counts, growing.sums)
        while broken > 0.0:
            i = _next(codes, counts, sensitive_class, ladders, rules, near[s], growing, u, broken)
            if i < 0:
                break
            v = near[s, i]
            growing.inside[i] = True
            for j in range(len(growing.levels)):
                growing.levels[j] = agreeing(
                    ladders.shown, ladders.tops, j, growing.levels[j], codes[u, j], codes[v, j]
                )
            _take(counts, sensitive_class, growing, v)
            broken = violation(rules, growing.by_class, growing.number[SIZE], growing.counts, growing.sums)
        if broken == 0.0:
            first = used
            types[used], used = u, used + 1
            for v in near[s]:
                if v != NONE and _extra(codes, ladders, growing, u, v) == 0:
                    types[used], used = v, used + 1
            lengths[made], levels[made], made = used - first, growing.levels, made + 1
    return types[:used], lengths[:made], levels[:made]


@lean
def _take(
    counts: IntArray, sensitive_class: IntArray, growing: GrowingPattern, v: int
) -> None:  # pragma: no cover - compiled
    growing.number[SIZE] += counts[v]
    growing.by_class[sensitive_class[v]] += counts[v]


@lean
def _extra(
    codes: IntArray, ladders: Ladders, growing: GrowingPattern, u: int, v: int
) -> int:  # pragma: no cover - compiled
    """Return how much the cost of the pattern of row u rises if it is to cover row v too."""
    extra = 0
    for j in range(len(growing.levels)):
        h = growing.levels[j]
        extra += ladders.costs[j, agreeing(ladders.shown, ladders.tops, j, h, codes[u, j], codes[v, j])]
        extra -= ladders.costs[j, h]
    return extra


@lean
def _next(
    codes: IntArray,
    counts: IntArray,
    sensitive_class: IntArray,
    ladders: Ladders,
    rules: CompiledRules,
    near: IntArray,
    growing: GrowingPattern,
    u: int,
    broken: float,
) -> int:  # pragma: no cover - compiled
    """Choose the next row: while rows are few, the cheapest, and then the cheapest for what it repairs."""
    best, found = INFEASIBLE_COST, -1
    few = growing.number[SIZE] < rules.min_group_size
    for i in range(len(near)):
        v = near[i]
        if v == NONE or growing.inside[i]:
            continue
        price = _extra(codes, ladders, growing, u, v) + NOISE * rules.unit * draw(growing.random)
        if not few:
            _take(counts, sensitive_class, growing, v)
            mended = broken - violation(rules, growing.by_class, growing.number[SIZE], growing.counts, growing.sums)
            growing.number[SIZE] -= counts[v]
            growing.by_class[sensitive_class[v]] -= counts[v]
            price = price / mended if mended > 0 else INFEASIBLE_COST
        if price < best:
            best, found = price, i
    return found
