"""Sets of bits in words."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.arrays.bits import byte_weights, packed, unpacked
from kilt.kernels.patterns.bits import weight_of


@given(st.lists(st.lists(st.booleans(), min_size=70, max_size=70), max_size=5), st.integers(1, 70))
def test_sets_of_bits(rows, width):
    members = np.array([row[:width] for row in rows], dtype=bool).reshape(len(rows), width)
    words = packed(members)
    assert words.shape == (len(rows), 1 + (width > 64))
    assert (unpacked(words, width) == members).all()
    weights = np.arange(1, width + 1) ** 3
    for row, word in zip(members, words, strict=True):
        assert weight_of(word, byte_weights(weights)) == weights[row].sum()
