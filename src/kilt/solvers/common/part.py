"""A part of a table: some copies of some row types."""

from __future__ import annotations

from dataclasses import dataclass

from kilt.numbers import IntArray


@dataclass(frozen=True)
class Part:
    """Copies of row types."""

    types: IntArray
    counts: IntArray
