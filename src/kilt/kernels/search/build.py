"""A first partition by multipliers: all rows are in one group, and those groups leave it that save most, legally."""

from __future__ import annotations

import heapq

from numba import njit

from kilt.kernels.lean import lean
from kilt.kernels.model.legal import CompiledRules
from kilt.kernels.search.assignment import LOGGED, Assignment, CoverIndex, move, undo
from kilt.kernels.search.moves import INFEASIBLE_COST, LONGEST, Work, stays_legal
from kilt.kernels.search.opening import choose
from kilt.numbers import FloatArray

LEAST = 1e-6  # what a group must save: multipliers are floats here, and their sums have errors


@njit(cache=True, nogil=True)
def build(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, multipliers: FloatArray
) -> None:  # pragma: no cover - compiled
    """Form the group of least reduced cost at these multipliers again and again, from rows under the last pattern.

    The last pattern covers all row types, and its entry is the last of each. Patterns wait with the most that they can
    save, by all rows that save something whether legal or not, and what they do save is found when they are next.
    """
    heap = [(-INFEASIBLE_COST, p) for p in range(len(index.cost) - 1)]
    while len(heap) > 0:
        key, p = heapq.heappop(heap)
        next_key = heap[0][0] if len(heap) > 0 else INFEASIBLE_COST
        offers, most = _offered(index, assignment, work, multipliers, p)
        saved = min(most, -key)
        if saved > LEAST and -saved <= next_key:
            saved = min(saved, most - choose(index, assignment, rules, work, p, offers, most))
        if saved > LEAST and (-saved > next_key or _formed(index, assignment, rules, work, offers)):
            heapq.heappush(heap, (-saved, p))


@lean
def _offered(
    index: CoverIndex, assignment: Assignment, work: Work, multipliers: FloatArray, p: int
) -> tuple[int, float]:  # pragma: no cover - compiled
    """List the rows of the rest that fit under p; return how many offers there are, and the most that they save."""
    offers, most = 0, 0.0
    for i in range(index.first[p], index.first[p + 1]):
        e = index.entries[i]
        u = index.kind_of[e]
        h = index.starts[u + 1] - 1
        if assignment.copies[h] > 0 and offers < 2 * LONGEST:
            work.home[offers], work.entry[offers] = h, e
            work.free[offers], work.net[offers] = assignment.copies[h], multipliers[u] - index.cost[p]
            most += work.free[offers] * max(0.0, work.net[offers])
            offers += 1
    return offers, most


@lean
def _formed(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, offers: int
) -> bool:  # pragma: no cover - compiled
    """Move the chosen rows if the rest stays legal."""
    assignment.total[LOGGED] = 0
    for i in range(offers):
        if work.chosen[i] > 0:
            move(index, assignment, work.home[i], work.entry[i], work.chosen[i])
    if assignment.total[LOGGED] == 0:
        return False
    if not stays_legal(assignment, rules, work, len(index.cost) - 1, 0, 0):
        undo(index, assignment)
        return False
    return True
