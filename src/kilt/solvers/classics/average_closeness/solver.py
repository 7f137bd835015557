"""Releases guided by average closeness: each row is shown where it is most likely under the best channel.

The channel (see ``channel``) trades what the release tells on average of the sensitive values against stars. Every
quasi row goes to its most likely pattern, and the rows under a pattern are a group if that is legal; the others go to
the most likely of the patterns that are left, a few times, and are then placed as leftovers. The policy decides what is
legal; the information only guides. A few weights of a star are tried, and the cheapest release is taken. Where the
policy limits the information of the release itself, groups are merged until it is met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kilt.model.partition import Partition
from kilt.model.patterns import n_level_vectors
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.patterns.pool import Pool
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule, never
from kilt.solvers.base import Solution
from kilt.solvers.classics.average_closeness.channel import Choices, descend, descent
from kilt.solvers.common.equivalence_classes import equivalence_class
from kilt.solvers.common.leftovers import legal_groups, place_illegal
from kilt.solvers.common.merging import merge_until_accepted

NONE, EXCLUDED = -1, -1.0


@dataclass(frozen=True)
class Params:
    """Which tables are taken, and how long the descents are."""

    max_entries: int = 12_000_000  # row types times level vectors: they are held in memory
    lambdas: tuple[float, ...] = (0.3, 0.1, 0.05, 0.02, 0.01)  # nats for a star; a descent starts where the last ended
    more_lambdas: tuple[float, ...] = (0.005, 0.002, 0.001)  # where the information itself is limited
    max_steps: int = 15  # of each descent: the most likely patterns are settled long before the optimum
    min_gain: float = 1e-5  # of a step
    max_rounds: int = 10  # in which rows go to their most likely patterns; those without a legal group are left over


PARAMS = Params()


@dataclass(frozen=True)
class AverageCloseness:
    """Any policy, where all patterns can be listed."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables whose patterns are too many to list."""
        vectors = n_level_vectors(problem)
        most, n_row_types = PARAMS.max_entries // vectors, len(problem.counts)
        if n_row_types <= most:
            return None
        return f"with these ladders it takes up to {most:,} different rows, and this table has {n_row_types:,}"

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Try a few weights of a star; when stopped, return the best release so far, or all rows in one group."""
        every = np.arange(len(problem.counts))
        best = Partition.of(problem, every, np.zeros_like(every), problem.counts)
        pool = Pool.of(problem, enough=stop)
        if pool.ceiling is not None:
            return Solution(best)
        choices = Choices.of(problem, pool)
        start = choices.uniform()
        lambdas = PARAMS.lambdas + (PARAMS.more_lambdas if problem.rules.on_release else ())
        for number, lambda_ in enumerate(lambdas):
            if stop():
                break
            step, _ = descend(descent(choices, lambda_, start), lambda_, stop, PARAMS.max_steps, PARAMS.min_gain)
            found = most_likely_release(problem, choices, step.channel, stop)
            if found.cost < best.cost:
                best = min(best, merge_until_accepted(problem, found, stop), key=lambda partition: partition.cost)
            start = step.logarithm
            observer(Progress("solving", (number + 1) / len(lambdas), problem.stars(best.cost)))
        return Solution(best)


def most_likely_release(
    problem: Problem, choices: Choices, channel: FloatArray, stop: Callable[[], bool] = never
) -> Partition:
    """Return the release that shows every row where it is most likely, of the patterns that make legal groups."""
    class_of, chance = equivalence_class(problem), channel
    placed = np.full(len(choices.begin), NONE)
    for round_ in range(PARAMS.max_rounds):
        waiting = placed == NONE
        if (round_ > 0 and stop()) or not waiting.any():
            break
        likely = np.where(waiting, choices.most_likely(chance), placed)
        legal = np.zeros(len(placed), dtype=bool)
        legal[class_of] = _in_legal_groups(problem, likely[class_of])
        placed = np.where(waiting & legal, likely, placed)
        refused = np.isin(choices.pattern, likely[waiting & ~legal])
        chance = np.where(refused & (waiting & ~legal)[choices.row], EXCLUDED, chance)
    types = np.flatnonzero(placed[class_of] != NONE)
    _, groups = np.unique(placed[class_of[types]], return_inverse=True)
    return place_illegal(problem, types, groups, problem.counts[types])


def _in_legal_groups(problem: Problem, pattern: IntArray) -> BoolArray:
    """Say for every row type whether those that are shown under the same pattern are a legal group."""
    _, groups = np.unique(pattern, return_inverse=True)
    return legal_groups(problem, np.arange(len(groups)), groups, problem.counts)[groups]


@dataclass(frozen=True)
class TradeOffPoint:
    """A point of the trade-off: the information in nats, and the stars of a row, that are best under a lambda."""

    lambda_: float
    information: float
    stars: float
    iterations: int


def trade_off(
    problem: Problem, lambdas: Sequence[float], stop: StoppingRule | None = None, max_steps: int = 1000
) -> list[TradeOffPoint]:
    """Return the curve of the least information against stars, over the patterns in which a legal group may fit.

    Under k=1 or t=1 alone these are all patterns. Nothing here is a release: what is shown is left to chance.
    """
    stop = stop or StoppingRule()
    choices = Choices.of(problem, Pool.of(problem))
    points = []
    for lambda_ in lambdas:
        step, iterations = descend(descent(choices, lambda_), lambda_, stop, max_steps)
        points.append(TradeOffPoint(lambda_, step.information, step.stars, iterations))
    return points
