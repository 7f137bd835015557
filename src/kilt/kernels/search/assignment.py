"""The cover index and the assignment of a search: which rows fit where, and which are where; moves can be undone."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.model.rules import ClassCounts

from kilt.numbers import IntArray

LONGEST_LOG = cython.declare(cython.Py_ssize_t, 200_000)  # more than the rows that a single opening brings together


@cython.cclass
class CoverIndex:
    """What does not change: entry e says that the row type ``row_type_of[e]`` fits under the pattern ``pattern_of[e]``.

    The entries of row type u are ``starts[u]`` to ``starts[u + 1]``, from cheap to dear; those of pattern p are
    ``entries[first[p]:first[p + 1]]``, by sensitive class: those of class c begin at ``class_start[p * classes + c]``.
    ``covered`` has their row types in the same order. Patterns are in the order of their ``cost``.
    """

    def __init__(
        self,
        sensitive_class: IntArray,
        classes: int,
        starts: IntArray,
        pattern_of: IntArray,
        row_type_of: IntArray,
        first: IntArray,
        entries: IntArray,
        covered: IntArray,
        cost: IntArray,
    ) -> None:
        self.sensitive_class, self.starts, self.first, self.cost = sensitive_class, starts, first, cost
        self.pattern_of, self.row_type_of, self.entries, self.covered = pattern_of, row_type_of, entries, covered
        self.classes = classes
        patterns = len(cost)
        keys = np.repeat(np.arange(patterns) * classes, np.diff(first)) + sensitive_class[covered]
        self.class_start = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=patterns * classes))])


@cython.cclass
class LinkedLists:
    """Entries in linked lists, one for each owner: from ``head`` by ``after``, -1 at the end."""

    def __init__(self, owners: int, entries: int) -> None:
        self.head = np.full(owners, -1, dtype=np.int32)
        self.after, self.before = np.full((2, entries), -1, dtype=np.int32)

    @cython.cfunc
    @cython.nogil
    def link(self, e: cython.int, owner: cython.Py_ssize_t) -> cython.void:
        """Put an entry at the head of a list."""
        first = self.head[owner]
        self.after[e], self.before[e] = first, -1
        if first >= 0:
            self.before[first] = e
        self.head[owner] = e

    @cython.cfunc
    @cython.nogil
    def unlink(self, e: cython.Py_ssize_t, owner: cython.Py_ssize_t) -> cython.void:
        """Take an entry out of a list."""
        follows, leads = self.after[e], self.before[e]
        if leads >= 0:
            self.after[leads] = follows
        else:
            self.head[owner] = follows
        if follows >= 0:
            self.before[follows] = leads

    def clear(self) -> None:
        """Empty all lists."""
        np.asarray(self.head).fill(-1)


@cython.cclass
class Assignment:
    """What moves: the copies at each entry, and for every pattern its rows, in all and by sensitive class.

    ``members`` lists the entries with copies of each pattern and sensitive class, pattern by pattern, ``homes`` those
    of each row type; ``only_home`` is the pattern of those that are under one only, else -1. A pattern has another
    ``version`` after each change of its rows. The last ``logged`` moves can be undone.
    """

    def __init__(self, index: CoverIndex) -> None:
        entries, patterns = len(index.pattern_of), len(index.cost)
        self.index = index
        self.copies = np.zeros(entries, dtype=np.int64)
        self.size = np.zeros(patterns, dtype=np.int64)
        self.by_class = ClassCounts(np.zeros((patterns, index.classes), dtype=np.int64))
        self.members = LinkedLists(patterns * index.classes, entries)
        self.homes = LinkedLists(len(index.starts) - 1, entries)
        self.only_home = np.full(len(index.starts) - 1, -1, dtype=np.int32)
        self.version = np.zeros(patterns, dtype=np.int64)
        self.cost = self.logged = self.versions = 0
        self.log_entry = np.zeros(LONGEST_LOG, dtype=np.int32)
        self.log_change = np.zeros(LONGEST_LOG, dtype=np.int64)

    def place(self, entries: IntArray, copies: IntArray) -> None:
        """Put copies at entries."""
        entry: cython.longlong[::1] = np.ascontiguousarray(entries, dtype=np.int64)
        number: cython.longlong[::1] = np.ascontiguousarray(copies, dtype=np.int64)
        with cython.nogil:
            for i in range(entry.shape[0]):
                self.shift(entry[i], number[i])

    def try_move(self, e: int, to: int, copies: int) -> None:
        """Move copies, so that it can be undone."""
        self.move(e, to, copies)

    def take_back(self) -> None:
        """Undo the moves since the last that was kept."""
        self.undo()

    def clear(self) -> None:
        """Take away all copies."""
        np.asarray(self.copies).fill(0)
        np.asarray(self.size).fill(0)
        self.versions += 1
        np.asarray(self.version).fill(self.versions)
        np.asarray(self.by_class.of).fill(0)
        self.members.clear()
        self.homes.clear()
        np.asarray(self.only_home).fill(-1)
        self.cost = self.logged = 0

    @cython.cfunc
    @cython.nogil
    def shift(self, e: cython.Py_ssize_t, change: cython.longlong) -> cython.void:
        """Add copies at an entry, or take them away."""
        p, u = self.index.pattern_of[e], self.index.row_type_of[e]
        c = self.index.sensitive_class[u]
        had = self.copies[e]
        self.copies[e] = had + change
        self.size[p] += change
        self.versions += 1
        self.version[p] = self.versions
        self.by_class.of[p, c] += change
        self.cost += change * self.index.cost[p]
        if had == 0:
            self.members.link(e, p * self.index.classes + c)
            self.homes.link(e, u)
            self.only_home[u] = p if self.homes.after[e] < 0 else -1
        elif had + change == 0:
            self.members.unlink(e, p * self.index.classes + c)
            self.homes.unlink(e, u)
            home = self.homes.head[u]
            is_only: cython.bint = home >= 0 and self.homes.after[home] < 0
            self.only_home[u] = self.index.pattern_of[home] if is_only else -1

    @cython.cfunc
    @cython.nogil
    def move(self, e: cython.Py_ssize_t, to: cython.Py_ssize_t, copies: cython.longlong) -> cython.void:
        """Move copies of a row type from an entry to another, and remember it."""
        number = self.logged
        self.log_entry[number], self.log_entry[number + 1] = e, to
        self.log_change[number], self.log_change[number + 1] = -copies, copies
        self.logged = number + 2
        self.shift(e, -copies)
        self.shift(to, copies)

    @cython.cfunc
    @cython.nogil
    def has_room(self) -> cython.bint:
        """Say whether another move can be remembered."""
        return self.logged + 2 <= LONGEST_LOG

    @cython.cfunc
    @cython.nogil
    def undo(self) -> cython.void:
        """Take back the moves that are remembered."""
        while self.logged > 0:
            self.logged -= 1
            self.shift(self.log_entry[self.logged], -self.log_change[self.logged])
