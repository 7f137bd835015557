"""Which row types are under which patterns: lists of row types by pattern, and lists of patterns by row type."""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import BoolArray, IntArray


def by_type(types: IntArray, starts: IntArray, n_row_types: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return where the patterns of each row type start, the patterns in their order, and the places in ``types``."""
    row_types: cython.longlong[::1] = np.ascontiguousarray(types, dtype=np.int64)
    pattern_starts: cython.longlong[::1] = np.ascontiguousarray(starts, dtype=np.int64)
    type_starts, next_entries = np.zeros(n_row_types + 1, dtype=np.int64), np.zeros(n_row_types, dtype=np.int64)
    patterns, places = np.empty(len(types), dtype=np.int32), np.empty(len(types), dtype=np.int32)
    type_starts_: cython.longlong[::1] = type_starts
    next_entry: cython.longlong[::1] = next_entries
    patterns_: cython.int[::1] = patterns
    places_: cython.int[::1] = places
    with cython.nogil:
        for i in range(row_types.shape[0]):
            type_starts_[row_types[i] + 1] += 1
        for u in range(next_entry.shape[0]):
            next_entry[u] = type_starts_[u]
            type_starts_[u + 1] += type_starts_[u]
        for p in range(pattern_starts.shape[0] - 1):
            for i in range(pattern_starts[p], pattern_starts[p + 1]):
                entry = next_entry[row_types[i]]
                patterns_[entry] = p
                places_[entry] = i
                next_entry[row_types[i]] = entry + 1
    return type_starts, patterns, places


@cython.cclass
class Covers:
    """The covers of patterns: pattern p has the row types at ``starts[p]`` to ``starts[p + 1]`` of ``types``.

    Row type u has its patterns, from cheap to dear, at ``type_starts[u]`` to ``type_starts[u + 1]`` of ``patterns``. A
    row costs ``cost[p]``, scaled like multipliers; row type u has ``counts[u]`` copies. The ``longest`` cover has so
    many row types.
    """

    def __init__(
        self,
        counts: IntArray,
        sensitive_class: IntArray,
        types: IntArray,
        starts: IntArray,
        type_starts: IntArray,
        patterns: IntArray,
        cost: IntArray,
    ) -> None:
        self.counts, self.sensitive_class, self.types, self.starts, self.type_starts, self.cost = (
            np.ascontiguousarray(given, dtype=np.int64)
            for given in (counts, sensitive_class, types, starts, type_starts, cost)
        )
        self.patterns = patterns
        self.longest = np.diff(starts).max(initial=0)

    def active(self, multipliers: cython.longlong[::1]) -> BoolArray:
        """Mark the patterns with a row whose multiplier exceeds the cost: no others have negative reduced costs."""
        active = np.zeros(self.cost.shape[0], dtype=np.bool_)
        marked: cython.uchar[::1] = active.view(np.uint8)
        with cython.nogil:
            self.mark_active(multipliers, marked)
        return active

    @cython.cfunc
    @cython.nogil
    def mark_active(self, multipliers: cython.longlong[::1], active: cython.uchar[::1]) -> cython.void:
        """Mark the active patterns: of each row type, those that cost less than its multiplier."""
        for u in range(multipliers.shape[0]):
            for entry in range(self.type_starts[u], self.type_starts[u + 1]):
                p = self.patterns[entry]
                if self.cost[p] >= multipliers[u]:
                    break
                active[p] = True
