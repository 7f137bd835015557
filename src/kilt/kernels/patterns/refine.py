"""Closed patterns by refinement: from the whole table down, column by column and in each level by level.

A *step* is a level of a column. A bucket has the row types that look the same at the levels chosen so far. It is given
up with all that is inside it once it has too few rows, once it looks the same at a lower level of a column that is
done, or once it costs too much whatever comes. With multipliers it is also given up once no group inside it can have a
reduced cost below a margin: row types come by falling multipliers, so that the first ones decide.
"""

from __future__ import annotations

import cython
import numpy as np

from kilt.numbers import BoolArray, IntArray


@cython.final
@cython.cclass
class Refinement:
    """Lists closed patterns of at least so many rows that cost less than a ceiling.

    Step s shows ``labels[s, code]`` for a code of its column and costs ``costs[s, code]``; the steps of column j are
    ``first_steps[j]`` to ``first_steps[j + 1]``, from the lowest level on. ``floors[j]`` is the least that is paid in
    column j and those after it. Row type u has ``codes[j, u]`` and ``counts[u]`` copies.

    What is found: pattern p has ``lengths[p]`` of the ``types``, ``steps[p]`` and ``cost[p]``. ``complete`` says
    whether all are found: not if there are more entries than ``most_entries`` or if it takes more ``work``.
    """

    labels: cython.int[:, ::1]
    costs: cython.longlong[:, ::1]
    first_steps: cython.longlong[::1]
    floors: cython.longlong[::1]
    codes: cython.int[:, ::1]
    counts: cython.longlong[::1]
    min_group_size: cython.longlong
    ceiling: cython.longlong
    most_entries: cython.longlong
    most_work: cython.longlong
    multipliers: cython.longlong[::1]
    priced: cython.bint
    margin: cython.longlong
    whole: cython.bint
    paired: cython.bint
    is_second: cython.uchar[::1]
    lowest: cython.longlong[::1]
    highest: cython.longlong[::1]
    firsts: cython.int[::1]
    seconds: cython.int[::1]
    sums: cython.longlong[::1]
    summed: cython.longlong
    next_first: cython.Py_ssize_t
    arena: cython.int[::1]
    mass: cython.longlong[::1]
    place: cython.longlong[::1]
    touched: cython.int[::1]
    chosen: cython.longlong[::1]
    types: cython.int[::1]
    lengths: cython.int[::1]
    steps: cython.short[:, ::1]
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
        floors: IntArray,
        codes: IntArray,
        counts: IntArray,
        min_group_size: int,
    ) -> None:
        self.labels, self.costs, self.first_steps, self.floors = labels, costs, first_steps, floors
        self.codes, self.counts, self.min_group_size = codes, counts, min_group_size
        room = int(labels.max(initial=0)) + 1
        self.mass, self.place = np.zeros((2, room), dtype=np.int64)
        self.touched = np.empty(room, dtype=np.int32)
        self.chosen = np.zeros(len(floors) - 1, dtype=np.int64)
        self.arena = np.empty((labels.shape[0] + 1) * len(counts), dtype=np.int32)
        self.paired = False
        self.clear()

    def pair(self, is_second: BoolArray, lowest: IntArray, highest: IntArray) -> None:
        """Say which groups of two sensitive classes are legal: b rows of the second allow so many of the first."""
        self.paired, self.is_second, self.lowest, self.highest = True, is_second.view(np.uint8), lowest, highest
        self.firsts, self.seconds = np.empty((2, len(is_second)), dtype=np.int32)
        self.sums = np.zeros(int(np.asarray(self.counts)[~is_second].sum()) + 1, dtype=np.int64)

    def clear(self) -> None:
        """Forget what was found."""
        self.types, self.lengths = np.empty(1 << 12, dtype=np.int32), np.empty(1 << 8, dtype=np.int32)
        self.steps = np.empty((1 << 8, self.chosen.shape[0]), dtype=np.int16)
        self.cost = np.empty(1 << 8, dtype=np.int64)
        self.n_patterns = self.n_entries = self.work = 0
        self.complete = True

    def found(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return the row types, pattern by pattern; and of every pattern their number, its steps and its cost."""
        patterns = self.n_patterns
        return (
            np.asarray(self.types)[: self.n_entries],
            np.asarray(self.lengths)[:patterns],
            np.asarray(self.steps)[:patterns],
            np.asarray(self.cost)[:patterns],
        )

    def list_all(self, row_types: IntArray, ceiling: int, most_entries: int, most_work: int) -> None:
        """List the patterns that cost less than a ceiling."""
        self.priced, self.whole = False, True
        self._list(row_types, ceiling, most_entries, most_work)

    def list_priced(
        self,
        row_types: IntArray,
        multipliers: IntArray,
        margin: int,
        ceiling: int,
        most_entries: int,
        most_work: int,
        whole: bool,
    ) -> None:
        """List the patterns under which a group has a reduced cost below a margin.

        They have all their row types, or if they are not ``whole`` those of such groups. Costs are scaled like
        multipliers, and ``row_types`` are ordered by these, the largest first.
        """
        self.multipliers, self.margin, self.priced, self.whole = multipliers, margin, True, whole
        self._list(row_types, ceiling, most_entries, most_work)

    @cython.ccall
    def _list(
        self, row_types: IntArray, ceiling: cython.longlong, most_entries: cython.longlong, most_work: cython.longlong
    ) -> cython.void:
        self.clear()
        self.ceiling, self.most_entries, self.most_work = ceiling, most_entries, most_work
        number = len(row_types)
        np.asarray(self.arena)[:number] = row_types
        size: cython.Py_ssize_t = number
        with cython.nogil:
            self.choose_column(0, 0, size, size, 0)

    @cython.cfunc
    @cython.nogil
    def choose_column(
        self,
        column: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        room: cython.Py_ssize_t,
        cost: cython.longlong,
    ) -> cython.void:
        """Refine a bucket by a column and those after it; if there is none, it is that of a pattern.

        From ``room`` on the arena is free.
        """
        if column == self.chosen.shape[0]:
            self.keep(start, stop, cost)
        else:
            self.refine(column, self.first_steps[column + 1] - 1, start, stop, room, cost)

    @cython.cfunc
    @cython.nogil
    def refine(
        self,
        column: cython.Py_ssize_t,
        step: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        room: cython.Py_ssize_t,
        cost: cython.longlong,
    ) -> cython.void:
        """Divide a bucket by the labels of a step; go on in each part, at this step and at the next lower one."""
        end = self.split(column, step, start, stop, room)
        lowest = self.first_steps[column]
        part: cython.Py_ssize_t = room
        while part < end and self.complete:
            code = self.codes[column, self.arena[part]]
            label = self.labels[step, code]
            after: cython.Py_ssize_t = part + 1
            while after < end and self.labels[step, self.codes[column, self.arena[after]]] == label:
                after += 1
            if self.is_closed(column, part, after):
                floor: cython.longlong = cost + self.floors[column]
                total: cython.longlong = cost + self.costs[step, code]
                if step > lowest and self.is_promising(part, after, floor):
                    self.refine(column, step - 1, part, after, end, cost)
                ends_here: cython.bint = step == lowest or self.differs(column, step - 1, part, after)
                if ends_here and self.is_promising(part, after, total + self.floors[column + 1]):
                    self.chosen[column] = step
                    self.choose_column(column + 1, part, after, end, total)
            part = after

    @cython.cfunc
    @cython.nogil
    def split(
        self,
        column: cython.Py_ssize_t,
        step: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        room: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Write the parts of a bucket that have enough rows to where there is room, in order; return their end."""
        self.work += stop - start
        if self.work > self.most_work:
            self.complete = False
        n_touched: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        for i in range(start, stop):
            u = self.arena[i]
            label = self.labels[step, self.codes[column, u]]
            if self.mass[label] == 0:
                self.touched[n_touched] = label
                n_touched += 1
                self.place[label] = 0
            self.mass[label] += self.counts[u]
            self.place[label] += 1
        end: cython.Py_ssize_t = room
        for i in range(n_touched):
            label = self.touched[i]
            if self.mass[label] >= self.min_group_size:
                number = self.place[label]
                self.place[label] = end
                end += number
            else:
                self.place[label] = -1
        for i in range(start, stop):
            u = self.arena[i]
            label = self.labels[step, self.codes[column, u]]
            if self.place[label] >= 0:
                self.arena[self.place[label]] = u
                self.place[label] += 1
        for i in range(n_touched):
            self.mass[self.touched[i]] = 0
        return end

    @cython.cfunc
    @cython.nogil
    def is_closed(self, columns: cython.Py_ssize_t, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Say whether a bucket looks different one level lower in each of the first columns."""
        for column in range(columns):
            step = self.chosen[column]
            if step > self.first_steps[column] and not self.differs(column, step - 1, start, stop):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    def differs(
        self, column: cython.Py_ssize_t, step: cython.Py_ssize_t, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.bint:
        """Say whether a bucket has more than one label at a step."""
        label = self.labels[step, self.codes[column, self.arena[start]]]
        for i in range(start + 1, stop):
            if self.labels[step, self.codes[column, self.arena[i]]] != label:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    def is_promising(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, cost: cython.longlong) -> cython.bint:
        """Say whether a pattern inside a bucket matters, if its rows cost so much or more."""
        if cost >= self.ceiling:
            return False
        if not self.priced:
            return True
        return self.relevant(start, stop, cost) > start and (not self.paired or self.has_pair(start, stop, cost))

    @cython.cfunc
    @cython.nogil
    def relevant(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, cost: cython.longlong) -> cython.Py_ssize_t:
        """Return the end of the row types that are in a group below the margin; the start if there are none."""
        mass: cython.longlong = 0
        value: cython.longlong = 0
        multiplier: cython.longlong = 0
        i: cython.Py_ssize_t = start
        while i < stop and (mass < self.min_group_size or self.multipliers[self.arena[i]] > cost):
            u = self.arena[i]
            multiplier = self.multipliers[u]
            taken: cython.longlong = self.counts[u]
            if multiplier <= cost:
                taken = min(taken, self.min_group_size - mass)
            mass += taken
            value += taken * (cost - multiplier)
            i += 1
        if mass < self.min_group_size or value >= self.margin:
            return start
        least: cython.longlong = min(cost, multiplier) + value - self.margin
        while i < stop and self.multipliers[self.arena[i]] > least:
            i += 1
        return i

    @cython.cfunc
    @cython.nogil
    def has_pair(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, cost: cython.longlong) -> cython.bint:
        """Say whether a legal group of two sensitive classes has a reduced cost below the margin at this cost."""
        n_firsts: cython.Py_ssize_t = 0
        n_seconds: cython.Py_ssize_t = 0
        rows: cython.longlong = 0
        profitable: cython.longlong = 0
        for i in range(start, stop):
            u = self.arena[i]
            if self.is_second[u]:
                self.seconds[n_seconds] = u
                n_seconds += 1
            else:
                self.firsts[n_firsts] = u
                n_firsts += 1
                rows += self.counts[u]
                if self.multipliers[u] > cost:
                    profitable += self.counts[u]
        self.summed, self.next_first = 0, 0
        self.sum_up_to(profitable, cost)
        place: cython.Py_ssize_t = 0
        copy: cython.longlong = 0
        spent: cython.longlong = 0
        b: cython.longlong = 0
        while True:
            most: cython.longlong = min(self.highest[b], rows)
            if self.lowest[b] <= most:
                a: cython.longlong = min(max(profitable, self.lowest[b]), most)
                self.sum_up_to(a, cost)
                if spent + self.sums[a] < self.margin:
                    return True
            if place == n_seconds:
                return False
            u = self.seconds[place]
            each = cost - self.multipliers[u]
            if each >= 0 and spent + each + self.sums[profitable] >= self.margin:
                return False  # from here on the second class only adds
            spent += each
            b += 1
            copy += 1
            if copy == self.counts[u]:
                place += 1
                copy = 0

    @cython.cfunc
    @cython.nogil
    def sum_up_to(self, rows: cython.longlong, cost: cython.longlong) -> cython.void:
        """Sum up the reduced costs of so many rows of the first class or a few more, from where the sums end."""
        while self.summed < rows:
            u = self.firsts[self.next_first]
            self.next_first += 1
            for _ in range(self.counts[u]):
                self.sums[self.summed + 1] = self.sums[self.summed] + cost - self.multipliers[u]
                self.summed += 1

    @cython.cfunc
    @cython.nogil
    def keep(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, cost: cython.longlong) -> cython.void:
        """Note a pattern."""
        number = (stop if self.whole else self.relevant(start, stop, cost)) - start
        if self.n_patterns == self.lengths.shape[0] or self.n_entries + number > self.types.shape[0]:
            with cython.gil:
                self.make_room(number)
        for i in range(number):
            self.types[self.n_entries + i] = self.arena[start + i]
        for column in range(self.chosen.shape[0]):
            self.steps[self.n_patterns, column] = cython.cast(cython.short, self.chosen[column])
        self.lengths[self.n_patterns] = cython.cast(cython.int, number)
        self.cost[self.n_patterns] = cost
        self.n_patterns += 1
        self.n_entries += number
        if self.n_entries > self.most_entries:
            self.complete = False

    @cython.ccall
    def make_room(self, more: cython.Py_ssize_t) -> cython.void:
        """Make room for more patterns and entries."""
        if self.n_patterns == self.lengths.shape[0]:
            wanted = 2 * self.n_patterns
            self.lengths = _longer(np.asarray(self.lengths), wanted)
            self.cost = _longer(np.asarray(self.cost), wanted)
            self.steps = _longer(np.asarray(self.steps), wanted)
        if self.n_entries + more > self.types.shape[0]:
            self.types = _longer(np.asarray(self.types), 3 * (self.n_entries + more) // 2)


def _longer(given: IntArray, length: int) -> IntArray:
    """Return a longer array that begins with what is given."""
    longer = np.empty((length, *given.shape[1:]), dtype=given.dtype)
    longer[: len(given)] = given
    return longer
