"""What the moves of a search share: random draws, which group can take a row, what it costs to close a group.

A move is done step by step and undone as a whole if it fails or costs too much. While it is done, groups may be
illegal; a move that succeeds leaves legal groups only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kilt.kernels.lean import lean
from kilt.kernels.model.legal import CompiledRules, scratch, violation
from kilt.kernels.search.assignment import LOGGED, Assignment, CoverIndex, has_room, move
from kilt.numbers import BoolArray, FloatArray, IntArray

INFEASIBLE_COST = 1e18  # of what cannot be done
LONGEST = 2_000  # row types of a pattern that are looked at in a move
MOST_MENDED = 8  # rows that leave a group so that it is legal again
STAMP, SOURCES, CHANGES = range(3)
NONE = -1


class Work(NamedTuple):
    """The scratch space of moves, and what they remember from one to the next.

    By pattern: ``source_stamp``, ``first_offer`` and ``closes`` (of a *donor*, a group that rows are taken from),
    ``banned`` (closed in this move), ``closing`` (what it costs to close it, where ``known``), ``refill`` and
    ``refill_home`` (for each sensitive class the entry, here and there, of a row that could replace one that leaves;
    ``looked`` says after how many changes it was searched).
    By row type: ``other``, what it would pay elsewhere, or -1. *Offers* are entries of rows that could come to the
    pattern that is opened: from ``home`` to ``entry``, ``free`` copies of them, each of which saves ``net``; those that
    are ``chained`` are replaced; ``follows`` links those of a donor. ``chosen`` of them come. In ``order`` they are
    sorted by sensitive class; those of class c begin at ``stretch[c]``, and the chosen ones end at ``edge[c]``.
    """

    counts: IntArray
    sums: IntArray
    trial: IntArray
    source: IntArray
    source_stamp: IntArray
    first_offer: IntArray
    closes: BoolArray
    banned: IntArray
    closing: FloatArray
    known: BoolArray
    refill: IntArray
    refill_home: IntArray
    looked: IntArray
    other: FloatArray
    home: IntArray
    entry: IntArray
    follows: IntArray
    free: IntArray
    net: FloatArray
    chained: BoolArray
    chosen: IntArray
    order: IntArray
    stretch: IntArray
    edge: IntArray
    number: IntArray
    random: IntArray


def work_for(index: CoverIndex, rules: CompiledRules, classes: int, seed: int) -> Work:
    """Return room for the moves of one thread."""
    kinds, patterns, offers = len(index.counts), len(index.cost), 2 * LONGEST
    counts, sums = scratch(rules)

    def ints(length: int) -> IntArray:
        return np.zeros(length, dtype=np.int64)

    def flags(length: int) -> BoolArray:
        return np.zeros(length, dtype=np.bool_)

    return Work(
        counts=counts,
        sums=sums,
        trial=ints(classes),
        source=ints(patterns),
        source_stamp=ints(patterns),
        first_offer=ints(patterns),
        closes=flags(patterns),
        banned=ints(patterns),
        closing=np.zeros(patterns),
        known=flags(patterns),
        refill=np.full((patterns, classes), NONE, dtype=np.int32),
        refill_home=np.full((patterns, classes), -1, dtype=np.int32),
        looked=np.full(patterns, -1),
        other=np.full(kinds, -1.0),
        home=ints(offers),
        entry=ints(offers),
        follows=ints(offers),
        free=ints(offers),
        net=np.zeros(offers),
        chained=flags(offers),
        chosen=ints(offers),
        order=ints(offers),
        stretch=ints(classes + 1),
        edge=ints(classes),
        number=ints(3),
        random=np.random.SeedSequence(seed).generate_state(1, np.uint64),
    )


def forget_all(work: Work) -> None:
    """Forget what moves remember."""
    work.known.fill(False)
    for remembered in (work.refill, work.looked, work.other):
        remembered.fill(-1)


@lean
def draw(random: IntArray) -> float:  # pragma: no cover - compiled
    """Draw a number from 0 to 1 (xorshift)."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return float(x >> np.uint64(11)) / 9007199254740992.0


