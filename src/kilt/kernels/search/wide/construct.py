"""Patterns that grow from a row, always by the neighbour that raises their cost least, until they hold a group."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.kilt.kernels.common.nearest import Ladders
from cython.cimports.kilt.kernels.model.rules import ClassCounts, CompiledRules
from cython.cimports.kilt.kernels.random import Random

from kilt.numbers import IntArray

NONE = cython.declare(cython.Py_ssize_t, -1)
INFEASIBLE_COST = cython.declare(cython.double, 1e18)  # of a row that repairs nothing
NOISE = cython.declare(cython.double, 1.0)  # stars: how far the choice of the next row is left to chance


@cython.final
@cython.cclass
class CoveringPattern:
    """The tightest pattern of the row types that it covers: the ``seed`` and others; it costs a row ``cost``."""

    codes: cython.int[:, ::1]
    ladders: Ladders
    seed: cython.Py_ssize_t
    levels: cython.longlong[::1]
    cost: cython.longlong

    def __init__(self, codes: IntArray, ladders: Ladders) -> None:
        self.codes, self.ladders, self.levels = codes, ladders, np.zeros(codes.shape[1], dtype=np.int64)
        self.seed = self.cost = 0

    @cython.cfunc
    @cython.nogil
    def start(self, u: cython.Py_ssize_t) -> cython.void:
        """Cover one row type only."""
        self.seed, self.cost = u, 0
        for j in range(self.levels.shape[0]):
            self.levels[j] = 0
            self.cost += self.ladders.costs[j, 0, self.codes[u, j]]

    @cython.cfunc
    @cython.nogil
    def cover(self, v: cython.Py_ssize_t) -> cython.void:
        """Cover another row type too."""
        self.cost = self.cost_with(v)
        for j in range(self.levels.shape[0]):
            self.levels[j] = self.level_with(j, v)

    @cython.cfunc
    @cython.nogil
    def cost_with(self, v: cython.Py_ssize_t) -> cython.longlong:
        """Return what the pattern would cost a row if it covered another row type too."""
        cost: cython.longlong = self.cost
        for j in range(self.levels.shape[0]):
            a = self.codes[self.seed, j]
            if a != self.codes[v, j]:
                cost += self.ladders.costs[j, self.level_with(j, v), a] - self.ladders.costs[j, self.levels[j], a]
        return cost

    @cython.cfunc
    @cython.nogil
    def covers(self, v: cython.Py_ssize_t) -> cython.bint:
        """Say whether the pattern covers another row type as it is; a higher level may cost no more than this one."""
        for j in range(self.levels.shape[0]):
            if self.level_with(j, v) != self.levels[j]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    def level_with(self, j: cython.Py_ssize_t, v: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the level that a column would have if the pattern covered another row type too."""
        a, b = self.codes[self.seed, j], self.codes[v, j]
        h: cython.Py_ssize_t = self.levels[j]
        while h < self.ladders.tops[j] and self.ladders.shown[j, h, a] != self.ladders.shown[j, h, b]:
            h += 1
        return h


