"""Row types: rows that agree on all quasi and sensitive columns, with their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.model.ladders import Domain, Encoding, Ladder, Values
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
    _domains: dict[tuple[int, str], Domain] = field(default_factory=dict, compare=False, repr=False)

    def domain(self, column: int, name: str) -> Domain:
        """Return the values of a quasi column with the number of rows that have each."""
        if (column, name) not in self._domains:
            counts = np.zeros(len(self.quasi[column]), dtype=np.int64)
            np.add.at(counts, self.quasi_codes[:, column], self.counts)
            self._domains[column, name] = Domain(name, self.quasi[column], counts)
        return self._domains[column, name]

    def reference(self, column: int) -> IntArray:
        """Return how often each value of a sensitive column occurs in the table."""
        codes, size = self.sensitive_codes[:, column], len(self.sensitive[column])
        reference = np.zeros(size, dtype=np.int64)
        np.add.at(reference, codes, self.counts)
        return reference

    def group_sizes(self) -> IntArray:
        """Return how many rows agree in all quasi columns, as they are."""
        groups = bucket(list(self.quasi_codes.T), len(self.counts))
        return groups.sums(self.counts[groups.values])


def encode(types: RowTypes, ladders: Mapping[str, Ladder]) -> list[Encoding]:
    """Code the values of every quasi column under its ladder."""
    return [ladder.encode(types.domain(column, name)) for column, (name, ladder) in enumerate(ladders.items())]
