"""The group of least reduced cost under every pattern, given a multiplier for each row type: all in integers.

Row types are visited from the largest multiplier down, and every pattern that covers one notes it, until its list for
that sensitive class is long enough. So each list is sorted, and a group is a choice of prefixes.
"""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import IntArray

MOST = cython.declare(cython.longlong, (1 << 63) - 1)


@cython.final
@cython.cclass
class PatternLists:
    """For every pattern its row types of largest multipliers, by sensitive class.

    Pattern p has for sensitive class c the row types ``types[p, offsets[c]:]``, as many as ``filled[p, c]``.
    """

    types = cython.declare(cython.int[:, ::1], visibility="readonly")
    filled: cython.int[:, ::1]
    offsets: cython.longlong[::1]

    def __init__(self, n_patterns: int, offsets: IntArray) -> None:
        classes = len(offsets) - 1
        self.types = np.zeros((n_patterns, offsets[classes]), dtype=np.int32)
        self.filled = np.zeros((n_patterns, classes), dtype=np.int32)
        self.offsets = offsets

    def fill(
        self,
        order: cython.longlong[::1],
        counts: cython.longlong[::1],
        sensitive_class: cython.longlong[::1],
        starts: cython.longlong[::1],
        patterns: cython.int[::1],
    ) -> None:
        """Fill the lists with all copies of row types in this order; u has ``patterns[starts[u]:starts[u + 1]]``."""
        with cython.nogil:
            for i in range(order.shape[0]):
                u = order[i]
                c = sensitive_class[u]
                for entry in range(starts[u], starts[u + 1]):
                    self.add(patterns[entry], c, u, counts[u])

    @cython.cfunc
    @cython.nogil
    def add(self, p: cython.Py_ssize_t, c: cython.Py_ssize_t, u: cython.int, copies: cython.longlong) -> cython.void:
        """Add copies of a row type to a list, as many as there is room for."""
        begin = self.offsets[c] + self.filled[p, c]
        taken = min(copies, self.offsets[c + 1] - begin)
        for place in range(begin, begin + taken):
            self.types[p, place] = u
        self.filled[p, c] += taken

    def fill_distinct(
        self,
        order: cython.longlong[::1],
        sensitive_class: cython.longlong[::1],
        starts: cython.longlong[::1],
        patterns: cython.int[::1],
    ) -> None:
        """Fill the one list of every pattern with row types of different sensitive classes."""
        with cython.nogil:
            for i in range(order.shape[0]):
                u = order[i]
                for entry in range(starts[u], starts[u + 1]):
                    p = patterns[entry]
                    have = self.filled[p, 0]
                    if have == self.types.shape[1]:
                        continue
                    for place in range(have):
                        if sensitive_class[self.types[p, place]] == sensitive_class[u]:
                            break
                    else:
                        self.types[p, have] = u
                        self.filled[p, 0] = have + 1

    def cheapest_groups(
        self, multipliers: cython.longlong[::1], cost: cython.longlong[::1], vectors: cython.longlong[:, :]
    ) -> tuple[IntArray, IntArray]:
        """Find for every pattern the minimal group of least reduced cost: return that, and the group; -1 if none fits.

        ``vectors`` has the counts of the minimal groups per sensitive class, ``cost`` what a pattern costs a row.
        """
        cheapest = CheapestGroup(self, multipliers, vectors)
        reduced_cost, minimal_group = np.empty(len(cost), dtype=np.int64), np.empty(len(cost), dtype=np.int64)
        reduced_cost_: cython.longlong[::1] = reduced_cost
        minimal_group_: cython.longlong[::1] = minimal_group
        with cython.nogil:
            for p in range(cost.shape[0]):
                cheapest.find(p, cost[p])
                reduced_cost_[p], minimal_group_[p] = cheapest.reduced_cost, cheapest.minimal_group
        return reduced_cost, minimal_group


