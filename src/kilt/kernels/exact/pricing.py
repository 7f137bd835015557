"""The group of least reduced cost under every pattern, given a multiplier for each row type: all in integers.

Row types are visited from the largest multiplier down, and every pattern that covers one notes it, until its list for
that sensitive class is long enough. So each list is sorted, and a group is a choice of prefixes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from kilt.numbers import IntArray


@njit(cache=True)
def dearest_copies(
    order: IntArray,
    counts: IntArray,
    sensitive_class: IntArray,
    starts: IntArray,
    patterns: IntArray,
    offsets: IntArray,
    lists: IntArray,
    filled: IntArray,
) -> None:  # pragma: no cover - compiled
    """Fill for pattern p and sensitive class c the list ``lists[p, offsets[c]:offsets[c + 1]]`` with row types."""
    for kind in order:
        c = sensitive_class[kind]
        room = offsets[c + 1] - offsets[c]
        for entry in range(starts[kind], starts[kind + 1]):
            p = patterns[entry]
            have = filled[p, c]
            taken = min(counts[kind], room - have)
            for j in range(have, have + taken):
                lists[p, offsets[c] + j] = kind
            filled[p, c] = have + taken


@njit(cache=True)
def dearest_distinct(
    order: IntArray,
    sensitive_class: IntArray,
    starts: IntArray,
    patterns: IntArray,
    lists: IntArray,
    filled: IntArray,
) -> None:  # pragma: no cover - compiled
    """Fill for every pattern a list of row types of different sensitive classes."""
    room = lists.shape[1]
    for kind in order:
        for entry in range(starts[kind], starts[kind + 1]):
            p = patterns[entry]
            have = filled[p, 0]
            if have == room:
                continue
            fresh = True
            for j in range(have):
                if sensitive_class[lists[p, j]] == sensitive_class[kind]:
                    fresh = False
                    break
            if fresh:
                lists[p, have] = kind
                filled[p, 0] = have + 1


@njit(cache=True)
def cheapest_atoms(
    lists: IntArray,
    filled: IntArray,
    offsets: IntArray,
    multipliers: IntArray,
    cost: IntArray,
    atoms: IntArray,
    value: IntArray,
    choice: IntArray,
) -> None:  # pragma: no cover - compiled
    """Find for every pattern the minimal group of least reduced cost; ``choice`` is -1 if none fits."""
    classes = len(offsets) - 1
    sums = np.zeros(offsets[classes] + classes, dtype=np.int64)
    for p in range(len(cost)):
        for c in range(classes):
            at = offsets[c] + c
            sums[at] = 0
            for j in range(filled[p, c]):
                sums[at + j + 1] = sums[at + j] + cost[p] - multipliers[lists[p, offsets[c] + j]]
        choice[p] = -1
        value[p] = np.iinfo(np.int64).max
        for a in range(len(atoms)):
            total = 0
            fits = True
            for c in range(classes):
                if atoms[a, c] > filled[p, c]:
                    fits = False
                    break
                total += sums[offsets[c] + c + atoms[a, c]]
            if fits and total < value[p]:
                value[p] = total
                choice[p] = a


@njit(cache=True)
def groups_within(
    members: IntArray,
    multipliers: IntArray,
    starts: IntArray,
    cost: IntArray,
    sensitive_class: IntArray,
    atoms: IntArray,
    distinct: bool,
    limit: int,
    found: IntArray,
    owner: IntArray,
) -> int:  # pragma: no cover - compiled
    """List the groups whose reduced cost is at most a limit; return how many, or -1 if there is no room.

    Pattern p has the copies ``members[starts[p]:starts[p + 1]]``, sorted by sensitive class and then by falling
    multipliers; if ``distinct``, by falling multipliers alone. A group is a row of ``found``, padded with -1,
    under the pattern ``owner``.
    """
    classes = atoms.shape[1]
    begin = np.empty(classes + 1, dtype=np.int64)
    total = 0
    for p in range(len(cost)):
        mine = members[starts[p] : starts[p + 1]]
        sums = np.zeros(len(mine) + 1, dtype=np.int64)
        at = 0
        for c in range(classes):
            begin[c] = at
            while at < len(mine) and (distinct or sensitive_class[mine[at]] == c):
                sums[at + 1] = sums[at] + cost[p] - multipliers[mine[at]]
                at += 1
        begin[classes] = at
        before = total
        for a in range(len(atoms)):
            total = _groups_of_atom(mine, sums, begin, sensitive_class, atoms[a], distinct, limit, found, total)
            if total < 0:
                return -1
        owner[before:total] = p
    return total


@njit(cache=True)
def _groups_of_atom(
    mine: IntArray,
    sums: IntArray,
    begin: IntArray,
    sensitive_class: IntArray,
    atom: IntArray,
    distinct: bool,
    limit: int,
    found: IntArray,
    total: int,
) -> int:  # pragma: no cover - compiled
    """Add the groups of one count vector under one pattern, by depth-first search; return their new number."""
    slot_class, left, rest = _slots(sums, begin, atom)
    size = len(slot_class)
    chosen = np.empty(size, dtype=np.int64)
    spent = np.zeros(size + 1, dtype=np.int64)
    depth = 0 if size and left[0] > 0 else -1
    if depth == 0:
        chosen[0] = begin[slot_class[0]] - 1
    while depth >= 0:
        c = slot_class[depth]
        chosen[depth] += 1
        here = chosen[depth]
        if here + left[depth] > begin[c + 1]:
            depth -= 1
            continue
        if spent[depth] + sums[here + left[depth]] - sums[here] + rest[depth] > limit:
            depth -= 1  # members further on have smaller multipliers, so their reduced costs are higher still
            continue
        follows = depth > 0 and slot_class[depth - 1] == c and chosen[depth - 1] == here - 1
        if here > begin[c] and mine[here] == mine[here - 1] and not follows:
            continue  # copies of a row type are taken in order
        if distinct and _has_class(mine, chosen, depth, sensitive_class, sensitive_class[mine[here]]):
            continue
        spent[depth + 1] = spent[depth] + sums[here + 1] - sums[here]
        if depth + 1 < size:
            depth += 1
            chosen[depth] = here if slot_class[depth] == c else begin[slot_class[depth]] - 1
            continue
        if total == len(found):
            return -1
        found[total] = -1
        for slot in range(size):
            found[total, slot] = mine[chosen[slot]]
        total += 1
    return total


@njit(cache=True)
def _slots(
    sums: IntArray, begin: IntArray, atom: IntArray
) -> tuple[IntArray, IntArray, IntArray]:  # pragma: no cover - compiled
    """Return for every slot its class, how many of its slots are left, and the least reduced cost of later classes.

    If a class has too few members, no slot is left: ``left`` is 0 everywhere.
    """
    size = atom.sum()
    slot_class, left, rest = np.empty(size, np.int64), np.zeros(size, np.int64), np.empty(size, np.int64)
    for c in range(len(atom)):
        if atom[c] > begin[c + 1] - begin[c]:
            return slot_class, left, rest
    slot, later = size, 0
    for c in range(len(atom) - 1, -1, -1):
        for number in range(1, atom[c] + 1):
            slot -= 1
            slot_class[slot], left[slot], rest[slot] = c, number, later
        later += sums[begin[c] + atom[c]] - sums[begin[c]]
    return slot_class, left, rest


@njit(cache=True)
def _has_class(
    mine: IntArray, chosen: IntArray, depth: int, sensitive_class: IntArray, wanted: int
) -> bool:  # pragma: no cover - compiled
    has = False
    for slot in range(depth):
        has |= sensitive_class[mine[chosen[slot]]] == wanted
    return has
