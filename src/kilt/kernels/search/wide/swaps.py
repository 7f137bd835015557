"""Annealing over members: rows change places with rows of near groups; patterns need not be listed for it.

A *unit* is some copies of a row type that stay together; ``codes`` has a row for every unit, and ``near`` the units
that are nearest to each, from near to far. What a group costs follows from its members. Hands work side by side: each
has its own groups, and leaves the others alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kilt.kernels.common.nearest import Ladders, agreeing
from kilt.kernels.lean import lean
from kilt.kernels.model.legal import Law, violation
from kilt.kernels.search.moves import NOBODY, draw, draw_below
from kilt.numbers import IntArray

OPENINGS, CLOSINGS = 0.02, 0.01  # the shares of moves; in the others rows change places
COST, LOGGED, SPARE = range(3)
TARGETS = 8  # near units whose group is asked when a group is closed
MOST_TRIED = 32  # units that might come back for one that goes


class Members(NamedTuple):
    """Who is where; the units of a group are a linked list, -1 at the end. ``cost`` is that of a row of a group."""

    codes: IntArray
    copies: IntArray
    class_of: IntArray
    near: IntArray
    group_of: IntArray
    head: IntArray
    after: IntArray
    before: IntArray
    size: IntArray
    by_class: IntArray
    cost: IntArray
    hand_of: IntArray


class Hand(NamedTuple):
    """One of those who work: its ``units``, its groups that are empty, its moves that can be undone, and its tally."""

    number: int
    units: IntArray
    spare: IntArray
    log_unit: IntArray
    log_group: IntArray
    tally: IntArray
    counts: IntArray
    sums: IntArray
    random: IntArray


@lean
def row_cost(members: Members, ladders: Ladders, g: int, leaves: int, comes: int) -> int:  # pragma: no cover - compiled
    """Return what a row of a group costs, without a unit that leaves and with one that comes."""
    first = comes
    if first == NOBODY:
        first = members.head[g] if members.head[g] != leaves else members.after[leaves]
    if first == NOBODY:
        return 0
    cost = 0
    for j in range(members.codes.shape[1]):
        h, a, v = 0, members.codes[first, j], members.head[g]
        while v != NOBODY and h < ladders.tops[j]:
            if v != leaves:
                h = agreeing(ladders.shown, ladders.tops, j, h, a, members.codes[v, j])
            v = members.after[v]
        cost += ladders.costs[j, h]
    return cost


@lean
def _size(members: Members, g: int, leaves: int, comes: int) -> int:  # pragma: no cover - compiled
    size = members.size[g]
    if leaves != NOBODY:
        size -= members.copies[leaves]
    if comes != NOBODY:
        size += members.copies[comes]
    return size


@lean
def _broken(
    members: Members, law: Law, hand: Hand, g: int, leaves: int, comes: int
) -> float:  # pragma: no cover - compiled
    """Say how far a group is from legal, without a unit that leaves and with one that comes; an empty one is legal."""
    size = _size(members, g, leaves, comes)
    if size == 0:
        return 0.0
    if law.simple:
        return float(max(0, law.least_size - size))
    by_class = members.by_class[g]
    if leaves != NOBODY:
        by_class[members.class_of[leaves]] -= members.copies[leaves]
    if comes != NOBODY:
        by_class[members.class_of[comes]] += members.copies[comes]
    broken = violation(law, by_class, size, hand.counts, hand.sums)
    if leaves != NOBODY:
        by_class[members.class_of[leaves]] += members.copies[leaves]
    if comes != NOBODY:
        by_class[members.class_of[comes]] -= members.copies[comes]
    return broken


@lean
def _put(members: Members, ladders: Ladders, hand: Hand, u: int, g: int) -> None:  # pragma: no cover - compiled
    """Put a unit into a group, and remember where it was."""
    number, q = hand.tally[LOGGED], members.group_of[u]
    hand.log_unit[number], hand.log_group[number] = u, q
    hand.tally[LOGGED] = number + 1
    _shift(members, ladders, hand, u, g)


@lean
def _shift(members: Members, ladders: Ladders, hand: Hand, u: int, g: int) -> None:  # pragma: no cover - compiled
    q, c, copies = members.group_of[u], members.class_of[u], members.copies[u]
    hand.tally[COST] -= members.size[q] * members.cost[q] + members.size[g] * members.cost[g]
    follows, leads = members.after[u], members.before[u]
    if leads != NOBODY:
        members.after[leads] = follows
    else:
        members.head[q] = follows
    if follows != NOBODY:
        members.before[follows] = leads
    first = members.head[g]
    members.after[u], members.before[u], members.head[g], members.group_of[u] = first, NOBODY, u, g
    if first != NOBODY:
        members.before[first] = u
    members.size[q] -= copies
    members.size[g] += copies
    members.by_class[q, c] -= copies
    members.by_class[g, c] += copies
    members.cost[q] = row_cost(members, ladders, q, NOBODY, NOBODY)
    members.cost[g] = row_cost(members, ladders, g, NOBODY, NOBODY)
    hand.tally[COST] += members.size[q] * members.cost[q] + members.size[g] * members.cost[g]


@lean
def _undo(members: Members, ladders: Ladders, hand: Hand) -> None:  # pragma: no cover - compiled
    """Take back the moves that are remembered."""
    for i in range(hand.tally[LOGGED] - 1, -1, -1):
        _shift(members, ladders, hand, hand.log_unit[i], hand.log_group[i])


@lean
def exchange(
    members: Members, ladders: Ladders, law: Law, hand: Hand, moves: int, temperature: float
) -> None:  # pragma: no cover - compiled
    """Try so many moves; each is kept if it costs at most a random patience, which is larger where it is hot."""
    for _ in range(moves):
        hand.tally[LOGGED] = 0
        before = hand.tally[COST]
        patience = -temperature * law.unit * np.log(1.0 - draw(hand.random))
        u, which = hand.units[draw_below(hand.random, len(hand.units))], draw(hand.random)
        if which < OPENINGS:
            done = _opened(members, ladders, law, hand, u)
        elif which < OPENINGS + CLOSINGS:
            done = _closed(members, ladders, law, hand, u)
        else:
            done = _changed_places(members, ladders, law, hand, u, patience)
        if done and hand.tally[COST] - before <= patience:
            for i in range(hand.tally[LOGGED]):
                _keep_if_empty(members, hand, hand.log_group[i])
        else:
            g = members.group_of[u]
            _undo(members, ladders, hand)
            _keep_if_empty(members, hand, g)


@lean
def _keep_if_empty(members: Members, hand: Hand, g: int) -> None:  # pragma: no cover - compiled
    """Keep a group for later if it is empty."""
    if members.head[g] == NOBODY and members.hand_of[g] == hand.number:
        members.hand_of[g] = NOBODY
        hand.spare[hand.tally[SPARE]] = g
        hand.tally[SPARE] += 1


@lean
def _changed_places(
    members: Members, ladders: Ladders, law: Law, hand: Hand, u: int, patience: float
) -> bool:  # pragma: no cover - compiled
    """Let a unit go to the group of a near one, alone or for a unit that comes back, whatever costs least."""
    width = members.near.shape[1]
    v = int(members.near[u, int(width * draw(hand.random) ** 2)]) if width else NOBODY
    if v == NOBODY:
        return False
    a, b = members.group_of[u], members.group_of[v]
    if a == b or members.hand_of[b] != hand.number:
        return False
    now = members.size[a] * members.cost[a] + members.size[b] * members.cost[b]
    most, best, found, w = now + patience, NOBODY, False, NOBODY
    for _ in range(MOST_TRIED):
        if w != v and _broken(members, law, hand, a, u, w) == 0.0 and _broken(members, law, hand, b, w, u) == 0.0:
            cost = float(_size(members, a, u, w) * row_cost(members, ladders, a, u, w))
            if cost < most:
                cost += _size(members, b, w, u) * row_cost(members, ladders, b, w, u)
                if cost < most:
                    most, best, found = cost, w, True
        w = members.head[b] if w == NOBODY else members.after[w]
        if w == NOBODY:
            break
    if found:
        _put(members, ladders, hand, u, b)
        if best != NOBODY:
            _put(members, ladders, hand, best, a)
    return found


@lean
def _opened(members: Members, ladders: Ladders, law: Law, hand: Hand, u: int) -> bool:  # pragma: no cover - compiled
    """Form a group of a unit and the nearest ones that can leave theirs."""
    if hand.tally[SPARE] == 0 or _broken(members, law, hand, members.group_of[u], u, NOBODY) > 0.0:
        return False
    hand.tally[SPARE] -= 1
    g = hand.spare[hand.tally[SPARE]]
    members.hand_of[g] = hand.number
    _put(members, ladders, hand, u, g)
    broken = _broken(members, law, hand, g, NOBODY, NOBODY)
    for v in members.near[u]:
        if broken == 0.0 or v == NOBODY:
            break
        q = members.group_of[v]
        if q == g or members.hand_of[q] != hand.number or _broken(members, law, hand, q, v, NOBODY) > 0.0:
            continue
        left = _broken(members, law, hand, g, NOBODY, v)
        if left < broken:
            _put(members, ladders, hand, v, g)
            broken = left
    return broken == 0.0


@lean
def _closed(members: Members, ladders: Ladders, law: Law, hand: Hand, u: int) -> bool:  # pragma: no cover - compiled
    """Let all units of a group join groups of near ones."""
    a = members.group_of[u]
    w = members.head[a]
    if members.size[a] > 2 * law.least_size:
        return False
    while w != NOBODY:
        follows, best, least = members.after[w], NOBODY, np.int64(0)
        for i in range(min(TARGETS, members.near.shape[1])):
            v = members.near[w, i]
            b = members.group_of[v] if v != NOBODY else a
            if b == a or members.hand_of[b] != hand.number or _broken(members, law, hand, b, NOBODY, w) > 0.0:
                continue
            cost = _size(members, b, NOBODY, w) * row_cost(members, ladders, b, NOBODY, w)
            cost -= members.size[b] * members.cost[b]
            if best == NOBODY or cost < least:
                best, least = b, cost
        if best == NOBODY:
            return False
        _put(members, ladders, hand, w, best)
        w = follows
    return True
