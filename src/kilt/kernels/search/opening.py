"""Opening a pattern: rows that save something move in, and donor groups that do not pay off without them are closed.

The savings are estimated first, from what is remembered of the groups nearby; only what looks good enough is done.
"""

from __future__ import annotations

from kilt.kernels.lean import lean
from kilt.kernels.model.legal import CompiledRules, violation
from kilt.kernels.search.assignment import LOGGED, Assignment, CoverIndex, move
from kilt.kernels.search.moves import (
    CHANGES,
    INFEASIBLE_COST,
    LONGEST,
    NONE,
    SOURCES,
    STAMP,
    Work,
    close,
    closing_cost,
    draw,
    draw_below,
    most_copies,
    other_cost,
    repair,
    stays_legal,
)

DEAREST = 3  # stars that a row may pay more so that a group is legal
LOOKED_AT = 200  # row types among which a row is looked for that could come instead of another
FRESH = 0.02  # how often it is looked for again
FREELY = 0.2  # how often rows come that save nothing
STRIDE = 0.5  # rows that come or leave at a time, for each that is too many or too few
PATIENCE = 0.5  # stars by which keeping a group may seem better and it is yet closed


@lean
def open_pattern(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, p: int, big: int, most: float
) -> bool:  # pragma: no cover
    """Open a pattern, or let more rows come to it, if that seems to cost at most so much; say whether it was done.

    Only groups of up to ``big`` rows are closed.
    """
    offers = _offers(index, assignment, work, p)
    saved = _estimate_savings(index, assignment, rules, work, p, big)
    if -saved > most or choose(index, assignment, rules, work, p, offers, most + saved) > most + saved:
        return False
    return _move_in(index, assignment, rules, work, p, offers) and _repair_donors(index, assignment, rules, work)


@lean
def _offers(index: CoverIndex, assignment: Assignment, work: Work, p: int) -> int:  # pragma: no cover - compiled
    """List the rows that fit under p and are elsewhere, by their groups; return how many entries there are."""
    stamp = work.number[STAMP]
    first, span = index.first[p], index.first[p + 1] - index.first[p]
    start = draw_below(work.random, span) if span > LONGEST else 0
    sources, number = 0, 0
    for i in range(min(span, LONGEST)):
        e = index.entries[first + (start + i) % span]
        h = assignment.home[index.kind_of[e]]
        while h >= 0 and number < 2 * LONGEST:
            q = index.pattern_of[h]
            if q != p:
                if work.source_stamp[q] != stamp:
                    work.source_stamp[q], work.first_offer[q], work.closes[q] = stamp, -1, False
                    work.source[sources] = q
                    sources += 1
                work.home[number], work.entry[number], work.chained[number] = h, e, False
                work.follows[number] = work.first_offer[q]
                work.first_offer[q] = number
                number += 1
            h = assignment.next_home[h]
    work.number[SOURCES] = sources
    return number


@lean
def _estimate_savings(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, p: int, big: int
) -> float:  # pragma: no cover - compiled
    """Decide what every donor offers; return all that may be saved, less the cost of missing rows."""
    saved, size, nearest = 0.0, assignment.size[p], -INFEASIBLE_COST
    for s in range(work.number[SOURCES]):
        q = work.source[s]
        each = float(index.cost[q] - index.cost[p])
        free = _removable(index, assignment, rules, work, q, each)
        best = max(0.0, free * each)
        if each > 0 and assignment.size[q] <= big:
            best += _closed(index, assignment, rules, work, q, index.cost[p], free, best)
        if not work.closes[q] and each > -DEAREST * rules.unit:
            best += _replaced(index, assignment, rules, work, q, p, each)
        saved += best
        i = work.first_offer[q]
        while i >= 0:
            if work.free[i] > 0 and work.net[i] >= 0:
                size += work.free[i]
            elif work.free[i] > 0:
                nearest = max(nearest, work.net[i])
            i = work.follows[i]
    return saved if size >= rules.min_group_size else saved + (rules.min_group_size - size) * nearest


