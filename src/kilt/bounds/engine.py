"""The bound engine: what no release of this table under this policy can go below."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from kilt.bounds.ascent import Bound, Course, ascent
from kilt.bounds.oracles import Oracle, SizeOracle, oracle_of
from kilt.observe import Observer, Progress
from kilt.pool import Pool
from kilt.problem import Problem
from kilt.stop import Stop

MOST_ENTRIES = 20_000_000  # row types under patterns that are held at a time
SECONDS = 10.0  # if no time is given
FEWEST_STEPS, MOST_STEPS = 30, 400
LISTING = 0.5  # the share of the time after which no more patterns are listed


def bounded(problem: Problem, stop: Stop, observer: Observer, cost: int | None = None) -> Bound:
    """Raise the bound until the steps or the time are over, or until it is close enough to a known cost."""
    stop = stop if stop.seconds is not None else replace(stop, seconds=stop.elapsed + SECONDS)
    listing = replace(stop, seconds=stop.elapsed + LISTING * max(0.0, (stop.seconds or 0.0) - stop.elapsed))
    oracle = oracle_of(problem, Pool.of(problem, MOST_ENTRIES, listing))
    best: Bound | None = None
    for bound in ascent(problem, oracle, _course(oracle, stop)):
        if best is None or bound.total > best.total:
            best = bound
            stars = None if cost is None else problem.stars(cost)
            observer(Progress("bounding", None, stars, problem.stars(best.cost)))
        if stop(cost, best.cost) or (cost is not None and best.cost >= cost):
            break
    if best is None:
        raise AssertionError("an ascent has one step at least")
    return best


def _course(oracle: Oracle, stop: Stop) -> Course:
    """Plan as many steps as there is time for: an ascent must know in advance how many it will be."""
    oracle.least(oracle.incidence.cheapest())  # compiled once
    started = monotonic()
    for _ in range(3):
        oracle.least(oracle.incidence.cheapest() * 2)
    each = max((monotonic() - started) / 3, 1e-5)
    left = (stop.seconds or 0.0) - stop.elapsed
    steps = int(min(max(left / (4 * each), FEWEST_STEPS), MOST_STEPS))
    return Course(steps, 0.15, 1.0) if isinstance(oracle, SizeOracle) else Course(steps, 0.45, 1.5)
