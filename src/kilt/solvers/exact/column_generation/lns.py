"""Large neighbourhoods: some groups that lie close together are taken apart and put together again at best."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.patterns.pool import every_pattern
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import Stop
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.master import chosen, listed, relaxed
from kilt.solvers.exact.column_generation.minimal_groups import Atoms
from kilt.solvers.exact.column_generation.pricing import Prices, Pricing

MOST_COLUMNS = 1_500
MOST_NODES = 20
FEWEST_ROWS, MOST_ROWS = 30, 250
SMALL = 120  # a table of so few rows is its own neighbourhood


@dataclass
class Neighbourhoods:
    """A search that takes the groups of highest value most often, and takes more rows while that goes well."""

    problem: Problem
    atoms: Atoms
    prices: Prices
    seed: int = 0
    rows: float = 60.0
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def improved(self, partition: Partition, patience: int, stop: Stop, observer: Observer) -> Partition:
        """Search until so many neighbourhoods in a row brought nothing."""
        since = 0 if self.problem.rows > SMALL else patience
        while since < patience and partition.cost > self.prices.bound and not stop():
            found = self._step(partition, stop)
            since = 0 if found.cost < partition.cost else since + 1
            partition = found
            observer(Progress("solving", None, self.problem.stars(partition.cost)))
        return partition

    def _step(self, partition: Partition, stop: Stop) -> Partition:
        inside = self._near(partition)[partition.groups]
        types, where = np.unique(partition.types[inside], return_inverse=True)
        counts = np.bincount(where, partition.counts[inside]).astype(np.int64)
        part = self.problem.part(types, counts)
        before = Partition.of(part, where, partition.groups[inside], partition.counts[inside])
        after = self._solved(part, self.atoms.part(types), before, stop)
        fresh = after.groups + len(partition)
        return Partition.of(
            self.problem,
            np.concatenate([partition.types[~inside], types[after.types]]),
            np.concatenate([partition.groups[~inside], fresh]),
            np.concatenate([partition.counts[~inside], after.counts]),
        )

    def _solved(self, part: Problem, atoms: Atoms, before: Partition, stop: Stop) -> Partition:
        """Solve a part of the table nearly always at best; the search takes more rows next time if it was easy."""
        pool = every_pattern(part, stop)
        if pool is None:
            return before
        pricing = Pricing(part, pool, atoms)
        prices = relaxed(pricing, Columns.of_partition(part, before), stop).prices
        if prices.bound >= before.cost:
            self.rows = min(self.rows * 1.02, MOST_ROWS)
            return before
        reach = prices.reach(before.cost)
        columns, limit = listed(pricing, prices, reach, MOST_COLUMNS, stop)
        after, outcome = chosen(part, columns, before, stop, silent, MOST_NODES, proof=False)
        easy = outcome.finished and limit * 2 >= reach
        self.rows = min(self.rows * 1.05, MOST_ROWS) if easy else max(self.rows * 0.95, FEWEST_ROWS)
        return after

    def _near(self, partition: Partition) -> BoolArray:
        """Draw a group by its value, and take the groups with the rows most like one of its rows."""
        groups = Columns.of_partition(self.problem, partition)
        value = groups.cost * self.prices.scale - np.add.reduceat(self.prices.values[groups.types], groups.starts[:-1])
        weight = np.maximum(value, 0) + self.prices.scale / 10
        seed = self.rng.choice(len(groups), p=weight / weight.sum())
        row = self.rng.choice(groups.types[groups.starts[seed] : groups.starts[seed + 1]])
        distance = self._distances(row)[partition.types] + self.rng.random(len(partition.types)) / 2
        order = np.argsort(np.minimum.reduceat(distance, partition.starts[:-1]), kind="stable")
        order = np.concatenate([[seed], order[order != seed]])
        enough = int(np.searchsorted(np.cumsum(partition.sizes()[order]), self.rows)) + 1
        near = np.zeros(len(groups), dtype=bool)
        near[order[: max(2, enough)]] = True
        return near

    def _distances(self, kind: IntArray) -> IntArray:
        """Return the number of columns on which each row type differs from one of them."""
        return np.asarray((self.problem.codes != self.problem.codes[kind]).sum(axis=1))
