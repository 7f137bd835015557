"""Slow twins: every definition spelled out on plain Python rows, with no code of kilt's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

Row = Sequence[object]


def partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    """Yield every partition of the items into non-empty groups."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for smaller in partitions(rest):
        for i, group in enumerate(smaller):
            yield [*smaller[:i], [first, *group], *smaller[i + 1 :]]
        yield [[first], *smaller]


def stars(rows: Sequence[Row]) -> int:
    """Return the stars of a group under plain suppression: rows times columns that are not constant."""
    return len(rows) * sum(1 for column in zip(*rows, strict=True) if len(set(column)) > 1)


def cheapest(
    rows: int, legal: Callable[[list[int]], bool], cost: Callable[[list[int]], Fraction | int]
) -> Fraction | int | None:
    """Return the least cost of a partition into legal groups, or None."""
    best = None
    for partition in partitions(range(rows)):
        if all(legal(group) for group in partition):
            total = sum(cost(group) for group in partition)
            best = total if best is None else min(best, total)
    return best


def emd(group: Sequence[int], table: Sequence[int], distance: Sequence[Sequence[float]]) -> float:
    """Return the earth mover's distance of two count vectors by linear programming."""
    size = len(group)
    p, q = np.array(group) / sum(group), np.array(table) / sum(table)
    cost = np.array(distance, dtype=float).ravel()
    rows = np.zeros((2 * size, size * size))
    for i in range(size):
        rows[i, i * size : (i + 1) * size] = 1
        rows[size + i, i::size] = 1
    return float(linprog(cost, A_eq=rows, b_eq=np.concatenate([p, q]), method="highs").fun)


def frequency(counts: Sequence[int], l: Fraction) -> bool:
    """Return whether no value has more than its l-th part of the rows."""
    return max(counts) * l <= sum(counts)


def distinct(counts: Sequence[int], l: Fraction) -> bool:
    """Return whether there are at least l values."""
    return sum(1 for c in counts if c) >= l


def entropy(counts: Sequence[int], l: Fraction) -> bool:
    """Return whether the entropy is at least that of l equally frequent values, in whole numbers."""
    size = sum(counts)
    return Fraction(size) ** size >= l**size * math.prod(Fraction(c) ** c for c in counts if c)


def recursive(counts: Sequence[int], l: Fraction, c: Fraction) -> bool:
    """Return whether the most frequent value is rarer than c times all from the l-th on."""
    ordered = sorted(counts, reverse=True)
    return ordered[0] < c * sum(ordered[int(l) - 1 :])


def average(counts: Sequence[Sequence[int]], bits: Fraction) -> bool:
    """Return whether groups tell at most so many bits on average: the divergence of each, as a power of 2."""
    rows, reference = sum(map(sum, counts)), [sum(column) for column in zip(*counts, strict=True)]
    told = Fraction(1)
    for group in counts:
        for c, r in zip(group, reference, strict=True):
            told *= Fraction(c * rows, sum(group) * r) ** c if c else 1
    return told**bits.denominator <= Fraction(2) ** (bits.numerator * rows)


def groups(rows: Sequence[Row], quasi: Sequence[int]) -> dict[tuple[object, ...], list[Row]]:
    """Return the rows by what their quasi cells show."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[i] for i in quasi), []).append(row)
    return found


def counts(rows: Sequence[Row], column: int, values: Sequence[object]) -> list[int]:
    """Count each of the values in a column."""
    counted = Counter(row[column] for row in rows)
    return [counted[value] for value in values]


def grown_set(
    counts: Sequence[int], covers: Sequence[set[int]], use: Sequence[int], one: int, k: int, first: int, most: int
) -> tuple[int, set[int]]:
    """Grow a set of row types from the cover of a pattern; return by how much it is violated at best, and that set."""
    grown: set[int] = set()
    best, found, place = 0, grown, first
    for _ in range(most + 1):
        grown = grown | covers[place]
        rows = sum(counts[u] for u in grown)
        violation = sum(often for cover, often in zip(covers, use, strict=True) if cover <= grown) - rows // k * one
        if violation > best:
            best, found = violation, grown
        outside = [sum(counts[u] for u in cover - grown) for cover in covers]
        gain = {p: use[p] * k - outside[p] * one for p, cover in enumerate(covers) if cover & grown and outside[p]}
        if not gain or max(gain.values()) < -k * one:
            break
        place = min(p for p in gain if gain[p] == max(gain.values()))
    return best, found
