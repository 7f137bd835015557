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
    for prices, total in ascent(oracle, _course(oracle, stop, EVALUATED if cost is None else BESIDE)):
        climb.see(prices, total)
        if climb.time_is_over(stop) or (cost is not None and climb.best.cost >= cost):
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

    def time_is_over(self, stop: Stop) -> bool:
        """Say whether there is just time for the last proof, or the gap is small enough."""
        seconds = None if stop.seconds is None else stop.seconds - 1.3 * self.seconds
        return replace(stop, seconds=seconds)(self.cost, self.best.cost)


def _listed(problem: Problem, stop: Stop) -> Pool:
    """List patterns from cheap to dear, as many as there is room and time for."""
    if stop.seconds is not None:
        share = replace(stop, seconds=stop.elapsed + LISTING * max(0.0, stop.seconds - stop.elapsed))
        return Pool.of(problem, MOST_ENTRIES, share)
    vectors = count()
    most = max(64, LISTED // len(problem.counts))
    return Pool.of(problem, MOST_ENTRIES, lambda: stop() or next(vectors) >= most)


def _course(oracle: Oracle, stop: Stop, evaluated: int) -> Course:
    """Plan as many steps as there is time for: an ascent must know in advance how many it will be."""
    steps = evaluated // max(1, oracle.effort * len(oracle.incidence.pool.types))
    if stop.seconds is not None:
        steps = int(max(0.0, stop.seconds - stop.elapsed) / _seconds_of_a_step(oracle))
    steps = min(max(steps, FEWEST_STEPS), MOST_STEPS)
    return Course(steps, 0.15, 1.0) if isinstance(oracle, SizeOracle) else Course(steps, 0.45, 1.5)


def _seconds_of_a_step(oracle: Oracle) -> float:
    """Measure a step; the first ones are faster than most."""
    prices = oracle.incidence.cheapest() * oracle.incidence.scale
    oracle.least(prices)
    started = monotonic()
    oracle.least(prices * 5 // 4)
    return max(2 * (monotonic() - started), 1e-5)
