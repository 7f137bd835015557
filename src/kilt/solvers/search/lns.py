"""Large neighbourhood search over patterns: the rows of nearby groups are repartitioned by an integer program.

A program over the patterns of a few groups finds what single moves cannot reach, since several groups must change at
once. It never makes a release worse, and its effort is limited by nodes, not by time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.subproblem import Subproblem
from kilt.solvers.exact.compositions.solver import Params as CompositionParams
from kilt.solvers.exact.compositions.solver import close_gap, rule_of
from kilt.solvers.exact.milp.solver import improve
from kilt.solvers.search.state import keep_entries, with_groups


@dataclass(frozen=True)
class Params:
    """The size of a subproblem in row types, how it changes, and when solving it is given up."""

    min_row_types: int = 40
    max_row_types: int = 600
    growth: float = 1.2  # if it was easy
    shrinkage: float = 0.8  # if it was not
    max_nodes: int = 300
    min_groups: int = 3


PARAMS = Params()
COMPOSITION_PARAMS = CompositionParams(steps=200, max_compositions=60_000, max_visits=300_000, max_nodes=10)


@dataclass
class PatternLns:
    """Large neighbourhood search over patterns; subproblems grow as long as they are easy."""

    problem: Problem
    seed: int = 0
    row_types: float = 100.0
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def improve(self, partition: Partition, pool: Pool, stop: StoppingRule) -> Partition:
        """Solve one subproblem over the patterns of a pool."""
        part = Subproblem.of(self.problem, partition, self._neighbourhood(partition))
        found = self._solve(part, self._patterns(part, pool), stop)
        self.row_types = (
            min(self.row_types * PARAMS.growth, PARAMS.max_row_types)
            if found.is_optimal
            else max(self.row_types * PARAMS.shrinkage, PARAMS.min_row_types)
        )
        return part.lift(found.partition) if found.cost < part.before.cost else partition

    def _solve(self, part: Subproblem, pool: Pool, stop: StoppingRule) -> Solution:
        """Solve a subproblem: by its compositions if these can be listed, else by the program over its patterns."""
        before = Solution(part.before)
        if rule_of(part.problem) is None:
            return improve(part.problem, pool, before, stop, silent, PARAMS.max_nodes)
        return close_gap(part.problem, pool, before, replace(stop, gap=None), silent, COMPOSITION_PARAMS)

    def _patterns(self, part: Subproblem, pool: Pool) -> Pool:
        """Return the patterns of a pool, and of the groups, as they are on the row types of a subproblem."""
        place = np.full(len(self.problem.counts), -1)
        place[part.types] = np.arange(len(part.types))
        entries = place[pool.types] >= 0
        covers = Ragged(np.maximum(place[pool.types], 0), pool.starts)
        here = keep_entries(part.problem, Pool(covers, pool.levels, pool.cost), entries)
        return with_groups(part.problem, here, [part.before])

    def _neighbourhood(self, partition: Partition) -> BoolArray:
        """Draw a row that pays, and take the groups with the rows most similar to it, until there are enough."""
        pays = np.asarray(partition.levels.any(axis=1))
        row_type = partition.types[self.rng.choice(np.flatnonzero(pays[partition.groups]))]
        weight = self.rng.random(self.problem.codes.shape[1])
        distance = (self.problem.codes != self.problem.codes[row_type]) @ weight
        nearest = np.minimum.reduceat(distance[partition.types], partition.starts[:-1])
        order = np.argsort(np.where(pays, nearest, np.inf), kind="stable")
        lengths = np.diff(partition.starts)[order]
        enough = int(np.searchsorted(np.cumsum(lengths), self.row_types)) + 1
        chosen = np.zeros(len(partition), dtype=bool)
        chosen[order[: max(PARAMS.min_groups, enough)]] = True
        return chosen
