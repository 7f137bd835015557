"""Annealing over members: rows change places with rows of nearby groups; patterns need not be listed for it.

A *unit* is some copies of a row type that stay together; ``codes`` has a row for every unit, and ``near`` the units
that are nearest to each, from near to far. The cost of a group follows from its members. Workers run side by side: each
has its own groups, and does not touch the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kilt.kernels.common.old_nearest import Ladders, agreeing
from kilt.kernels.lean import lean
from kilt.kernels.model.legal import CompiledRules, violation
from kilt.kernels.search.moves import NONE, draw, draw_below
from kilt.numbers import IntArray

OPENINGS, CLOSINGS = 0.02, 0.01  # the shares of moves; in the others rows change places
COST, LOGGED, SPARE = range(3)
TARGETS = 8  # near units whose group is asked when a group is closed
MOST_TRIED = 32  # units that might come back for one that goes


class Members(NamedTuple):
    """The assignment; the units of a group are a linked list, -1 at the end. ``cost`` is that of a row of a group."""

    codes: IntArray
    copies: IntArray
    sensitive_class: IntArray
    near: IntArray
    group_of: IntArray
    head: IntArray
    after: IntArray
    before: IntArray
    size: IntArray
    by_class: IntArray
    cost: IntArray
    worker_of: IntArray


class Worker(NamedTuple):
    """A worker: its ``units``, its groups that are empty, its moves that can be undone, and its tally."""

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
    if first == NONE:
        first = members.head[g] if members.head[g] != leaves else members.after[leaves]
    if first == NONE:
        return 0
    cost = 0
    for j in range(members.codes.shape[1]):
        h, a, v = 0, members.codes[first, j], members.head[g]
        while v != NONE and h < ladders.tops[j]:
            if v != leaves:
                h = agreeing(ladders.shown, ladders.tops, j, h, a, members.codes[v, j])
            v = members.after[v]
        cost += ladders.costs[j, h]
    return cost


@lean
def _size(members: Members, g: int, leaves: int, comes: int) -> int:  # pragma: no cover - compiled
    size = members.size[g]
    if leaves != NONE:
        size -= members.copies[leaves]
    if comes != NONE:
        size += members.copies[comes]
    return size


@lean
def _broken(
    members: Members, rules: CompiledRules, worker: Worker, g: int, leaves: int, comes: int
) -> float:  # pragma: no cover - compiled
    """Say how far a group is from legal, without a unit that leaves and with one that comes; an empty one is legal."""
    size = _size(members, g, leaves, comes)
    if size == 0:
        return 0.0
    if rules.size_only:
        return float(max(0, rules.min_group_size - size))
    by_class = members.by_class[g]
    if leaves != NONE:
        by_class[members.sensitive_class[leaves]] -= members.copies[leaves]
    if comes != NONE:
        by_class[members.sensitive_class[comes]] += members.copies[comes]
    broken = violation(rules, by_class, size, worker.counts, worker.sums)
    if leaves != NONE:
        by_class[members.sensitive_class[leaves]] += members.copies[leaves]
    if comes != NONE:
        by_class[members.sensitive_class[comes]] -= members.copies[comes]
    return broken


@lean
def _put(members: Members, ladders: Ladders, worker: Worker, u: int, g: int) -> None:  # pragma: no cover - compiled
    """Put a unit into a group, and remember where it was."""
    number, q = worker.tally[LOGGED], members.group_of[u]
    worker.log_unit[number], worker.log_group[number] = u, q
    worker.tally[LOGGED] = number + 1
    _shift(members, ladders, worker, u, g)


@lean
def _shift(members: Members, ladders: Ladders, worker: Worker, u: int, g: int) -> None:  # pragma: no cover - compiled
    q, c, copies = members.group_of[u], members.sensitive_class[u], members.copies[u]
    worker.tally[COST] -= members.size[q] * members.cost[q] + members.size[g] * members.cost[g]
    follows, leads = members.after[u], members.before[u]
    if leads != NONE:
        members.after[leads] = follows
    else:
        members.head[q] = follows
    if follows != NONE:
        members.before[follows] = leads
    first = members.head[g]
    members.after[u], members.before[u], members.head[g], members.group_of[u] = first, NONE, u, g
    if first != NONE:
        members.before[first] = u
    members.size[q] -= copies
    members.size[g] += copies
    members.by_class[q, c] -= copies
    members.by_class[g, c] += copies
    members.cost[q] = row_cost(members, ladders, q, NONE, NONE)
    members.cost[g] = row_cost(members, ladders, g, NONE, NONE)
    worker.tally[COST] += members.size[q] * members.cost[q] + members.size[g] * members.cost[g]


@lean
def _undo(members: Members, ladders: Ladders, worker: Worker) -> None:  # pragma: no cover - compiled
    """Take back the moves that are remembered."""
    for i in range(worker.tally[LOGGED] - 1, -1, -1):
        _shift(members, ladders, worker, worker.log_unit[i], worker.log_group[i])


@lean
def swap_rows(
    members: Members, ladders: Ladders, rules: CompiledRules, worker: Worker, moves: int, temperature: float
) -> None:  # pragma: no cover - compiled
    """Try so many moves; each is kept if it costs at most a random accepted increase, larger at high temperatures."""
    for _ in range(moves):
        worker.tally[LOGGED] = 0
        before = worker.tally[COST]
        accepted_increase = -temperature * rules.unit * np.log(1.0 - draw(worker.random))
        u, which = worker.units[draw_below(worker.random, len(worker.units))], draw(worker.random)
        if which < OPENINGS:
            done = _opened(members, ladders, rules, worker, u)
        elif which < OPENINGS + CLOSINGS:
            done = _closed(members, ladders, rules, worker, u)
        else:
            done = _changed_places(members, ladders, rules, worker, u, accepted_increase)
        if done and worker.tally[COST] - before <= accepted_increase:
            for i in range(worker.tally[LOGGED]):
                _keep_if_empty(members, worker, worker.log_group[i])
        else:
            g = members.group_of[u]
            _undo(members, ladders, worker)
            _keep_if_empty(members, worker, g)


@lean
def _keep_if_empty(members: Members, worker: Worker, g: int) -> None:  # pragma: no cover - compiled
    """Keep a group for later if it is empty."""
    if members.head[g] == NONE and members.worker_of[g] == worker.number:
        members.worker_of[g] = NONE
        worker.spare[worker.tally[SPARE]] = g
        worker.tally[SPARE] += 1


@lean
def _changed_places(
    members: Members, ladders: Ladders, rules: CompiledRules, worker: Worker, u: int, accepted_increase: float
) -> bool:  # pragma: no cover - compiled
    """Let a unit go to the group of a near one, alone or for a unit that comes back, whatever costs least."""
    width = members.near.shape[1]
    v = int(members.near[u, int(width * draw(worker.random) ** 2)]) if width else NONE
    if v == NONE:
        return False
    a, b = members.group_of[u], members.group_of[v]
    if a == b or members.worker_of[b] != worker.number:
        return False
    now = members.size[a] * members.cost[a] + members.size[b] * members.cost[b]
    most, best, found, w = now + accepted_increase, NONE, False, NONE
    for _ in range(MOST_TRIED):
        if (
            w != v
            and _broken(members, rules, worker, a, u, w) == 0.0
            and _broken(members, rules, worker, b, w, u) == 0.0
        ):
            cost = float(_size(members, a, u, w) * row_cost(members, ladders, a, u, w))
            if cost < most:
                cost += _size(members, b, w, u) * row_cost(members, ladders, b, w, u)
                if cost < most:
                    most, best, found = cost, w, True
        w = members.head[b] if w == NONE else members.after[w]
        if w == NONE:
            break
    if found:
        _put(members, ladders, worker, u, b)
        if best != NONE:
            _put(members, ladders, worker, best, a)
    return found


@lean
def _opened(
    members: Members, ladders: Ladders, rules: CompiledRules, worker: Worker, u: int
) -> bool:  # pragma: no cover - compiled
    """Form a group of a unit and the nearest ones that can leave theirs."""
    if worker.tally[SPARE] == 0 or _broken(members, rules, worker, members.group_of[u], u, NONE) > 0.0:
        return False
    worker.tally[SPARE] -= 1
    g = worker.spare[worker.tally[SPARE]]
    members.worker_of[g] = worker.number
    _put(members, ladders, worker, u, g)
    broken = _broken(members, rules, worker, g, NONE, NONE)
    for v in members.near[u]:
        if broken == 0.0 or v == NONE:
            break
        q = members.group_of[v]
        if q == g or members.worker_of[q] != worker.number or _broken(members, rules, worker, q, v, NONE) > 0.0:
            continue
        left = _broken(members, rules, worker, g, NONE, v)
        if left < broken:
            _put(members, ladders, worker, v, g)
            broken = left
    return broken == 0.0


@lean
def _closed(
    members: Members, ladders: Ladders, rules: CompiledRules, worker: Worker, u: int
) -> bool:  # pragma: no cover - compiled
    """Let all units of a group join groups of near ones."""
    a = members.group_of[u]
    w = members.head[a]
    if members.size[a] > 2 * rules.min_group_size:
        return False
    while w != NONE:
        follows, best, least = members.after[w], NONE, np.int64(0)
        for i in range(min(TARGETS, members.near.shape[1])):
            v = members.near[w, i]
            b = members.group_of[v] if v != NONE else a
            if b == a or members.worker_of[b] != worker.number or _broken(members, rules, worker, b, NONE, w) > 0.0:
                continue
            cost = _size(members, b, NONE, w) * row_cost(members, ladders, b, NONE, w)
            cost -= members.size[b] * members.cost[b]
            if best == NONE or cost < least:
                best, least = b, cost
        if best == NONE:
            return False
        _put(members, ladders, worker, w, best)
        w = follows
    return True
