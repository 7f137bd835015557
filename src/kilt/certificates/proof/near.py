"""The patterns that matter to a proof where level vectors are very many: rows are joined with others near them.

A pattern is known by its first row in the order of falling multipliers, and by the steps of ladders that its rows need
to look the same as that row: a set of bits, of each column as many as its level. Rows are joined with the first one,
one after the other, as long as a group of enough rows can have a negative reduced cost. Sets that cover a row that was
passed over are found, if they matter, where that row was not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.evidence import Evidence, Levels
from kilt.certificates.proof.refine import Buckets
from kilt.model.problem import Problem
from kilt.numbers import ROOM, BoolArray, IntArray

MAX_STEPS = 62  # of all ladders: so many bits are in a word
MAX_ROW_TYPES = 50_000  # each looks at all others
FIRST_ROWS = 64  # at a time
PAIRS = 1_000_000  # of a pattern and a row at a time
JOINT_VALUES = 1_000  # of columns that are looked at together
PASSED, OPEN, MEMBER = 0, 1, 2  # what a row is to a pattern: others find what covers it; may be joined; is covered
FAR = ROOM - 1


def can_be_joined(problem: Problem) -> bool:
    """Say whether patterns fit into a word, and rows are not too many."""
    steps = sum(len(column.levels) - 1 for column in problem.columns)
    return steps <= MAX_STEPS and len(problem.counts) <= MAX_ROW_TYPES


@dataclass(frozen=True)
class Patterns:
    """Patterns of some first rows, and the rows that are or may be covered: each with the steps that it needs.

    Pattern p has a place among the first rows, ``joined[p]`` steps and a cost; of its rows, entry i is ``rows[i]``
    needs ``own[i]`` and has a ``kind``. With it, the pattern costs ``reach[i]``.
    """

    first: IntArray
    joined: IntArray
    cost: IntArray
    rows: Ragged
    own: IntArray
    kind: IntArray
    reach: IntArray

    def kept(self, patterns: BoolArray, entries: BoolArray) -> Patterns:
        """Keep some patterns, and of these some entries."""
        entries = entries & self.rows.entries_of(patterns)
        lengths = np.bincount(self.rows.owner[entries], minlength=len(self.rows))[patterns]
        rows = Ragged.of_lengths(self.rows.values[entries], lengths)
        of_patterns = self.first[patterns], self.joined[patterns], self.cost[patterns]
        return Patterns(*of_patterns, rows, self.own[entries], self.kind[entries], self.reach[entries])


@dataclass(frozen=True)
class Rows:
    """The rows of a table in the order of their multipliers, the largest first."""

    problem: Problem
    scale: int
    codes: IntArray
    counts: IntArray
    multipliers: IntArray

    @property
    def enough(self) -> int:
        """How many rows a group has at least."""
        return max(1, self.problem.rules.min_group_size)

    def patterns(self) -> Iterator[Buckets]:
        """Yield the patterns under which a group of enough rows has a negative reduced cost."""
        for begin in range(0, len(self.codes), FIRST_ROWS):
            first = FirstRows(self, np.arange(begin, min(begin + FIRST_ROWS, len(self.codes))))
            yield from first.joined(first.alone())

    @cached_property
    def joint_columns(self) -> list[tuple[list[int], IntArray, IntArray]]:
        """Columns that are looked at together, their different values, and which of these every row has."""
        found = list[tuple[list[int], IntArray, IntArray]]()
        for j in range(self.codes.shape[1]):
            columns = [*found[-1][0], j] if found else [j]
            values, which = np.unique(self.codes[:, columns], axis=0, return_inverse=True)
            if found and len(values) <= JOINT_VALUES:
                found[-1] = columns, values, which.ravel()
            else:
                values, which = np.unique(self.codes[:, [j]], axis=0, return_inverse=True)
                found.append(([j], values, which.ravel()))
        return found

    def labels(self, column: int, level: int, rows: IntArray) -> IntArray:
        """Return what rows show in a column at a level."""
        return np.asarray(self.problem.columns[column].levels[level][self.codes[rows, column]])

    def costs(self, column: int, level: int, rows: IntArray) -> IntArray:
        """Return what rows pay in a column at a level."""
        return np.asarray(self.problem.costs[column][level][self.codes[rows, column]]) * self.scale


@dataclass(frozen=True)
class FirstRows:
    """Some rows that are the first ones of patterns."""

    all: Rows
    places: IntArray

    def alone(self) -> Patterns:
        """Return the patterns of the first rows alone, and the rows near enough to be joined."""
        cost = self._cost_with_all()
        base = cost[np.arange(len(self.places)), self.places]
        limits = self.all.multipliers[self.places]
        first, rows = np.nonzero(cost < limits[:, None])
        own = self._needed(self.places[first], rows)
        place = self.places[first]
        kind = np.where(own == 0, MEMBER, np.where(rows < place, PASSED, OPEN))
        lengths = np.bincount(first, minlength=len(self.places))
        lists = Ragged.of_lengths(rows, lengths)
        hopeful = lengths > 0
        hopeful[first[(own == 0) & (rows < place)]] = False  # found where an equal row is the first
        every = np.arange(len(self.places))
        steps = np.zeros(len(every), dtype=np.int64)
        found = Patterns(every, steps, base, lists, own, kind, cost[first, rows])
        return self._promising(found, hopeful)

    def joined(self, found: Patterns) -> Iterator[Buckets]:
        """Yield the patterns that matter among these, and among all that come of joining more rows."""
        if not len(found.first):
            return
        yield self._buckets(found)
        owner = found.rows.owner
        entries = np.flatnonzero(found.kind == OPEN)
        work = np.cumsum(found.rows.lengths[owner[entries]])
        begin = 0
        while begin < len(entries):
            end = max(begin + 1, int(np.searchsorted(work, PAIRS + (work[begin - 1] if begin else 0), "right")))
            yield from self.joined(self._join(found, owner[entries[begin:end]], entries[begin:end]))
            begin = end

    def _join(self, found: Patterns, pattern: IntArray, entry: IntArray) -> Patterns:
        """Join patterns with one more row each."""
        joined, cost, first = found.joined[pattern] | found.own[entry], found.reach[entry], found.first[pattern]
        picked = found.rows.picked(pattern)
        owner = picked.owner
        places = np.repeat(found.rows.starts[:-1][pattern] - picked.starts[:-1], picked.lengths)
        places = places + np.arange(len(places))
        own, kind = found.own[places], found.kind[places]
        more = own & ~joined[owner]
        inside = more == 0
        passed = (kind == PASSED) | ((kind == OPEN) & (places < entry[owner]))
        new = np.ones(len(pattern), dtype=bool)
        new[owner[inside & passed]] = False
        kind = np.where(inside, MEMBER, np.where(passed, PASSED, OPEN))
        reach = cost[owner] + self._weight(first[owner], more)
        return self._promising(Patterns(first, joined, cost, picked, own, kind, reach), new)

    def _promising(self, found: Patterns, hopeful: BoolArray) -> Patterns:
        """Keep the patterns inside which a group of enough rows can have a negative reduced cost."""
        limits = self.all.multipliers[self.places]
        near = (found.reach < limits[found.first][found.rows.owner]) | (found.kind == MEMBER)
        hopeful = hopeful & (found.cost < limits[found.first])
        for test in (self._have_enough, self._have_hope):
            found = found.kept(hopeful, near)
            if not len(found.first):
                break
            hopeful, near = test(found), np.ones(len(found.own), dtype=bool)
        else:
            found = found.kept(hopeful, near)
        return found

    def _have_enough(self, found: Patterns) -> BoolArray:
        """Say which patterns have enough rows, or can get them."""
        counts = np.where(found.kind == PASSED, 0, self.all.counts[found.rows.values])
        return found.rows.sums(counts) >= self.all.enough

    def _have_hope(self, found: Patterns) -> BoolArray:
        """Say which patterns can have a group of negative reduced cost if it costs as little as enough rows can."""
        counts = np.where(found.kind == PASSED, 0, self.all.counts[found.rows.values])
        copies = np.minimum(counts, self.all.enough)
        owner = found.rows.owner
        values, rank = np.unique(found.reach, return_inverse=True)
        ordered = np.sort(np.repeat(owner * len(values) + rank.ravel(), copies))
        ends = np.cumsum(found.rows.sums(copies))
        starts = np.concatenate([[0], ends[:-1]])
        floor = values[ordered[starts + self.all.enough - 1] % len(values)]
        return self._least(found, counts, np.maximum(found.reach, floor[owner])) < 0

    def _least(self, found: Patterns, counts: IntArray, cost: IntArray) -> IntArray:
        """Return at least which reduced cost a group of enough rows has, of so many copies that pay so much."""
        each, most = cost - self.all.multipliers[found.rows.values], FAR // self.all.enough
        profitable = np.where(each < 0, counts, 0)
        missing = np.maximum(self.all.enough - found.rows.sums(profitable), 0)
        others = np.where((each < 0) | (counts == 0), FAR, each)
        cheapest = np.minimum(np.minimum.reduceat(others, found.rows.starts[:-1]), most)
        return np.asarray(found.rows.sums(profitable * each) + cheapest * missing)

    def _buckets(self, found: Patterns) -> Buckets:
        """Return the patterns that matter themselves, with the rows that they cover."""
        counts = np.where(found.kind == MEMBER, self.all.counts[found.rows.values], 0)
        enough = found.rows.sums(counts) >= self.all.enough
        matters = enough & (self._least(found, counts, found.cost[found.rows.owner]) < 0)
        mine = found.kept(matters, found.kind == MEMBER)
        return Buckets(mine.rows, self._levels(mine.joined), mine.cost)

    def _cost_with_all(self) -> IntArray:
        """Return what the first rows would pay with any other one."""
        total = np.zeros((len(self.places), len(self.all.codes)), dtype=np.int64)
        for columns, values, which in self.all.joint_columns:
            cost = np.zeros((len(self.places), len(values)), dtype=np.int64)
            for place, j in enumerate(columns):
                cost += self._cost_to_agree(j, values[:, place])
            total += np.take(cost, which, axis=1)
        return np.minimum(total, FAR)

    def _cost_to_agree(self, column: int, codes: IntArray) -> IntArray:
        """Return what first rows pay in a column to look like some codes."""
        levels = self.all.problem.columns[column].levels
        cost = np.full((len(self.places), len(codes)), FAR // self.all.codes.shape[1], dtype=np.int64)
        for level in range(len(levels) - 1, -1, -1):
            mine = self.all.labels(column, level, self.places)[:, None]
            paid = self.all.costs(column, level, self.places)[:, None]
            cost = np.where(mine == levels[level][codes][None, :], paid, cost)
        return cost

    def _needed(self, first: IntArray, rows: IntArray) -> IntArray:
        """Return the steps that rows need to look like first rows."""
        needed, bit = np.zeros(len(first), dtype=np.int64), 0
        for j, column in enumerate(self.all.problem.columns):
            for level in range(len(column.levels) - 1):
                differs = self.all.labels(j, level, first) != self.all.labels(j, level, rows)
                needed |= differs.astype(np.int64) << bit
                bit += 1
        return needed

    def _weight(self, first: IntArray, steps: IntArray) -> IntArray:
        """Return what first rows, given by their places among these, pay for steps."""
        weights = self._weights
        total = np.zeros(len(steps), dtype=np.int64)
        for byte in range(weights.shape[1]):
            total += weights[first, byte, (steps >> (8 * byte)) & 255]
        return total

    @cached_property
    def _weights(self) -> IntArray:
        """What the steps of a byte cost together, by first row, byte and value."""
        each = list[IntArray]()
        for j, column in enumerate(self.all.problem.columns):
            paid = [self.all.costs(j, level, self.places) for level in range(len(column.levels))]
            each += [above - below for below, above in pairwise(paid)]
        weights = np.zeros((len(self.places), -(-len(each) // 8), 256), dtype=np.int64)
        values = np.arange(256)
        for bit, cost in enumerate(each):
            weights[:, bit // 8] += cost[:, None] * ((values >> (bit % 8)) & 1)
        return weights

    def _levels(self, steps: IntArray) -> IntArray:
        """Return the level vectors of sets of steps."""
        levels = np.zeros((len(steps), len(self.all.problem.columns)), dtype=np.int16)
        bit = 0
        for j, column in enumerate(self.all.problem.columns):
            for _ in range(len(column.levels) - 1):
                levels[:, j] += ((steps >> bit) & 1).astype(np.int16)
                bit += 1
        return levels


def joined_buckets(problem: Problem, evidence: Evidence, by_multiplier: IntArray) -> Iterator[tuple[Levels, Buckets]]:
    """Yield the closed patterns under which a group of enough rows has a negative reduced cost.

    Their row types are places in ``by_multiplier``, which has all row types by falling multiplier.
    """
    ordered = problem.codes[by_multiplier], problem.counts[by_multiplier], evidence.multipliers[by_multiplier]
    for found in Rows(problem, evidence.scale, *ordered).patterns():
        if len(found.members):
            yield from found.by_levels()
