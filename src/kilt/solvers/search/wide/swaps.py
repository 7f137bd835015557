"""Annealing by swaps: rows change places with rows of nearby groups, where patterns are too many to list.

Workers run side by side, each on its own groups, which are redistributed again and again; what comes out depends on the
number of workers, but not on the number of cores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.kernels.model.legal import CompiledRules, scratch
from kilt.kernels.search.moves import NONE
from kilt.kernels.search.wide.swaps import COST, SPARE, Members, Worker, swap_rows
from kilt.model.partition import Partition
from kilt.model.patterns import costs_of
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule
from kilt.run.threads import on_all_cores
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.common.stacked_ladders import old_stacked as stacked
from kilt.solvers.search.schedule import cooled
from kilt.solvers.search.wide.construct import n_neighbours
from kilt.solvers.search.wide.neighbours import nearest_neighbours


@dataclass(frozen=True)
class Params:
    """Limits of the moves, and the temperatures by which a small table is annealed; costs are in stars."""

    n_workers: int = 2
    units_per_worker: int = 500  # with fewer, each worker would see too little
    moves_until_redistributed: int = 20  # for each unit
    moves_until_neighbours: int = 200  # for each unit, after which the nearest neighbours are searched again
    t_start: float = 8.0
    t_end: float = 0.35
    steps: int = 100  # from the first temperature to the last
    moves: int = 20_000  # for each unit


PARAMS = Params()


class RowSwaps:
    """A partition whose rows change places; ``cost`` is what it costs now, ``best`` the best one so far."""

    def __init__(
        self, problem: Problem, rules: CompiledRules, partition: Partition, stop: StoppingRule, seed: int = 0
    ) -> None:
        self.problem, self.rules, self.types = problem, rules, partition.types
        self.ladders, self.rng, self.stop = stacked(problem), np.random.default_rng(seed), stop
        self.members = _members(problem, rules, partition)
        self.workers: list[Worker] = []
        self.cost = self.least = partition.cost
        self.best_groups = partition.groups
        self.until_redistributed = self.until_neighbours = 0
        self._find_neighbours()

    @property
    def best(self) -> Partition:
        """The best partition so far."""
        return Partition.of(self.problem, self.types, self.best_groups, self.members.copies)

    def anneal(self, moves: int, temperature: float) -> None:
        """Try moves, all workers at once, each as many as it has a share of the units."""
        units = len(self.types)
        if self.until_neighbours <= 0:
            self._find_neighbours()
        if self.until_redistributed <= 0:
            self.workers, self.until_redistributed = self._redistribute(), PARAMS.moves_until_redistributed * units

        def work(worker: Worker) -> None:
            mine = -(-moves * len(worker.units) // units)
            swap_rows(self.members, self.ladders, self.rules, worker, mine, temperature)

        on_all_cores(work, self.workers)
        self.until_neighbours, self.until_redistributed = (
            self.until_neighbours - moves,
            self.until_redistributed - moves,
        )
        self.cost += sum(int(worker.tally[COST]) for worker in self.workers)
        for worker in self.workers:
            worker.tally[COST] = 0
        if self.cost < self.least:
            self.least, self.best_groups = self.cost, self.members.group_of.copy()

    def _find_neighbours(self) -> None:
        """Find the nearest neighbours; there are none once it is stopped."""
        near = nearest_neighbours(self.members.codes, self.ladders, n_neighbours(self.rules), self.rng, self.stop)
        self.members, self.until_neighbours = (
            self.members._replace(near=near),
            PARAMS.moves_until_neighbours * len(self.types),
        )

    def _redistribute(self) -> list[Worker]:
        """Redistribute the groups: similar ones, by the columns that come first this time, go to the same worker."""
        members, number = self.members, max(1, min(PARAMS.n_workers, len(self.types) // PARAMS.units_per_worker))
        open_ = np.flatnonzero(members.head != NONE)
        codes = members.codes[members.head[open_]][:, self.rng.permutation(members.codes.shape[1])]
        open_ = open_[np.lexsort(codes.T)]
        before = np.cumsum(members.size[open_]) - members.size[open_]
        members.worker_of[:] = NONE
        members.worker_of[open_] = before * number // self.problem.rows
        spare = np.array_split(np.flatnonzero(members.head == NONE), number)
        return [self._worker(worker, spare[worker]) for worker in range(number)]

    def _worker(self, number: int, spare: IntArray) -> Worker:
        counts, sums = scratch(self.rules)
        room = np.zeros(len(self.members.head), dtype=np.int64)
        room[: len(spare)] = spare
        longest = 2 * self.rules.min_group_size + n_neighbours(self.rules) + 2
        tally = np.zeros(3, dtype=np.int64)
        tally[SPARE] = len(spare)
        return Worker(
            number=number,
            units=np.flatnonzero(self.members.worker_of[self.members.group_of] == number),
            spare=room,
            log_unit=np.zeros(longest, dtype=np.int64),
            log_group=np.zeros(longest, dtype=np.int64),
            tally=tally,
            counts=counts,
            sums=sums,
            random=self.rng.integers(1, 1 << 63, 1, dtype=np.uint64),
        )


def anneal_rows(problem: Problem, partition: Partition, stop: StoppingRule, seed: int = 0) -> Partition:
    """Anneal a small table by swaps for a moment, and return the best partition on the way."""
    rules = compile_rules(problem)
    if rules is None or len(partition) == 1:
        return partition
    rows = RowSwaps(problem, rules, partition, stop, seed)
    moves = PARAMS.moves * len(rows.types) // PARAMS.steps
    for step in range(PARAMS.steps):
        if stop():
            break
        rows.anneal(moves, cooled(PARAMS.t_start, PARAMS.t_end, step / PARAMS.steps))
    return rows.best


def _members(problem: Problem, rules: CompiledRules, partition: Partition) -> Members:
    """Return the assignment of rows to groups, with room for as many groups as there can be."""
    units, groups = len(partition.types), max(len(partition), problem.rows // rules.min_group_size) + PARAMS.n_workers
    inner = np.diff(partition.groups) == 0
    after, before = np.full((2, units), NONE)
    after[:-1][inner], before[1:][inner] = np.flatnonzero(inner) + 1, np.flatnonzero(inner)
    head = np.full(groups, NONE)
    head[: len(partition)] = partition.starts[:-1]

    def of_groups(given: IntArray) -> IntArray:
        full = np.zeros((groups, *given.shape[1:]), dtype=np.int64)
        full[: len(given)] = given
        return full

    return Members(
        codes=np.ascontiguousarray(problem.codes[partition.types]),
        copies=partition.counts,
        sensitive_class=problem.sensitive_class[partition.types].astype(np.int64),
        near=np.zeros((units, 0), dtype=np.int32),
        group_of=partition.groups.copy(),
        head=head,
        after=after,
        before=before,
        size=of_groups(partition.sizes()),
        by_class=of_groups(partition.by_class(problem)),
        cost=of_groups(costs_of(problem, partition.levels)),
        worker_of=np.full(groups, NONE),
    )
