"""The Lagrangian bound for groups of at least k rows: for every pattern the least reduced cost, in integers."""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.numbers import BoolArray, IntArray


@njit(cache=True, nogil=True)
def least_values(
    multipliers: IntArray,
    counts: IntArray,
    type_starts: IntArray,
    patterns: IntArray,
    starts: IntArray,
    types: IntArray,
    cost: IntArray,
    min_group_size: int,
    taken: IntArray,
) -> int:  # pragma: no cover - compiled
    """Return the sum over all patterns of the least reduced cost of a group, or 0 if none is negative.

    The reduced cost of a group is the cost of its rows less their multipliers. It holds every row whose multiplier
    exceeds the cost, and if these are too few the largest of the others. ``taken`` counts the copies of each row type
    in them. The patterns of a row type are in the order of their cost, so only those below its multiplier are visited.
    """
    mass = np.zeros(len(cost), dtype=np.int64)
    value = np.zeros(len(cost), dtype=np.int64)
    for kind in range(len(multipliers)):
        for entry in range(type_starts[kind], type_starts[kind + 1]):
            p = patterns[entry]
            if cost[p] >= multipliers[kind]:
                break
            mass[p] += counts[kind]
            value[p] += counts[kind] * (cost[p] - multipliers[kind])
    taken[:] = 0
    total = 0
    filled = np.empty(min_group_size, dtype=np.int64)
    for p in range(len(cost)):
        if mass[p] == 0:
            continue
        missing = min_group_size - mass[p]
        if missing > 0:
            number = dearest(multipliers, counts, types[starts[p] : starts[p + 1]], cost[p], missing, filled)
            for i in range(number):
                value[p] += cost[p] - multipliers[filled[i]]
            if number < missing or value[p] >= 0:
                value[p] = 0
                continue
            for i in range(number):
                taken[filled[i]] += 1
        total += value[p]
    for kind in range(len(multipliers)):
        for entry in range(type_starts[kind], type_starts[kind + 1]):
            p = patterns[entry]
            if cost[p] >= multipliers[kind]:
                break
            if value[p] < 0:
                taken[kind] += counts[kind]
    return total


@njit(cache=True, nogil=True)
def dearest(
    multipliers: IntArray, counts: IntArray, members: IntArray, limit: int, wanted: int, filled: IntArray
) -> int:  # pragma: no cover - compiled
    """Fill a list with the copies of largest multipliers up to a limit, in falling order; return how many there are."""
    number = 0
    for kind in members:
        price = multipliers[kind]
        if price > limit:
            continue
        for _ in range(min(counts[kind], wanted)):  # none if there is no copy left
            if number == wanted and multipliers[filled[number - 1]] >= price:
                break
            at = min(number, wanted - 1)
            while at > 0 and multipliers[filled[at - 1]] < price:
                filled[at] = filled[at - 1]
                at -= 1
            filled[at] = kind
            number = min(number + 1, wanted)
    return number


@njit(cache=True, nogil=True)
def active_patterns(
    multipliers: IntArray, type_starts: IntArray, patterns: IntArray, cost: IntArray
) -> BoolArray:  # pragma: no cover - compiled
    """Mark the patterns with a row whose multiplier exceeds the cost: no others have negative reduced costs."""
    active = np.zeros(len(cost), dtype=np.bool_)
    for kind in range(len(multipliers)):
        for entry in range(type_starts[kind], type_starts[kind + 1]):
            if cost[patterns[entry]] >= multipliers[kind]:
                break
            active[patterns[entry]] = True
    return active


@njit(cache=True, nogil=True)
def least_pairs(
    multipliers: IntArray,
    counts: IntArray,
    order: IntArray,
    second: BoolArray,
    type_starts: IntArray,
    patterns: IntArray,
    starts: IntArray,
    cost: IntArray,
    lowest: IntArray,
    highest: IntArray,
    taken: IntArray,
) -> int:  # pragma: no cover - compiled
    """Do the same for two sensitive classes: b rows of the second allow ``lowest[b]`` to ``highest[b]`` of the first.

    ``order`` has the row types by falling multipliers. The b rows of the second class are those of largest multipliers,
    and of the first there are as many as have multipliers above the cost, or the nearest allowed number; so every b is
    tried, and nothing else.
    """
    active = active_patterns(multipliers, type_starts, patterns, cost)
    members = np.empty(
        starts[-1], dtype=np.int32
    )  # of each pattern: the first class from the left, the second from the right
    left = starts[:-1].copy()
    right = starts[1:].copy()
    rows = np.zeros(len(cost), dtype=np.int64)
    for kind in order:
        for entry in range(type_starts[kind], type_starts[kind + 1]):
            p = patterns[entry]
            if not active[p]:
                continue
            if second[kind]:
                right[p] -= 1
                members[right[p]] = kind
            else:
                members[left[p]] = kind
                left[p] += 1
                rows[p] += counts[kind]
    taken[:] = 0
    total = 0
    longest = 0
    for p in range(len(cost)):
        longest = max(longest, rows[p])
    sums = np.zeros(longest + 1, dtype=np.int64)
    for p in range(len(cost)):
        if not active[p]:
            continue
        first = members[starts[p] : left[p]]
        others = members[left[p] : starts[p + 1]][::-1]
        above = summed(first, counts, multipliers, cost[p], sums)
        value, a, b = best_pair(others, counts, multipliers, cost[p], sums, rows[p], above, lowest, highest)
        if value < 0:
            total += value
            _take(first, counts, a, taken)
            _take(others, counts, b, taken)
    return total


