"""Sets of row types that are grown, against a slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.bounds.counting import ONE, GrowingSets
from kilt.kernels.bounds.incidence import by_type
from support.naive import grown_set
from support.profiles import examples


@given(st.data())
@examples(300)
def test_sets_are_grown_as_by_hand(data):
    n_row_types = data.draw(st.integers(1, 7))
    counts = data.draw(st.lists(st.integers(1, 4), min_size=n_row_types, max_size=n_row_types))
    covers = data.draw(st.lists(st.sets(st.integers(0, n_row_types - 1), min_size=1), min_size=1, max_size=7))
    use = data.draw(st.lists(st.integers(0, ONE), min_size=len(covers), max_size=len(covers)))
    k, most, least = data.draw(st.integers(1, 5)), data.draw(st.integers(0, 4)), data.draw(st.integers(0, ONE))
    types = np.array([u for cover in covers for u in sorted(cover)])
    starts = np.cumsum([0, *map(len, covers)])
    type_starts, patterns, _ = by_type(types, starts, n_row_types)
    growing = GrowingSets(np.array(counts), types, starts, type_starts, patterns, np.array(use), k)
    for first in [*range(len(covers)), 0]:  # nothing is left of one when the next is grown
        violation, found = grown_set(counts, covers, use, ONE, k, first, most)
        assert growing.grow(first, most, least).tolist() == (sorted(found) if violation > least else [])


def test_a_set_with_rows_for_one_group_is_found():
    counts, covers = np.ones(5, dtype=np.int64), [{0, 1, 2}, {2, 3, 4}]
    types, starts = np.array([0, 1, 2, 2, 3, 4]), np.array([0, 3, 6])
    type_starts, patterns, _ = by_type(types, starts, 5)
    growing = GrowingSets(counts, types, starts, type_starts, patterns, np.full(len(covers), ONE), 3)
    assert growing.grow(0, 3, ONE // 2).tolist() == [0, 1, 2, 3, 4]
    assert growing.grow(0, 3, ONE).tolist() == []  # not by more than that
    assert growing.grow(0, 0, 0).tolist() == []  # a pattern alone has as many rows as a group
