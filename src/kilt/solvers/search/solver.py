"""Search: a first partition, multipliers, and annealing over open patterns, with the bound beside; stopped at any time.

Level greedy finds a first partition, which is legal at once. The multipliers of the bound show which patterns are
promising, and a second partition is built by them. The better of the two goes on: patterns are opened and closed,
always legally, until the time or the iterations are over, or until bound and cost are close enough. The best legal
partition is kept, whatever comes later.

Where level vectors are many, the multipliers ask for patterns on demand. In wide tables, where these are too many, too,
groups grow from rows instead, and rows change places.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kilt.bounds.background import BackgroundBound
from kilt.bounds.incidence import Oracle
from kilt.bounds.lagrangian import is_refined, lower_bound
from kilt.bounds.on_demand import near_patterns
from kilt.bounds.oracles import oracle_of
from kilt.certificates.proof.evidence import Bound
from kilt.kernels.model.rules import CompiledRules
from kilt.model.partition import Partition
from kilt.model.patterns import n_level_vectors, useful_levels
from kilt.model.problem import Problem
from kilt.model.rules import Rules, SizeRule
from kilt.numbers import FloatArray, IntArray
from kilt.patterns.pool import Pool
from kilt.run.incumbent import Incumbent, is_small
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import StoppingRule
from kilt.run.threads import ALL_CORES
from kilt.solvers.base import Solution
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.common.leftovers import place_illegal
from kilt.solvers.greedy.solver import Greedy
from kilt.solvers.search.restarts import Restarts, cost_of
from kilt.solvers.search.schedule import Params, Schedule, cooled
from kilt.solvers.search.state import (
    SearchState,
    filter_by_extra_cost,
    filter_by_reduced_cost,
    one_group,
    with_groups,
)
from kilt.solvers.search.wide.construct import Construction
from kilt.solvers.search.wide.swaps import RowSwaps
from kilt.solvers.search.workers import Workers

PARAMS = Params()


@dataclass(frozen=True)
class Search:
    """Any large table, under any policy whose rules are numbers; from a given partition on, if there is one.

    The proof of its bound ``counts_groups`` unless its multipliers are for another table.
    """

    seed: int = 0
    given: Partition | None = None
    counts_groups: bool = True

    def refuses(self, problem: Problem) -> str | None:
        """Refuse rules that compiled loops cannot decide in integers."""
        if compile_rules(problem) is None:
            return "it takes no space with numbers too large for 64 bits"
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Search until told to stop; the bound is raised beside it, or before it if iterations are counted."""
        rules = compile_rules(problem)
        if rules is None:
            raise AssertionError("refused problems are not solved")
        incumbent = Incumbent(counts_groups=self.counts_groups)
        if stop.seconds is None:
            run = Run(problem, rules, stop, observer, incumbent, self.seed)
            start = run.start(self.given)
            bound = lower_bound(problem, stop, observer, incumbent)
            best = run.improve(start)
        else:
            incumbent.wanted = True
            run = Run(problem, rules, stop, observer, incumbent, self.seed)
            share = stop.share(PARAMS.short_bounding_share if is_short(stop) else PARAMS.bounding_share)
            with BackgroundBound(problem, share, observer, incumbent) as background:
                start = run.start(self.given)
                if start.cost > problem.base_cost and not run.needs_swaps:
                    background.wait(incumbent.ready)
                best = run.improve(start)
                bound = background.enough(stop)
        observer(Progress("solving", 1.0, problem.stars(best.cost), problem.stars(bound.cost)))
        return Solution(best, Bound(min(best.cost, bound.cost), bound.parts))


def search_in_cycles(
    problem: Problem,
    pool: Pool,
    multipliers: IntArray,
    scale: int,
    start: Partition,
    cycles: int,
    stop: StoppingRule,
    seed: int = 0,
) -> Partition:
    """Search a small table in so many cycles, given its patterns and multipliers."""
    rules = compile_rules(problem)
    if rules is None:
        return start
    incumbent = Incumbent(pool=pool, multipliers=multipliers, scale=scale)
    return Restarts(Run(problem, rules, stop, silent, incumbent, seed, cycles), pool).improve(start)


