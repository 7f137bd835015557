"""Sets of bits in words."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kilt.arrays.bits import byte_weights, packed, unpacked
from kilt.kernels.patterns.bits import ByteWeights


@given(st.lists(st.lists(st.booleans(), min_size=70, max_size=70), max_size=5), st.integers(1, 70))
def test_sets_of_bits(rows, width):
    members = np.array([row[:width] for row in rows], dtype=bool).reshape(len(rows), width)
    words = packed(members)
    assert words.shape == (len(rows), 1 + (width > 64))
    assert (unpacked(words, width) == members).all()
    weights = np.arange(1, width + 1) ** 3
    of_word = ByteWeights(byte_weights(weights)).of_word
    for row, set_ in zip(members, words, strict=True):
        assert sum(of_word(place, word) for place, word in enumerate(set_.tolist())) == weights[row].sum()
