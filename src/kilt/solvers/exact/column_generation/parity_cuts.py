"""Parity cuts: if a set of rows has an odd number of them, some group of every partition holds an odd number of them.

In a solution of the linear program such groups may have less than one share in all, so requiring one raises the bound.
A set is found by parity: groups that are selected as a whole must hold an even number of its rows, which is a system
of equations modulo two. From one of its solutions a set is grown whose odd groups have few shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.solvers.exact.column_generation.columns import Columns


@dataclass(frozen=True)
class Params:
    """How hard sets are looked for."""

    tolerance: float = 1e-6  # shares up to this far from a whole number count as whole
    violation: float = 0.01  # shares that must be missing
    max_starts: int = 100  # sets that are grown in a component
    max_steps: int = 60  # by which they grow
    max_directions: int = 300  # solutions modulo two that are combined
    max_cuts: int = 40  # that are returned


PARAMS = Params()


def parity_cuts(columns: Columns, shares: FloatArray, counts: IntArray) -> list[BoolArray]:
    """Return sets of row types with an odd number of rows whose odd groups have less than one share, least first."""
    found: dict[bytes, tuple[float, BoolArray]] = {}
    for component in _components(columns, shares, len(counts)):
        for share, types in component.least_odd_sets(counts % 2 == 1):
            if share < 1 - PARAMS.violation:
                found[types.tobytes()] = (share, types)
    return [types for _, types in sorted(found.values(), key=lambda pair: pair[0])[: PARAMS.max_cuts]]


def odd_groups(columns: Columns, types: BoolArray) -> IntArray:
    """Return the groups that hold an odd number of rows of these types."""
    return np.flatnonzero(columns.members.sums(types[columns.types].astype(np.int64)) % 2)


@dataclass(frozen=True)
class Component:
    """Groups with fractional shares that hang together.

    A row of ``directions`` is a set of row types of which no group with a whole share holds an odd number; ``odd`` says
    of which sets each fractional group holds an odd number.
    """

    directions: BoolArray
    odd: BoolArray
    shares: FloatArray

    def least_odd_sets(self, is_odd: BoolArray) -> Iterator[tuple[float, BoolArray]]:
        """Grow a set from every direction with an odd number of rows, and return the best one on the way.

        All sets grow at the same time, by one direction after the other, the best first.
        """
        turns = (self.directions & is_odd).sum(axis=1) % 2 == 1  # an odd number of rows into an even one, and back
        starts = np.flatnonzero(turns)[: PARAMS.max_starts]
        each, signs, total = np.arange(len(starts)), 1.0 - 2.0 * self.odd, float(self.shares.sum())
        chosen = np.zeros((len(starts), len(turns)), dtype=bool)
        chosen[each, starts] = True
        now, is_now_odd = signs[starts], np.ones(len(starts), dtype=bool)
        best_shares, best = (total - now @ self.shares) / 2, chosen.copy()
        for _ in range(min(PARAMS.max_steps, len(turns) - 1)):
            after = np.where(chosen, np.inf, (total - (now * self.shares) @ signs.T) / 2)
            added = after.argmin(axis=1)
            chosen[each, added] = True
            now, is_now_odd = now * signs[added], is_now_odd ^ turns[added]
            better = is_now_odd & (after[each, added] < best_shares - PARAMS.tolerance)
            best_shares = np.where(better, after[each, added], best_shares)
            best[better] = chosen[better]
        for share, mine in zip(best_shares.tolist(), best, strict=True):
            yield share, np.logical_xor.reduce(self.directions[mine], axis=0)


def _components(columns: Columns, shares: FloatArray, n_row_types: int) -> Iterator[Component]:
    """Yield the components of the groups that have shares; those without a fractional group are left out."""
    used = np.flatnonzero(shares > PARAMS.tolerance)
    groups, shares = columns.picked(used), shares[used]
    is_whole = np.abs(shares - np.rint(shares)) <= PARAMS.tolerance
    parity = np.zeros((len(used), n_row_types), dtype=bool)
    np.logical_xor.at(parity, (groups.members.owner, groups.types), True)
    for mine in connected(groups, n_row_types):
        fractional = mine & ~is_whole
        if fractional.any():
            types = np.flatnonzero(np.bincount(groups.types[groups.members.entries_of(mine)], minlength=n_row_types))
            solutions = _null_space(parity[np.ix_(mine & is_whole, types)])
            odd = (solutions.astype(np.int64) @ parity[np.ix_(fractional, types)].T.astype(np.int64)) % 2 == 1
            touching = np.flatnonzero(odd.any(axis=1))[: PARAMS.max_directions]
            directions = np.zeros((len(touching), n_row_types), dtype=bool)
            directions[:, types] = solutions[touching]
            yield Component(directions, odd[touching], shares[fractional])


def connected(groups: Columns, n_row_types: int) -> Iterator[BoolArray]:
    """Yield masks of the groups that share row types, directly or through others."""
    label = np.arange(n_row_types)
    while True:  # labels sink to the least one of a component
        least = np.minimum.reduceat(label[groups.types], groups.starts[:-1])
        sunk = label.copy()
        np.minimum.at(sunk, groups.types, least[groups.members.owner])
        if np.array_equal(sunk, label):
            break
        label = sunk
    of_group = label[groups.members.first]
    for each in np.unique(of_group):
        yield of_group == each


def _null_space(equations: BoolArray) -> BoolArray:
    """Return a basis of the sets that have an even number of elements in common with every equation."""
    matrix = equations.copy()
    pivots: list[int] = []
    for column in range(matrix.shape[1]):
        below = len(pivots)
        rows = below + np.flatnonzero(matrix[below:, column])
        if len(rows):
            matrix[[below, rows[0]]] = matrix[[rows[0], below]]
            others = np.flatnonzero(matrix[:, column])
            matrix[others[others != below]] ^= matrix[below]
            pivots.append(column)
    free = np.setdiff1d(np.arange(matrix.shape[1]), pivots)
    basis = np.zeros((len(free), matrix.shape[1]), dtype=bool)
    basis[np.arange(len(free)), free] = True
    basis[:, pivots] = matrix[: len(pivots)][:, free].T
    return basis
