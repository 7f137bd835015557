"""The bound engine: what no release of this table under this policy can go below."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from time import monotonic

from kilt.bounds.ascent import Bound, Course, ascent
from kilt.bounds.oracles import Oracle, SizeOracle, oracle_of
from kilt.observe import Observer, Progress
from kilt.pool import Pool
from kilt.problem import Problem
from kilt.stop import Stop

MOST_ENTRIES = 20_000_000  # row types under patterns that are held at a time
LISTED = 100_000_000  # row types that are put into buckets to list patterns, if no time is given
EVALUATED = 1_000_000_000  # entries that are evaluated, if no time is given
BESIDE = 250_000_000  # the same, beside a release
FEWEST_STEPS, MOST_STEPS = 20, 300
LISTING = 0.4  # the share of the time after which no more patterns are listed


def bounded(problem: Problem, stop: Stop, observer: Observer, cost: int | None = None) -> Bound:
    """Raise the bound until the steps or the time are over, or until it is close enough to the cost of a release."""
    oracle = oracle_of(problem, _listed(problem, stop))
    best: Bound | None = None
    for bound in ascent(problem, oracle, _course(oracle, stop, EVALUATED if cost is None else BESIDE)):
        if best is None or bound.total > best.total:
            best = bound
            stars = None if cost is None else problem.stars(cost)
            observer(Progress("bounding", None, stars, problem.stars(best.cost)))
        if stop(cost, best.cost) or (cost is not None and best.cost >= cost):
            break
    if best is None:
        raise AssertionError("an ascent has one step at least")
    return best


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
    steps = evaluated // max(1, len(oracle.incidence.pool.types))
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
