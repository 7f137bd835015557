"""The rows of a mixed integer program as they are collected, and the program as HiGHS takes it."""

from __future__ import annotations

from dataclasses import dataclass, field

import highspy
import numpy as np

from kilt.numbers import FloatArray, IntArray

INFINITE = float("inf")


@dataclass
class Rows:
    """The rows of a program as they are collected: entries (row, variable, value), and the limits of each row."""

    row: list[IntArray] = field(default_factory=list)
    column: list[IntArray] = field(default_factory=list)
    value: list[FloatArray] = field(default_factory=list)
    lower: list[FloatArray] = field(default_factory=list)
    upper: list[FloatArray] = field(default_factory=list)
    count: int = 0

    def new(self, count: int, lower: float | FloatArray = -INFINITE, upper: float | FloatArray = INFINITE) -> IntArray:
        """Open rows with these limits; return their numbers."""
        self.lower.append(np.broadcast_to(np.asarray(lower, dtype=np.float64), count))
        self.upper.append(np.broadcast_to(np.asarray(upper, dtype=np.float64), count))
        self.count += count
        return np.arange(self.count - count, self.count)

    def add(self, row: IntArray, column: IntArray, value: float | FloatArray | IntArray) -> None:
        """Add entries."""
        self.row.append(row)
        self.column.append(column)
        self.value.append(np.broadcast_to(np.asarray(value, dtype=np.float64), len(row)))


def highs_model(rows: Rows, cost: FloatArray, upper: FloatArray, integral: IntArray) -> highspy.HighsLp:
    """Hand a program over, row by row; all variables are at least 0."""
    row, column, value = (np.concatenate(part) for part in (rows.row, rows.column, rows.value))
    order = np.argsort(row, kind="stable")
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(cost), rows.count
    model.col_cost_ = cost
    model.col_lower_, model.col_upper_ = np.zeros(len(cost)), upper
    model.row_lower_, model.row_upper_ = np.concatenate(rows.lower), np.concatenate(rows.upper)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.searchsorted(row[order], np.arange(rows.count + 1)).astype(np.int32)
    model.a_matrix_.index_ = column[order].astype(np.int32)
    model.a_matrix_.value_ = value[order]
    kinds = np.full(len(cost), highspy.HighsVarType.kContinuous, dtype=object)
    kinds[integral] = highspy.HighsVarType.kInteger
    model.integrality_ = kinds.tolist()
    return model
