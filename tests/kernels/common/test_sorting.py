"""Sorting inside of kernels against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kilt.kernels.common.sorting import smallest_places
from support.profiles import examples


@given(st.data())
@examples(300)
def test_the_smallest_keys_are_those_of_a_stable_sort(data):
    few = data.draw(st.booleans())  # so that many are equal
    key = st.integers(-3, 3).map(float) if few else st.floats(-1e9, 1e9)
    keys = np.array(data.draw(st.lists(key, max_size=70)), dtype=np.float64)
    wanted = data.draw(st.integers(1, len(keys) + 3))
    in_order = np.argsort(keys, kind="stable")
    last = np.sort(keys)[wanted - 1] if wanted < len(keys) else np.inf
    assert smallest_places(keys, wanted).tolist() == in_order[keys[in_order] <= last].tolist()


@pytest.mark.parametrize("keys", [np.arange(5_000.0), np.arange(5_000.0)[::-1].copy(), np.zeros(5_000)])
def test_keys_that_are_sorted_or_equal(keys):
    assert (
        smallest_places(keys, 100).tolist() == np.argsort(keys, kind="stable")[: 100 if keys.any() else None].tolist()
    )