@lean
def _removable(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, q: int, each: float
) -> int:  # pragma: no cover - compiled
    """Find which of the offered rows can leave q, one after the other, so that it stays legal; return how many."""
    total = 0
    i = work.first_offer[q]
    while i >= 0:
        h, free = work.home[i], 0
        if each >= -DEAREST * rules.unit:
            c = index.sensitive_class[index.kind_of[h]]
            if rules.size_only:
                free = min(assignment.copies[h], max(0, assignment.size[q] - total - rules.min_group_size))
            else:
                spare = min(assignment.copies[h], assignment.size[q] - rules.min_group_size)
                free = most_copies(assignment, rules, work, q, c, -1, spare) if spare > 0 else 0
                assignment.size[q] -= free
                assignment.by_class[q, c] -= free
        work.free[i], work.net[i] = free, each
        total += free
        i = work.follows[i]
    i = work.first_offer[q] if not rules.size_only else -1
    while i >= 0:
        assignment.size[q] += work.free[i]
        assignment.by_class[q, index.sensitive_class[index.kind_of[work.home[i]]]] += work.free[i]
        i = work.follows[i]
    return total


@lean
def _closed(
    index: CoverIndex,
    assignment: Assignment,
    rules: CompiledRules,
    work: Work,
    q: int,
    cost: int,
    free: int,
    kept: float,
) -> float:  # pragma: no cover - compiled
    """Close q if that saves more than keeping it, or nearly, and offer all its rows; return what more is saved.

    A group that can spare all rows that fit is not closed.
    """
    i, rows = work.first_offer[q], 0
    while i >= 0:
        rows += assignment.copies[work.home[i]]
        i = work.follows[i]
    loss = closing_cost(index, assignment, rules, work, q) if rows > free else INFEASIBLE_COST
    if loss == INFEASIBLE_COST:
        return 0.0
    saved = -loss
    i = work.first_offer[q]
    while i >= 0:
        other = other_cost(index, assignment, rules, work, index.kind_of[work.home[i]], q)
        saved += assignment.copies[work.home[i]] * max(0.0, other - cost)
        i = work.follows[i]
    if saved <= kept - PATIENCE * rules.unit * draw(work.random):
        return 0.0
    work.closes[q] = True
    i = work.first_offer[q]
    while i >= 0:
        work.free[i] = assignment.copies[work.home[i]]
        work.net[i] = other_cost(index, assignment, rules, work, index.kind_of[work.home[i]], q) - cost
        i = work.follows[i]
    return saved - kept


@lean
def _replaced(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, q: int, p: int, each: float
) -> float:  # pragma: no cover - compiled
    """Offer one row that q cannot spare, if another of its sensitive class can take its place; return what is saved."""
    best, found = -INFEASIBLE_COST, -1
    i = work.first_offer[q]
    while i >= 0:
        if work.free[i] == 0:
            extra = _replacement(
                index, assignment, rules, work, q, index.sensitive_class[index.kind_of[work.home[i]]], p
            )
            if each - extra > best:
                best, found = each - extra, i
        i = work.follows[i]
    if found < 0 or best <= -DEAREST * rules.unit:
        return 0.0
    work.free[found], work.net[found], work.chained[found] = 1, best, True
    return max(0.0, best)