@cython.final
@cython.cclass
class CheapestGroup:
    """The minimal group of least reduced cost under a pattern; -1 if none fits.

    ``sums`` adds up the reduced costs of the rows in each list of the pattern, up to ``ends[c]`` for sensitive class c.
    Minimal group a has ``sums[places[a, c]]`` in that class; it and those after it have ``sizes[a]`` rows at least,
    while the lists have ``rows``.
    """

    lists: PatternLists
    multipliers: cython.longlong[::1]
    places: cython.longlong[:, ::1]
    sizes: cython.longlong[::1]
    sums: cython.longlong[::1]
    ends: cython.longlong[::1]
    rows: cython.longlong
    reduced_cost: cython.longlong
    minimal_group: cython.Py_ssize_t

    def __init__(self, lists: PatternLists, multipliers: cython.longlong[::1], vectors: cython.longlong[:, :]) -> None:
        number, classes = vectors.shape[0], vectors.shape[1]
        self.lists, self.multipliers = lists, multipliers
        self.places = np.empty((number, classes), dtype=np.int64)
        self.sizes = np.empty(number, dtype=np.int64)
        self.sums = np.zeros(lists.types.shape[1] + classes, dtype=np.int64)
        self.ends = np.zeros(classes, dtype=np.int64)
        self.find_places(vectors)

    @cython.cfunc
    @cython.nogil
    def find_places(self, vectors: cython.longlong[:, :]) -> cython.void:
        """Find the place of every count of a minimal group, and how many rows it and those after it have at least."""
        least: cython.longlong = MOST
        for a in range(vectors.shape[0] - 1, -1, -1):
            size: cython.longlong = 0
            for c in range(vectors.shape[1]):
                self.places[a, c] = vectors[a, c] + self.lists.offsets[c] + c
                size += vectors[a, c]
            least = min(least, size)
            self.sizes[a] = least

    @cython.cfunc
    @cython.nogil
    def find(self, p: cython.Py_ssize_t, cost: cython.longlong) -> cython.void:
        """Find it under a pattern that costs a row so much."""
        self.add_up(p, cost)
        least: cython.longlong = MOST
        found: cython.Py_ssize_t = -1
        for a in range(self.places.shape[0]):
            if self.sizes[a] > self.rows:
                break
            total: cython.longlong = 0
            for c in range(self.places.shape[1]):
                place = self.places[a, c]
                if place > self.ends[c]:
                    break
                total += self.sums[place]
            else:
                if total < least:
                    least, found = total, a
        self.reduced_cost, self.minimal_group = least, found

    @cython.cfunc
    @cython.nogil
    def add_up(self, p: cython.Py_ssize_t, cost: cython.longlong) -> cython.void:
        """Add up the reduced costs of the rows in the lists of a pattern."""
        self.rows = 0
        for c in range(self.ends.shape[0]):
            first = self.lists.offsets[c]
            total: cython.longlong = 0
            self.sums[first + c] = 0
            for place in range(first, first + self.lists.filled[p, c]):
                total += cost - self.multipliers[self.lists.types[p, place]]
                self.sums[place + c + 1] = total
            self.ends[c] = first + c + self.lists.filled[p, c]
            self.rows += self.lists.filled[p, c]


