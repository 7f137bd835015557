"""Cells: where a ladder ends below the mark, rows that differ at its highest level are never in the same group."""

from __future__ import annotations

import numpy as np

from kilt.arrays.ragged import Ragged, bucket
from kilt.errors import InfeasibleError
from kilt.model.problem import Problem
from kilt.numbers import pluralize


def cells_of(problem: Problem) -> Ragged:
    """Return the row types that may be in a group with each other: those that agree at all highest levels."""
    tops = [column.levels[-1][problem.codes[:, index]] for index, column in enumerate(problem.columns)]
    return bucket([top for top in tops if top.any()], len(problem.counts))


def require_legal_cells(problem: Problem) -> None:
    """Raise unless every cell is legal as one group: by the union property, a cell has no legal groups otherwise."""
    cells = cells_of(problem)
    if len(cells) == 1:
        return
    by_class = np.zeros((len(cells), len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(by_class, (cells.owner, problem.sensitive_class[cells.values]), problem.counts[cells.values])
    illegal = ~problem.is_legal(by_class)
    if illegal.any():
        names = [f"'{column.name}'" for column in problem.columns if column.levels[-1].any()]
        sizes = by_class.sum(axis=1)[illegal]
        raise InfeasibleError(
            f"the highest levels of {', '.join(names)} cannot be kept: rows that differ there are never in one group, "
            f"and {len(sizes):,} of the {pluralize(len(cells), 'cell')} cannot meet the policy, the smallest of them "
            f"with {pluralize(int(sizes.min()), 'row')}; let a column be blurred further, or hidden where needed, by "
            "leaving out its 'keep', '!' or '/to'"
        )
