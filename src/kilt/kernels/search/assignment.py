"""The cover index and the assignment of a search: which rows fit where, and which are where; moves can be undone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kilt.kernels.lean import lean
from kilt.numbers import IntArray

COST, LOGGED = range(2)
LONGEST_LOG = 200_000  # more than the rows that a single opening brings together; closing a group checks for room


class CoverIndex(NamedTuple):
    """What does not change: entry e says that the row type ``kind_of[e]`` fits under the pattern ``pattern_of[e]``.

    The entries of row type u are ``starts[u]`` to ``starts[u + 1]``, from cheap to dear; those of pattern p are
    ``entries[first[p]:first[p + 1]]``. Patterns are in the order of their cost.
    """

    counts: IntArray
    sensitive_class: IntArray
    starts: IntArray
    pattern_of: IntArray
    kind_of: IntArray
    first: IntArray
    entries: IntArray
    cost: IntArray


class Assignment(NamedTuple):
    """What moves: the copies at each entry, and for every pattern its rows, in all and by sensitive class.

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
def shift(index: CoverIndex, assignment: Assignment, e: int, change: int) -> None:  # pragma: no cover - compiled
    """Add copies at an entry, or take them away."""
    p, u = index.pattern_of[e], index.kind_of[e]
    had = assignment.copies[e]
    assignment.copies[e] = had + change
    assignment.size[p] += change
    assignment.by_class[p, index.sensitive_class[u]] += change
    assignment.total[COST] += change * index.cost[p]
    if had == 0:
        _link(e, p, assignment.head, assignment.after, assignment.before)
        _link(e, u, assignment.home, assignment.next_home, assignment.last_home)
    elif had + change == 0:
        _unlink(e, p, assignment.head, assignment.after, assignment.before)
        _unlink(e, u, assignment.home, assignment.next_home, assignment.last_home)


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
def move(
    index: CoverIndex, assignment: Assignment, e: int, to: int, copies: int
) -> None:  # pragma: no cover - compiled
    """Move copies of a row type from an entry to another, and remember it."""
    number = assignment.total[LOGGED]
    assignment.log_entry[number], assignment.log_entry[number + 1] = e, to
    assignment.log_change[number], assignment.log_change[number + 1] = -copies, copies
    assignment.total[LOGGED] = number + 2
    shift(index, assignment, e, -copies)
    shift(index, assignment, to, copies)


@lean
def has_room(assignment: Assignment) -> bool:  # pragma: no cover - compiled
    """Say whether another move can be remembered."""
    return assignment.total[LOGGED] + 2 <= LONGEST_LOG


@lean
def undo(index: CoverIndex, assignment: Assignment) -> None:  # pragma: no cover - compiled
    """Take back the moves that are remembered."""
    for i in range(assignment.total[LOGGED] - 1, -1, -1):
        shift(index, assignment, assignment.log_entry[i], -assignment.log_change[i])
    assignment.total[LOGGED] = 0


@lean
def place(
    index: CoverIndex, assignment: Assignment, entries: IntArray, copies: IntArray
) -> None:  # pragma: no cover - compiled
    """Put copies at entries."""
    for i in range(len(entries)):
        shift(index, assignment, entries[i], copies[i])


def empty_assignment(index: CoverIndex, classes: int) -> Assignment:
    """Return an assignment without copies."""
    entries, patterns, kinds = len(index.pattern_of), len(index.cost), len(index.counts)

    def nothing(length: int) -> IntArray:
        return np.full(length, -1, dtype=np.int32)

    return Assignment(
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


def vacate(assignment: Assignment) -> None:
    """Take away all copies."""
    for counts in (assignment.copies, assignment.size, assignment.by_class, assignment.total):
        counts.fill(0)
    for heads in (assignment.head, assignment.home):
        heads.fill(-1)