@lean
def draw_below(random: IntArray, limit: int) -> int:  # pragma: no cover - compiled
    """Draw a whole number from 0 to below a limit."""
    return min(limit - 1, int(draw(random) * limit))


@lean
def broken_with(
    assignment: Assignment, rules: CompiledRules, work: Work, p: int, c: int, change: int
) -> float:  # pragma: no cover
    """Return how far a group is from legal with so many more rows of a sensitive class; an empty one is legal."""
    size = assignment.size[p] + change
    if size == 0:
        return 0.0
    assignment.by_class[p, c] += change
    broken = violation(rules, assignment.by_class[p], size, work.counts, work.sums)
    assignment.by_class[p, c] -= change
    return broken


@lean
def stays_legal(
    assignment: Assignment, rules: CompiledRules, work: Work, p: int, c: int, change: int
) -> bool:  # pragma: no cover
    """Say whether a group is legal with so many more rows of a sensitive class."""
    if rules.size_only:
        return assignment.size[p] + change >= rules.min_group_size or assignment.size[p] + change == 0
    return broken_with(assignment, rules, work, p, c, change) == 0.0


@lean
def most_copies(
    assignment: Assignment, rules: CompiledRules, work: Work, p: int, c: int, sign: int, limit: int
) -> int:  # pragma: no cover
    """Return how many rows of a sensitive class, up to a limit, a legal group can take up (or give up) and be legal.

    Legal groups are those counts that meet inequalities of concave functions, so that it is all up to some number: that
    is found by bisection.
    """
    low, high = 0, limit
    while low < high:
        half = (low + high + 1) // 2
        if stays_legal(assignment, rules, work, p, c, sign * half):
            low = half
        else:
            high = half - 1
    return low


@lean
def elsewhere(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, u: int, q: int
) -> int:  # pragma: no cover - compiled
    """Return the entry of the cheapest group but q that a copy of a row type can join, or -1."""
    for e in range(index.starts[u], index.starts[u + 1]):
        p = index.pattern_of[e]
        open_ = assignment.size[p] > 0 and p != q and work.banned[p] != work.number[STAMP]
        if open_ and (rules.size_only or stays_legal(assignment, rules, work, p, index.sensitive_class[u], 1)):
            return e
    return -1


@lean
def other_cost(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, u: int, q: int
) -> float:  # pragma: no cover
    """Return what a copy of a row type would pay elsewhere than in q; INFEASIBLE_COST if no group takes it.

    It is remembered for row types that are in one group only, until one of their patterns changes.
    """
    alone = assignment.next_home[assignment.home[u]] < 0
    if alone and work.other[u] >= 0:
        return work.other[u]
    to = elsewhere(index, assignment, rules, work, u, q)
    cost = INFEASIBLE_COST if to < 0 else float(index.cost[index.pattern_of[to]])
    if alone:
        work.other[u] = cost
    return cost


@lean
def closing_cost(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, q: int
) -> float:  # pragma: no cover - compiled
    """Estimate what closing q costs, and remember it; INFEASIBLE_COST if some rows have no other group."""
    if work.known[q]:
        return work.closing[q]
    cost = 0.0
    e = assignment.head[q]
    while e >= 0 and cost < INFEASIBLE_COST:
        other = other_cost(index, assignment, rules, work, index.kind_of[e], q)
        cost = INFEASIBLE_COST if other == INFEASIBLE_COST else cost + assignment.copies[e] * (other - index.cost[q])
        e = assignment.after[e]
    work.closing[q], work.known[q] = cost, True
    return cost


