"""The bound engine: what no release of this table under this policy can go below."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from time import monotonic

import numpy as np

from kilt.bounds.ascent import Course, ascent
from kilt.bounds.incidence import Oracle
from kilt.bounds.oracles import SizeOracle, oracle_of
from kilt.observe import Observer, Progress
from kilt.pool import Pool
from kilt.problem import Problem
from kilt.proof import Evidence, proved
from kilt.stop import Stop

MOST_ENTRIES = 20_000_000  # row types under patterns that are held at a time
LISTED = 100_000_000  # row types that are put into buckets to list patterns, if no time is given
EVALUATED = 1_000_000_000  # entries that are evaluated, if no time is given
BESIDE = 250_000_000  # the same, beside a release
FEWEST_STEPS, MOST_STEPS = 20, 300
LISTING = 0.4  # the share of the time after which no more patterns are listed
PROVING = 0.1  # the share of the time that proofs on the way may take


@dataclass(frozen=True)
class Bound:
    """No legal partition costs less than this, and what proves it."""

    cost: int
    evidence: Evidence


def bounded(problem: Problem, stop: Stop, observer: Observer, cost: int | None = None) -> Bound:
    """Raise the bound until the steps or the time are over, or until it is close enough to the cost of a release."""
    oracle = oracle_of(problem, _listed(problem, stop))
    climb = Climb(problem, oracle, observer, cost)
    for prices, total in ascent(oracle, _course(climb, stop, EVALUATED if cost is None else BESIDE)):
        climb.see(prices, total)
        if stop(cost, climb.best.cost) or (cost is not None and climb.best.cost >= cost):
            break
    climb.prove()
    return climb.best


class Climb:
    """The best prices of an ascent, and the best bound that is proved."""

    def __init__(self, problem: Problem, oracle: Oracle, observer: Observer, cost: int | None) -> None:
        self.problem, self.oracle, self.observer, self.cost = problem, oracle, observer, cost
        nothing = np.zeros(len(problem.counts), dtype=np.int64)
        self.best = Bound(0, Evidence(nothing, oracle.incidence.scale))
        self.prices, self.total = nothing, 0.0
        self.started, self.seconds, self.proofs = monotonic(), 0.0, 0

    def see(self, prices: np.ndarray, total: float) -> None:
        """Take note of prices; prove them at once if that costs nothing, or if little time went into proofs so far."""
        if total <= self.total:
            return
        self.prices, self.total = prices, total
        if self.oracle.effort == 1:
            self._improve(-(-int(total) // self.oracle.incidence.scale), self.oracle.evidence(prices))
        elif monotonic() - self.started > self.proofs * self.seconds / PROVING:
            self.prove()

    def prove(self) -> None:
        """Prove the bound of the best prices in integers, unless it is proved."""
        if self.oracle.effort == 1 or not self.total:
            return
        started = monotonic()
        evidence = self.oracle.evidence(self.prices)
        self._improve(proved(self.problem, evidence), evidence)
        self.proofs, self.seconds = self.proofs + 1, monotonic() - started

    def _improve(self, cost: int, evidence: Evidence) -> None:
        if cost > self.best.cost:
            self.best = Bound(cost, evidence)
            stars = None if self.cost is None else self.problem.stars(self.cost)
            self.observer(Progress("bounding", None, stars, self.problem.stars(cost)))


def _listed(problem: Problem, stop: Stop) -> Pool:
    """List patterns from cheap to dear, as many as there is room and time for."""
    if stop.seconds is not None:
        share = replace(stop, seconds=stop.elapsed + LISTING * max(0.0, stop.seconds - stop.elapsed))
        return Pool.of(problem, MOST_ENTRIES, share)
    vectors = count()
    most = max(64, LISTED // len(problem.counts))
    return Pool.of(problem, MOST_ENTRIES, lambda: stop() or next(vectors) >= most)


def _course(climb: Climb, stop: Stop, evaluated: int) -> Course:
    """Go as many steps as there is time for, with time left for the last proof; without a time, a number of steps."""
    entries = climb.oracle.effort * len(climb.oracle.incidence.pool.types)
    steps = min(max(evaluated // max(1, entries), FEWEST_STEPS), MOST_STEPS)
    rate, power = (0.15, 1.0) if isinstance(climb.oracle, SizeOracle) else (0.45, 1.5)
    if stop.seconds is None:
        return Course.of_steps(steps, rate, power)
    started, seconds = stop.elapsed, stop.seconds

    def progress(step: int) -> float:
        left = seconds - started - 1.3 * climb.seconds
        return max(step / MOST_STEPS, (stop.elapsed - started) / left if left > 0 else float(step > 0))

    return Course(rate, power, progress)
