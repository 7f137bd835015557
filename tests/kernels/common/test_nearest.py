"""Distances of rows against slow twins in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.common.nearest import Distances, Ladders, number_codes
from support.profiles import examples

HEIGHT = 2


@st.composite
def tables(draw, most_rows=60):
    """Codes of some rows, and ladders on which ever more values look the same; every column has its own height."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows, columns, values = draw(st.integers(2, most_rows)), draw(st.integers(1, 4)), draw(st.integers(1, 9))
    codes = rng.integers(0, values, (rows, columns)).astype(np.int32)
    shown = np.zeros((columns, HEIGHT + 1, values), dtype=np.int64)
    shown[:, 0] = np.arange(values)
    shown[:, 1] = rng.integers(0, values, (columns, values))
    tops = rng.integers(1, HEIGHT + 1, columns)
    shown[np.arange(columns), tops] = 0
    steps = rng.integers(0, draw(st.sampled_from([3, 1 << 40])), (columns, HEIGHT + 1, values))
    of_label = np.take_along_axis(steps, shown, axis=2)  # codes that look the same at a level cost the same there
    of_label[:, 0] *= rng.integers(0, 2)
    return codes, (shown, np.maximum.accumulate(_same_below(shown, of_label), axis=1), tops)


def _same_below(shown, costs):
    """Raise what a label costs to the most that one of the codes under it costs below, so that costs never fall."""
    raised = costs.copy()
    for j, h in np.ndindex(*shown.shape[:2]):
        for label in np.unique(shown[j, h]):
            inside = shown[j, h] == label
            raised[j, h, inside] = max(costs[j, h, inside].max(), raised[j, h - 1, inside].max() if h else 0)
    return raised


def slow_distances(codes, shown, costs, tops):
    """Return the distance of every row from every other."""
    found = np.zeros((len(codes), len(codes)), dtype=np.int64)
    for j, column in enumerate(codes.T):
        for u, a in enumerate(column):
            for v, b in enumerate(column):
                level = next(
                    h for h in range(tops[j] + 1) if a == b or h == tops[j] or shown[j, h, a] == shown[j, h, b]
                )
                found[u, v] += costs[j, level, a]
    return found


@given(tables())
@examples(100)
def test_distances_are_those_of_the_slow_twin(table):
    codes, ladders = table
    slow, distances = slow_distances(codes, *ladders), Distances(codes, Ladders(*ladders))
    for u, expected in enumerate(slow):
        assert distances.of(u).tolist() == expected.tolist()


@given(tables(), st.data())
@examples(100)
def test_the_nearest_in_another_part(table, data):
    codes, ladders = table
    slow, distances = slow_distances(codes, *ladders), Distances(codes, Ladders(*ladders))
    part = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(codes), max_size=len(codes))))
    for u, far in enumerate(slow):
        others = np.flatnonzero(part != part[u])
        expected = others[np.argmin(far[others])] if len(others) else -1
        assert distances.nearest_outside(part, u) == expected


@given(tables(), st.data())
@examples(100)
def test_the_nearest_are_the_first_by_distance_of_a_block_and_of_those_known(table, data):
    codes, ladders = table
    slow, rows = slow_distances(codes, *ladders), len(codes)
    marks = data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    block = np.flatnonzero(marks)
    room = data.draw(st.integers(0, rows - 1))
    rng = np.random.default_rng(room)
    near = np.full((rows, room), -1, dtype=np.int32)
    for u in range(rows):
        known = rng.permutation([v for v in range(rows) if v != u])[: rng.integers(0, room + 1)]
        near[u, : len(known)] = known
    before = near.copy()
    numbered = number_codes(codes, Ladders(*ladders)) if data.draw(st.booleans()) else None
    distances = Distances(codes, Ladders(*ladders), numbered)
    distances.find_nearest(near, block, np.array(marks, dtype=np.int8))
    for u, far in enumerate(slow):
        candidates = {*block.tolist(), *before[u].tolist()} - {u, -1}
        expected = sorted(candidates, key=lambda v: (far[v], v))[:room]
        expected += [-1] * (room - len(expected))
        assert near[u].tolist() == (expected if marks[u] else before[u].tolist())


@given(tables(most_rows=12))
@examples(50)
def test_copies_are_counted_at_their_distance(table):
    codes, (shown, costs, tops) = table
    ladders = Ladders(shown, costs % 3, tops)
    slow, distances = slow_distances(codes, shown, costs % 3, tops), Distances(codes, ladders)
    near = np.zeros((len(codes), slow.max() + 1), dtype=np.int64)
    for u in range(len(codes)):
        distances.count_within(near, u, u + 1)
    for v, far in enumerate(slow):
        assert near[v].tolist() == np.bincount(far, np.arange(len(codes)) + 1, near.shape[1]).tolist()


def test_ladders_show_what_they_are_given():
    shown, costs, tops = np.zeros((2, 3, 4), dtype=np.int64), np.ones((2, 3, 4), dtype=np.int64), np.array([1, 2])
    ladders = Ladders(shown, costs, tops)
    assert np.asarray(ladders.shown).shape == shown.shape
    assert np.asarray(ladders.costs).tolist() == costs.tolist()
    assert np.asarray(ladders.tops).tolist() == tops.tolist()
