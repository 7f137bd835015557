"""Groups of single sizes against all groups."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.bounds.by_size import Members, SizedGroups, SmallGroups, SortedCovers
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


def groups_of(drawn, totals, allowed, smallest, best_size=None, best_theta=None):
    """Return the kernel with the covers sorted, and which patterns are active."""
    patterns = len(drawn.cost)
    best_size = np.zeros(patterns, dtype=np.int64) if best_size is None else best_size
    best_theta = np.zeros(patterns) if best_theta is None else best_theta
    in_order = SortedCovers(drawn.covers)
    members = Members(len(totals), len(allowed) - 1, int(drawn.counts.sum()))
    sized = SizedGroups(members, totals, int(totals.sum()), allowed)
    groups = SmallGroups(in_order, sized, smallest, best_size, best_theta, len(allowed))
    active = drawn.covers.active(drawn.multipliers)
    in_order.sort(np.argsort(-drawn.multipliers, kind="stable"), active)
    return groups, active


@given(st.data())
@examples(400)
def test_the_least_reduced_cost_is_that_of_a_close_group(data):
    drawn = drawn_covers(data, most_row_types=8, most_classes=6)
    patterns = len(drawn.cost)
    of_cover = np.bincount(drawn.sensitive_class, weights=drawn.counts).astype(np.int64)
    others = data.draw(st.lists(st.integers(0, 9), min_size=len(of_cover), max_size=len(of_cover)))
    totals, largest = of_cover + others, 7
    smallest, share = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.6]))
    allowed = share * np.arange(largest + 1.0)
    best_size = np.zeros(patterns, dtype=np.int64)
    groups, active = groups_of(drawn, totals, allowed, smallest, best_size)
    margin, marks = data.draw(st.sampled_from([0.0, 3_000.0])), np.zeros((2, patterns), dtype=np.uint8)
    expected = [min(0.0, least_of_groups(drawn, p, totals, allowed, smallest)) for p in range(patterns)]
    for _ in range(2):  # the second time from where the first one ended
        values, taken = np.zeros(patterns), np.zeros(len(drawn.counts))
        for chunk in range(2):
            groups.lower(chunk, 2, drawn.multipliers, active, values, taken, margin, marks, np.zeros((0, 0)))
        assert values == pytest.approx(expected, abs=0.1)
        assert (taken <= patterns * drawn.counts + 1e-9).all()
        assert marks[0][values < 0].all()
    alone = np.flatnonzero(values < 0)
    if len(alone) == 1:
        reduced_cost = taken @ (drawn.cost[alone[0]] - drawn.multipliers)
        assert reduced_cost == pytest.approx(values[alone[0]], abs=0.1)
        assert taken.sum() == pytest.approx(best_size[alone[0]])


def ends_of(nodes):
    """Return the ends of a tree: which classes are in and out, and theta."""
    node = nodes.pop(0)
    if node < 0:
        return [({}, -1 - node)]
    return [({**decided, node: is_in}, theta) for is_in in (False, True) for decided, theta in ends_of(nodes)]


def bound_at(drawn, p, totals, allowed, size, decided, theta):
    """Return the least reduced cost plus theta times excess above what is allowed, of the groups at one end."""
    least, copies = np.inf, drawn.copies_of(p)
    for group in map(list, combinations(copies.tolist(), size)):
        by_class = np.bincount(drawn.sensitive_class[group], minlength=len(totals))
        if all((by_class[c] > totals[c] * size // totals.sum()) == is_in for c, is_in in decided.items()):
            value = size * int(drawn.cost[p]) - int(drawn.multipliers[group].sum())
            least = min(least, value + theta * (excess(by_class, totals, size) - allowed))
    return least


@given(st.data())
@examples(300)
def test_trees_prove_the_least_reduced_cost(data):
    """At every end the bound is at least what is to be proved, or no close group is there."""
    drawn = drawn_covers(data, most_row_types=8, most_classes=6)
    of_cover = np.bincount(drawn.sensitive_class, weights=drawn.counts).astype(np.int64)
    others = data.draw(st.lists(st.integers(0, 9), min_size=len(of_cover), max_size=len(of_cover)))
    totals, largest = of_cover + others, 7
    allowed = data.draw(st.sampled_from([0.1, 0.2, 0.3])) * np.arange(largest + 1.0)
    groups, active = groups_of(drawn, totals, allowed, 1)
    values = np.zeros(len(drawn.cost))
    marks = np.zeros((2, len(values)), dtype=np.uint8)
    groups.lower(0, 1, drawn.multipliers, active, values, np.zeros(len(drawn.counts)), 0.0, marks, np.zeros((0, 0)))
    for p in np.flatnonzero(active).tolist():
        proof = groups.proof(p, drawn.multipliers, values[p], largest)
        assert len({size for size, _, _ in proof}) == len(proof)
        for size, theta, nodes in proof:
            left = [-1 - theta] if nodes is None else nodes.tolist()
            ends = ends_of(left)
            assert not left
            for decided, end_theta in ends:
                free = totals * size // totals.sum()
                forced = sum(free[c] + 1 - totals[c] * size / totals.sum() for c, is_in in decided.items() if is_in)
                limit = allowed[size]
                have = np.bincount(drawn.sensitive_class[drawn.copies_of(p)], minlength=len(totals))
                if all(c in decided or have[c] <= free[c] for c in range(len(totals))):
                    limit = forced + np.floor(limit - forced + 1e-9)
                bound = bound_at(drawn, p, totals, limit, size, decided, end_theta)
                assert bound >= values[p] - 10 or least_excess(drawn, p, totals, size, decided) > limit + 1e-9


def least_excess(drawn, p, totals, size, decided):
    """Return the least excess of the groups at one end."""
    least, copies = np.inf, drawn.copies_of(p)
    for group in map(list, combinations(copies.tolist(), size)):
        by_class = np.bincount(drawn.sensitive_class[group], minlength=len(totals))
        if all((by_class[c] > totals[c] * size // totals.sum()) == is_in for c, is_in in decided.items()):
            least = min(least, excess(by_class, totals, size))
    return least


@given(st.data())
@examples(100)
def test_where_all_excess_is_allowed_only_sizes_count(data):
    drawn = drawn_covers(data)
    patterns, totals = len(drawn.cost), np.bincount(drawn.sensitive_class, weights=drawn.counts).astype(np.int64)
    allowed = np.arange(6.0)
    groups, active = groups_of(drawn, totals, allowed, 2)
    values = np.zeros(patterns)
    marks = np.zeros((2, len(values)), dtype=np.uint8)
    groups.lower(0, 1, drawn.multipliers, active, values, np.zeros(len(drawn.counts)), 0.0, marks, np.zeros((0, 0)))
    expected = [min(0, least_of_groups(drawn, p, totals, allowed, 2)) for p in range(patterns)]
    assert values.tolist() == expected