@cython.final
@cython.cclass
class GrowingPattern:
    """A pattern that grows from a row type, its seed, by some of the nearest ones, and then anew from another seed.

    ``near`` has for every row type the nearest ones. What grows has ``size`` rows, which are counted in ``members``;
    ``is_member`` says which of the nearest row types of the seed are among them.
    """

    pattern: CoveringPattern
    counts: cython.longlong[::1]
    sensitive_class: cython.longlong[::1]
    near: cython.int[:, ::1]
    rules: CompiledRules
    random: Random
    size: cython.longlong
    members: ClassCounts
    is_member: cython.uchar[::1]

    def __init__(
        self,
        codes: IntArray,
        ladders: Ladders,
        counts: IntArray,
        sensitive_class: IntArray,
        n_classes: int,
        near: IntArray,
        rules: CompiledRules,
        random: Random,
    ) -> None:
        self.pattern, self.counts, self.sensitive_class = CoveringPattern(codes, ladders), counts, sensitive_class
        self.near, self.rules, self.random, self.size = near, rules, random, 0
        self.members = ClassCounts(np.zeros((1, n_classes), dtype=np.int64))
        self.is_member = np.zeros(near.shape[1], dtype=np.uint8)

    def grow_all(self, seeds: cython.longlong[::1]) -> tuple[IntArray, IntArray, IntArray]:
        """Grow a pattern from every seed: return the row types that they cover, how many each, and their levels."""
        n_seeds, columns = seeds.shape[0], self.pattern.levels.shape[0]
        types = np.empty(n_seeds * (self.near.shape[1] + 1), dtype=np.int32)
        lengths, levels = np.empty(n_seeds, dtype=np.int64), np.empty((n_seeds, columns), dtype=np.int16)
        types_: cython.int[::1] = types
        lengths_: cython.longlong[::1] = lengths
        levels_: cython.short[:, ::1] = levels
        used: cython.Py_ssize_t = 0
        grown: cython.Py_ssize_t = 0
        with cython.nogil:
            for s in range(n_seeds):
                if not self.grow(seeds[s]):
                    continue
                first = used
                types_[used] = self.pattern.seed
                used += 1
                for i in range(self.near.shape[1]):
                    v = self.near[self.pattern.seed, i]
                    if v != NONE and self.pattern.covers(v):
                        types_[used] = v
                        used += 1
                lengths_[grown] = used - first
                for j in range(columns):
                    levels_[grown, j] = self.pattern.levels[j]
                grown += 1
        return types[:used], lengths[:grown], levels[:grown]

    @cython.cfunc
    @cython.nogil
    def grow(self, seed: cython.Py_ssize_t) -> cython.bint:
        """Grow from a seed until the members are a legal group; say whether they are."""
        self.start(seed)
        violation: cython.double = self.rules.violation(self.members, 0, self.size)
        while violation > 0.0:
            i = self.next_neighbour(violation)
            if i == NONE:
                return False
            self.is_member[i] = True
            self.pattern.cover(self.near[seed, i])
            self.count(self.near[seed, i], 1)
            violation = self.rules.violation(self.members, 0, self.size)
        return True

    @cython.cfunc
    @cython.nogil
    def start(self, seed: cython.Py_ssize_t) -> cython.void:
        """Begin with the rows of a seed."""
        self.size = 0
        self.pattern.start(seed)
        for c in range(self.members.of.shape[1]):
            self.members.of[0, c] = 0
        for i in range(self.is_member.shape[0]):
            self.is_member[i] = False
        self.count(seed, 1)

    @cython.cfunc
    @cython.nogil
    def count(self, v: cython.Py_ssize_t, sign: cython.longlong) -> cython.void:
        """Add the rows of a row type to the members, or take them away."""
        self.size += sign * self.counts[v]
        self.members.of[0, self.sensitive_class[v]] += sign * self.counts[v]

    @cython.cfunc
    @cython.nogil
    def repaired_by(self, v: cython.Py_ssize_t, violation: cython.double) -> cython.double:
        """Return how much less the members would break the rules with the rows of another row type."""
        self.count(v, 1)
        repaired = violation - self.rules.violation(self.members, 0, self.size)
        self.count(v, -1)
        return repaired

    @cython.cfunc
    @cython.nogil
    def next_neighbour(self, violation: cython.double) -> cython.Py_ssize_t:
        """Choose the next neighbour: while rows are few, the cheapest, and then the cheapest for what it repairs."""
        best: cython.double = INFEASIBLE_COST
        found: cython.Py_ssize_t = NONE
        few: cython.bint = self.size < self.rules.min_group_size
        for i in range(self.near.shape[1]):
            v = self.near[self.pattern.seed, i]
            if v == NONE or self.is_member[i]:
                continue
            noise = NOISE * self.rules.unit * self.random.draw()
            repaired = 1.0 if few else self.repaired_by(v, violation)
            if repaired <= 0.0:
                continue
            price = (self.pattern.cost_with(v) - self.pattern.cost + noise) / repaired
            if price < best:
                best, found = price, i
        return found
