"""Whether a group is legal, and how far it is from that: all rules on counts per sensitive class, in integers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kilt.kernels.lean import lean
from kilt.kernels.model.old_transport import transported
from kilt.numbers import BoolArray, IntArray

SIZE, FREQUENCY, DISTINCT, ENTROPY, RECURSIVE, CLOSENESS, METRIC = range(7)


class CompiledRules(NamedTuple):
    """The rules as numbers; rule r compares something with the ratio ``above[r] / below[r]``.

    It is about a column with ``values[r]`` values, and sensitive class c has the value ``value_of[r, c]`` there. For
    closeness the values are in the order ``place`` of the space, from ``first_value[r]`` on, with their numbers of rows
    in the table as ``reference``; the edges of a tree are intervals of that order, from ``first_cut[r]`` on, with
    weights; for a metric the weights there are its distances, row by row. ``star`` marks equal distances,
    ``one_column`` a policy on one column whose sensitive classes are its values, ``size_only`` one that asks for
    nothing but a size. ``unit`` is the cost of a star.
    """

    kind: IntArray
    above: IntArray
    below: IntArray
    value_of: IntArray
    values: IntArray
    first_value: IntArray
    first_cut: IntArray
    scale: IntArray
    star: BoolArray
    place: IntArray
    reference: IntArray
    start: IntArray
    stop: IntArray
    weight: IntArray
    rows: int
    min_group_size: int
    unit: int
    one_column: bool
    size_only: bool


@lean
def violation(
    rules: CompiledRules, by_class: IntArray, size: int, counts: IntArray, sums: IntArray
) -> float:  # pragma: no cover - compiled
    """Return 0 if a group is legal, else about how many rows are too many or too few; only the sign decides."""
    total = 0.0
    for r in range(len(rules.kind)):
        kind, a, b = rules.kind[r], rules.above[r], rules.below[r]
        if kind == SIZE:
            total += max(0, a - size)
            continue
        if rules.one_column:
            counts = by_class
        else:
            for v in range(rules.values[r]):
                counts[v] = 0
            for c in range(len(by_class)):
                counts[rules.value_of[r, c]] += by_class[c]
        if kind in (CLOSENESS, METRIC):
            total += _too_far(rules, r, size, counts, sums)
        elif kind == FREQUENCY:
            total += _too_frequent(counts, rules.values[r], size, a, b)
        elif kind == DISTINCT:
            total += _too_few(counts, rules.values[r], a)
        elif kind == ENTROPY:
            total += _too_uneven(counts, rules.values[r], size, a, b)
        else:
            total += _too_heavy(counts, rules.values[r], rules.scale[r], a, b)
    return total


@lean
def _too_far(
    rules: CompiledRules, r: int, size: int, counts: IntArray, sums: IntArray
) -> float:  # pragma: no cover - compiled
    """Compare the earth mover's distance from the group to the table with what is allowed."""
    values, base = rules.values[r], rules.first_value[r]
    work = 0
    if rules.kind[r] == METRIC:
        for v in range(values):
            sums[v] = rules.rows * counts[v] - rules.reference[base + v] * size
        work = transported(rules.weight, rules.first_cut[r], values, sums)
    elif rules.star[r]:
        for v in range(values):
            work += abs(rules.rows * counts[v] - rules.reference[base + v] * size)
    else:
        sums[0] = 0
        for i in range(values):
            sums[i + 1] = sums[i] + rules.rows * counts[rules.place[base + i]] - rules.reference[base + i] * size
        for cut in range(rules.first_cut[r], rules.first_cut[r + 1]):
            work += rules.weight[cut] * abs(sums[rules.stop[cut]] - sums[rules.start[cut]])
    over = work * rules.below[r] - rules.above[r] * rules.scale[r] * rules.rows * size
    return 0.0 if over <= 0 else over / (rules.below[r] * rules.scale[r] * rules.rows)


@lean
def _too_frequent(counts: IntArray, values: int, size: int, a: int, b: int) -> float:  # pragma: no cover - compiled
    """Compare the most frequent value with b/a of the rows."""
    most = 0
    for v in range(values):
        most = max(most, counts[v])
    over = most * a - size * b
    return 0.0 if over <= 0 else over / a


@lean
def _too_few(counts: IntArray, values: int, wanted: int) -> float:  # pragma: no cover - compiled
    """Count the different values."""
    found = 0
    for v in range(values):
        found += counts[v] > 0
    return float(max(0, wanted - found))


@lean
def _too_uneven(counts: IntArray, values: int, size: int, a: int, b: int) -> float:  # pragma: no cover - compiled
    """Compare the entropy with log(a/b) where floats are sure, else refuse; even counts are decided exactly."""
    inside, found, most, least = 0.0, 0, 0, size
    for v in range(values):
        if counts[v] > 0:
            inside += counts[v] * np.log(counts[v])
            found += 1
            most, least = max(most, counts[v]), min(least, counts[v])
    if most == least:
        return max(0.0, (a - found * b) / b)
    missing = np.log(a / b) - np.log(size) + inside / size
    error = 1e-12 + 1e-15 * (values + 16) * (np.log(size) + 1)
    return 0.0 if missing < -error else max(missing, 1e-9) * size


@lean
def _too_heavy(counts: IntArray, values: int, l: int, a: int, b: int) -> float:  # pragma: no cover - compiled
    """Compare the most frequent value with a/b of the tail, which begins with the l-th."""
    tail, most = 0, 0
    for v in range(values):
        tail += counts[v]
        most = max(most, counts[v])
    level, left = most, l - 1
    while left > 0 and level > 0:
        below = 0
        for v in range(values):
            if counts[v] == level and left > 0:
                tail -= level
                left -= 1
            elif counts[v] < level:
                below = max(below, counts[v])
        level = below
    over = most * b - tail * a
    return 0.0 if over < 0 else (over + 1) / b


def scratch(rules: CompiledRules) -> tuple[IntArray, IntArray]:
    """Return the two lists that ``violation`` writes on; a metric needs room for a flow."""
    longest = int(rules.values.max(initial=1)) + 1
    room = longest * (longest + 4) if METRIC in rules.kind else longest
    return np.zeros(longest, dtype=np.int64), np.zeros(room, dtype=np.int64)
