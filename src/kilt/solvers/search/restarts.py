"""Small tables: a search begins again and again, with ever more moves, and keeps the best.

Annealing hardly changes how many groups there are, so that much depends on the partition that it begins with. In turns
a cycle anneals one that is built by multipliers, or goes on from the best, and then solves subproblems. What a cycle
does depends on its number, and hardly on the time: a longer search begins like a shorter one, and is hardly ever worse.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from kilt.model.partition import Partition
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.run.stopping import StoppingRule
from kilt.solvers.search.lns import PatternLns
from kilt.solvers.search.schedule import Params
from kilt.solvers.search.state import SearchState

if TYPE_CHECKING:
    from kilt.solvers.search.solver import Run

PARAMS = Params()


@dataclass
class Restarts:
    """The cycles of a search over the patterns of a pool; so many ``subproblems`` are solved in the next one."""

    run: Run
    pool: Pool
    subproblems: int = 1
    lns: PatternLns = field(init=False)
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.lns = PatternLns(self.run.problem, self.run.seed)
        self.rng = np.random.default_rng(self.run.seed)

    def improve(self, best: Partition) -> Partition:
        """Go through cycles until the time is over, or the best is good enough: two of each length.

        If the cycles are counted, no subproblem is solved, as these have a time limit: the result is always the same.
        """
        run = self.run
        for number in count() if run.cycles is None else range(run.cycles):
            if run.stop(best.cost, run.incumbent.bound):
                break
            best = min(best, self._cycle(best, number), key=cost_of)
        return best

    def _multipliers(self, turn: int) -> IntArray:
        """Return the multipliers after few steps at first, and after more later, as far as they are there."""
        early = self.run.incumbent.early
        found = early[min(turn, len(early) - 1)] if early else self.run.incumbent.multipliers
        if found is None:
            raise AssertionError("a search begins when there are multipliers")
        return found

    def _built(self, multipliers: IntArray) -> Partition:
        """Build a partition by multipliers that are somewhat lower or higher: each time it is another."""
        scaled = self.rng.uniform(*PARAMS.multiplier_factors) * multipliers / self.run.incumbent.scale
        return self.run.build(self.run.promising(self.pool, multipliers), scaled)

    def _cycle(self, best: Partition, number: int) -> Partition:
        """Anneal the best, or one that is built, with ever more moves; then solve subproblems."""
        run, turn = self.run, number // 2
        multipliers = self._multipliers(turn)
        start = best if number % 2 else self._built(multipliers)
        near = run.near(self.pool, start, multipliers, PARAMS.max_reduced_cost)
        state = SearchState.of(near, run.rules, start, run.problem, run.seed + number)
        first = PARAMS.first_moves + PARAMS.first_moves_per_row_type * len(run.problem.counts)
        moves = int(first * PARAMS.growth**turn)
        annealed = run.anneal(state, StoppingRule(iterations=moves), moves // PARAMS.chunks)
        return annealed if run.cycles is not None else self._solve_subproblems(near, annealed, number)

    def _solve_subproblems(self, pool: Pool, annealed: Partition, number: int) -> Partition:
        """Take near groups apart and put them together at best, where annealing cannot; the next cycle may do more."""
        best = self._improve_windows(pool, annealed)
        helped, is_due = best.cost < annealed.cost, (number + 1) % PARAMS.subproblems_period == 0
        self.subproblems = max(int(is_due), 2 * self.subproblems if helped else self.subproblems // 2)
        return best

    def _improve_windows(self, pool: Pool, best: Partition) -> Partition:
        run = self.run
        for _ in range(self.subproblems):
            if best.cost == run.problem.base_cost or run.stop(best.cost, run.incumbent.bound):
                break
            best = self.lns.improve(best, pool, run.stop.at_most(PARAMS.subproblem_seconds))
            run.report(best.cost)
        return best


def cost_of(partition: Partition) -> int:
    """Return the cost of a partition."""
    return partition.cost
