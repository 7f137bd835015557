"""Annealing over open patterns: patterns are opened and closed, and rows wander, with less and less patience.

Which patterns are open is what matters, as in facility location with lower bounds. Every move leaves legal groups, as
decided in integers.
"""

from __future__ import annotations

import numpy as np

from kilt.kernels.lean import lean
from kilt.kernels.model.legal import Law
from kilt.kernels.search.assignment import COST, LOGGED, Arena, State, undo
from kilt.kernels.search.moves import STAMP, Work, close, closing_cost, draw, draw_below, forget, wander
from kilt.kernels.search.opening import open_pattern
from kilt.numbers import IntArray

OPENINGS, CLOSINGS = 0.5, 0.1  # the shares of moves; in the others rows wander


@lean
def anneal(
    arena: Arena,
    state: State,
    law: Law,
    work: Work,
    patterns: IntArray,
    kinds: IntArray,
    moves: int,
    temperature: float,
    big: int,
) -> None:  # pragma: no cover - compiled
    """Try so many moves of these patterns and row types.

    Each is kept if it costs at most a random patience, which is larger where it is hot.
    """
    for _ in range(moves):
        work.number[STAMP] += 1
        state.total[LOGGED] = 0
        before = state.total[COST]
        patience = -temperature * law.unit * np.log(1.0 - draw(work.random))
        if _tried(arena, state, law, work, patterns, kinds, big, patience) and state.total[COST] - before <= patience:
            forget(arena, state, work)
        else:
            undo(arena, state)


@lean
def _tried(
    arena: Arena, state: State, law: Law, work: Work, patterns: IntArray, kinds: IntArray, big: int, patience: float
) -> bool:  # pragma: no cover - compiled
    """Try a random move; say whether it was done."""
    which = draw(work.random)
    if which < OPENINGS:
        return open_pattern(arena, state, law, work, patterns[draw_below(work.random, len(patterns))], big, patience)
    u = kinds[draw_below(work.random, len(kinds))]
    q = arena.pattern_of[state.home[u]]
    if arena.cost[q] == 0:
        return False
    if which >= OPENINGS + CLOSINGS:
        return wander(arena, state, law, work, u, patience)
    small = state.size[q] <= big
    return small and closing_cost(arena, state, law, work, q) <= patience and close(arena, state, law, work, q)
