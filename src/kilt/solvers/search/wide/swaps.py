"""Annealing by swaps: rows change places with rows of nearby groups, where patterns are too many to list.

Workers run side by side, each on its own groups, which are redistributed again and again; what comes out depends on the
number of workers, but not on the number of cores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kilt.kernels.common.nearest import Ladders
from kilt.kernels.model.rules import CompiledRules
from kilt.kernels.random import Random
from kilt.kernels.search.wide.swaps import Members, RowSwapper
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule
from kilt.run.threads import on_all_cores
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.common.stacked_ladders import stacked
from kilt.solvers.search.schedule import cooled
from kilt.solvers.search.wide.construct import n_neighbours
from kilt.solvers.search.wide.neighbours import NONE, nearest_neighbours


@dataclass(frozen=True)
class Params:
    """Limits of the moves, and the temperatures by which a small table is annealed; costs are in stars."""

    n_workers: int = 2
    units_per_worker: int = 500  # with fewer, each worker would see too little
    moves_until_redistributed: int = 20  # for each unit
    moves_until_neighbours: int = 100  # for each unit, after which nearer ones are looked for; then 200, 300, and so on
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
        n_groups = max(len(partition), problem.rows // rules.min_group_size) + PARAMS.n_workers
        self.codes = np.ascontiguousarray(problem.codes[partition.types])
        self.members = Members(
            *labels_and_savings(self.codes, self.ladders),
            partition.counts,
            problem.sensitive_class[partition.types].astype(np.int64),
            len(problem.sensitive_totals),
            partition.groups,
            n_groups,
        )
        self.workers: list[RowSwapper] = []
        self.cost = self.least = partition.cost
        self.best_groups = partition.groups
        self.until_redistributed = self.until_neighbours = self.searches = 0
        self._find_neighbours()

    @property
    def best(self) -> Partition:
        """The best partition so far."""
        return Partition.of(self.problem, self.types, self.best_groups, np.asarray(self.members.copies))

    def anneal(self, moves: int, temperature: float) -> None:
        """Try moves, all workers at once, each as many as it has a share of the units."""
        units = len(self.types)
        if self.until_neighbours <= 0:
            self._find_neighbours()
        if self.until_redistributed <= 0:
            self.workers, self.until_redistributed = self._redistribute(), PARAMS.moves_until_redistributed * units

        def work(worker: RowSwapper) -> int:
            return worker.swap(-(-moves * len(worker.units) // units), temperature)

        self.cost += sum(on_all_cores(work, self.workers))
        self.until_neighbours, self.until_redistributed = (
            self.until_neighbours - moves,
            self.until_redistributed - moves,
        )
        if self.cost < self.least:
            self.least, self.best_groups = self.cost, np.array(self.members.group_of)

    def _find_neighbours(self) -> None:
        """Find nearer neighbours in other blocks; there are none once it is stopped."""
        number, known = n_neighbours(self.rules), np.asarray(self.members.near)
        self.members.near = nearest_neighbours(
            self.codes, self.ladders, number, self.rng, self.stop, known if known.shape[1] else None
        )
        self.searches += 1
        self.until_neighbours = PARAMS.moves_until_neighbours * self.searches * len(self.types)

    def _redistribute(self) -> list[RowSwapper]:
        """Redistribute the groups: similar ones, by the columns that come first this time, go to the same worker."""
        number = max(1, min(PARAMS.n_workers, len(self.types) // PARAMS.units_per_worker))
        head, size = np.asarray(self.members.head), np.asarray(self.members.size)
        worker_of = np.asarray(self.members.worker_of)
        open_ = np.flatnonzero(head != NONE)
        codes = self.codes[head[open_]][:, self.rng.permutation(self.codes.shape[1])]
        open_ = open_[np.lexsort(codes.T)]
        before = np.cumsum(size[open_]) - size[open_]
        worker_of[:] = NONE
        worker_of[open_] = before * number // self.problem.rows
        spare = np.array_split(np.flatnonzero(head == NONE), number)
        return [self._worker(worker, spare[worker]) for worker in range(number)]

    def _worker(self, number: int, spare: IntArray) -> RowSwapper:
        owner = np.asarray(self.members.worker_of)[np.asarray(self.members.group_of)]
        random = Random(int(self.rng.integers(1, 1 << 63, dtype=np.uint64)))
        return RowSwapper(number, self.members, self.rules.copy(), random, np.flatnonzero(owner == number), spare)


def labels_and_savings(codes: IntArray, ladders: Ladders) -> tuple[IntArray, IntArray, IntArray]:
    """Return what every unit shows below every step of the ladders, what that saves it, and what it costs alone.

    There is one line of savings if they are the same for all units.
    """
    shown, costs, tops = np.asarray(ladders.shown), np.asarray(ladders.costs), np.asarray(ladders.tops)
    steps = [(j, h) for j, top in enumerate(tops) for h in range(top)]
    labels = np.empty((len(codes), len(steps)), dtype=np.int32)
    savings = np.empty(labels.shape, dtype=np.int64)
    for step, (j, h) in enumerate(steps):
        labels[:, step] = shown[j, h, codes[:, j]]
        savings[:, step] = (costs[j, h + 1] - costs[j, h])[codes[:, j]]
    own_cost = costs[:, 0][np.arange(len(tops)), codes].sum(axis=1)
    if (savings == savings[0]).all():
        savings = np.ascontiguousarray(savings[:1])
    return labels, savings, own_cost


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
