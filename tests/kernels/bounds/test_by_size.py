"""Groups of single sizes against all groups."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.bounds.by_size import SmallGroups, SortedCovers
from support.kernels import drawn_covers
from support.profiles import examples


def excess(by_class, totals, size):
    """Return the excess of a group: rows above the share of the table, the row that crosses the line in part."""
    return np.maximum(by_class - totals * size / totals.sum(), 0).sum()


def least_of_groups(drawn, p, totals, allowed, smallest):
    """Return the least reduced cost of the groups under a pattern whose excess is allowed."""
    least, copies = np.inf, drawn.copies_of(p)
    for size in range(smallest, min(len(allowed), len(copies) + 1)):
        for group in map(list, combinations(copies.tolist(), size)):
            by_class = np.bincount(drawn.sensitive_class[group], minlength=len(totals))
            if excess(by_class, totals, size) <= allowed[size] + 1e-9:
                least = min(least, size * int(drawn.cost[p]) - int(drawn.multipliers[group].sum()))
    return least


@given(st.data())
@examples(150)
def test_no_close_group_has_less(data):
    drawn = drawn_covers(data)
    patterns = len(drawn.cost)
    totals = np.bincount(drawn.sensitive_class, weights=drawn.counts).astype(np.int64)
    smallest, share = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0.0, 0.1, 0.3, 0.6]))
    allowed = share * np.arange(6.0)
    slope, slope_theta = np.zeros((patterns, len(totals))), np.zeros(patterns)
    best_size, best_theta = np.zeros(patterns, dtype=np.int64), np.zeros(patterns)
    in_order = SortedCovers(drawn.covers)
    groups = SmallGroups(in_order, totals, allowed, smallest, slope, slope_theta, best_size, best_theta)
    active = drawn.covers.active(drawn.multipliers)
    in_order.sort(np.argsort(-drawn.multipliers, kind="stable"), active)
    for _ in range(2):  # the second time from where the first one ended
        values, taken, thetas = np.zeros(patterns), np.zeros(len(drawn.counts)), np.full((patterns, 6), np.nan)
        for chunk in range(2):
            groups.lower(chunk, 2, drawn.multipliers, active, values, taken, thetas)
        for p in range(patterns):
            assert values[p] <= min(0.0, least_of_groups(drawn, p, totals, allowed, smallest)) + 1e-3
        assert (taken <= len(drawn.cost) * drawn.counts + 1e-9).all()
        assert (thetas[~np.isnan(thetas)] >= 0).all()
    alone = np.flatnonzero(values < 0)
    if len(alone) == 1:
        reduced_cost = taken @ (drawn.cost[alone[0]] - drawn.multipliers)
        assert reduced_cost == pytest.approx(values[alone[0]], rel=1e-6, abs=1e-3)
        assert taken.sum() == pytest.approx(best_size[alone[0]])


@given(st.data())
@examples(100)
def test_where_all_excess_is_allowed_only_sizes_count(data):
    drawn = drawn_covers(data)
    patterns, totals = len(drawn.cost), np.bincount(drawn.sensitive_class, weights=drawn.counts).astype(np.int64)
    nothing, best_size = np.zeros(patterns), np.zeros(patterns, dtype=np.int64)
    allowed = np.arange(6.0)
    in_order = SortedCovers(drawn.covers)
    slope = np.zeros((patterns, len(totals)))
    groups = SmallGroups(in_order, totals, allowed, 2, slope, nothing, best_size, nothing.copy())
    active = np.ones(patterns, dtype=bool)
    in_order.sort(np.argsort(-drawn.multipliers, kind="stable"), active)
    values = np.zeros(patterns)
    groups.lower(0, 1, drawn.multipliers, active, values, np.zeros(len(drawn.counts)), np.zeros((0, 0)))
    expected = [min(0, least_of_groups(drawn, p, totals, allowed, 2)) for p in range(patterns)]
    assert values.tolist() == expected
