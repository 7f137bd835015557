"""Large neighbourhood search: the rows of nearby groups are repartitioned by column generation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.patterns.pool import every_pattern
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.subproblem import Subproblem
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.master import enumerate_columns, select_columns, solve_relaxation
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups
from kilt.solvers.exact.column_generation.pricing import Multipliers, Pricing


@dataclass(frozen=True)
class Params:
    """The size of a subproblem in rows, how it changes, and when solving it is given up."""

    min_rows: int = 30
    max_rows: int = 250
    growth: float = 1.05  # if it was easy
    shrinkage: float = 0.95  # if it was not
    growth_if_bounded: float = 1.02  # if the bound alone shows that there is nothing better
    max_columns: int = 1_500
    max_nodes: int = 20


PARAMS = Params()
SMALL_TABLE = 120  # rows: such a table is its own neighbourhood


@dataclass
class ColumnLns:
    """Large neighbourhood search by column generation: groups of high reduced cost are taken apart most often."""

    problem: Problem
    minimal_groups: MinimalGroups
    multipliers: Multipliers
    seed: int = 0
    rows: float = 60.0
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def improve(self, partition: Partition, failures_allowed: int, stop: StoppingRule, observer: Observer) -> Partition:
        """Search until so many subproblems in a row brought no improvement."""
        since = 0 if self.problem.rows > SMALL_TABLE else failures_allowed
        while since < failures_allowed and partition.cost > self.multipliers.bound and not stop():
            part = Subproblem.of(self.problem, partition, self._neighbourhood(partition))
            found = part.lift(self._solve(part, stop))
            since = 0 if found.cost < partition.cost else since + 1
            partition = found
            observer(Progress("solving", None, self.problem.stars(partition.cost)))
        return partition

    def _solve(self, part: Subproblem, stop: StoppingRule) -> Partition:
        """Solve a subproblem nearly always to optimality; the next one has more rows if it was easy."""
        problem, before = part.problem, part.before
        pool = every_pattern(problem, stop)
        if pool is None:
            return before
        pricing = Pricing(problem, pool, self.minimal_groups.part(part.types))
        multipliers = solve_relaxation(pricing, Columns.of_partition(problem, before), stop).multipliers
        if multipliers.bound >= before.cost:
            self.rows = min(self.rows * PARAMS.growth_if_bounded, PARAMS.max_rows)
            return before
        max_reduced_cost = multipliers.max_reduced_cost(before.cost)
        columns, limit = enumerate_columns(pricing, multipliers, max_reduced_cost, PARAMS.max_columns, stop)
        after, outcome = select_columns(problem, columns, before, stop, silent, PARAMS.max_nodes, proof=False)
        easy = outcome.finished and limit * 2 >= max_reduced_cost
        self.rows = (
            min(self.rows * PARAMS.growth, PARAMS.max_rows)
            if easy
            else max(self.rows * PARAMS.shrinkage, PARAMS.min_rows)
        )
        return after

    def _neighbourhood(self, partition: Partition) -> BoolArray:
        """Draw a group by its reduced cost, and take the groups with the rows most similar to one of its rows."""
        groups = Columns.of_partition(self.problem, partition)
        reduced_cost = groups.cost * self.multipliers.scale - np.add.reduceat(
            self.multipliers.values[groups.types], groups.starts[:-1]
        )
        weight = np.maximum(reduced_cost, 0) + self.multipliers.scale / 10
        seed = self.rng.choice(len(groups), p=weight / weight.sum())
        row = self.rng.choice(groups.types[groups.starts[seed] : groups.starts[seed + 1]])
        distance = self._distances(row)[partition.types] + self.rng.random(len(partition.types)) / 2
        order = np.argsort(np.minimum.reduceat(distance, partition.starts[:-1]), kind="stable")
        order = np.concatenate([[seed], order[order != seed]])
        enough = int(np.searchsorted(np.cumsum(partition.sizes()[order]), self.rows)) + 1
        chosen = np.zeros(len(groups), dtype=bool)
        chosen[order[: max(2, enough)]] = True
        return chosen

    def _distances(self, row_type: IntArray) -> IntArray:
        """Return the number of columns on which each row type differs from one of them."""
        return np.asarray((self.problem.codes != self.problem.codes[row_type]).sum(axis=1))