@njit(cache=True, nogil=True)
def summed(
    members: IntArray, counts: IntArray, multipliers: IntArray, cost: int, sums: IntArray
) -> int:  # pragma: no cover - compiled
    """Sum up the reduced costs of copies, in rising order; return how many are negative."""
    at, negative = 0, 0
    for kind in members:
        each = cost - multipliers[kind]
        for _ in range(counts[kind]):
            sums[at + 1] = sums[at] + each
            at += 1
        if each < 0:
            negative = at
    return negative


@njit(cache=True, nogil=True)
def best_pair(
    others: IntArray,
    counts: IntArray,
    multipliers: IntArray,
    cost: int,
    sums: IntArray,
    rows: int,
    above: int,
    lowest: IntArray,
    highest: IntArray,
) -> tuple[int, int, int]:  # pragma: no cover - compiled
    """Return the least reduced cost and the numbers of rows of both classes; (0, 0, 0) if none is negative."""
    best, best_a, best_b = 0, 0, 0
    spent, b = 0, 0
    place, copy = 0, 0
    while True:
        most = min(highest[b], rows)
        if lowest[b] <= most:
            a = min(max(above, lowest[b]), most)
            if spent + sums[a] < best:
                best, best_a, best_b = spent + sums[a], a, b
        if place == len(others):
            return best, best_a, best_b
        each = cost - multipliers[others[place]]
        if each >= 0 and spent + each + sums[above] >= best:
            return best, best_a, best_b  # from here on the second class only adds
        spent += each
        b += 1
        copy += 1
        if copy == counts[others[place]]:
            place, copy = place + 1, 0


@njit(cache=True, nogil=True)
def _take(members: IntArray, counts: IntArray, number: int, taken: IntArray) -> None:  # pragma: no cover - compiled
    """Count the first copies of a list as taken."""
    left = number
    for kind in members:
        if left <= 0:
            break
        taken[kind] += min(counts[kind], left)
        left -= counts[kind]


@njit(cache=True, nogil=True)
def least_diverse(
    multipliers: IntArray,
    counts: IntArray,
    value_of: IntArray,
    type_starts: IntArray,
    patterns: IntArray,
    starts: IntArray,
    types: IntArray,
    cost: IntArray,
    min_group_size: int,
    fewest_values: int,
    taken: IntArray,
) -> int:  # pragma: no cover - compiled
    """Do the same for groups of at least so many rows with at least so many different values.

    If the rows whose multipliers exceed the cost have too few values, the row of largest multiplier of each of the best
    other values is added, one copy each; then the largest of all that is left, if the rows are too few.
    """
    active = active_patterns(multipliers, type_starts, patterns, cost)
    taken[:] = 0
    total = 0
    values = value_of.max() + 1
    best_kind = np.full(values, -1, dtype=np.int64)  # the row type of largest multiplier for each value
    seen = np.empty(values, dtype=np.int64)
    filled = np.empty(min_group_size, dtype=np.int64)
    spare = counts.copy()
    for p in range(len(cost)):
        if not active[p]:
            continue
        members = types[starts[p] : starts[p + 1]]
        mass, value, number, have = 0, 0, 0, 0
        for kind in members:
            v = value_of[kind]
            if best_kind[v] < 0:
                best_kind[v] = kind
                seen[number] = v
                number += 1
            elif multipliers[kind] > multipliers[best_kind[v]]:
                best_kind[v] = kind
            if multipliers[kind] > cost[p]:
                mass += counts[kind]
                value += counts[kind] * (cost[p] - multipliers[kind])
        for i in range(number):
            if multipliers[best_kind[seen[i]]] > cost[p]:
                have += 1
        forced = _best_values(multipliers, best_kind, seen, number, cost[p], max(0, fewest_values - have))
        for i in range(forced):
            kind = best_kind[seen[i]]
            value += cost[p] - multipliers[kind]
            spare[kind] -= 1
        missing = max(0, min_group_size - mass - forced)
        added = dearest(multipliers, spare, members, cost[p], missing, filled)
        for i in range(added):
            value += cost[p] - multipliers[filled[i]]
        if forced >= fewest_values - have and added == missing and value < 0:
            total += value
            for i in range(added):
                taken[filled[i]] += 1
            for i in range(forced):
                taken[best_kind[seen[i]]] += 1
            for kind in members:
                if multipliers[kind] > cost[p]:
                    taken[kind] += counts[kind]
        for i in range(forced):
            spare[best_kind[seen[i]]] += 1
        for i in range(number):
            best_kind[seen[i]] = -1
    return total


@njit(cache=True, nogil=True)
def _best_values(
    multipliers: IntArray, best_kind: IntArray, seen: IntArray, number: int, limit: int, wanted: int
) -> int:  # pragma: no cover - compiled
    """Move the values with the largest multipliers up to a limit to the front; return how many, at most as wanted."""
    found = 0
    while found < wanted:
        best = -1
        for i in range(found, number):
            if multipliers[best_kind[seen[i]]] > limit:
                continue
            if best < 0 or multipliers[best_kind[seen[i]]] > multipliers[best_kind[seen[best]]]:
                best = i
        if best < 0:
            break
        seen[found], seen[best] = seen[best], seen[found]
        found += 1
    return found