@cython.final
@cython.cclass
class GroupListing:
    """Lists the groups under patterns whose reduced cost is at most a limit.

    Pattern p has the copies ``members[starts[p]:starts[p + 1]]``, sorted by sensitive class and then by falling
    multipliers; if ``distinct``, by falling multipliers alone. ``sums`` adds up the reduced costs of those so far, and
    those of a sensitive class c begin at ``begin[c]``. A group has *slots*: ``slot_class`` is the sensitive class of a
    slot, ``left`` how many of that class are left from it on, ``rest`` the least reduced cost of those of later
    classes; ``chosen`` is the member in a slot, and ``spent`` the reduced cost of those before.
    """

    members: cython.longlong[::1]
    starts: cython.longlong[::1]
    sensitive_class: cython.longlong[::1]
    vectors: cython.longlong[:, ::1]
    distinct: cython.bint
    begin: cython.longlong[::1]
    sums: cython.longlong[::1]
    slot_class: cython.longlong[::1]
    left: cython.longlong[::1]
    rest: cython.longlong[::1]
    chosen: cython.longlong[::1]
    spent: cython.longlong[::1]
    found: cython.int[:, ::1]
    number: cython.Py_ssize_t
    number_of_slots: cython.Py_ssize_t

    def __init__(
        self, members: IntArray, starts: IntArray, sensitive_class: IntArray, vectors: IntArray, distinct: bool
    ) -> None:
        longest = int(vectors.sum(axis=1).max())
        self.members, self.starts, self.sensitive_class = members, starts, sensitive_class
        self.vectors, self.distinct, self.number = vectors, distinct, 0
        self.begin = np.zeros(vectors.shape[1] + 1, dtype=np.int64)
        self.sums = np.zeros(len(members) + 1, dtype=np.int64)
        self.slot_class, self.left, self.rest, self.chosen = np.zeros((4, longest), dtype=np.int64)
        self.spent = np.zeros(longest + 1, dtype=np.int64)

    def list_within(
        self,
        limit: cython.longlong,
        multipliers: cython.longlong[::1],
        cost: cython.longlong[::1],
        found: IntArray,
        owner: cython.longlong[::1],
    ) -> int:
        """List the groups, each a row of ``found``, padded with -1, under the pattern ``owner``.

        Return how many there are, or -1 if there is no room.
        """
        self.found, self.number = found, 0
        fits: cython.bint = True
        with cython.nogil:
            for p in range(cost.shape[0]):
                self.add_up(p, cost[p], multipliers)
                before = self.number
                for a in range(self.vectors.shape[0]):
                    if self.find_slots(a):
                        fits = self.list_groups(limit)
                        if not fits:
                            break
                if not fits:
                    break
                for i in range(before, self.number):
                    owner[i] = p
        return self.number if fits else -1

    @cython.cfunc
    @cython.nogil
    def add_up(self, p: cython.Py_ssize_t, cost: cython.longlong, multipliers: cython.longlong[::1]) -> cython.void:
        """Add up the reduced costs of the members of a pattern, and find where each sensitive class begins."""
        at, stop = self.starts[p], self.starts[p + 1]
        self.sums[at] = 0
        for c in range(self.vectors.shape[1]):
            self.begin[c] = at
            while at < stop and (self.distinct or self.sensitive_class[self.members[at]] == c):
                self.sums[at + 1] = self.sums[at] + cost - multipliers[self.members[at]]
                at += 1
        self.begin[self.vectors.shape[1]] = at

    @cython.cfunc
    @cython.nogil
    def find_slots(self, a: cython.Py_ssize_t) -> cython.bint:
        """Find the slots of groups with some counts per sensitive class; say whether there are enough members."""
        slot: cython.Py_ssize_t = 0
        for c in range(self.vectors.shape[1]):
            if self.vectors[a, c] > self.begin[c + 1] - self.begin[c]:
                return False
            slot += self.vectors[a, c]
        self.number_of_slots = slot
        later: cython.longlong = 0
        class_ = self.vectors.shape[1]
        while class_ > 0:
            class_ -= 1
            count = self.vectors[a, class_]
            for left in range(1, count + 1):
                slot -= 1
                self.slot_class[slot], self.left[slot], self.rest[slot] = class_, left, later
            later += self.sums[self.begin[class_] + count] - self.sums[self.begin[class_]]
        return self.number_of_slots > 0

    @cython.cfunc
    @cython.nogil
    def list_groups(self, limit: cython.longlong) -> cython.bint:
        """List the groups with these slots, by depth-first search; say whether there is room for all."""
        depth: cython.Py_ssize_t = 0
        self.chosen[0] = self.begin[self.slot_class[0]] - 1
        while depth >= 0:
            self.chosen[depth] += 1
            here = self.chosen[depth]
            if self.is_over(depth, here, limit):
                depth -= 1
                continue
            if not self.may_choose(depth, here):
                continue
            self.spent[depth + 1] = self.spent[depth] + self.sums[here + 1] - self.sums[here]
            if depth + 1 < self.number_of_slots:
                depth += 1
                same: cython.bint = self.slot_class[depth] == self.slot_class[depth - 1]
                self.chosen[depth] = here if same else self.begin[self.slot_class[depth]] - 1
                continue
            if self.number == self.found.shape[0]:
                return False
            self.note()
        return True

    @cython.cfunc
    @cython.nogil
    def is_over(self, depth: cython.Py_ssize_t, here: cython.Py_ssize_t, limit: cython.longlong) -> cython.bint:
        """Say whether no group can have this member, or one after it, in a slot.

        Members further on have smaller multipliers, so their reduced costs are higher still.
        """
        stop = here + self.left[depth]
        if stop > self.begin[self.slot_class[depth] + 1]:
            return True
        return self.spent[depth] + self.sums[stop] - self.sums[here] + self.rest[depth] > limit

    @cython.cfunc
    @cython.nogil
    def may_choose(self, depth: cython.Py_ssize_t, here: cython.Py_ssize_t) -> cython.bint:
        """Say whether a member may be in a slot: copies of a row type are taken in order, and classes are distinct."""
        u, c = self.members[here], self.slot_class[depth]
        is_copy: cython.bint = here > self.begin[c] and u == self.members[here - 1]
        if is_copy and (depth == 0 or self.slot_class[depth - 1] != c or self.chosen[depth - 1] != here - 1):
            return False
        if self.distinct:
            for slot in range(depth):
                if self.sensitive_class[self.members[self.chosen[slot]]] == self.sensitive_class[u]:
                    return False
        return True

    @cython.cfunc
    @cython.nogil
    def note(self) -> cython.void:
        """Note the group in the slots."""
        for slot in range(self.found.shape[1]):
            self.found[self.number, slot] = -1
        for slot in range(self.number_of_slots):
            self.found[self.number, slot] = self.members[self.chosen[slot]]
        self.number += 1
