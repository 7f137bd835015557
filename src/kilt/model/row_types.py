"""Row types: rows that agree on all quasi and sensitive columns, with their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kilt.model.ladders import Encoding, Ladder, Values
from kilt.numbers import IntArray


@dataclass(frozen=True)
class RowTypes:
    """What a source counts: rows that agree on all quasi and sensitive columns, with their number.

    The codes index the distinct values of each column, which are given as text (None is null).
    """

    quasi: tuple[Values, ...]
    sensitive: tuple[Values, ...]
    quasi_codes: IntArray
    sensitive_codes: IntArray
    counts: IntArray

    def reference(self, column: int) -> IntArray:
        """Return how often each value of a sensitive column occurs in the table."""
        codes, size = self.sensitive_codes[:, column], len(self.sensitive[column])
        reference = np.zeros(size, dtype=np.int64)
        np.add.at(reference, codes, self.counts)
        return reference


def encode(types: RowTypes, ladders: Mapping[str, Ladder]) -> list[Encoding]:
    """Code the values of every quasi column under its ladder."""
    return [ladder.encode(name, values) for (name, ladder), values in zip(ladders.items(), types.quasi, strict=True)]
