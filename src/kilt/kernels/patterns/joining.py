"""Closed patterns of rows that are near each other: a row is joined with one after the other.

The levels of a pattern are a set of bits: of each column as many as there are steps from its lowest level. What two
rows look the same at is the union of steps that either needs, so a pattern costs what its set costs, and it covers the
rows whose own sets, each with the first row alone, are inside. How many level vectors there are does not matter.
"""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import IntArray

FAR = cython.declare(cython.longlong, 1 << 62)


@cython.final
@cython.cclass
class Joining:
    """Lists closed patterns of at least so many rows, each with the first of its rows in an order.

    Step s shows ``labels[s, code]`` for a code of its column and costs ``costs[s, code]``; the steps of column j are
    ``first_steps[j]`` to ``first_steps[j + 1]``, from the lowest level on. Row type u has ``codes[u, j]`` and
    ``counts[u]`` copies.

    What is found: pattern p has ``lengths[p]`` of the ``types``, the set ``joins[p]`` of the first of these, and
    ``cost[p]``. ``complete`` says whether all are found: not if there are more entries than ``most_entries`` or it
    takes more ``work``.
    """

    labels: cython.int[:, ::1]
    costs: cython.longlong[:, ::1]
    first_steps: cython.longlong[::1]
    codes: cython.int[:, ::1]
    counts: cython.longlong[::1]
    min_group_size: cython.longlong
    multipliers: cython.longlong[::1]
    margin: cython.longlong
    limit: cython.longlong
    cheapest: cython.bint
    known: cython.longlong[::1]
    most_entries: cython.longlong
    most_work: cython.longlong
    base: cython.longlong
    weights: cython.longlong[:, ::1]
    needed: cython.ulonglong[:, ::1]
    row: cython.int[::1]
    own: cython.ulonglong[::1]
    arena: cython.int[::1]
    reach: cython.longlong[::1]
    members: cython.int[::1]
    keys: cython.longlong[::1]
    masses: cython.longlong[::1]
    n_keys: cython.Py_ssize_t
    types: cython.int[::1]
    lengths: cython.int[::1]
    joins: cython.ulonglong[::1]
    cost: cython.longlong[::1]
    n_patterns = cython.declare(cython.longlong, visibility="readonly")
    n_entries = cython.declare(cython.longlong, visibility="readonly")
    work = cython.declare(cython.longlong, visibility="readonly")
    complete = cython.declare(cython.bint, visibility="readonly")

    def __init__(
        self,
        labels: IntArray,
        costs: IntArray,
        first_steps: IntArray,
        codes: IntArray,
        counts: IntArray,
        min_group_size: int,
    ) -> None:
        self.labels, self.costs, self.first_steps = labels, costs, first_steps
        self.codes, self.counts, self.min_group_size = codes, counts, min_group_size
        number = len(counts)
        self.weights = np.zeros((8, 256), dtype=np.int64)
        self.needed = np.zeros((codes.shape[1], labels.shape[1]), dtype=np.uint64)
        self.row, self.members = np.empty((2, number), dtype=np.int32)
        self.own = np.empty(number, dtype=np.uint64)
        self.arena, self.reach = np.empty(1, dtype=np.int32), np.empty(1, dtype=np.int64)
        self.keys, self.masses = np.zeros((2, min_group_size + 1), dtype=np.int64)
        self.clear()

    def clear(self) -> None:
        """Forget what was found."""
        self.types, self.lengths = np.empty(1 << 12, dtype=np.int32), np.empty(1 << 8, dtype=np.int32)
        self.joins, self.cost = np.empty(1 << 8, dtype=np.uint64), np.empty(1 << 8, dtype=np.int64)
        self.n_patterns = self.n_entries = self.work = 0
        self.complete = True

    def found(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return the row types, pattern by pattern, first that by which it was found; and of every pattern the rest."""
        patterns = self.n_patterns
        return (
            np.asarray(self.types)[: self.n_entries],
            np.asarray(self.lengths)[:patterns],
            np.asarray(self.joins)[:patterns],
            np.asarray(self.cost)[:patterns],
        )

    def list_cheapest(self, first: IntArray, known: IntArray, least: IntArray, most_work: int) -> None:
        """Write what the cheapest pattern costs that covers each of some row types, to ``least``.

        ``known`` has what such a pattern costs at most; it gets better by each that is found. Where it takes too much
        work, what is written is something that the pattern costs at least.
        """
        least_of: cython.longlong[::1] = least
        first_of: cython.longlong[::1] = first
        self.cheapest, self.known, self.most_work = True, known, most_work
        for i in range(len(first)):
            u: cython.Py_ssize_t = first_of[i]
            self.work, self.complete, self.limit = 0, True, self.known[u]
            number: cython.Py_ssize_t = self.find_near(u)
            self.make_room(number)
            with cython.nogil:
                floor = self.start(u, 0, number)
            least_of[u] = self.limit if self.complete else min(self.limit, floor)

    def list_below(
        self,
        order: IntArray,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        limits: IntArray,
        multipliers: IntArray,
        margin: int,
        most_entries: int,
        most_work: int,
    ) -> None:
        """List patterns that cost less than the limit of their first row in an order by falling limit.

        Only those are listed under which a group has a reduced cost below the margin, for first rows from one to the
        last; what was found before stays.
        """
        self.cheapest, self.margin, self.multipliers = False, margin, multipliers
        self.most_entries, self.most_work = most_entries, most_work
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        rank_of: cython.longlong[::1] = rank
        limit_of: cython.longlong[::1] = limits
        first_of: cython.longlong[::1] = order
        for i in range(first, last):
            if not self.complete:
                break
            u: cython.Py_ssize_t = first_of[i]
            self.limit = limit_of[u]
            number: cython.Py_ssize_t = self.find_near(u)
            done: cython.Py_ssize_t = self.part(rank_of, i, number)
            self.make_room(number)
            with cython.nogil:
                self.start(u, done, number)

    @cython.cfunc
    def find_near(self, u: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Note the rows with which a row has a pattern below the limit; return how many there are."""
        with cython.nogil:
            self.look_from(u)
            number: cython.Py_ssize_t = 0
            for v in range(self.counts.shape[0]):
                if v == u:
                    continue
                own: cython.ulonglong = 0
                for j in range(self.codes.shape[1]):
                    own |= self.needed[j, self.codes[v, j]]
                if self.cost_of(own) < self.limit:
                    self.row[number], self.own[number] = v, own
                    number += 1
            self.work += self.counts.shape[0] // 8
        return number

    @cython.cfunc
    @cython.nogil
    def look_from(self, u: cython.Py_ssize_t) -> cython.void:
        """Find which steps are needed to look like row u, by column and code, and what they cost it."""
        self.base = 0
        bit: cython.Py_ssize_t = 0
        for byte in range(8):
            self.weights[byte, 0] = 0
        for j in range(self.codes.shape[1]):
            lowest, end = self.first_steps[j], self.first_steps[j + 1]
            mine = self.codes[u, j]
            self.base += self.costs[lowest, mine]
            for code in range(self.labels.shape[1]):
                step = lowest
                needed: cython.ulonglong = 0
                while step + 1 < end and code != mine and self.labels[step, code] != self.labels[step, mine]:
                    needed |= cython.cast(cython.ulonglong, 1) << (bit + step - lowest)
                    step += 1
                self.needed[j, code] = needed
            for step in range(lowest + 1, end):
                self.weigh(bit, self.costs[step, mine] - self.costs[step - 1, mine])
                bit += 1
        while bit < 64:
            self.weigh(bit, 0)
            bit += 1

    @cython.cfunc
    @cython.nogil
    def weigh(self, bit: cython.Py_ssize_t, cost: cython.longlong) -> cython.void:
        """Say what a step costs."""
        byte, half = bit // 8, 1 << (bit % 8)
        for value in range(half):
            self.weights[byte, half + value] = self.weights[byte, value] + cost

    @cython.cfunc
    @cython.nogil
    def cost_of(self, set_: cython.ulonglong) -> cython.longlong:
        """Return what a row pays at these steps."""
        cost: cython.longlong = self.base
        rest: cython.ulonglong = set_
        byte: cython.Py_ssize_t = 0
        while rest:
            cost += self.weights[byte, rest & 255]
            rest >>= 8
            byte += 1
        return cost

    @cython.cfunc
    def part(self, rank: cython.longlong[::1], mine: cython.longlong, number: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Put the rows before one in the order, whose patterns are listed by themselves, first; return how many."""
        done: cython.Py_ssize_t = 0
        for i in range(number):
            if rank[self.row[i]] < mine:
                self.row[i], self.row[done] = self.row[done], self.row[i]
                self.own[i], self.own[done] = self.own[done], self.own[i]
                done += 1
        return done

    @cython.cfunc
    @cython.nogil
    def start(self, u: cython.Py_ssize_t, done: cython.Py_ssize_t, number: cython.Py_ssize_t) -> cython.longlong:
        """List the patterns that cover row u, and none of the rows that are done; return what it pays at least."""
        self.members[0] = u
        n_members: cython.Py_ssize_t = 1
        mass: cython.longlong = self.counts[u]
        end: cython.Py_ssize_t = 0
        middle: cython.Py_ssize_t = 0
        for i in range(number):
            if self.own[i] == 0:
                if i < done:
                    return 0
                self.members[n_members] = self.row[i]
                n_members += 1
                mass += self.counts[self.row[i]]
                continue
            self.arena[end], self.reach[end] = i, self.cost_of(self.own[i])
            end += 1
            if i < done:
                middle = end
        if self.cheapest:
            self.sort(end)
        floor: cython.longlong = self.reached(mass, self.base, middle, end)
        self.explore(0, self.base, mass, n_members, 0, middle, end)
        return floor

    @cython.cfunc
    @cython.nogil
    def sort(self, end: cython.Py_ssize_t) -> cython.void:
        """Put the nearest rows first (by shells)."""
        gap: cython.Py_ssize_t = end // 2
        while gap > 0:
            for i in range(gap, end):
                which, key = self.arena[i], self.reach[i]
                at: cython.Py_ssize_t = i
                while at >= gap and self.reach[at - gap] > key:
                    self.arena[at], self.reach[at] = self.arena[at - gap], self.reach[at - gap]
                    at -= gap
                self.arena[at], self.reach[at] = which, key
            gap //= 2

    @cython.cfunc
    @cython.nogil
    def explore(
        self,
        set_: cython.ulonglong,
        cost: cython.longlong,
        mass: cython.longlong,
        n_members: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        middle: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
    ) -> cython.void:
        """Note a pattern if it has enough rows, and join it with one more row after the other.

        The rows in the arena before ``middle`` are done, whatever covers them is found elsewhere; those after it can
        still be joined.
        """
        floor: cython.longlong = self.reached(mass, cost, middle, stop)
        if floor >= self.limit:
            return
        if self.cheapest:
            if mass >= self.min_group_size:
                self.limit = cost
                for i in range(n_members):
                    u = self.members[i]
                    self.known[u] = min(self.known[u], cost)
                return
        else:
            if self.least_value(floor, n_members, middle, stop) >= self.margin:
                return
            if mass >= self.min_group_size and self.least_value(cost, n_members, stop, stop) < self.margin:
                self.keep(set_, cost, n_members)
        for i in range(middle, stop):
            if not self.complete:
                return
            if self.reach[i] < self.limit:
                self.join(set_, mass, n_members, start, i, stop)

    @cython.cfunc
    @cython.nogil
    def join(
        self,
        set_: cython.ulonglong,
        mass: cython.longlong,
        n_members: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
    ) -> cython.void:
        """Join a pattern with the row at a place of the arena, and with all that are covered then."""
        joined: cython.ulonglong = set_ | self.own[self.arena[at]]
        cost: cython.longlong = self.reach[at]
        end: cython.Py_ssize_t = stop
        middle: cython.Py_ssize_t = stop
        self.work += stop - start
        if self.work > self.most_work:
            self.complete = False
        for i in range(start, stop):
            which = self.arena[i]
            more: cython.ulonglong = self.own[which] & ~joined
            if i < at:
                if more == 0:
                    return
            elif more == 0:
                self.members[n_members] = self.row[which]
                n_members += 1
                mass += self.counts[self.row[which]]
                continue
            reach: cython.longlong = cost + self.cost_of(more) - self.base
            if reach < self.limit:
                self.arena[end], self.reach[end] = which, reach
                end += 1
            if i < at:
                middle = end
        self.explore(joined, cost, mass, n_members, stop, middle, end)

    @cython.cfunc
    @cython.nogil
    def reached(
        self, mass: cython.longlong, cost: cython.longlong, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.longlong:
        """Return what a pattern of enough rows costs at least that covers all that one of some cost covers."""
        missing = self.min_group_size - mass
        if missing <= 0:
            return cost
        self.n_keys = 0
        for i in range(start, stop):
            self.offer(self.reach[i], self.counts[self.row[self.arena[i]]], missing)
        for i in range(self.n_keys):
            missing -= self.masses[i]
            if missing <= 0:
                return self.keys[i]
        return FAR

    @cython.cfunc
    @cython.nogil
    def least_value(
        self, cost: cython.longlong, n_members: cython.Py_ssize_t, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.longlong:
        """Return at least which reduced cost a group has that costs so much or more, of these rows."""
        value: cython.longlong = 0
        missing: cython.longlong = self.min_group_size
        self.n_keys = 0
        for i in range(n_members):
            u = self.members[i]
            each: cython.longlong = cost - self.multipliers[u]
            if each < 0:
                value += each * self.counts[u]
                missing -= self.counts[u]
            elif missing > 0:
                self.offer(each, self.counts[u], missing)
        for i in range(start, stop):
            u = self.row[self.arena[i]]
            each = max(cost, self.reach[i]) - self.multipliers[u]
            if each < 0:
                value += each * self.counts[u]
                missing -= self.counts[u]
            elif missing > 0:
                self.offer(each, self.counts[u], missing)
        for i in range(self.n_keys):
            if missing <= 0:
                break
            value += self.keys[i] * min(missing, self.masses[i])
            missing -= self.masses[i]
        return value if missing <= 0 else FAR

    @cython.cfunc
    @cython.nogil
    def offer(self, key: cython.longlong, mass: cython.longlong, wanted: cython.longlong) -> cython.void:
        """Keep the least keys, as many as have the wanted mass together, in rising order."""
        n: cython.Py_ssize_t = self.n_keys
        if n == self.min_group_size:
            if key >= self.keys[n - 1]:
                return
            n -= 1
        while n > 0 and self.keys[n - 1] > key:
            self.keys[n], self.masses[n] = self.keys[n - 1], self.masses[n - 1]
            n -= 1
        self.keys[n], self.masses[n] = key, mass
        if self.n_keys < self.min_group_size:
            self.n_keys += 1

    @cython.cfunc
    @cython.nogil
    def keep(self, set_: cython.ulonglong, cost: cython.longlong, n_members: cython.Py_ssize_t) -> cython.void:
        """Note a pattern."""
        if self.n_patterns == self.lengths.shape[0] or self.n_entries + n_members > self.types.shape[0]:
            with cython.gil:
                self.make_room_for(n_members)
        for i in range(n_members):
            self.types[self.n_entries + i] = self.members[i]
        self.lengths[self.n_patterns] = cython.cast(cython.int, n_members)
        self.joins[self.n_patterns], self.cost[self.n_patterns] = set_, cost
        self.n_patterns += 1
        self.n_entries += n_members
        if self.n_entries > self.most_entries:
            self.complete = False

    @cython.ccall
    def make_room_for(self, more: cython.Py_ssize_t) -> cython.void:
        """Make room for more patterns and entries."""
        if self.n_patterns == self.lengths.shape[0]:
            wanted = 2 * self.n_patterns
            self.lengths, self.cost = _longer(np.asarray(self.lengths), wanted), _longer(np.asarray(self.cost), wanted)
            self.joins = _longer(np.asarray(self.joins), wanted)
        if self.n_entries + more > self.types.shape[0]:
            self.types = _longer(np.asarray(self.types), 3 * (self.n_entries + more) // 2)

    @cython.cfunc
    def make_room(self, number: cython.Py_ssize_t) -> cython.void:
        """Make room for so many rows at each depth: every join takes a step at least."""
        wanted = (self.labels.shape[0] - self.codes.shape[1] + 2) * number
        if wanted > self.arena.shape[0]:
            self.arena, self.reach = np.empty(wanted, dtype=np.int32), np.empty(wanted, dtype=np.int64)


def _longer(given: IntArray, length: int) -> IntArray:
    """Return a longer array that begins with what is given."""
    longer = np.empty(length, dtype=given.dtype)
    longer[: len(given)] = given
    return longer
