"""Multipliers raised over patterns on demand: no pattern is out of their reach, and only those that matter are kept.

Patterns under which a group has a low reduced cost are few, and they are listed again and again as multipliers move. In
between, steps look only under these; the total of multipliers counts where all patterns have just been searched for
those that matter to it, since all others contribute nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from kilt.bounds.incidence import Incidence, Oracle
from kilt.bounds.near import NearPatterns
from kilt.bounds.oracles import PairOracle, SizeOracle, oracle_of
from kilt.bounds.subgradient import BOX, Moments, StepSchedule
from kilt.model.problem import Problem
from kilt.model.rules import SizeRule
from kilt.numbers import FloatArray, IntArray
from kilt.patterns.pool import Pool
from kilt.patterns.refined import RefinedPatterns, Work


@dataclass(frozen=True)
class Params:
    """When patterns are listed again, and how many."""

    margin: float = 1.0  # stars: patterns with a group of a reduced cost below that are listed
    max_entries: int = 12_000_000  # of a list, and visits of row types for it: with more it is not worth while
    max_visits: int = 200_000_000
    max_joins: int = 8_000_000_000  # looks at other rows where these are joined
    min_period: int = 2  # steps from list to list at first,
    max_period: int = 20  # later,
    steps_per_period: int = 4  # and in between one for each so many steps


PARAMS = Params()


@dataclass
class OnDemandOracle:
    """The groups of least reduced cost under the patterns that are listed now; ``exact`` is the oracle of their rules.

    ``seconds`` is how long the last list took.
    """

    problem: Problem
    patterns: RefinedPatterns | NearPatterns
    exact: Oracle | None = None
    seconds: float = 0.0
    columns: tuple[int, ...] = field(default=())

    @classmethod
    def of(
        cls, problem: Problem, oracle: Oracle, *, joined: bool = False, stop: Callable[[], bool] = lambda: False
    ) -> OnDemandOracle | None:
        """Return the oracle for the same rules; None unless these are about sizes alone, or about two classes.

        Where rows are ``joined``, all rules will do, since groups of enough rows are looked for, until it is stopped.
        """
        if joined:
            patterns = NearPatterns(problem, oracle.incidence.scale, stop)
            return cls(problem, patterns, columns=oracle.incidence.columns)
        if not isinstance(oracle, PairOracle) and not all(isinstance(rule, SizeRule) for rule in problem.rules):
            return None
        pairs = (oracle.second, oracle.lowest, oracle.highest) if isinstance(oracle, PairOracle) else None
        refined = RefinedPatterns(problem, oracle.incidence.scale, pairs)
        return cls(problem, refined, columns=oracle.incidence.columns)

    def list_patterns(self, multipliers: IntArray) -> bool:
        """List the patterns that matter at these multipliers; say whether there was room for them."""
        started = monotonic()
        margin = int(PARAMS.margin * self.problem.unit * self.patterns.scale)
        pool = self.patterns.priced(multipliers, margin, self.most, whole=False)
        self.exact = None if pool is None else exact_oracle_of(self.problem, pool, self.columns)
        self.seconds = monotonic() - started
        return pool is not None

    @property
    def most(self) -> Work:
        """How much a list may take."""
        joined = isinstance(self.patterns, NearPatterns)
        return Work(PARAMS.max_entries, PARAMS.max_joins if joined else PARAMS.max_visits)

    def least(self, multipliers: IntArray) -> tuple[float, FloatArray]:
        """Return the sum of the negative least reduced costs, and how many copies of each row type the groups hold."""
        if self.exact is None:
            raise AssertionError("patterns are listed before they are looked under")
        return self.exact.least(multipliers)


def exact_oracle_of(problem: Problem, pool: Pool, columns: tuple[int, ...]) -> Oracle:
    """Return the oracle whose reduced costs are exact, of the rules or, if these have none, of sizes alone."""
    if len(problem.sensitive_totals) == 2 or all(isinstance(rule, SizeRule) for rule in problem.rules):
        return oracle_of(problem, pool, columns)
    return SizeOracle(Incidence(problem, pool, columns), max(1, problem.rules.min_group_size))


def near_patterns(problem: Problem, oracle: Oracle, multipliers: IntArray, stars: float) -> Pool | None:
    """Return the patterns with a group of a reduced cost below so many stars, with all that they cover, for a search.

    The oracle is one of the same rules. None if they are too many.
    """
    found = OnDemandOracle.of(problem, oracle)
    if found is None:
        return None
    margin = int(stars * problem.unit * found.patterns.scale)
    return found.patterns.priced(multipliers, margin, found.most, whole=True)


def ascend_on_demand(
    oracle: OnDemandOracle,
    schedule: StepSchedule,
    first: IntArray,
    moments: Moments,
    enough: Callable[[], bool],
) -> Iterator[tuple[IntArray, float]]:
    """Yield multipliers that follow the normalised subgradient (Adam), and the total of each.

    It is -infinity where only listed patterns were looked under. It ends where all patterns have been searched, or
    where those that matter have no room.
    """
    problem, scale, ceiling = oracle.problem, oracle.patterns.scale, oracle.problem.highest_cost
    multipliers, good, step, last, pace = first / scale, first / scale, 0, 0, 1.0
    while True:
        done = schedule.progress(step)
        is_last = done >= 1 or enough()
        whole = np.floor(multipliers * scale).astype(np.int64)
        everywhere = step == 0 or is_last or step - last >= _period(step)
        if everywhere:
            if not oracle.list_patterns(whole):  # they went too far while patterns were missing
                if step == 0 or is_last:
                    return
                multipliers, pace, moments.mean = good, pace / 2, np.zeros_like(good)
                whole = np.floor(multipliers * scale).astype(np.int64)
                if not oracle.list_patterns(whole):
                    return
            last, good = step, multipliers
        reduced_cost, taken = oracle.least(whole)
        yield whole, int(whole @ problem.counts) + reduced_cost if everywhere else -math.inf
        if is_last:
            return
        step_size = pace * schedule.size(min(done, 1.0)) * problem.unit
        multipliers = multipliers + step_size * moments.direction(1 - taken / problem.counts)
        multipliers = np.clip(multipliers, -BOX * ceiling, ceiling)
        step += 1


def _period(step: int) -> int:
    """Return after how many steps patterns are listed again: multipliers move much at first."""
    return min(PARAMS.max_period, max(PARAMS.min_period, step // PARAMS.steps_per_period))