@lean
def forget(index: CoverIndex, assignment: Assignment, work: Work) -> None:  # pragma: no cover - compiled
    """Forget what is remembered of the patterns of the last moves, and of the row types that fit under them."""
    work.number[STAMP] += 1
    work.number[CHANGES] += 1
    for i in range(assignment.total[LOGGED]):
        p = index.pattern_of[assignment.log_entry[i]]
        if work.banned[p] == work.number[STAMP]:
            continue
        work.banned[p] = work.number[STAMP]
        work.known[p] = False
        for j in range(index.first[p], index.first[p + 1]):
            u = index.kind_of[index.entries[j]]
            work.other[u] = -1.0
            h = assignment.home[u]
            while h >= 0:
                work.known[index.pattern_of[h]] = False
                h = assignment.next_home[h]


@lean
def close(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, q: int
) -> bool:  # pragma: no cover - compiled
    """Let all rows of q join other groups; say whether they could. Rows that are refused try again after the others."""
    work.banned[q] = work.number[STAMP]
    for _ in range(1 if rules.size_only else 3):
        e = assignment.head[q]
        while e >= 0:
            follows = assignment.after[e]
            while assignment.copies[e] > 0 and has_room(assignment):
                to = elsewhere(index, assignment, rules, work, index.kind_of[e], q)
                if to < 0:
                    break
                copies = assignment.copies[e]
                if not rules.size_only:
                    c = index.sensitive_class[index.kind_of[e]]
                    copies = max(1, most_copies(assignment, rules, work, index.pattern_of[to], c, 1, copies))
                move(index, assignment, e, to, copies)
            e = follows
        if assignment.size[q] == 0:
            return True
    return False


@lean
def relocate(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, u: int, most: float
) -> bool:  # pragma: no cover
    """Move copies of a row type to another group, drawn at random, if they pay at most so much more there."""
    h = assignment.home[u]
    e = index.starts[u] + draw_below(work.random, index.starts[u + 1] - index.starts[u])
    q, p, c = index.pattern_of[h], index.pattern_of[e], index.sensitive_class[u]
    if p == q or assignment.size[p] == 0 or index.cost[p] - index.cost[q] > most:
        return False
    extra, copies = index.cost[p] - index.cost[q], assignment.copies[h]
    if extra > 0:
        copies = min(copies, int(most / extra))
    copies = min(copies, 1 + int(copies * draw(work.random) ** 2))
    if not stays_legal(assignment, rules, work, q, c, -copies) or not stays_legal(
        assignment, rules, work, p, c, copies
    ):
        return False
    move(index, assignment, h, e, copies)
    return True


@lean
def repair(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, q: int
) -> bool:  # pragma: no cover - compiled
    """Let rows leave a group until it is legal: of the class that helps most, those that pay least elsewhere."""
    broken = broken_with(assignment, rules, work, q, 0, 0)
    for _ in range(MOST_MENDED):
        if broken == 0.0:
            return True
        least, worst = broken, -1
        for c in range(len(work.trial)):
            if assignment.by_class[q, c] > 0 and assignment.size[q] > 1:
                then = broken_with(assignment, rules, work, q, c, -1)
                if then < least:
                    least, worst = then, c
        if worst < 0 or not has_room(assignment) or not _leaves(index, assignment, rules, work, q, worst):
            return False
        broken = least
    return broken == 0.0


@lean
def _leaves(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, q: int, c: int
) -> bool:  # pragma: no cover - compiled
    """Let one of the first rows of a sensitive class leave q, the one that pays least elsewhere."""
    cheapest, leaving, to, tried = INFEASIBLE_COST, -1, -1, 0
    e = assignment.head[q]
    while e >= 0 and tried < MOST_MENDED:
        if index.sensitive_class[index.kind_of[e]] == c:
            tried += 1
            other = elsewhere(index, assignment, rules, work, index.kind_of[e], q)
            if other >= 0 and index.cost[index.pattern_of[other]] < cheapest:
                cheapest, leaving, to = float(index.cost[index.pattern_of[other]]), e, other
        e = assignment.after[e]
    if leaving >= 0:
        move(index, assignment, leaving, to, 1)
    return leaving >= 0