@lean
def _replacement(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, q: int, c: int, p: int
) -> float:  # pragma: no cover
    """Return the cost of moving another row of a class into q, not from p; INFEASIBLE_COST if none can.

    The row is remembered, and looked for again when it cannot come any more, and now and then; that there is none
    is remembered until something changes.
    """
    if work.refill[q, c] == NONE and work.looked[q] == work.number[CHANGES] and assignment.total[LOGGED] == 0:
        return INFEASIBLE_COST
    if work.refill[q, c] >= 0 and draw(work.random) >= FRESH:
        h = work.refill_home[q, c]
        r = index.pattern_of[h]
        if assignment.copies[h] > 0 and p != r != q and stays_legal(assignment, rules, work, r, c, -1):
            return float(index.cost[q] - index.cost[r])
    best = INFEASIBLE_COST
    work.refill[q, c], work.looked[q] = NONE, work.number[CHANGES]
    span = index.first[q + 1] - index.first[q]
    start = draw_below(work.random, span) if span > LOOKED_AT else 0
    for i in range(min(span, LOOKED_AT)):
        e = index.entries[index.first[q] + (start + i) % span]
        if index.sensitive_class[index.kind_of[e]] != c:
            continue
        h = assignment.home[index.kind_of[e]]
        while h >= 0:
            r = index.pattern_of[h]
            extra = float(index.cost[q] - index.cost[r])
            near = p != r != q and extra < best and extra <= DEAREST * rules.unit
            if near and stays_legal(assignment, rules, work, r, c, -1):
                best = extra
                work.refill[q, c], work.refill_home[q, c] = e, h
            h = assignment.next_home[h]
    return best


@lean
def choose(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, p: int, offers: int, most: float
) -> float:  # pragma: no cover - compiled
    """Choose the offers that save something, then fewer or more of a class until p is legal; return what that costs.

    INFEASIBLE_COST if that cannot be, or costs more than the most.
    """
    least_net = -1e-9 if draw(work.random) < FREELY else 1e-9
    size = assignment.size[p]
    for c in range(len(work.trial)):
        work.trial[c] = assignment.by_class[p, c]
    for i in range(offers):
        work.chosen[i] = work.free[i] if work.net[i] > least_net else 0
        work.trial[index.sensitive_class[index.kind_of[work.home[i]]]] += work.chosen[i]
        size += work.chosen[i]
    if size == assignment.size[p]:
        return INFEASIBLE_COST
    broken, cost = violation(rules, work.trial, size, work.counts, work.sums), 0.0
    if broken > 0.0:
        _sorted_by_class(index, work, offers)
    while broken > 0.0:
        best, change, chosen, left = 0.0, 0, 0, 0.0
        many = max(1, int(STRIDE * broken))
        for c in range(len(work.trial)):
            for sign in (1, -1):
                extra = _next_net(work, c, sign)
                if extra == INFEASIBLE_COST or size + sign * many <= 0:
                    continue
                step = sign * (many if sign > 0 else min(many, work.trial[c] - assignment.by_class[p, c]))
                work.trial[c] += step
                then = violation(rules, work.trial, size + step, work.counts, work.sums)
                work.trial[c] -= step
                multipliers = (broken - then) / (abs(step) * (max(extra, 0.0) + 0.1 * rules.unit))
                if multipliers > best:
                    best, change, chosen, left = multipliers, step, c, then
        if change == 0:
            return INFEASIBLE_COST
        done, sign = 0, 1 if change > 0 else -1
        while done != change:
            extra = _next_net(work, chosen, sign)
            if extra == INFEASIBLE_COST:
                break
            taken = _take_next(work, chosen, sign, abs(change - done))
            cost += taken * extra
            done += sign * taken
        work.trial[chosen] += done
        size += done
        if cost > most:
            return INFEASIBLE_COST
        broken = left if done == change else violation(rules, work.trial, size, work.counts, work.sums)
    return cost


