"""Where a search moves: which row types fit under which patterns, and which copies are where; moves can be undone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kilt.kernels.lean import lean
from kilt.numbers import IntArray

COST, LOGGED = range(2)
LONGEST_LOG = 200_000  # more than the rows that a single opening brings together; who closes groups asks for room


class Arena(NamedTuple):
    """What stays: entry e says that the row type ``kind_of[e]`` fits under the pattern ``pattern_of[e]``.

    The entries of row type u are ``starts[u]`` to ``starts[u + 1]``, from cheap to dear; those of pattern p are
    ``entries[first[p]:first[p + 1]]``. Patterns are in the order of their cost.
    """

    counts: IntArray
    class_of: IntArray
    starts: IntArray
    pattern_of: IntArray
    kind_of: IntArray
    first: IntArray
    entries: IntArray
    cost: IntArray


class State(NamedTuple):
    """What moves: the copies at each entry, and for every pattern its rows, in all and by class.

    The entries with copies are linked lists, -1 at the end: from ``head`` by ``after`` those of a pattern, from
    ``home`` by ``next_home`` those of a row type. ``log_entry`` and ``log_change`` have the moves that can be undone;
    ``total`` has the cost, and how many these are.
    """

    copies: IntArray
    size: IntArray
    by_class: IntArray
    head: IntArray
    after: IntArray
    before: IntArray
    home: IntArray
    next_home: IntArray
    last_home: IntArray
    log_entry: IntArray
    log_change: IntArray
    total: IntArray


@lean
def shift(arena: Arena, state: State, e: int, change: int) -> None:  # pragma: no cover - compiled
    """Add copies at an entry, or take them away."""
    p, u = arena.pattern_of[e], arena.kind_of[e]
    had = state.copies[e]
    state.copies[e] = had + change
    state.size[p] += change
    state.by_class[p, arena.class_of[u]] += change
    state.total[COST] += change * arena.cost[p]
    if had == 0:
        _link(e, p, state.head, state.after, state.before)
        _link(e, u, state.home, state.next_home, state.last_home)
    elif had + change == 0:
        _unlink(e, p, state.head, state.after, state.before)
        _unlink(e, u, state.home, state.next_home, state.last_home)


@lean
def _link(e: int, owner: int, head: IntArray, after: IntArray, before: IntArray) -> None:  # pragma: no cover - compiled
    first = head[owner]
    after[e], before[e] = first, -1
    if first >= 0:
        before[first] = e
    head[owner] = e


@lean
def _unlink(e: int, owner: int, head: IntArray, after: IntArray, before: IntArray) -> None:  # pragma: no cover
    follows, leads = after[e], before[e]
    if leads >= 0:
        after[leads] = follows
    else:
        head[owner] = follows
    if follows >= 0:
        before[follows] = leads


@lean
def move(arena: Arena, state: State, e: int, to: int, copies: int) -> None:  # pragma: no cover - compiled
    """Move copies of a row type from an entry to another, and remember it."""
    number = state.total[LOGGED]
    state.log_entry[number], state.log_entry[number + 1] = e, to
    state.log_change[number], state.log_change[number + 1] = -copies, copies
    state.total[LOGGED] = number + 2
    shift(arena, state, e, -copies)
    shift(arena, state, to, copies)


@lean
def has_room(state: State) -> bool:  # pragma: no cover - compiled
    """Say whether another move can be remembered."""
    return state.total[LOGGED] + 2 <= LONGEST_LOG


@lean
def undo(arena: Arena, state: State) -> None:  # pragma: no cover - compiled
    """Take back the moves that are remembered."""
    for i in range(state.total[LOGGED] - 1, -1, -1):
        shift(arena, state, state.log_entry[i], -state.log_change[i])
    state.total[LOGGED] = 0


@lean
def place(arena: Arena, state: State, entries: IntArray, copies: IntArray) -> None:  # pragma: no cover - compiled
    """Put copies at entries."""
    for i in range(len(entries)):
        shift(arena, state, entries[i], copies[i])


def empty_state(arena: Arena, classes: int) -> State:
    """Return a state without copies."""
    entries, patterns, kinds = len(arena.pattern_of), len(arena.cost), len(arena.counts)

    def nothing(length: int) -> IntArray:
        return np.full(length, -1, dtype=np.int32)

    return State(
        copies=np.zeros(entries, dtype=np.int64),
        size=np.zeros(patterns, dtype=np.int64),
        by_class=np.zeros((patterns, classes), dtype=np.int64),
        head=nothing(patterns),
        after=nothing(entries),
        before=nothing(entries),
        home=nothing(kinds),
        next_home=nothing(entries),
        last_home=nothing(entries),
        log_entry=np.zeros(LONGEST_LOG, dtype=np.int32),
        log_change=np.zeros(LONGEST_LOG, dtype=np.int64),
        total=np.zeros(2, dtype=np.int64),
    )


def vacate(state: State) -> None:
    """Take away all copies."""
    for counts in (state.copies, state.size, state.by_class, state.total):
        counts.fill(0)
    for heads in (state.head, state.home):
        heads.fill(-1)
