"""Ladders as kernels compiled by numba take them, until these are ported."""

from __future__ import annotations

from typing import NamedTuple

from kilt.kernels.lean import lean
from kilt.numbers import IntArray


class Ladders(NamedTuple):
    """``shown[j, h, code]`` is the code of column j at level h, which costs ``costs[j, h]``; ``tops[j]`` is the top."""

    shown: IntArray
    costs: IntArray
    tops: IntArray


@lean
def agreeing(shown: IntArray, tops: IntArray, j: int, h: int, a: int, b: int) -> int:  # pragma: no cover - compiled
    """Return the lowest level, from h on, at which two codes of column j look the same."""
    while a != b and h < tops[j] and shown[j, h, a] != shown[j, h, b]:
        h += 1
    return h
