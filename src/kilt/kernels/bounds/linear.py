"""Groups under linear inequalities: for every pattern the best weight of an inequality that all legal groups obey.

The *slope* of a pattern has a number for every sensitive class, and the numbers of the rows of any legal group add up
to at most 0. So theta times the slope may be added to the reduced costs of rows: that of the cheapest group is then a
lower bound for legal groups, for every theta. The best theta is found where two such lines cross. Floats guide here.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.kernels.bounds.by_size import CHUNKS, STEP
from kilt.numbers import BoolArray, FloatArray, IntArray


@njit(cache=True)
def _cheapest(
    members: IntArray,
    counts: IntArray,
    sensitive_class: IntArray,
    shown: FloatArray,
    slope: FloatArray,
    theta: float,
    min_group_size: int,
    spare: FloatArray,
    place: IntArray,
    by_class: FloatArray,
) -> tuple[float, float, float]:  # pragma: no cover - compiled
    """Find the group of least reduced cost where the slope costs theta: that, its slope, the multiplier of its size.

    ``shown`` has the reduced costs of the members. Rows of negative ones are in it, and the cheapest others if these
    are too few. The multiplier of its size is the reduced cost of the last of those.
    """
    by_class[:] = 0
    value, incline, mass = 0.0, 0.0, 0
    for i in range(len(members)):
        kind = members[i]
        c = sensitive_class[kind]
        if shown[i] + theta * slope[c] < 0:
            value += counts[kind] * shown[i]
            incline += counts[kind] * slope[c]
            mass += counts[kind]
            by_class[c] += counts[kind]
    if mass >= min_group_size:
        return value, incline, 0.0
    number = 0
    for i in range(len(members)):
        price = shown[i] + theta * slope[sensitive_class[members[i]]]
        if price >= 0:
            spare[number] = price
            number += 1
    wanted = min_group_size - mass
    last = np.inf  # the reduced cost of the last row that is needed: each entry has at least one copy
    if number > wanted:
        last = np.partition(spare[:number], wanted - 1)[wanted - 1]
    number = 0
    for i in range(len(members)):
        price = shown[i] + theta * slope[sensitive_class[members[i]]]
        if 0 <= price <= last:
            spare[number] = price
            place[number] = i
            number += 1
    for at in np.argsort(spare[:number], kind="mergesort"):
        i = place[at]
        c = sensitive_class[members[i]]
        copies = min(counts[members[i]], min_group_size - mass)
        value += copies * shown[i]
        incline += copies * slope[c]
        mass += copies
        by_class[c] += copies
        if mass == min_group_size:
            return value, incline, spare[at]
    return np.inf, 0.0, 0.0


@njit(cache=True, nogil=True)
def least_sloped(
    chunk: int,
    multipliers: IntArray,
    counts: IntArray,
    sensitive_class: IntArray,
    types: IntArray,
    starts: IntArray,
    cost: IntArray,
    active: BoolArray,
    min_group_size: int,
    linear_multipliers: FloatArray,
    theta_of: FloatArray,
    size_price: FloatArray,
    values: FloatArray,
    mix: FloatArray,
    by_class: FloatArray,
) -> None:  # pragma: no cover - compiled
    """For every active pattern find the best theta, and the least reduced cost (0 if it is not negative).

    The group of least reduced cost is a mix of two: those at the thetas ``mix[p, 0]`` and ``mix[p, 1]``, the first to
    the share ``mix[p, 2]``. ``by_class`` has its rows by sensitive class.
    """
    found = np.empty(by_class.shape[1], dtype=np.float64)
    high, low = np.zeros_like(found), np.zeros_like(found)
    for p in range(chunk, len(cost), CHUNKS):
        values[p] = 0.0
        if not active[p]:
            continue
        members = types[starts[p] : starts[p + 1]]
        shown = np.empty(len(members), dtype=np.float64)
        spare, place = np.empty(len(members), dtype=np.float64), np.empty(len(members), dtype=np.int64)
        for i in range(len(members)):
            shown[i] = cost[p] - multipliers[members[i]]
        theta, price, done = 0.0, 0.0, False
        high_value, high_slope, high_theta, low_value, low_slope, low_theta = 0.0, np.inf, 0.0, 0.0, -np.inf, 0.0
        for _ in range(60):
            value, slope, price = _cheapest(
                members,
                counts,
                sensitive_class,
                shown,
                linear_multipliers[p],
                theta,
                min_group_size,
                spare,
                place,
                found,
            )
            done = value + theta * slope >= 0  # also if no group is large enough
            if done:
                break
            if slope <= 1e-9:
                low_value, low_slope, low_theta = value, slope, theta
                low[:] = found
                if theta == 0.0:
                    break
            else:
                high_value, high_slope, high_theta = value, slope, theta
                high[:] = found
            if high_slope < np.inf and low_slope > -np.inf:
                crossing = max(0.0, (low_value - high_value) / (high_slope - low_slope))
                if abs(crossing - theta) <= 1e-6 * (1 + theta):
                    break
                theta = crossing
            elif theta == 0.0 and theta_of[p] > 0:
                theta = theta_of[p]
            else:
                theta = 2 * theta + STEP
        theta_of[p] = theta
        size_price[p] = price
        by_class[p] = 0
        if done:
            continue
        share = 0.0
        if high_slope < np.inf and low_slope > -np.inf:
            share = -low_slope / (high_slope - low_slope)
        values[p] = min(0.0, share * high_value + (1 - share) * low_value)
        mix[p, 0], mix[p, 1], mix[p, 2] = high_theta, low_theta, share
        for c in range(len(found)):
            by_class[p, c] = share * high[c] + (1 - share) * low[c]


@njit(cache=True, nogil=True)
def take_sloped(
    chunk: int,
    multipliers: IntArray,
    counts: IntArray,
    sensitive_class: IntArray,
    types: IntArray,
    starts: IntArray,
    cost: IntArray,
    wanted: BoolArray,
    min_group_size: int,
    linear_multipliers: FloatArray,
    mix: FloatArray,
    taken: FloatArray,
) -> None:  # pragma: no cover - compiled
    """Count the copies of each row type in the groups of least reduced cost of the wanted patterns."""
    for p in range(chunk, len(cost), CHUNKS):
        if not wanted[p]:
            continue
        members = types[starts[p] : starts[p + 1]]
        for which in range(2):
            theta = mix[p, which]
            share = mix[p, 2] if which == 0 else 1 - mix[p, 2]
            if share == 0.0:
                continue
            price = np.empty(len(members), dtype=np.float64)
            mass = 0
            for i in range(len(members)):
                kind = members[i]
                price[i] = cost[p] - multipliers[kind] + theta * linear_multipliers[p, sensitive_class[kind]]
                if price[i] < 0:
                    taken[kind] += share * counts[kind]
                    mass += counts[kind]
            if mass >= min_group_size:
                continue
            for i in np.argsort(price, kind="mergesort"):
                kind = members[i]
                if price[i] < 0:
                    continue
                number = min(counts[kind], min_group_size - mass)
                taken[kind] += share * number
                mass += number
                if mass == min_group_size:
                    break
