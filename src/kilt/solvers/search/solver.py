"""Search: greedy starts, prices, and annealing over open patterns, with the bound beside; stopped at any time.

Level by level a first release is found, which is legal at once. The bound engine's prices show which patterns are
promising and give a second one. The better of the two goes on: patterns are opened and closed, always legally, until
the time or the iterations are over, or until bound and release are close enough.

In wide tables, whose patterns are too many to list, groups grow from rows instead, and rows change places.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from time import monotonic

import numpy as np

from kilt.bounds.background import Beside
from kilt.bounds.lagrangian import bounded
from kilt.kernels.model.legal import Law
from kilt.model.partition import Partition
from kilt.model.patterns import useful_levels
from kilt.model.problem import Problem
from kilt.numbers import FloatArray
from kilt.patterns.pool import Pool
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import Stop
from kilt.run.threads import ALL_CORES
from kilt.solvers.base import Solution
from kilt.solvers.common.compile_rules import law_of
from kilt.solvers.greedy.solver import Greedy
from kilt.solvers.search.lns import Windows
from kilt.solvers.search.state import Field, load, narrowed, one_group, promising, with_groups
from kilt.solvers.search.wide.construct import Growth
from kilt.solvers.search.wide.swaps import CHILLY, HOTTEST, Exchange
from kilt.solvers.search.workers import Hands

RAISE, STEEP, MOST_RAISED = 0.25, 1.0, 7.5  # stars by which rows left are worth more, for long and short times; in all
BOUNDING = 0.75  # the share of the time for the bound: the last proof is done when the search ends
BUILDING = 0.55  # the share of the time for that; where it is short, they are worth more at once
LOSS, FEWEST = 1.0, 2_000  # stars that a promising pattern may lose; at least so many patterns are kept
LOOSE = 12.0  # stars that it may lose for a first partition under more than a size: what is left needs dearer ones
MORE = 2.0  # stars that a row may pay more than it does
NUMBERS = 4_000  # row types times sensitive classes, for each second, for which level by level is fast
MANY_VECTORS, LISTED = 2_000, 6_000_000  # level vectors, and row types times these, from which on a table is wide
WARM = (1.0, HOTTEST)  # first temperature there, from and to: stars
WARMER = 400  # moves for each row type for which it is a star warmer at first
HOT, COLD = (0.12, 1.0), (0.065, 0.5)  # first and last temperature: stars, times a power of the usual size of a group
SMALL = 5  # rows of a group below which it does not get colder
HANDS = 2  # searches side by side where the bytes must be the same
HANDFUL, GROUPS = 5_000, 300  # row types and groups that are worth one: with fewer, each would see too little
COMPILED = 3.0  # seconds: what takes longer to load was compiled
ANNEALING = 0.5  # the share of the time for it where there are fewer row types than that; windows have the rest
FEW = 50  # row types by which kernels are loaded
CHUNK, SLICE = 10_000, 0.1  # moves at a time, and about how many seconds these take


@dataclass(frozen=True)
class Search:
    """Any large table, under any policy whose rules are numbers; from a given partition on, if there is one."""

    given: Partition | None = None

    def refuses(self, problem: Problem) -> str | None:
        """Refuse rules that compiled loops cannot decide in integers."""
        if law_of(problem) is None:
            return "it takes no space with numbers too large for 64 bits"
        return None

    def solve(self, problem: Problem, stop: Stop, observer: Observer) -> Solution:
        """Search until told to stop; the bound is raised beside it, or before it if iterations are counted."""
        law = law_of(problem)
        if law is None:
            raise AssertionError("refused problems are not solved")
        if stop.seconds is not None:
            stop = stop.later(_loaded(problem, law, observer))
        run = Run(problem, law, stop, observer)
        if stop.seconds is None:
            start = self._start(run)
            bound = bounded(problem, stop, observer)
            best = run.improved(start)
        else:
            stop.board.wanted = True
            with Beside(problem, stop.share(BOUNDING), observer) as beside:
                start = self._start(run)
                if start.cost and not run.wide:
                    beside.wait(stop.board.ready)
                best = run.improved(start)
                bound = beside.enough()
        observer(Progress("solving", 1.0, problem.stars(best.cost), problem.stars(bound.cost)))
        return Solution(best, min(best.cost, bound.cost), parts=bound.parts)

    def _start(self, run: Run) -> Partition:
        return run.start() if self.given is None else self.given


def _loaded(problem: Problem, law: Law, observer: Observer) -> float:
    """Load the kernels; return the seconds that it took if they had to be compiled, which happens once."""
    began = monotonic()
    observer(Progress("loading"))
    bounded(load(problem, law), Stop(), silent)
    if is_wide(problem):
        few = np.arange(min(FEW, len(problem.counts)))
        part = problem.part(few, problem.counts[few])
        law = law_of(part) or law  # a part has its own classes
        Exchange(part, law, Growth(part, law, 0).partition(Stop()), Stop()).anneal(HANDS, 1.0)
    took = monotonic() - began
    return took if took > COMPILED else 0.0


@dataclass(frozen=True)
class Run:
    """One search: what it is about, and when it ends."""

    problem: Problem
    law: Law
    stop: Stop
    observer: Observer

    @cached_property
    def wide(self) -> bool:
        """Whether there are too many level vectors to list their patterns."""
        return is_wide(self.problem)

    def start(self) -> Partition:
        """Find a first partition.

        Groups grow in a wide table. In others they are formed level by level, or are just one where that takes long and
        prices will do better.
        """
        if self.wide:
            partition = Growth(self.problem, self.law, self.stop.seed).partition(self.stop)
            self._tell(partition.cost)
            return partition
        numbers = len(self.problem.counts) * len(self.problem.class_totals)
        slow = not self.law.simple and self.stop.seconds is not None and numbers > NUMBERS * self.stop.seconds
        partition = one_group(self.problem) if slow else self._level_by_level(self.stop)
        self._tell(partition.cost)
        return partition

    def _level_by_level(self, stop: Stop) -> Partition:
        return Greedy().solve(self.problem, stop, self.observer).partition

    def improved(self, start: Partition) -> Partition:
        """Form groups by prices, and go on from the better of the two; in a wide table, just go on.

        Where there are no prices when the time is over, as while kernels are compiled, level by level is all that is
        left, whatever time it takes.
        """
        board, best = self.stop.board, start
        if self.wide:
            return self.exchanged(start)
        pool, prices = board.pool, board.prices
        if board.bound >= best.cost or (self.stop() and len(best) > 1):
            return best
        if pool is None or prices is None:
            return best if len(best) > 1 else self._level_by_level(Stop(told=self.stop.told))
        good, loose = (promising(self.problem, pool, prices, board.scale, most, FEWEST) for most in (LOSS, LOOSE))
        best = min(best, self._built(good if self.law.simple else loose, prices / board.scale), key=cost_of)
        self._tell(best.cost)
        share = 1.0 if self.stop.seconds is None or len(self.problem.counts) > HANDFUL else ANNEALING
        near = with_groups(self.problem, narrowed(self.problem, good, best, MORE), [best])
        field = Field.of(near, self.law, best, self.problem, self.stop.seed)
        best = min(best, self._annealed(field, share), key=cost_of)
        return best if share == 1 else self._by_windows(near, best)

    def exchanged(self, start: Partition) -> Partition:
        """Let rows change places with rows of near groups, ever colder, and keep the best."""
        rows = Exchange(self.problem, self.law, start, self.stop)
        cooling = Cooling(self.stop)
        while (done := cooling.done()) < 1 and not self.stop(rows.least, self.stop.board.bound):
            hot = min(max(WARM[0], cooling.in_all(done) / len(rows.types) / WARMER), WARM[1])
            rows.anneal(cooling.chunk(), hot * (CHILLY / hot) ** done)
            self._tell(rows.least)
        return rows.best

    def _by_windows(self, pool: Pool, best: Partition) -> Partition:
        """Solve windows until the time is over: where annealing is done soon, they find what it cannot reach."""
        windows = Windows(self.problem, pool, self.stop.seed)
        while not self.stop(best.cost, self.stop.board.bound):
            best = windows.improved(best, self.stop)
            self._tell(best.cost)
        return best

    def _built(self, pool: Pool, worth: FloatArray) -> Partition:
        """Form groups by prices; what is left is worth more in the next round."""
        whole = one_group(self.problem)
        field = Field.of(with_groups(self.problem, pool, [whole]), self.law, whole, self.problem, self.stop.seed)
        worth, until = worth.copy(), self.stop.share(BUILDING)
        began, raised, rounds = until.elapsed, 0.0, 0
        while True:
            field.build(worth)
            rest, rounds = field.rest(), rounds + 1
            few = self.problem.counts[rest].sum() < 2 * self.law.least_size
            if few or raised >= MOST_RAISED or until():
                return field.partition()
            step = min(STEEP, max(RAISE, (MOST_RAISED - raised) / _fitting(until, began, rounds)))
            worth[rest] += step * self.problem.unit
            raised += step

    def _annealed(self, field: Field, until: float) -> Partition:
        """Try moves, ever colder, until so much is done; keep the best."""
        cooling = Cooling(self.stop)
        best, copies = field.cost, field.state.copies.copy()
        size = max(SMALL, field.usual_size())
        hot, cold = (stars * size**power for stars, power in (HOT, COLD))
        hands = Hands.of(field, self._hands(field.groups), self.stop.seed)
        while (done := cooling.done()) < until and not self.stop(best, self.stop.board.bound):
            hands.anneal(cooling.chunk(), hot * (cold / hot) ** done)
            if hands.cost < best:
                best, copies = hands.cost, hands.copies()
            self._tell(best)
        return field.at(copies)

    def _hands(self, groups: int) -> int:
        """Return how many searches go on side by side: one for each core, if the bytes need not be the same."""
        most = HANDS if self.stop.seconds is None else ALL_CORES
        return max(1, min(most, len(self.problem.counts) // HANDFUL, groups // GROUPS))

    def _tell(self, cost: int) -> None:
        board = self.stop.board
        board.cost = cost if board.cost is None else min(cost, board.cost)
        self.observer(Progress("solving", None, self.problem.stars(board.cost), self.problem.stars(board.bound)))


def _fitting(until: Stop, began: float, rounds: int) -> float:
    """Say how many more rounds fit into a time, at least one, if they take as long as those so far."""
    if until.seconds is None:
        return math.inf
    return max(1.0, (until.seconds - until.elapsed) * rounds / max(1e-6, until.elapsed - began))


class Cooling:
    """How far a search is, by its time or its moves, and how many moves come next."""

    def __init__(self, stop: Stop) -> None:
        self.stop, self.began, self.moves, self.next = stop, stop.elapsed, 0, CHUNK

    def done(self) -> float:
        """Say how much of the search is done, from 0 to 1."""
        seconds, iterations = self.stop.seconds, self.stop.iterations
        time = 0.0 if seconds is None else (self.stop.elapsed - self.began) / max(1e-6, seconds - self.began)
        return max(time, 0.0 if iterations is None else self.moves / max(1, iterations))

    def chunk(self) -> int:
        """Return how many moves to try next: about a tenth of a second, or always as many if iterations are counted."""
        if self.stop.seconds is not None and self.moves:
            self.next = max(1, int(SLICE * self.moves / max(1e-6, self.stop.elapsed - self.began)))
        self.moves += self.next
        return self.next

    def in_all(self, done: float) -> float:
        """Say about how many moves there will be in all, given how much is done."""
        most = math.inf if self.stop.iterations is None else self.stop.iterations
        return most if self.stop.seconds is None else min(most, self.moves / max(1e-6, done))


def is_wide(problem: Problem) -> bool:
    """Say whether a table has too many level vectors to list their patterns."""
    vectors = math.prod(map(len, useful_levels(problem)))
    return vectors > MANY_VECTORS and vectors * len(problem.counts) > LISTED


def cost_of(partition: Partition) -> int:
    """Return the cost of a partition."""
    return partition.cost
