"""The Lagrangian bound: a proven lower bound on the cost of any release of a table that meets the policy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import count
from time import monotonic

import numpy as np

from kilt.bounds.counting import CountingOracle
from kilt.bounds.incidence import ExactOracle, Incidence, Oracle
from kilt.bounds.near import NearPatterns
from kilt.bounds.on_demand import OnDemandOracle, ascend_on_demand, exact_oracle_of
from kilt.bounds.oracles import SizeOracle, oracle_of
from kilt.bounds.subgradient import Moments, StepSchedule, subgradient_ascent
from kilt.certificates.proof.by_size import is_star, sized_rule
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.certificates.proof.near import can_be_joined
from kilt.model.patterns import n_level_vectors
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule, Rules, SizeRule
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.patterns.refined import RefinedPatterns, Work
from kilt.run.incumbent import Incumbent, is_small
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule


@dataclass(frozen=True)
class Params:
    """Shares of the time, and limits on the work where no time is given; entries are row types under patterns."""

    max_entries: int = 20_000_000  # held at a time, for lack of memory
    max_bucketed: int = 100_000_000  # row types that are put into buckets to list patterns, if no time is given
    max_evaluated: int = 1_000_000_000  # entries that are evaluated, if no time is given
    max_evaluated_with_release: int = 250_000_000  # the same where a release is known: less time is left
    min_steps: int = 20  # of an ascent: with fewer the multipliers stay near the first ones
    max_steps: int = 400  # of an ascent, if no time is given: later ones bring little
    max_timed_steps: int = 1_000  # of an ascent, if time is given
    max_partial_steps: int = 4_000  # the same if most steps look under few patterns
    listing_share: float = 0.4  # of the time, after which no more patterns are listed
    first_listing_share: float = 0.25  # the same where a search waits: with fewer patterns it has good multipliers soon
    max_block_columns: int = 13  # of a block: the level vectors of so many can still be listed
    all_columns_share: float = 0.3  # of the time is for all columns together, where they are also bounded in blocks
    proof_share: float = 0.1  # of the time is for proofs before the last one
    first_ascent_share: float = 0.55  # of the time, at most, is for the multipliers that a search waits for
    first_ascent_steps: int = 150  # at most, for these
    early_steps: tuple[int, ...] = (20, 60, 150)  # after which a search in a small table gets multipliers
    first_ascent_power: float = 0.5  # how soon steps shrink if there are few
    second_ascent_rate: float = 0.3  # how much smaller the steps are that continue from these: they are good already
    second_ascent_steps: int = 900  # for which that is so; with fewer the steps must be smaller still
    steps_per_proof: int = 50  # if no time is given
    counting_share: float = 0.5  # of the time left is for cuts that count groups; without one, of so many entries more
    least_counting_steps: int = 300  # like the first one must fit into this time: with fewer, cuts come too soon
    counting_rate: float = 0.4  # how much smaller these steps are: multipliers of rows are good already
    many_level_vectors: int = 2_000  # from so many on patterns are found by refinement, and on demand,
    most_level_vectors: int = 100_000  # up to so many: beyond that rows are joined
    looks_per_second: int = 300_000_000  # at cells of other rows, if there must be time for them
    slower_beside_search: float = 2.5  # times fewer, as a search takes the other core and a part of this one
    cheapest_share: float = 0.7  # of the time is for the cheapest pattern of each row, where these are joined,
    near_share: float = 0.5  # and so much of the rest for others that cost hardly more
    first_joins: int = 4_000_000_000  # looks at other rows for the list of such a table
    first_entries: int = 6_000_000  # of the list that an ascent begins with, and visits of row types for it
    first_visits: int = 400_000_000
    proved_per_second: int = 30_000  # entries of this list for each second where they are proved size by size,
    equally_far_per_second: int = 100_000  # so many where all values are equally far apart,
    usual_seconds: float = 60.0  # or for so many if no time is given
    visits_per_second: int = 20_000_000  # if time is given, so that this list takes a part of it
    proof_margin: float = 1.5  # times as long as the last list took is kept for the last one
    own_rules_share: float = 0.4  # of the time, where the cost is then bounded under sizes alone
    listed_share: float = 0.15  # of the time is for the patterns that are listed, before others are on demand,
    listed_steps: int = 80  # in so many steps at most
    on_demand_share: float = 0.25  # of the time is for the multipliers on demand that a search waits for
    on_demand_steps: int = 120  # at most, for these
    on_demand_rate: float = 0.35  # how much smaller these steps are than those before, and the next than these


PARAMS = Params()


def lower_bound(
    problem: Problem,
    stop: StoppingRule,
    observer: Observer,
    incumbent: Incumbent | None = None,
    proved: list[Bound] | None = None,
) -> Bound:
    """Raise the bound until the steps or the time are over, or until it is close enough to the cost of a release.

    The best cost is that of the incumbent, which gets the bound and its multipliers whenever they improve.
    If there are too many patterns to list, the columns are also bounded in blocks, whose bounds add up.
    What is proved of all columns on the way is noted in ``proved``, for whoever cannot wait for the end.
    """
    incumbent = incumbent or Incumbent()
    every, joined = tuple(range(len(problem.columns))), is_joined(problem, stop, beside_search=incumbent.wanted)
    blocks = [every] if joined or is_refined(problem) else _blocks(problem)
    watch = Watch(problem, observer, incumbent, [] if proved is None else proved)
    if _may_say_more_by_sizes(problem):
        best = _bound_columns(problem, every, stop.share(PARAMS.own_rules_share), watch)
        return max(best, _bound_by_sizes(problem, stop, watch), key=lambda bound: bound.cost)
    if len(blocks) == 1:
        return _bound_columns(problem, blocks[0], stop, watch, joined=joined)
    best = _bound_columns(problem, every, stop.share(PARAMS.all_columns_share), watch)
    blockwise = Bound(0, ())
    for index, columns in enumerate(blocks):
        share = stop.share(1 / (len(blocks) - index))
        part = _bound_columns(problem, columns, share, replace(watch, base=blockwise.cost))
        blockwise = Bound(blockwise.cost + part.cost, (*blockwise.parts, *part.parts))
    return max(best, blockwise, key=lambda bound: bound.cost)


def _may_say_more_by_sizes(problem: Problem) -> bool:
    """Say whether to bound the cost under sizes alone, too: their patterns are on demand, those of l-diversity not."""
    is_close = any(isinstance(rule, ClosenessRule) for rule in problem.rules)
    is_diverse = not is_close and not problem.rules.is_k_anonymity
    return is_refined(problem) and is_diverse and len(problem.sensitive_totals) > 2


def _bound_by_sizes(problem: Problem, stop: StoppingRule, watch: Watch) -> Bound:
    """Return what the best multipliers prove that are found for groups of enough rows: legal ones cost no less."""
    sizes = replace(problem, rules=Rules((SizeRule(problem.rules.min_group_size, None),)))
    known = watch.incumbent
    alone = Incumbent(cost=known.cost, bound=known.bound, counts_groups=False)
    every, until = tuple(range(len(problem.columns))), stop.share(1 - PARAMS.proof_share)
    parts = _bound_columns(sizes, every, until, replace(watch, incumbent=alone, proved=[])).parts
    found = Bound(evaluate_bound(problem, parts), parts)
    known.bound = max(known.bound, found.cost)
    watch.note(found)
    return found


def _bound_columns(
    problem: Problem, columns: tuple[int, ...], stop: StoppingRule, watch: Watch, *, joined: bool = False
) -> Bound:
    """Return the best bound on the cost in some columns."""
    part, refined = problem.on(columns), is_refined(problem)
    share = PARAMS.first_listing_share if watch.incumbent.wanted else PARAMS.listing_share
    watch.observer(Progress("listing"))
    pool = _list_near(part, stop) if joined else _list_patterns(part, stop, share, refined)
    watch.observer(Progress("bounding"))
    if len(columns) == len(problem.columns):
        watch.incumbent.pool = pool
    oracle = exact_oracle_of(part, pool, columns) if joined else oracle_of(part, pool, columns)
    ascent = DualAscent(part, oracle, replace(watch, factor=problem.unit // part.unit), timed=stop.seconds is not None)
    evaluated = PARAMS.max_evaluated if watch.incumbent.cost is None else PARAMS.max_evaluated_with_release
    on_demand = (
        OnDemandOracle.of(part, oracle, joined=joined, stop=stop)
        if joined or (refined and pool.ceiling is not None)
        else None
    )
    if refined and on_demand is not None and not on_demand.list_patterns(ascent.multipliers):
        on_demand = None
    watch.incumbent.on_demand = on_demand is not None
    ascent.is_waited_for = watch.incumbent.wanted
    if on_demand is not None:
        share, steps = PARAMS.listed_share, PARAMS.listed_steps
        _raise_multipliers(ascent, stop.share(share), evaluated, 1.0, steps)
        _raise_on_demand(ascent, on_demand, stop.share(PARAMS.on_demand_share), 1, PARAMS.on_demand_steps)
    elif watch.incumbent.wanted:  # a search waits for multipliers: a short ascent finds some, a long one continues
        _raise_multipliers(ascent, stop.share(PARAMS.first_ascent_share), evaluated, 1.0, PARAMS.first_ascent_steps)
    ascent.is_waited_for = False
    watch.incumbent.ready.set()
    if watch.incumbent.wanted:
        ascent.prove_first()
    if on_demand is not None:
        _raise_on_demand(ascent, on_demand, stop, 2, PARAMS.max_steps)
        return replace(ascent.best, cost=ascent.best.cost * ascent.watch.factor)
    most = PARAMS.max_timed_steps if oracle.period == 1 else PARAMS.max_partial_steps
    pace = _pace(ascent, stop) if watch.incumbent.wanted else 1.0
    if isinstance(oracle, SizeOracle) and CountingOracle.takes(oracle) and _has_time_to_count(ascent, stop):
        _raise_multipliers(ascent, stop.share(1 - PARAMS.counting_share), evaluated, pace, most)
        ascent.oracle = CountingOracle.of(oracle)
        evaluated, pace = int(evaluated * PARAMS.counting_share), PARAMS.counting_rate
    _raise_multipliers(ascent, stop, evaluated, pace, most)
    if not (stop.interrupted() and ascent.best.cost):  # no proof is begun after an interrupt
        ascent.prove()
    return replace(ascent.best, cost=ascent.best.cost * ascent.watch.factor)


def _has_time_to_count(ascent: DualAscent, stop: StoppingRule) -> bool:
    """Say whether groups are counted: if that is asked for, and there is time for enough steps before and with cuts."""
    if stop.seconds is None or not ascent.watch.incumbent.counts_groups:
        return ascent.watch.incumbent.counts_groups
    if not ascent.step:
        started = monotonic()
        ascent.oracle.least(ascent.multipliers)
        ascent.step = monotonic() - started
    return stop.seconds - stop.elapsed >= PARAMS.least_counting_steps * ascent.step


def _raise_multipliers(
    ascent: DualAscent, stop: StoppingRule, evaluated: int, pace: float, max_timed_steps: int
) -> None:
    """Raise the multipliers from the best ones on, until the bound is good enough or the schedule ends."""
    schedule = _step_schedule(ascent, stop, evaluated, pace, max_timed_steps)
    follow = ascent.oracle.advance if isinstance(ascent.oracle, CountingOracle) else None
    started = monotonic()
    for multipliers, total in subgradient_ascent(ascent.oracle, schedule, ascent.multipliers, ascent.moments, follow):
        ascent.step = monotonic() - started
        if total > -math.inf:
            ascent.evaluation = ascent.step
        ascent.record(multipliers, total)
        if ascent.watch.enough(stop, ascent.best.cost):
            break
        started = monotonic()


def _raise_on_demand(ascent: DualAscent, oracle: OnDemandOracle, stop: StoppingRule, turn: int, max_steps: int) -> None:
    """Raise the multipliers from the best ones on over patterns that are listed on demand."""
    rate, power = _rate_and_power(ascent.oracle)
    started, seconds = stop.elapsed, stop.seconds

    def progress(step: int) -> float:
        left = math.inf if seconds is None else seconds - started - PARAMS.proof_margin * oracle.seconds
        return max(step / max_steps, (stop.elapsed - started) / left if left > 0 else 1.0)

    def enough() -> bool:
        return ascent.watch.enough(stop, ascent.best.cost)

    schedule = StepSchedule(rate * PARAMS.on_demand_rate**turn, power, progress)
    for multipliers, total in ascend_on_demand(oracle, schedule, ascent.multipliers, ascent.moments, enough):
        ascent.record(multipliers, total)


def _pace(ascent: DualAscent, stop: StoppingRule) -> float:
    """Return how much smaller the steps are that continue from good multipliers: the fewer there are, the smaller."""
    if stop.seconds is None or ascent.oracle.period == 1:
        return PARAMS.second_ascent_rate
    steps = (stop.seconds - stop.elapsed - ascent.proof_seconds) / max(ascent.step, 1e-6)
    return PARAMS.second_ascent_rate * min(1.0, max(0.0, steps) / PARAMS.second_ascent_steps)


def is_refined(problem: Problem) -> bool:
    """Say whether patterns are found by refinement: there are many level vectors, but not too many."""
    return PARAMS.many_level_vectors < n_level_vectors(problem) <= PARAMS.most_level_vectors


def is_joined(problem: Problem, stop: StoppingRule, *, beside_search: bool = False) -> bool:
    """Say whether patterns are found by joining rows: level vectors are very many, but there is time for all rows."""
    looks = len(problem.counts) ** 2 * len(problem.columns)
    per_second = PARAMS.looks_per_second / (PARAMS.slower_beside_search if beside_search else 1)
    fits = stop.seconds is None or looks <= per_second * (stop.seconds - stop.elapsed)
    many = n_level_vectors(problem) > PARAMS.most_level_vectors
    return many and fits and can_be_joined(problem) and not any(column.levels[-1].any() for column in problem.columns)


def _blocks(problem: Problem) -> list[tuple[int, ...]]:
    """Divide the columns into as few blocks as have a fair number of level vectors; one if there are few."""
    columns = range(len(problem.columns))
    vectors = math.prod(len(column.levels) for column in problem.columns)
    number = 1 if vectors <= _max_vectors(problem) else max(2, -(-len(columns) // PARAMS.max_block_columns))
    number = min(number, len(columns))
    return [tuple(columns[first::number]) for first in range(number)]


def _max_vectors(problem: Problem) -> int:
    """Return how many level vectors are listed at most, if no time is given."""
    return max(64, PARAMS.max_bucketed // len(problem.counts))


@dataclass(frozen=True)
class Watch:
    """Who follows a bound: that of a part counts ``factor`` times, and ``base`` is proved for other parts."""

    problem: Problem
    observer: Observer
    incumbent: Incumbent
    proved: list[Bound]
    base: int = 0
    factor: int = 1

    def publish(self, multipliers: IntArray, incidence: Incidence) -> None:
        """Share multipliers through the incumbent if they are about all columns, proved or not."""
        if len(incidence.columns) == len(self.problem.columns):
            self.incumbent.multipliers, self.incumbent.scale = multipliers, incidence.scale

    def note(self, bound: Bound) -> None:
        """Note what is proved if it is about all columns."""
        if all(len(part.columns) == len(self.problem.columns) for part in bound.parts):
            self.proved.append(replace(bound, cost=bound.cost * self.factor))

    def report(self, bound: int) -> None:
        """Report a better bound."""
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
    """The best multipliers of an ascent, and the best bound that is proved."""

    def __init__(self, problem: Problem, oracle: Oracle, watch: Watch, *, timed: bool) -> None:
        self.problem, self.oracle, self.watch, self.timed = problem, oracle, watch, timed
        first = oracle.incidence.cheapest() * oracle.incidence.scale
        base = problem.base * oracle.incidence.scale
        self.best = Bound(problem.base_cost, (Evidence(oracle.incidence.columns, base, oracle.incidence.scale),))
        self.multipliers, self.total, self.proved = first, 0.0, 0.0
        self.moments = Moments.of(len(first))
        self.step = self.evaluation = 0.0  # the last ones took so many seconds
        self.is_waited_for = False  # by a search: then nothing is proved but what costs nothing
        self.started, self.seconds, self.proofs, self.seen = monotonic(), 0.0, 0, 0

    def record(self, multipliers: IntArray, total: float) -> None:
        """Record multipliers; prove their bound at once if that costs nothing, and now and then otherwise."""
        self.seen += 1
        if total > self.total:
            self._improve_multipliers(multipliers, total)
        if self.is_waited_for and is_small(self.problem) and self.seen in PARAMS.early_steps:
            self.watch.incumbent.early.append(self.multipliers)
            self.watch.incumbent.ready.set()

    def _improve_multipliers(self, multipliers: IntArray, total: float) -> None:
        self.multipliers, self.total = multipliers, total
        if not isinstance(self.oracle, CountingOracle):  # with cuts, some groups seem cheaper to a search than they are
            self.watch.publish(multipliers, self.oracle.incidence)
        if self.oracle.effort == 1:
            self._improve(-(-int(total) // self.oracle.incidence.scale), self.oracle.evidence(multipliers))
        elif not self.is_waited_for and self._due():
            self.prove()

    def _due(self) -> bool:
        """Say whether a proof is due: if little time went into proofs so far; without a time, every so many steps."""
        if self.timed:
            return monotonic() - self.started > self.proofs * self.seconds / PARAMS.proof_share
        return self.seen % PARAMS.steps_per_proof == 0

    def prove_first(self) -> None:
        """Prove what takes no time: every row pays at least what the cheapest pattern costs that covers it."""
        if self.oracle.effort == 1:
            return
        incidence = self.oracle.incidence
        self._evaluate(Evidence(incidence.columns, incidence.cheapest() * incidence.scale, incidence.scale))

    def prove(self) -> None:
        """Prove the bound of the best multipliers in integers, unless that is done."""
        if self.oracle.effort == 1 or self.total == self.proved:
            return
        started, self.proved = monotonic(), self.total
        self._evaluate(self.oracle.evidence(self.multipliers))
        self.proofs, self.seconds = self.proofs + 1, monotonic() - started

    @property
    def proof_seconds(self) -> float:
        """How long the last proof will take, about: proofs of better multipliers take longer."""
        if self.is_waited_for:
            return 0.0
        return 1.5 * self.seconds if self.proofs else self.oracle.proof_effort * self.evaluation

    def _evaluate(self, evidence: Evidence) -> None:
        on_all = replace(evidence, columns=tuple(range(len(self.problem.columns))))
        self._improve(evaluate_bound(self.problem, [on_all]), evidence)

    def _improve(self, cost: int, evidence: Evidence) -> None:
        if cost > self.best.cost:
            self.best = Bound(cost, (evidence,))
            self.watch.note(self.best)
            self.watch.report(cost)


def _list_patterns(problem: Problem, stop: StoppingRule, share: float, refined: bool) -> Pool:
    """List patterns from cheap to dear, as many as there is room for, in a share of the time."""
    if refined:
        seconds = math.inf if stop.seconds is None else stop.seconds - stop.elapsed
        visits = int(min(PARAMS.first_visits, max(0.0, share * seconds * PARAMS.visits_per_second)))
        return RefinedPatterns(problem).up_to_ceiling(Work(_most_entries(problem, seconds), visits))
    if stop.seconds is not None:
        return Pool.of(problem, PARAMS.max_entries, stop.share(share))
    vectors = count()
    most = _max_vectors(problem)
    return Pool.of(problem, PARAMS.max_entries, lambda: stop() or next(vectors) >= most)


def _list_near(problem: Problem, stop: StoppingRule) -> Pool:
    """List for every row the patterns that cost up to a star more than its cheapest one."""
    near = NearPatterns(problem)
    least = near.least_costs(stop.share(PARAMS.cheapest_share))
    limits = least + problem.unit
    most = Work(PARAMS.first_entries, PARAMS.first_joins)
    pool, done = near.below(limits, most, stop.share(PARAMS.near_share))
    return replace(pool, ceiling=np.where(done, limits, least))


def _most_entries(problem: Problem, seconds: float) -> int:
    """Return how many entries an ascent begins with: fewer where the proof of each takes long."""
    if problem.presolved.rules.is_k_anonymity or len(problem.sensitive_totals) <= 2:
        return PARAMS.first_entries
    seconds = PARAMS.usual_seconds if math.isinf(seconds) else max(0.0, seconds)
    rule = sized_rule(problem)
    equally_far = rule is not None and is_star(problem, rule)
    per_second = PARAMS.equally_far_per_second if equally_far else PARAMS.proved_per_second
    return int(min(PARAMS.first_entries, per_second * seconds))


def _rate_and_power(oracle: Oracle) -> tuple[float, float]:
    """Return the first size of steps in stars, and how fast they shrink."""
    return (0.2, 1.5) if isinstance(oracle, SizeOracle) else (0.45, 1.5)


def _step_schedule(
    ascent: DualAscent, stop: StoppingRule, evaluated: int, pace: float, max_timed_steps: int
) -> StepSchedule:
    """Plan as many steps as there is time for, less that of the last proof; without a time, a number of steps."""
    entries = ascent.oracle.effort * len(ascent.oracle.incidence.pool.types)
    steps = min(max(evaluated // max(1, entries), PARAMS.min_steps), PARAMS.max_steps)
    rate, power = _rate_and_power(ascent.oracle)
    if ascent.is_waited_for and not isinstance(ascent.oracle, ExactOracle):
        power = PARAMS.first_ascent_power
    rate *= pace
    if stop.seconds is None:
        return StepSchedule.of_steps(steps, rate, power)
    if ascent.is_waited_for and is_small(ascent.problem):
        return StepSchedule.of_steps(max_timed_steps, rate, power)
    started, seconds = stop.elapsed, stop.seconds

    def progress(step: int) -> float:
        left = seconds - started - ascent.proof_seconds
        return max(step / max_timed_steps, (stop.elapsed - started) / left if left > 0 else float(step > 0))

    return StepSchedule(rate, power, progress)
