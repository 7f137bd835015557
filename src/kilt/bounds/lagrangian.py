"""The bound engine: what no release of this table under this policy can go below."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import count
from time import monotonic

import numpy as np

from kilt.bounds.incidence import Incidence, Oracle
from kilt.bounds.oracles import SizeOracle, oracle_of
from kilt.bounds.subgradient import StepSchedule, subgradient_ascent
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.run.incumbent import Incumbent
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule

MOST_ENTRIES = 20_000_000  # row types under patterns that are held at a time
LISTED = 100_000_000  # row types that are put into buckets to list patterns, if no time is given
EVALUATED = 1_000_000_000  # entries that are evaluated, if no time is given
BESIDE = 250_000_000  # the same, beside a release
FEWEST_STEPS, MOST_STEPS, LONGEST = 20, 400, 1_000  # steps; the last where time is given
LISTING = 0.4  # the share of the time after which no more patterns are listed
WIDEST = 13  # columns of a block
WHOLE = 0.3  # the share of the time for all columns together, where they are also bounded in blocks
PROVING = 0.1  # the share of the time that proofs on the way may take
PRICING, PRICING_STEPS = 0.4, 150  # the share of the time and the steps, at most, for the prices that a search wants
GOING_ON = 0.3  # how much smaller steps are that go on from there
PROVED = 50  # steps from proof to proof, if no time is given


def lower_bound(problem: Problem, stop: StoppingRule, observer: Observer, incumbent: Incumbent | None = None) -> Bound:
    """Raise the bound until the steps or the time are over, or until it is close enough to the cost of a release.

    The best cost is that of the incumbent, which is told of the bound and its multipliers whenever they get better.
    If there are too many patterns to list, the columns are also bounded in blocks, whose bounds add up.
    """
    incumbent = incumbent or Incumbent()
    observer(Progress("bounding"))
    blocks = _blocks(problem)
    watch = Watch(problem, observer, incumbent)
    if len(blocks) == 1:
        return _climbed(problem, blocks[0], stop, watch)
    best = _climbed(problem, tuple(range(len(problem.columns))), stop.share(WHOLE), watch)
    apart = Bound(0, ())
    for index, columns in enumerate(blocks):
        part = _climbed(problem, columns, stop.share(1 / (len(blocks) - index)), replace(watch, base=apart.cost))
        apart = Bound(apart.cost + part.cost, (*apart.parts, *part.parts))
    return max(best, apart, key=lambda bound: bound.cost)


def _climbed(problem: Problem, columns: tuple[int, ...], stop: StoppingRule, watch: Watch) -> Bound:
    """Raise the bound of some columns."""
    part = problem.on(columns)
    pool = _listed(part, stop)
    if len(columns) == len(problem.columns):
        watch.incumbent.pool = pool
    oracle = oracle_of(part, pool, columns)
    climb = DualAscent(part, oracle, replace(watch, factor=problem.unit // part.unit), timed=stop.seconds is not None)
    evaluated = EVALUATED if watch.incumbent.cost is None else BESIDE
    if (
        watch.incumbent.wanted
    ):  # prices that a search waits for come from a short ascent, and a long one goes on from there
        _ascend(climb, stop.share(PRICING), evaluated, 1.0, PRICING_STEPS)
        watch.incumbent.ready.set()
    _ascend(climb, stop, evaluated, GOING_ON if watch.incumbent.wanted else 1.0)
    if not (stop.interrupted() and climb.best.cost):  # who is told to stop does not begin a proof
        climb.prove()
    return replace(climb.best, cost=climb.best.cost * climb.watch.factor)


def _ascend(climb: DualAscent, stop: StoppingRule, evaluated: int, pace: float, longest: int = LONGEST) -> None:
    """Raise prices from the best ones on, until it is enough."""
    for multipliers, total in subgradient_ascent(
        climb.oracle, _course(climb, stop, evaluated, pace, longest), climb.multipliers
    ):
        climb.see(multipliers, total)
        if climb.watch.enough(stop, climb.best.cost):
            break


def _blocks(problem: Problem) -> list[tuple[int, ...]]:
    """Deal out the columns into as few blocks as have a fair number of level vectors; one if there are few."""
    columns = range(len(problem.columns))
    vectors = math.prod(len(column.levels) for column in problem.columns)
    number = 1 if vectors <= max(64, LISTED // len(problem.counts)) else max(2, -(-len(columns) // WIDEST))
    number = min(number, len(columns))
    return [tuple(columns[first::number]) for first in range(number)]


@dataclass(frozen=True)
class Watch:
    """Who watches a bound grow: that of a part counts ``factor`` times, and ``base`` is known of other parts."""

    problem: Problem
    observer: Observer
    incumbent: Incumbent
    base: int = 0
    factor: int = 1

    def show(self, multipliers: IntArray, incidence: Incidence) -> None:
        """Hand multipliers to the incumbent if they are about all columns, proved or not."""
        if len(incidence.columns) == len(self.problem.columns):
            self.incumbent.multipliers, self.incumbent.scale = multipliers, incidence.scale

    def tell(self, bound: int) -> None:
        """Tell of a better bound."""
        total = self.base + bound * self.factor
        if total > self.incumbent.bound:
            self.incumbent.bound = total
            stars = None if self.incumbent.cost is None else self.problem.stars(self.incumbent.cost)
            self.observer(Progress("bounding", None, stars, self.problem.stars(total)))

    def enough(self, stop: StoppingRule, bound: int) -> bool:
        """Say whether the bound is good enough, or the time is over."""
        total = self.base + bound * self.factor
        return stop(self.incumbent.cost, total) or (self.incumbent.cost is not None and total >= self.incumbent.cost)


class DualAscent:
    """The best prices of an ascent, and the best bound that is proved."""

    def __init__(self, problem: Problem, oracle: Oracle, watch: Watch, *, timed: bool) -> None:
        self.problem, self.oracle, self.watch, self.timed = problem, oracle, watch, timed
        first = oracle.incidence.cheapest() * oracle.incidence.scale
        nothing = np.zeros_like(first)
        self.best = Bound(0, (Evidence(oracle.incidence.columns, nothing, oracle.incidence.scale),))
        self.multipliers, self.total, self.proved = first, 0.0, 0.0
        self.started, self.seconds, self.proofs, self.seen = monotonic(), 0.0, 0, 0

    def see(self, multipliers: IntArray, total: float) -> None:
        """Take note of prices; prove them at once if that costs nothing, and now and then otherwise."""
        self.seen += 1
        if total <= self.total:
            return
        self.multipliers, self.total = multipliers, total
        self.watch.show(multipliers, self.oracle.incidence)
        if self.oracle.effort == 1:
            self._improve(-(-int(total) // self.oracle.incidence.scale), self.oracle.evidence(multipliers))
        elif self._due():
            self.prove()

    def _due(self) -> bool:
        """Prove if little time went into proofs so far; without a time, every so many steps, whatever the clock."""
        if self.timed:
            return monotonic() - self.started > self.proofs * self.seconds / PROVING
        return self.seen % PROVED == 0

    def prove(self) -> None:
        """Prove the bound of the best prices in integers, unless it is proved."""
        if self.oracle.effort == 1 or self.total == self.proved:
            return
        started, self.proved = monotonic(), self.total
        evidence = self.oracle.evidence(self.multipliers)
        on_all = replace(evidence, columns=tuple(range(len(self.problem.columns))))
        self._improve(evaluate_bound(self.problem, [on_all]), evidence)
        self.proofs, self.seconds = self.proofs + 1, monotonic() - started

    def _improve(self, cost: int, evidence: Evidence) -> None:
        if cost > self.best.cost:
            self.best = Bound(cost, (evidence,))
            self.watch.tell(cost)


def _listed(problem: Problem, stop: StoppingRule) -> Pool:
    """List patterns from cheap to dear, as many as there is room and time for."""
    if stop.seconds is not None:
        return Pool.of(problem, MOST_ENTRIES, stop.share(LISTING))
    vectors = count()
    most = max(64, LISTED // len(problem.counts))
    return Pool.of(problem, MOST_ENTRIES, lambda: stop() or next(vectors) >= most)


def _course(climb: DualAscent, stop: StoppingRule, evaluated: int, pace: float, longest: int) -> StepSchedule:
    """Go as many steps as there is time for, with time left for the last proof; without a time, a number of steps."""
    entries = climb.oracle.effort * len(climb.oracle.incidence.pool.types)
    steps = min(max(evaluated // max(1, entries), FEWEST_STEPS), MOST_STEPS)
    rate, power = (0.2, 1.5) if isinstance(climb.oracle, SizeOracle) else (0.45, 1.5)
    rate *= pace
    if stop.seconds is None:
        return StepSchedule.of_steps(steps, rate, power)
    started, seconds = stop.elapsed, stop.seconds

    def progress(step: int) -> float:
        left = seconds - started - 1.3 * climb.seconds
        return max(step / longest, (stop.elapsed - started) / left if left > 0 else float(step > 0))

    return StepSchedule(rate, power, progress)
