"""Random covers for kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from kilt.kernels.bounds.incidence import Covers, by_type
from kilt.numbers import IntArray


@dataclass(frozen=True)
class DrawnCovers:
    """Row types and patterns, as kernels have them, and multipliers."""

    counts: IntArray
    sensitive_class: IntArray
    types: IntArray
    starts: IntArray
    cost: IntArray
    multipliers: IntArray
    covers: Covers

    def copies_of(self, p: int) -> IntArray:
        """Return the row types under a pattern, each as often as it has copies."""
        cover = self.types[self.starts[p] : self.starts[p + 1]]
        return np.repeat(cover, self.counts[cover])


def drawn_covers(data: DataObject, most_row_types: int = 5, most_classes: int = 3) -> DrawnCovers:
    """Draw row types of a few sensitive classes under a few patterns, which are not empty."""
    n_row_types = data.draw(st.integers(1, most_row_types))

    def one_each(number: st.SearchStrategy[int]) -> IntArray:
        return np.array(data.draw(st.lists(number, min_size=n_row_types, max_size=n_row_types)), dtype=np.int64)

    counts, multipliers = one_each(st.integers(1, 2)), one_each(st.integers(-5_000, 20_000))
    _, sensitive_class = np.unique(one_each(st.integers(0, most_classes - 1)), return_inverse=True)
    row_types = st.sets(st.integers(0, n_row_types - 1), min_size=1)
    lists = [sorted(cover) for cover in data.draw(st.lists(row_types, min_size=1, max_size=3))]
    types, starts = np.concatenate([np.array(cover) for cover in lists]), np.cumsum([0, *map(len, lists)])
    costs = st.lists(st.integers(0, 10_000), min_size=len(lists), max_size=len(lists))
    cost = np.sort(np.array(data.draw(costs), dtype=np.int64))
    index = by_type(types, starts, n_row_types)[:2]
    covers = Covers(counts, sensitive_class, types, starts, *index, cost)
    return DrawnCovers(counts, sensitive_class, types, starts, cost, multipliers, covers)
