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
    _, rows = np.unique(first, return_inverse=True)
    _, columns = np.unique(second, return_inverse=True)
    height, width = int(rows.max()) + 1, int(columns.max()) + 1
    if min(height, width) < 2:
        return 0.0
    # what occurs is enough: the sum over all cells of (observed - expected)^2 / expected is n (sum of o^2 / (r c) - 1)
    pairs, place = np.unique(rows.astype(np.int64) * width + columns, return_inverse=True)
    observed: FloatArray = np.bincount(place, counts).astype(np.float64)
    of_row = np.bincount(rows, counts)[pairs // width]
    of_column = np.bincount(columns, counts)[pairs % width]
    phi = float((observed / of_row * (observed / of_column)).sum()) - 1
    return sqrt(min(1.0, max(0.0, phi / (min(height, width) - 1))))