@lean
def _sorted_by_class(index: CoverIndex, work: Work, offers: int) -> None:  # pragma: no cover - compiled
    """Order the offers by sensitive class and savings, and note where the chosen ones of each class end."""
    classes = len(work.trial)
    for c in range(classes + 1):
        work.stretch[c] = 0
    for i in range(offers):
        if work.free[i] > 0:
            work.stretch[index.sensitive_class[index.kind_of[work.home[i]]] + 1] += 1
    for c in range(classes):
        work.stretch[c + 1] += work.stretch[c]
        work.edge[c] = work.stretch[c]
    for i in range(offers):
        if work.free[i] > 0:
            c = index.sensitive_class[index.kind_of[work.home[i]]]
            work.order[work.edge[c]] = i
            work.edge[c] += 1
    for c in range(classes):
        first, last = work.stretch[c], work.stretch[c + 1]
        gap = 1
        while gap < (last - first) // 3:
            gap = 3 * gap + 1
        while gap > 0:  # shell sort: nothing is allocated
            for at in range(first + gap, last):
                i, back = work.order[at], at
                while back >= first + gap and work.net[work.order[back - gap]] < work.net[i]:
                    work.order[back] = work.order[back - gap]
                    back -= gap
                work.order[back] = i
            gap //= 3
        work.edge[c] = first
        while work.edge[c] < last and work.chosen[work.order[work.edge[c]]] == work.free[work.order[work.edge[c]]]:
            work.edge[c] += 1


@lean
def _next_net(work: Work, c: int, sign: int) -> float:  # pragma: no cover - compiled
    """Return what it costs to choose one more row of a class, or one less; INFEASIBLE_COST if there is none."""
    at = work.edge[c]
    if sign > 0:
        return -work.net[work.order[at]] if at < work.stretch[c + 1] else INFEASIBLE_COST
    if at < work.stretch[c + 1] and work.chosen[work.order[at]] > 0:
        return work.net[work.order[at]]
    return (
        work.net[work.order[at - 1]]
        if at > work.stretch[c] and work.chosen[work.order[at - 1]] > 0
        else INFEASIBLE_COST
    )


@lean
def _take_next(work: Work, c: int, sign: int, most: int) -> int:  # pragma: no cover - compiled
    """Choose more copies of the next offer of a class, or fewer; return how many."""
    at = work.edge[c]
    if sign < 0 and (at == work.stretch[c + 1] or work.chosen[work.order[at]] == 0):
        at -= 1
    i = work.order[at]
    taken = min(most, work.free[i] - work.chosen[i] if sign > 0 else work.chosen[i])
    work.chosen[i] += sign * taken
    if sign > 0:
        while at < work.stretch[c + 1] and work.chosen[work.order[at]] == work.free[work.order[at]]:
            at += 1
    work.edge[c] = at
    return taken


@lean
def _move_in(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work, p: int, offers: int
) -> bool:  # pragma: no cover - compiled
    """Move the chosen rows, then those that others replace; say whether all could come."""
    for i in range(offers):
        if work.chosen[i] > 0 and not work.chained[i]:
            move(index, assignment, work.home[i], work.entry[i], work.chosen[i])
    for i in range(offers):
        if work.chosen[i] > 0 and work.chained[i]:
            h = work.home[i]
            q, c = index.pattern_of[h], index.sensitive_class[index.kind_of[h]]
            if assignment.copies[h] == 0 or _replacement(index, assignment, rules, work, q, c, p) == INFEASIBLE_COST:
                return False
            move(index, assignment, work.refill_home[q, c], work.refill[q, c], 1)
            move(index, assignment, h, work.entry[i], 1)
    return assignment.total[LOGGED] > 0


@lean
def _repair_donors(
    index: CoverIndex, assignment: Assignment, rules: CompiledRules, work: Work
) -> bool:  # pragma: no cover - compiled
    """Make all donor groups legal: close those that are to be closed, repair the others."""
    for s in range(work.number[SOURCES]):
        q = work.source[s]
        if work.closes[q]:
            work.banned[q] = work.number[STAMP]
    for s in range(work.number[SOURCES]):
        q = work.source[s]
        if not work.closes[q] and not repair(index, assignment, rules, work, q):
            return False
    for s in range(work.number[SOURCES]):
        q = work.source[s]
        if work.closes[q] and assignment.size[q] > 0 and not close(index, assignment, rules, work, q):
            return False
    return True
