"""Rows change places with rows of near groups, ever colder: where patterns are too many to list, members move.

Hands work side by side, each on its own groups, which are dealt again and again; what comes out depends on the number
of hands, but not on the number of cores.
"""

from __future__ import annotations

import numpy as np

from kilt.kernels.model.legal import Law, scratch
from kilt.kernels.search.moves import NOBODY
from kilt.kernels.search.wide.swaps import COST, SPARE, Hand, Members, exchange
from kilt.model.partition import Partition
from kilt.model.patterns import costs_of
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.stopping import Stop
from kilt.solvers.common.compile_rules import law_of
from kilt.solvers.common.distances import stacked
from kilt.solvers.search.wide.construct import near_enough
from kilt.solvers.search.wide.neighbours import near_rows, on_all_cores

HANDS, HANDFUL = 2, 500  # hands, and units that are worth one
DEALT, LOOKED = (
    20,
    200,
)  # moves for each unit until groups are dealt again, and until who is near is looked for

HOTTEST, CHILLY = 8.0, 0.35  # first temperature at most, and last one: stars
ROUNDS, MOVES = 100, 20_000  # steps between the two, and moves for each unit


class Exchange:
    """A partition whose rows change places; ``cost`` is what it costs now, ``best`` the best one so far."""

    def __init__(self, problem: Problem, law: Law, partition: Partition, stop: Stop) -> None:
        self.problem, self.law, self.types = problem, law, partition.types
        self.ladders, self.rng, self.stop = stacked(problem), np.random.default_rng(stop.seed), stop
        self.members = _members(problem, law, partition)
        self.hands: list[Hand] = []
        self.cost = self.least = partition.cost
        self.best_groups = partition.groups
        self.dealt = self.looked = 0
        self._look()

    @property
    def best(self) -> Partition:
        """The best partition so far."""
        return Partition.of(self.problem, self.types, self.best_groups, self.members.copies)

    def anneal(self, moves: int, temperature: float) -> None:
        """Try moves, all hands at once, each as many as it has a share of the units."""
        units = len(self.types)
        if self.looked <= 0:
            self._look()
        if self.dealt <= 0:
            self.hands, self.dealt = self._dealt(), DEALT * units

        def work(hand: Hand) -> None:
            mine = -(-moves * len(hand.units) // units)
            exchange(self.members, self.ladders, self.law, hand, mine, temperature)

        on_all_cores(work, self.hands)
        self.looked, self.dealt = self.looked - moves, self.dealt - moves
        self.cost += sum(int(hand.tally[COST]) for hand in self.hands)
        for hand in self.hands:
            hand.tally[COST] = 0
        if self.cost < self.least:
            self.least, self.best_groups = self.cost, self.members.group_of.copy()

    def _look(self) -> None:
        """Look who is near; once the time is over, nobody is."""
        near = near_rows(self.members.codes, self.ladders, near_enough(self.law), self.rng, self.stop)
        self.members, self.looked = self.members._replace(near=near), LOOKED * len(self.types)

    def _dealt(self) -> list[Hand]:
        """Deal the groups: those that are alike, by the columns that come first this time, to the same hand."""
        members, number = self.members, max(1, min(HANDS, len(self.types) // HANDFUL))
        open_ = np.flatnonzero(members.head != NOBODY)
        codes = members.codes[members.head[open_]][:, self.rng.permutation(members.codes.shape[1])]
        open_ = open_[np.lexsort(codes.T)]
        before = np.cumsum(members.size[open_]) - members.size[open_]
        members.hand_of[:] = NOBODY
        members.hand_of[open_] = before * number // self.problem.rows
        spare = np.array_split(np.flatnonzero(members.head == NOBODY), number)
        return [self._hand(hand, spare[hand]) for hand in range(number)]

    def _hand(self, number: int, spare: IntArray) -> Hand:
        counts, sums = scratch(self.law)
        room = np.zeros(len(self.members.head), dtype=np.int64)
        room[: len(spare)] = spare
        longest = 2 * self.law.least_size + near_enough(self.law) + 2
        tally = np.zeros(3, dtype=np.int64)
        tally[SPARE] = len(spare)
        return Hand(
            number=number,
            units=np.flatnonzero(self.members.hand_of[self.members.group_of] == number),
            spare=room,
            log_unit=np.zeros(longest, dtype=np.int64),
            log_group=np.zeros(longest, dtype=np.int64),
            tally=tally,
            counts=counts,
            sums=sums,
            random=self.rng.integers(1, 1 << 63, 1, dtype=np.uint64),
        )


def annealed(problem: Problem, partition: Partition, stop: Stop) -> Partition:
    """Let the rows of a small table change places for a moment, and return the best partition on the way."""
    law = law_of(problem)
    if law is None or len(partition) == 1:
        return partition
    rows = Exchange(problem, law, partition, stop)
    for number in range(ROUNDS):
        if stop():
            break
        rows.anneal(MOVES * len(rows.types) // ROUNDS, HOTTEST * (CHILLY / HOTTEST) ** (number / ROUNDS))
    return rows.best


def _members(problem: Problem, law: Law, partition: Partition) -> Members:
    """Return who is where, with room for as many groups as there can be."""
    units, groups = len(partition.types), max(len(partition), problem.rows // law.least_size) + HANDS
    inner = np.diff(partition.groups) == 0
    after, before = np.full((2, units), NOBODY)
    after[:-1][inner], before[1:][inner] = np.flatnonzero(inner) + 1, np.flatnonzero(inner)
    head = np.full(groups, NOBODY)
    head[: len(partition)] = partition.starts[:-1]

    def of_groups(given: IntArray) -> IntArray:
        full = np.zeros((groups, *given.shape[1:]), dtype=np.int64)
        full[: len(given)] = given
        return full

    return Members(
        codes=np.ascontiguousarray(problem.codes[partition.types]),
        copies=partition.counts,
        class_of=problem.class_of[partition.types].astype(np.int64),
        near=np.zeros((units, 0), dtype=np.int32),
        group_of=partition.groups.copy(),
        head=head,
        after=after,
        before=before,
        size=of_groups(partition.sizes()),
        by_class=of_groups(partition.by_class(problem)),
        cost=of_groups(costs_of(problem, partition.levels)),
        hand_of=np.full(groups, NOBODY),
    )
