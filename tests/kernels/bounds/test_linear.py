"""Groups under linear inequalities against a slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.bounds.linear import SlopedGroups
from support.kernels import drawn_covers
from support.profiles import examples


def cheapest(each, slopes, theta, size):
    """Return the least reduced cost of so many rows or more where the slope costs theta, or 0."""
    prices = sorted((each + theta * slopes).tolist())
    taken = max(size, sum(price < 0 for price in prices))
    return min(0.0, sum(prices[:taken])) if len(prices) >= size else 0.0


@given(st.data())
@examples(150)
def test_the_best_theta_gives_the_best_bound(data):
    drawn = drawn_covers(data)
    patterns, classes = len(drawn.cost), int(drawn.sensitive_class.max()) + 1
    size = data.draw(st.integers(1, 4))
    number = st.integers(-4, 4).map(float)
    slope = np.array(data.draw(st.lists(number, min_size=patterns * classes, max_size=patterns * classes)))
    slope = slope.reshape(patterns, classes)
    theta, size_multiplier, mix = np.zeros(patterns), np.zeros(patterns), np.zeros((patterns, 3))
    groups = SlopedGroups(drawn.covers, size, slope, theta, size_multiplier, mix)
    active = drawn.covers.active(drawn.multipliers)
    values, by_class = np.zeros(patterns), np.zeros((patterns, classes))
    for chunk in range(2):
        groups.find(chunk, 2, drawn.multipliers, active, values, by_class)
    taken = np.zeros(len(drawn.counts))
    for chunk in range(2):
        groups.take(chunk, 2, drawn.multipliers, values < 0, taken)
    paid = 0.0
    for p in range(patterns):
        copies = drawn.copies_of(p)
        each, slopes = drawn.cost[p] - drawn.multipliers[copies].astype(float), slope[p, drawn.sensitive_class[copies]]
        near = pytest.approx(values[p], rel=1e-5, abs=1e-2)
        if active[p]:
            assert cheapest(each, slopes, theta[p], size) == near
            others = [data.draw(st.floats(0, 10_000)) for _ in range(3)]
            assert all(cheapest(each, slopes, other, size) <= values[p] + 1e-2 + 1e-5 * other for other in others)
        else:
            assert values[p] == 0
        if values[p] < 0:
            paid += drawn.cost[p] * by_class[p].sum() - values[p]
    assert taken @ drawn.multipliers == pytest.approx(paid, rel=1e-5, abs=1e-2)
    assert taken.sum() == pytest.approx(by_class.sum())
