"""Annealing over open patterns: patterns are opened and closed, and rows relocate, at falling temperatures.

Which patterns are open is what matters, as in facility location with lower bounds. Every move leaves legal groups, as
decided in integers.
"""

from __future__ import annotations

import numpy as np

from kilt.kernels.lean import lean
from kilt.kernels.model.legal import CompiledRules
from kilt.kernels.search.assignment import COST, LOGGED, Assignment, CoverIndex, undo
from kilt.kernels.search.moves import STAMP, Work, close, closing_cost, draw, draw_below, forget, relocate
from kilt.kernels.search.opening import open_pattern
from kilt.numbers import IntArray

OPENINGS, CLOSINGS = 0.5, 0.1  # the shares of moves; in the others rows relocate


@lean
def anneal(
    index: CoverIndex,
    assignment: Assignment,
    rules: CompiledRules,
    work: Work,
    patterns: IntArray,
    kinds: IntArray,
    moves: int,
    temperature: float,
    big: int,
) -> None:  # pragma: no cover - compiled
    """Try so many moves of these patterns and row types.

    Each is kept if it costs at most a random accepted increase, which is larger at high temperatures.
    """
    for _ in range(moves):
        work.number[STAMP] += 1
        assignment.total[LOGGED] = 0
        before = assignment.total[COST]
        accepted_increase = -temperature * rules.unit * np.log(1.0 - draw(work.random))
        if (
            _tried(index, assignment, rules, work, patterns, kinds, big, accepted_increase)
            and assignment.total[COST] - before <= accepted_increase
        ):
            forget(index, assignment, work)
        else:
            undo(index, assignment)


@lean
def _tried(
    index: CoverIndex,
    assignment: Assignment,
    rules: CompiledRules,
    work: Work,
    patterns: IntArray,
    kinds: IntArray,
    big: int,
    accepted_increase: float,
) -> bool:  # pragma: no cover - compiled
    """Try a random move; say whether it was done."""
    which = draw(work.random)
    if which < OPENINGS:
        return open_pattern(
            index, assignment, rules, work, patterns[draw_below(work.random, len(patterns))], big, accepted_increase
        )
    u = kinds[draw_below(work.random, len(kinds))]
    q = index.pattern_of[assignment.home[u]]
    if index.cost[q] == 0:
        return False
    if which >= OPENINGS + CLOSINGS:
        return relocate(index, assignment, rules, work, u, accepted_increase)
    small = assignment.size[q] <= big
    return (
        small
        and closing_cost(index, assignment, rules, work, q) <= accepted_increase
        and close(index, assignment, rules, work, q)
    )
