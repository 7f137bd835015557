"""How well pairs of columns still go together in the release: Cramér's V, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

import numpy as np

from kilt.model.row_types import RowTypes
from kilt.numbers import FloatArray, IntArray
from kilt.report.data.model import ReportAssociation
from kilt.report.data.subject import Subject

COLUMNS = 12  # that are looked at, in their order
VALUES = 100  # a column of more values goes with everything
SHOWN = 8  # the strongest associations of the original


def associations_of(subject: Subject) -> tuple[ReportAssociation, ...]:
    """Compare the strongest associations of the original with what is left of them."""
    names = [*subject.roles.quasi, *subject.roles.sensitive]
    values = [*subject.before.quasi, *subject.before.sensitive]
    chosen = [place for place, known in enumerate(values) if 2 <= len(known) <= VALUES][:COLUMNS]
    before = {pair: cramers_v(*_codes(subject.before, pair)) for pair in combinations(chosen, 2)}
    strongest = sorted(before, key=lambda pair: (-before[pair], pair))[:SHOWN]
    return tuple(
        ReportAssociation(
            names[pair[0]],
            names[pair[1]],
            round(before[pair], 6),
            round(cramers_v(*_codes(subject.after, pair)), 6),
        )
        for pair in strongest
    )


def _codes(types: RowTypes, pair: Sequence[int]) -> tuple[IntArray, IntArray, IntArray]:
    codes = np.concatenate([types.quasi_codes, types.sensitive_codes], axis=1)
    return codes[:, pair[0]], codes[:, pair[1]], types.counts


def cramers_v(first: IntArray, second: IntArray, counts: IntArray) -> float:
    """Return Cramér's V of two columns of codes, 0 if one of them has a single value."""
    height, width = int(first.max()) + 1, int(second.max()) + 1
    places = first.astype(np.int64) * width + second
    observed: FloatArray = np.bincount(places, counts, height * width).astype(np.float64).reshape(height, width)
    observed = observed[observed.any(axis=1)][:, observed.any(axis=0)]
    if min(observed.shape) < 2:
        return 0.0
    of_row, of_column = observed.sum(axis=1, keepdims=True), observed.sum(axis=0, keepdims=True)
    phi = float((observed / of_row * (observed / of_column)).sum()) - 1  # chi squared by the number of rows
    return sqrt(min(1.0, max(0.0, phi / (min(observed.shape) - 1))))
