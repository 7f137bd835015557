"""Small tables: a search begins again and again, for ever longer, and keeps the best.

Annealing hardly changes how many groups there are, so that much depends on the partition that it begins with. In turns
a cycle anneals one that is built by the multipliers of its time, or goes on from the best, and then solves subproblems.
Cycles get longer: a longer search begins like a shorter one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from kilt.model.partition import Partition
from kilt.patterns.pool import Pool
from kilt.run.stopping import StoppingRule
from kilt.solvers.search.lns import PatternLns
from kilt.solvers.search.schedule import Params, cycles
from kilt.solvers.search.state import SearchState

if TYPE_CHECKING:
    from kilt.solvers.search.solver import Run

PARAMS = Params()


@dataclass
class Share:
    """The share of a cycle that annealing has: what it and subproblems saved in a second of the last cycle decides."""

    value: float = PARAMS.annealing_share

    def learn(self, annealing: float, subproblems: float) -> None:
        """Learn what either saved in a second."""
        if annealing + subproblems > 0:
            least, most = PARAMS.annealing_limits
            self.value = min(max(least, annealing / (annealing + subproblems)), most)


@dataclass
class Restarts:
    """The cycles of a search over the patterns of a pool."""

    run: Run
    pool: Pool
    lns: PatternLns = field(init=False)
    rng: np.random.Generator = field(init=False)
    share: Share = field(default_factory=Share)

    def __post_init__(self) -> None:
        self.lns = PatternLns(self.run.problem, self.run.seed)
        self.rng = np.random.default_rng(self.run.seed)

    def improve(self, best: Partition) -> Partition:
        """Go through cycles until the time is over, or the best is good enough."""
        for number, seconds in enumerate(cycles(self.run.stop, PARAMS.first_cycle_seconds)):
            start = best if number % 2 else self._built()
            found = self._cycle(start, number, self.run.stop.at_most(seconds))
            best = min(best, found, key=lambda partition: partition.cost)
            if self.run.stop(best.cost, self.run.incumbent.bound):
                break
        return best

    def _built(self) -> Partition:
        """Build a partition by the multipliers of this time, or by more or less: each time it is another."""
        multipliers, scale = self.run.incumbent.multipliers, self.run.incumbent.scale
        if multipliers is None:
            raise AssertionError("a search begins when there are multipliers")
        factor = self.rng.uniform(*PARAMS.multiplier_factors)
        return self.run.build(self.run.promising(self.pool, multipliers), factor * multipliers / scale)

    def _cycle(self, start: Partition, number: int, limit: StoppingRule) -> Partition:
        """Anneal, then solve subproblems."""
        run, near = self.run, self.run.near(self.pool, start, PARAMS.max_reduced_cost)
        state = SearchState.of(near, run.rules, start, run.problem, run.seed + number)
        began = monotonic()
        annealed = run.anneal(state, limit.share(self.share.value))
        turned = monotonic()
        solved = self._solve_subproblems(near, annealed, limit)
        if number % 2:
            self.share.learn(
                (start.cost - annealed.cost) / (turned - began), (annealed.cost - solved.cost) / (monotonic() - turned)
            )
        return solved

    def _solve_subproblems(self, pool: Pool, best: Partition, stop: StoppingRule) -> Partition:
        """Take near groups apart and put them together at best until the time is over: annealing cannot reach it."""
        run = self.run
        while best.cost > run.problem.base_cost and not stop(best.cost, run.incumbent.bound):
            best = self.lns.improve(best, pool, stop.at_most(PARAMS.subproblem_seconds))
            run.report(best.cost)
        return best
