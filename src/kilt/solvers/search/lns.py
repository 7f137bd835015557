"""Windows: groups that lie close together are taken apart, and put together again at best by a small program.

What single moves cannot reach, since several groups must change at once, a program over the patterns of a few groups
finds. It never makes a release worse, and what it takes is limited by nodes, not by time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, IntArray
from kilt.patterns.pool import Pool
from kilt.run.progress import silent
from kilt.run.stopping import Stop
from kilt.solvers.base import Solution
from kilt.solvers.exact.milp.solver import improve
from kilt.solvers.search.state import kept, with_groups

FEWEST_KINDS, MOST_KINDS = 40, 600  # row types of a window
GROWS, SHRINKS = 1.2, 0.8  # how its size changes if it was easy, and if it was not
MOST_NODES = 300
FEWEST_GROUPS = 3


@dataclass
class Windows:
    """A search by windows over the patterns of a pool; they grow as long as they are easy."""

    problem: Problem
    pool: Pool
    seed: int = 0
    kinds: float = 100.0
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def improved(self, partition: Partition, stop: Stop) -> Partition:
        """Solve one window."""
        inside = self._near(partition)[partition.groups]
        types, where = np.unique(partition.types[inside], return_inverse=True)
        counts = np.bincount(where, partition.counts[inside]).astype(np.int64)
        part = self.problem.part(types, counts)
        before = Partition.of(part, where, partition.groups[inside], partition.counts[inside])
        after, easy = self._solved(part, self._patterns(types, part, before), before, stop)
        self.kinds = min(self.kinds * GROWS, MOST_KINDS) if easy else max(self.kinds * SHRINKS, FEWEST_KINDS)
        if after.cost >= before.cost:
            return partition
        return Partition.of(
            self.problem,
            np.concatenate([partition.types[~inside], types[after.types]]),
            np.concatenate([partition.groups[~inside], after.groups + len(partition)]),
            np.concatenate([partition.counts[~inside], after.counts]),
        )

    def _solved(self, part: Problem, pool: Pool, before: Partition, stop: Stop) -> tuple[Partition, bool]:
        """Return the best partition that is found of a part of the table, and whether it is known to be the best."""
        found = improve(part, pool, Solution(before), stop, silent, MOST_NODES)
        return found.partition, found.bound == found.partition.cost

    def _patterns(self, types: IntArray, part: Problem, before: Partition) -> Pool:
        """Return the patterns of the pool, and of the groups, as they are on some of the row types."""
        place = np.full(len(self.problem.counts), -1)
        place[types] = np.arange(len(types))
        entries = place[self.pool.types] >= 0
        here = Pool(np.maximum(place[self.pool.types], 0), self.pool.starts, self.pool.levels, self.pool.cost)
        return with_groups(part, kept(part, here, entries), [before])

    def _near(self, partition: Partition) -> BoolArray:
        """Draw a row that pays, and take the groups with the rows most like it, as many as fit into a window."""
        pays = np.asarray(partition.levels.any(axis=1))
        kind = partition.types[self.rng.choice(np.flatnonzero(pays[partition.groups]))]
        weight = self.rng.random(self.problem.codes.shape[1])
        apart = (self.problem.codes != self.problem.codes[kind]) @ weight
        nearest = np.minimum.reduceat(apart[partition.types], partition.starts[:-1])
        order = np.argsort(np.where(pays, nearest, np.inf), kind="stable")
        lengths = np.diff(partition.starts)[order]
        enough = int(np.searchsorted(np.cumsum(lengths), self.kinds)) + 1
        near = np.zeros(len(partition), dtype=bool)
        near[order[: max(FEWEST_GROUPS, enough)]] = True
        return near
