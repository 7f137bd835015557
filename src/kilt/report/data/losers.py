"""For whom detail was lost: rows by the number of cells that they lost, and by the values of a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kilt.errors import InputError, nearest, raise_all
from kilt.model.ladders.dates import date_format_of
from kilt.model.marks import ladder_mark
from kilt.model.roles import Roles
from kilt.report.data.folding import fold
from kilt.report.data.model import ReportBy, ReportLostRows, ReportShare
from kilt.report.data.subject import Subject
from kilt.sources.base import LossCountingSource, LostCells


def lost_rows_of(subject: Subject) -> tuple[ReportLostRows, ...]:
    """Count the rows by how many of their quasi cells differ from the original."""
    lost: Counter[int] = Counter()
    for _, cells, rows in _lost_cells(subject, None) or _by_looks(subject):
        lost[cells] += rows
    whole = sum(lost.values())
    return tuple(
        ReportLostRows(cells, lost[cells], lost[cells] / whole) for cells in range(len(subject.roles.quasi) + 1)
    )


def by_of(subject: Subject, columns: Sequence[str]) -> tuple[ReportBy, ...]:
    """Compare the rows by the values that they had in some columns of the original."""
    require_by(columns, subject.original.columns, subject.roles)
    return tuple(_by(subject, name) for name in dict.fromkeys(columns))


def require_by(names: Sequence[str], columns: Sequence[str], roles: Roles) -> None:
    """Raise if rows are to be compared by a column that is not released."""
    known = [name for name in columns if name not in roles.identifier]
    wrong = [name for name in names if name not in known]
    raise_all(
        [f"'by' names '{name}', which is not a column that is released: {nearest(name, known)}" for name in wrong]
    )


def _by(subject: Subject, name: str) -> ReportBy:
    found = _lost_cells(subject, name)
    if found is None:
        raise InputError(
            f"'by' cannot name '{name}' here: nothing says which row of the original each released row was made of"
        )
    values, counts = [value for value, _, _ in found], [rows for _, _, rows in found]
    folded = fold(values, counts, subject.fewest, date_format=date_format_of(subject.roles.quasi.get(name)))
    rows_of: Counter[str] = Counter()
    cells_of: Counter[str] = Counter()
    for value, cells, rows in found:
        rows_of[folded.name_of[value]] += rows
        cells_of[folded.name_of[value]] += cells * rows
    width = len(subject.roles.quasi)
    return ReportBy(
        name,
        tuple(
            ReportShare(
                each,
                rows_of[each],
                round(cells_of[each] / rows_of[each], 6),
                round(cells_of[each] / rows_of[each] / width, 6),
            )
            for each in folded.names
        ),
    )


def _lost_cells(subject: Subject, by: str | None) -> list[LostCells] | None:
    """Count rows by their value in a column of the original and the cells that they lost; None if nobody can."""
    if subject.fidelity.matched or not isinstance(subject.table, LossCountingSource):
        return None
    return subject.table.lost_cells(subject.original, list(subject.roles.quasi), by)


def _by_looks(subject: Subject) -> list[LostCells]:
    """Count the cells of the release that look like none of the original, where rows cannot be compared one by one."""
    types = subject.after
    lost = np.zeros(len(types.counts), dtype=np.int64)
    for index, name in enumerate(subject.roles.quasi):
        known, mark = set(subject.before.quasi[index]), ladder_mark(subject.marks.get(name))
        hidden = np.array([value not in known or value == mark for value in types.quasi[index]], dtype=bool)
        lost += hidden[types.quasi_codes[:, index]]
    return [(None, cells, rows) for cells, rows in zip(lost.tolist(), types.counts.tolist(), strict=True)]
