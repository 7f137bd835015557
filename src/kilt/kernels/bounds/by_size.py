"""Groups of single sizes close to the shares of the table: the least reduced cost under every pattern, over all sizes.

At a fixed size N a value with R of the table's n rows may fill R N / n places for nothing; every row above that is
*excess*, the row that crosses the line in part. A group is close enough if its excess is at most t N. The
reduced cost of the cheapest group whose rows pay ``theta`` for a row of excess, less theta t N, is a lower bound for
any theta; the best theta is found where two such lines cross. Floats guide here: a proof rounds theta and counts in
integers.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.numbers import BoolArray, FloatArray, IntArray

CHUNKS = 16  # of patterns, whatever the number of cores, so that sums are always the same
STEP = 4000.0  # what is tried first where theta is 0: less than half a star, at the usual scale of multipliers


@njit(cache=True)
def sorted_members(
    order: IntArray, type_starts: IntArray, patterns: IntArray, starts: IntArray, active: BoolArray
) -> IntArray:  # pragma: no cover - compiled
    """Return the row types of the active patterns in the given order."""
    members = np.empty(starts[-1], dtype=np.int32)
    at = starts[:-1].copy()
    for kind in order:
        for entry in range(type_starts[kind], type_starts[kind + 1]):
            p = patterns[entry]
            if active[p]:
                members[at[p]] = kind
                at[p] += 1
    return members


@njit(cache=True)
def _by_class(
    members: IntArray, sensitive_class: IntArray, counts: IntArray, first: IntArray, stop: IntArray, rows: IntArray
) -> IntArray:  # pragma: no cover - compiled
    """Sort members by sensitive class, keeping their order; note where each class starts and stops, and its rows."""
    first[:] = 0
    rows[:] = 0
    for kind in members:
        first[sensitive_class[kind]] += 1
        rows[sensitive_class[kind]] += counts[kind]
    end = 0
    for c in range(len(first)):
        end += first[c]
        first[c] = end - first[c]
        stop[c] = first[c]
    sorted_ = np.empty(len(members), dtype=np.int32)
    for kind in members:
        sorted_[stop[sensitive_class[kind]]] = kind
        stop[sensitive_class[kind]] += 1
    return sorted_


@njit(cache=True)
def _cheapest(
    size: int,
    theta: float,
    value_of: FloatArray,
    copies: IntArray,
    first: IntArray,
    stop: IntArray,
    free: IntArray,
    part: FloatArray,
    chosen: IntArray,
    at: IntArray,
    used: IntArray,
) -> tuple[float, float]:  # pragma: no cover - compiled
    """Choose so many rows of least reduced cost where excess costs theta; return that and their excess."""
    chosen[:] = 0
    used[:] = 0
    at[:] = first
    left, value, excess = size, 0.0, 0.0
    while left > 0:
        best, c = np.inf, -1
        for other in range(len(first)):
            if at[other] == stop[other]:
                continue
            price = value_of[at[other]]
            if chosen[other] == free[other]:
                price += theta * part[other]
            elif chosen[other] > free[other]:
                price += theta
            if price < best:
                best, c = price, other
        if c < 0:
            return 0.0, np.inf
        number = min(copies[at[c]] - used[c], left)
        if chosen[c] < free[c]:
            number = min(number, free[c] - chosen[c])
        elif chosen[c] == free[c]:
            number = 1
            excess += part[c]
        else:
            excess += number
        value += number * value_of[at[c]]
        left -= number
        chosen[c] += number
        used[c] += number
        if used[c] == copies[at[c]]:
            at[c] += 1
            used[c] = 0
    return value, excess


@njit(cache=True)
def _least_excess(
    size: int, rows: IntArray, free: IntArray, part: FloatArray, used: IntArray
) -> float:  # pragma: no cover - compiled
    """Return the least excess that a group of this size can have."""
    left = size
    used[:] = 0
    for c in range(len(rows)):
        left -= min(free[c], rows[c])
    excess = 0.0
    while left > 0:
        best = -1
        for c in range(len(rows)):
            if used[c] == 0 and rows[c] > free[c] and (best < 0 or part[c] < part[best]):
                best = c
        if best < 0:
            break
        used[best] = 1
        excess += part[best]
        left -= 1
    for c in range(len(rows)):
        more = min(left, max(0, rows[c] - free[c] - 1))
        left -= more
        excess += more
    return np.inf if left > 0 else excess


@njit(cache=True)
def _set_size(
    size: int, totals: IntArray, table: int, free: IntArray, part: FloatArray
) -> None:  # pragma: no cover - compiled
    """Note how many rows of each sensitive class a group of this size may have without excess, and that of the next."""
    for c in range(len(totals)):
        free[c] = totals[c] * size // table
        part[c] = ((free[c] + 1) * table - totals[c] * size) / table


@njit(cache=True)
def _of_size(
    size: int,
    theta: float,
    allowed: float,
    value_of: FloatArray,
    copies: IntArray,
    first: IntArray,
    stop: IntArray,
    rows: IntArray,
    free: IntArray,
    part: FloatArray,
    high: IntArray,
    low: IntArray,
    chosen: IntArray,
    at: IntArray,
    used: IntArray,
) -> tuple[float, float, float]:  # pragma: no cover - compiled
    """Return the least reduced cost for this size, the theta that proves it, and the share of ``high`` in it.

    Two groups are mixed: ``high`` with too much excess, ``low`` with little. It is infinite if there is none.
    """
    if _least_excess(size, rows, free, part, used) > allowed + 1e-9:
        return np.inf, theta, 0.0
    high_value, high_excess, low_value, low_excess = 0.0, np.inf, 0.0, -np.inf
    for _ in range(60):
        value, excess = _cheapest(size, theta, value_of, copies, first, stop, free, part, chosen, at, used)
        if excess <= allowed + 1e-9:
            low_value, low_excess = value, excess
            low[:] = chosen
            if theta == 0.0:
                return value, theta, 0.0
        else:
            high_value, high_excess = value, excess
            high[:] = chosen
        if high_excess < np.inf and low_excess > -np.inf:
            crossing = (low_value - high_value) / (high_excess - low_excess)
            if abs(crossing - theta) <= 1e-7 * (1 + abs(theta)):
                break
            theta = max(0.0, crossing)
        elif high_excess < np.inf:
            theta = 2 * theta + STEP
        else:
            theta = 0.0 if theta < STEP else theta / 2
    share = (allowed - low_excess) / (high_excess - low_excess) if high_excess < np.inf else 0.0
    return share * high_value + (1 - share) * low_value, theta, share


@njit(cache=True)
def _take(
    number: int, share: float, kinds: IntArray, copies: IntArray, start: int, taken: FloatArray
) -> None:  # pragma: no cover - compiled
    """Count the first copies of a sensitive class as taken, to a share."""
    left, at = number, start
    while left > 0 and share > 0.0:
        here = min(left, copies[at])
        taken[kinds[at]] += share * here
        left -= here
        at += 1


@njit(cache=True)
def _flat_sums(
    members: IntArray, counts: IntArray, multipliers: IntArray, cost: int, smallest: int, sums: FloatArray
) -> int:  # pragma: no cover - compiled
    """Sum up the reduced costs of rows in rising order; return the size beyond which no sum is negative."""
    most, largest = 0, len(sums) - 1
    sums[0] = 0.0
    for kind in members:
        each = float(cost - multipliers[kind])
        for _ in range(counts[kind]):
            if most == largest or (each >= 0 and sums[most] + each >= 0 and most >= smallest):
                return most
            sums[most + 1] = sums[most] + each
            most += 1
    return most


@njit(cache=True)
def _raise_by_slope(
    kinds: IntArray,
    copies: IntArray,
    value_of: FloatArray,
    sensitive_class: IntArray,
    slope: FloatArray,
    theta: float,
    most: int,
    sums: FloatArray,
) -> None:  # pragma: no cover - compiled
    """Raise sums to what the cheapest rows cost if theta times the slope is added: no legal group has less."""
    each = np.empty(len(kinds), dtype=np.float64)
    for i in range(len(kinds)):
        each[i] = value_of[i] + theta * slope[sensitive_class[kinds[i]]]
    size, total = 0, 0.0
    for i in np.argsort(each):
        for _ in range(copies[i]):
            if size == most:
                return
            size += 1
            total += each[i]
            sums[size] = max(sums[size], total)


@njit(cache=True)
def _other_thetas(
    sizes: tuple[int, int],
    allowed: FloatArray,
    best: float,
    theta: float,
    totals: IntArray,
    flat: FloatArray,
    value_of: FloatArray,
    copies: IntArray,
    first: IntArray,
    stop: IntArray,
    rows: IntArray,
    free: IntArray,
    part: FloatArray,
    high: IntArray,
    low: IntArray,
    chosen: IntArray,
    at: IntArray,
    used: IntArray,
    size_multipliers: FloatArray,
) -> None:  # pragma: no cover - compiled
    """Fill in the best theta of those sizes for which a given one does not prove the best reduced cost."""
    table = totals.sum()
    for size in range(sizes[0], sizes[1] + 1):
        if flat[size] >= best:
            continue
        _set_size(size, totals, table, free, part)
        value, excess = _cheapest(size, theta, value_of, copies, first, stop, free, part, chosen, at, used)
        if value + theta * (excess - allowed[size]) < best - 0.5:
            value, own, _ = _of_size(
                size, theta, allowed[size], value_of, copies, first, stop, rows, free, part, high, low, chosen, at, used
            )
            if value < np.inf:
                size_multipliers[size] = own


@njit(cache=True, nogil=True)
def least_of_sizes(
    chunk: int,
    multipliers: IntArray,
    counts: IntArray,
    sensitive_class: IntArray,
    totals: IntArray,
    members: IntArray,
    starts: IntArray,
    cost: IntArray,
    active: BoolArray,
    allowed: FloatArray,
    smallest: int,
    linear_multipliers: FloatArray,
    slope_theta: FloatArray,
    size_of: IntArray,
    theta_of: FloatArray,
    values: FloatArray,
    taken: FloatArray,
    size_multipliers: FloatArray,
) -> None:  # pragma: no cover - compiled
    """For every active pattern find the least reduced cost over all sizes, where it is below ``values``.

    Sizes that a slope shows to be too dear are left out. ``size_of`` and ``theta_of`` remember the best size and theta
    of each pattern, where the next search starts. ``taken`` counts the copies of each row type in the groups. If
    ``size_multipliers`` has a row per pattern it is filled with the theta of those sizes for which that of the pattern
    is not enough. ``allowed`` has the excess that each size may have.
    """
    classes, table = len(totals), totals.sum()
    largest = len(allowed) - 1
    first, stop = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    rows, free = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    part = np.zeros(classes, np.float64)
    high, low = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    best_high, best_low = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    chosen, at, used = np.zeros(classes, np.int64), np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    flat = np.empty(largest + 1, dtype=np.float64)
    for p in range(chunk, len(cost), CHUNKS):
        if not active[p]:
            continue
        mine = members[starts[p] : starts[p + 1]]
        most = _flat_sums(mine, counts, multipliers, cost[p], smallest, flat)
        if most < smallest or flat[smallest : most + 1].min() >= values[p]:
            continue
        kinds = _by_class(mine, sensitive_class, counts, first, stop, rows)
        value_of = np.empty(len(kinds), dtype=np.float64)
        copies = np.empty(len(kinds), dtype=np.int64)
        for i in range(len(kinds)):
            value_of[i] = cost[p] - multipliers[kinds[i]]
            copies[i] = counts[kinds[i]]
        sums = flat.copy()
        _raise_by_slope(kinds, copies, value_of, sensitive_class, linear_multipliers[p], slope_theta[p], most, sums)
        best, best_size, best_share, theta = values[p], 0, 0.0, theta_of[p]
        best_theta = theta
        for step in range(most - smallest + 2):
            size = min(max(size_of[p], smallest), most) if step == 0 else smallest + step - 1
            if sums[size] >= best:
                continue
            _set_size(size, totals, table, free, part)
            if step > 0 and theta > 0:
                value, excess = _cheapest(size, theta, value_of, copies, first, stop, free, part, chosen, at, used)
                if value + theta * (excess - allowed[size]) >= best:
                    continue
            value, theta, share = _of_size(
                size, theta, allowed[size], value_of, copies, first, stop, rows, free, part, high, low, chosen, at, used
            )
            if value < best:
                best, best_size, best_share, best_theta = value, size, share, theta
                best_high[:] = high
                best_low[:] = low
        theta_of[p] = best_theta if best_size > 0 else theta
        if best_size > 0:
            size_of[p] = best_size
            values[p] = best
            for c in range(classes):
                _take(best_high[c], best_share, kinds, copies, first[c], taken)
                _take(best_low[c], 1 - best_share, kinds, copies, first[c], taken)
        if len(size_multipliers) > 0:
            _other_thetas(
                (smallest, most), allowed, best, theta_of[p], totals, flat, value_of, copies, first, stop, rows,
                free, part, high, low, chosen, at, used, size_multipliers[p],
            )  # fmt: skip
