"""A first release by prices: all rows are in one group, and groups that save most leave it so that it stays legal."""

from __future__ import annotations

import heapq

from numba import njit

from kilt.kernels.lean import lean
from kilt.kernels.model.legal import Law
from kilt.kernels.search.assignment import LOGGED, Arena, State, move, undo
from kilt.kernels.search.moves import FAR, LONGEST, Work, stays_legal
from kilt.kernels.search.opening import choose
from kilt.numbers import FloatArray

LEAST = 1e-6  # what a group must save: prices are floats here, and their sums have errors


@njit(cache=True, nogil=True)
def build(arena: Arena, state: State, law: Law, work: Work, worth: FloatArray) -> None:  # pragma: no cover - compiled
    """Form the group that saves most at these prices again and again, from rows under the last pattern.

    The last pattern covers all row types, and its entry is the last of each. Patterns wait with the most that they can
    save, by all rows that save something whether legal or not, and what they do save is found when they are next.
    """
    heap = [(-FAR, p) for p in range(len(arena.cost) - 1)]
    while len(heap) > 0:
        key, p = heapq.heappop(heap)
        next_key = heap[0][0] if len(heap) > 0 else FAR
        offers, most = _offered(arena, state, work, worth, p)
        saved = min(most, -key)
        if saved > LEAST and -saved <= next_key:
            saved = min(saved, most - choose(arena, state, law, work, p, offers, most))
        if saved > LEAST and (-saved > next_key or _formed(arena, state, law, work, offers)):
            heapq.heappush(heap, (-saved, p))


@lean
def _offered(
    arena: Arena, state: State, work: Work, worth: FloatArray, p: int
) -> tuple[int, float]:  # pragma: no cover - compiled
    """List the rows of the rest that fit under p; return how many offers there are, and the most that they save."""
    offers, most = 0, 0.0
    for i in range(arena.first[p], arena.first[p + 1]):
        e = arena.entries[i]
        u = arena.kind_of[e]
        h = arena.starts[u + 1] - 1
        if state.copies[h] > 0 and offers < 2 * LONGEST:
            work.home[offers], work.entry[offers] = h, e
            work.free[offers], work.net[offers] = state.copies[h], worth[u] - arena.cost[p]
            most += work.free[offers] * max(0.0, work.net[offers])
            offers += 1
    return offers, most


@lean
def _formed(arena: Arena, state: State, law: Law, work: Work, offers: int) -> bool:  # pragma: no cover - compiled
    """Move the chosen rows if the rest stays legal."""
    state.total[LOGGED] = 0
    for i in range(offers):
        if work.chosen[i] > 0:
            move(arena, state, work.home[i], work.entry[i], work.chosen[i])
    if state.total[LOGGED] == 0:
        return False
    if not stays_legal(state, law, work, len(arena.cost) - 1, 0, 0):
        undo(arena, state)
        return False
    return True