@dataclass(frozen=True)
class Run:
    """One search: what it is about, when it ends, and the best that is known.

    A small table is searched again and again: as long as there is time, or in so many ``cycles``.
    """

    problem: Problem
    rules: CompiledRules
    stop: StoppingRule
    observer: Observer
    incumbent: Incumbent
    seed: int
    cycles: int | None = None

    @cached_property
    def is_wide(self) -> bool:
        """Whether there are too many level vectors to list their patterns."""
        return is_wide(self.problem)

    @cached_property
    def is_small(self) -> bool:
        """Whether a search with a limit can afford to begin again and again."""
        return (self.stop.seconds is not None or self.cycles is not None) and is_small(self.problem)

    @cached_property
    def is_short(self) -> bool:
        """Whether time is short; small tables are searched as if it never were, so that more is never worse."""
        return is_short(self.stop) and not self.is_small

    @cached_property
    def needs_swaps(self) -> bool:
        """Whether rows change places in place of patterns being opened: in wide tables, and with many classes."""
        return self.is_wide or len(self.problem.sensitive_totals) > PARAMS.max_classes

    def start(self, given: Partition | None = None) -> Partition:
        """Find a first partition, unless one is given.

        Groups grow in a wide table. In others level greedy forms them, in a part of the time where it may take long:
        multipliers will do better, but only later. Large groups hardly grow from single rows, so both are tried then.
        """
        if given is not None:
            partition = given
        elif not self.is_wide:
            partition = self._greedy()
        else:
            partition = Construction(self.problem, self.rules, self.seed).partition(self.stop)
            if self.rules.min_group_size >= PARAMS.large_groups:
                partition = min(partition, self._greedy(), key=cost_of)
        self.report(partition.cost)
        return partition

    def _greedy(self) -> Partition:
        return Greedy().solve(self.problem, self._greedy_limit(), self.observer).partition

    def _greedy_limit(self) -> StoppingRule:
        """Return when level greedy must end."""
        if self.stop.seconds is None:
            return self.stop
        is_quick = self.rules.size_only and not is_refined(self.problem)
        share = 1.0 if is_quick else PARAMS.wide_greedy_share if self.is_wide else PARAMS.greedy_share
        seconds = share * self.stop.seconds
        return replace(self.stop, seconds=max(seconds, self.stop.elapsed + PARAMS.min_greedy_seconds))

    def improve(self, start: Partition) -> Partition:
        """Build a partition by multipliers, and go on from the better of the two, or just go on with swaps."""
        incumbent, best = self.incumbent, start
        if self.needs_swaps:
            return self.swap_rows(start if self.is_wide else min(start, self._by_sizes(start), key=cost_of))
        pool, multipliers = incumbent.pool, incumbent.multipliers
        if incumbent.bound >= best.cost or self.stop() or pool is None or multipliers is None:
            return best
        if incumbent.on_demand:
            return self._follow_multipliers(best, oracle_of(self.problem, pool))
        if pool.ceiling is not None and is_refined(self.problem) and not self.rules.size_only:
            return self.swap_rows(best)  # too few patterns are known for rules that need dear ones
        if self.is_small:
            return Restarts(self, pool).improve(best)
        promising = self.promising(pool, multipliers)
        best = min(best, self.build(promising, multipliers / incumbent.scale), key=cost_of)
        return best if self.stop() else self._improve_among(promising, best)

    def _by_sizes(self, start: Partition) -> Partition:
        """Search as if sizes were all that is asked for, and place the rows of groups that are not legal anew.

        That is worth its time if most rows would be in legal groups anyway.
        """
        problem = replace(self.problem, rules=Rules((SizeRule(self.rules.min_group_size, None),))).presolved
        first = Greedy().solve(problem, self._greedy_limit(), silent).partition
        if self.stop() or not self._is_mostly_legal(first):
            return start
        limit = self.stop.share(PARAMS.by_sizes_share)
        if limit.seconds is not None:
            limit = limit.at_most(PARAMS.by_sizes_seconds * len(problem.counts))
        found = Search(self.seed, first).solve(problem, limit, silent).partition
        return place_illegal(self.problem, found.types, found.groups, found.counts, self.stop)

    def _is_mostly_legal(self, partition: Partition) -> bool:
        """Say whether most of some groups of a partition are legal, and there is room to count the classes of all."""
        classes = len(self.problem.sensitive_totals)
        some = np.linspace(0, len(partition) - 1, min(len(partition), PARAMS.looked_at_groups)).astype(np.int64)
        by_class = np.zeros((len(some), classes), dtype=np.int64)
        for row, group in zip(by_class, some, strict=True):
            entries = slice(partition.starts[group], partition.starts[group + 1])
            np.add.at(row, self.problem.sensitive_class[partition.types[entries]], partition.counts[entries])
        has_room = len(partition) * classes <= PARAMS.max_group_classes
        return has_room and self.problem.is_legal(by_class).mean() >= PARAMS.min_legal_share

    def promising(self, pool: Pool, multipliers: IntArray) -> Pool:
        """Return the patterns by which a partition is built."""
        oracle = oracle_of(self.problem, pool)
        near, most = oracle.near, PARAMS.max_reduced_cost
        if not self.rules.size_only:
            judged = oracle.judges_legality and not self.is_short
            near = oracle.near if judged else oracle.incidence.near
            most = PARAMS.loose_reduced_cost if judged else PARAMS.loosest_reduced_cost
        return filter_by_reduced_cost(oracle.incidence, near, multipliers, most, PARAMS.min_patterns)

    def _improve_among(self, promising: Pool, best: Partition) -> Partition:
        """Anneal a partition over promising patterns."""
        may_filter = self.stop.seconds is None or self.stop.seconds - self.stop.elapsed > PARAMS.min_filtering_seconds
        most = PARAMS.max_reduced_cost if may_filter else math.inf
        near = self.near(promising, best, self.incumbent.multipliers, most)
        state = SearchState.of(near, self.rules, best, self.problem, self.seed)
        return min(best, self.anneal(state), key=cost_of)

    def near(self, pool: Pool, best: Partition, multipliers: IntArray | None, most: float) -> Pool:
        """Return the patterns near the multipliers for a partition to be improved over, and its own."""
        if multipliers is not None and most < math.inf:
            oracle = oracle_of(self.problem, pool)
            pool = filter_by_reduced_cost(oracle.incidence, oracle.near, multipliers, most, PARAMS.min_patterns)
        return with_groups(self.problem, filter_by_extra_cost(self.problem, pool, best, PARAMS.max_extra_cost), [best])

    def _follow_multipliers(self, best: Partition, oracle: Oracle) -> Partition:
        """Anneal over patterns on demand, and again over those that the better multipliers ask for by then.

        In the end rows change places, whatever patterns that leads to. If time is short, there is one annealing alone.
        """
        seconds, last = self.stop.seconds, 1 - PARAMS.closing_share
        once = seconds is not None and seconds < PARAMS.min_seconds_for_two
        shares = (1.0,) if once else (last,) if seconds is None else (PARAMS.first_share, last)
        for share in shares:
            multipliers = self.incumbent.multipliers
            if multipliers is None or self.stop(best.cost, self.incumbent.bound):
                break
            near = near_patterns(self.problem, oracle, multipliers, PARAMS.max_reduced_cost)
            if near is None or not len(near):
                return self.swap_rows(best)
            built = self.build(near, multipliers / self.incumbent.scale)
            first = built if built.cost <= PARAMS.max_built_cost * best.cost else best
            near = filter_by_extra_cost(self.problem, near, first, PARAMS.max_extra_cost)
            state = SearchState.of(with_groups(self.problem, near, [first]), self.rules, first, self.problem, self.seed)
            best = min(best, built, self.anneal(state, self.stop.share(share)), key=cost_of)
        is_over = once or self.stop(best.cost, self.incumbent.bound)
        return best if is_over else self.swap_rows(best, PARAMS.closing_t)

    def swap_rows(self, start: Partition, temperatures: tuple[float, float] | None = None) -> Partition:
        """Let rows change places with rows of near groups, ever colder, and keep the best."""
        rows = RowSwaps(self.problem, self.rules, start, self.stop, self.seed)
        schedule = Schedule(self.stop, PARAMS)
        step = step_cost(self.problem)
        while (done := schedule.done()) < 1 and not self.stop(rows.least, self.incumbent.bound):
            t_start, t_end = temperatures or self._temperatures(schedule.total_moves(done) / len(rows.types))
            rows.anneal(schedule.chunk(), step * cooled(t_start, t_end, done))
            self.report(rows.least)
        return rows.best

    def _temperatures(self, moves_per_row_type: float) -> tuple[float, float]:
        """Return the first and the last temperature at which rows change places."""
        lowest, highest = PARAMS.wide_t_start
        warmth = moves_per_row_type / PARAMS.wide_moves_per_star if self.is_wide else 0.0
        return min(max(lowest, warmth), highest), PARAMS.wide_t_end

    def build(self, pool: Pool, multipliers: FloatArray) -> Partition:
        """Form groups by multipliers, and raise those of the rows that are left from round to round."""
        whole = one_group(self.problem)
        pool = with_groups(self.problem, pool, [whole])
        state = SearchState.of(pool, self.rules, whole, self.problem, self.seed)
        multipliers, until = multipliers.copy(), self.stop.share(PARAMS.building_share)
        began, raised, rounds, step = until.elapsed, 0.0, 0, 0.0
        while True:
            before = state.cost
            state.build(multipliers)
            rest, rounds = state.rest(), rounds + 1
            few = self.problem.counts[rest].sum() < 2 * self.rules.min_group_size
            gains = state.cost < (1 - PARAMS.min_gain) * before and not self.stop.interrupted()
            if few or raised >= PARAMS.max_multiplier_raise or (until() and not gains):
                self.report(state.cost)
                return state.partition()
            nothing = state.cost == before and rounds > 1  # happens below the price of the next patterns
            step = max(2 * step if nothing else 0.0, _step(raised, self._fitting(until, began, rounds)))
            step = min(step, PARAMS.max_multiplier_step)
            multipliers[rest] += step * self.problem.unit
            raised += step

    def _fitting(self, until: StoppingRule, began: float, rounds: int) -> float:
        """Say how many more rounds fit into a time, at least one, if they take as long as those so far."""
        if until.seconds is None or self.is_small:
            return math.inf
        return max(1.0, (until.seconds - until.elapsed) * rounds / max(1e-6, until.elapsed - began))

    def anneal(self, state: SearchState, stop: StoppingRule | None = None, chunk: int | None = None) -> Partition:
        """Try moves, ever colder, at each temperature so many as a chunk has; keep the best."""
        schedule = Schedule(stop or self.stop, PARAMS, chunk)
        best, copies = state.cost, state.copies.copy()
        size = max(PARAMS.min_usual_size, state.usual_size())
        step = step_cost(self.problem) if self.incumbent.on_demand else 1.0
        t_start, t_end = (step * stars * size**power for stars, power in (PARAMS.t_start, PARAMS.t_end))
        workers = Workers.of(state, self._number_of_workers(state.groups), self.seed)
        while (done := schedule.done()) < 1 and not self.stop(best, self.incumbent.bound):
            workers.anneal(schedule.chunk(), cooled(t_start, t_end, done))
            if workers.cost < best:
                best, copies = workers.cost, workers.copies()
            self.report(best)
        return state.at(copies)

    def _number_of_workers(self, groups: int) -> int:
        """Return how many searches go on side by side: one for each core, if the bytes need not be the same."""
        most = PARAMS.n_workers if self.stop.seconds is None else ALL_CORES
        fitting = min(len(self.problem.counts) // PARAMS.row_types_per_worker, groups // PARAMS.groups_per_worker)
        return max(1, min(most, fitting))

    def report(self, cost: int) -> None:
        """Report a partition of this cost."""
        stars = self.problem.stars(self.incumbent.improve(cost))
        self.observer(Progress("solving", None, stars, self.problem.stars(self.incumbent.bound)))


def is_short(stop: StoppingRule) -> bool:
    """Say whether time is short."""
    return stop.seconds is not None and stop.seconds <= PARAMS.short_seconds


def _step(raised: float, rounds: float) -> float:
    """Return by how many stars to raise multipliers: finely at first, and ever faster if few rounds are left."""
    if raised == 0:
        return max(PARAMS.multiplier_step, PARAMS.max_multiplier_raise * math.pow(2.0, -rounds))
    growth = max(PARAMS.multiplier_growth, math.pow(PARAMS.max_multiplier_raise / raised, 1 / rounds) - 1)
    return max(PARAMS.multiplier_step, growth * raised)


def is_wide(problem: Problem) -> bool:
    """Say whether a table has too many level vectors to list their patterns; if sizes are not all, fewer are."""
    simple = problem.presolved.rules.is_k_anonymity or len(problem.sensitive_totals) <= 2
    most = PARAMS.very_wide_level_vectors if simple else PARAMS.wide_level_vectors
    vectors = n_level_vectors(problem)
    return vectors > most and vectors * len(problem.counts) > PARAMS.wide_entries


def step_cost(problem: Problem) -> float:
    """Return what the first useful step of a ladder costs a row, in stars, in the mean over columns."""
    steps = [
        problem.counts @ (problem.costs_at(j, levels[1]) - problem.costs_at(j, levels[0]))
        for j, levels in enumerate(useful_levels(problem))
        if len(levels) > 1
    ]
    return float(np.mean(steps)) / (problem.rows * problem.unit) if steps else 1.0
