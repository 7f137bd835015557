"""The distance of two rows: what the pattern of the two costs a row; a metric, since it is one on every ladder."""

from __future__ import annotations

import numpy as np

from kilt.kernels.common.nearest import Ladders
from kilt.model.problem import Problem


def stacked(problem: Problem) -> Ladders:
    """Return for the kernels the codes of all columns at all levels, what they cost there, and the top levels."""
    depth = max(len(column.levels) for column in problem.columns)
    width = int(problem.codes.max(initial=0)) + 1
    shown = np.zeros((len(problem.columns), depth, width), dtype=np.int64)
    costs = np.zeros_like(shown)
    for j, column in enumerate(problem.columns):
        costs[j, : len(column.levels), : problem.costs[j].shape[1]] = problem.costs[j][:, :width]
        for h, codes in enumerate(column.levels):
            shown[j, h, : len(codes)] = codes[:width]
    return Ladders(shown, costs, np.array([len(column.levels) - 1 for column in problem.columns]))
