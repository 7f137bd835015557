"""Releases guided by average closeness: each row is shown where it is most likely under the best channel.

The channel (see ``channel``) trades what the release tells on average of the sensitive values against stars. Every
quasi row goes to its most likely pattern, and the rows under a pattern are a group if that is legal; the others go to
the most likely of the patterns that are left, a few times, and are then placed as the rest. The policy decides what is
legal; the information only guides. A few prices of a star are tried, and the cheapest release is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kilt.model.partition import Partition
from kilt.model.patterns import useful_levels
from kilt.model.problem import Problem
from kilt.numbers import BoolArray, FloatArray, IntArray
from kilt.patterns.pool import Pool
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule, never
from kilt.solvers.base import Solution
from kilt.solvers.classics.average_closeness.channel import Choices, descended, descent
from kilt.solvers.common.equivalence_classes import equivalence_class
from kilt.solvers.common.leftovers import legal_groups, place_illegal

MOST_ENTRIES = 12_000_000  # row types times level vectors
LAMBDAS = (0.3, 0.1, 0.05, 0.02, 0.01)  # nats for a star; each descent starts where the one before ended
MOST_STEPS = 15  # for each of them
SMALLEST_GAIN = 1e-5
MOST_WISHES = 10
NOWHERE, STRUCK = -1, -1.0


@dataclass(frozen=True)
class AverageCloseness:
    """Any policy, where all patterns can be listed."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables whose patterns are too many to list."""
        vectors = math.prod(len(levels) for levels in useful_levels(problem))
        most, kinds = MOST_ENTRIES // vectors, len(problem.counts)
        if kinds <= most:
            return None
        return f"with these ladders it takes up to {most:,} different rows, and this table has {kinds:,}"

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Try a few prices of a star; when told to stop, the best release so far, or all rows in one group."""
        every = np.arange(len(problem.counts))
        best = Partition.of(problem, every, np.zeros_like(every), problem.counts)
        pool = Pool.of(problem, enough=stop)
        if pool.ceiling is not None:
            return Solution(best)
        choices = Choices.of(problem, pool)
        start = choices.uniform()
        for number, lambda_ in enumerate(LAMBDAS):
            if stop():
                break
            step, _ = descended(descent(choices, lambda_, start), lambda_, stop, MOST_STEPS, SMALLEST_GAIN)
            best = min(best, shown(problem, choices, step.channel, stop), key=lambda partition: partition.cost)
            start = step.logarithm
            observer(Progress("solving", (number + 1) / len(LAMBDAS), problem.stars(best.cost)))
        return Solution(best)


def shown(problem: Problem, choices: Choices, channel: FloatArray, stop: Callable[[], bool] = never) -> Partition:
    """Return the release that shows every row where it is most likely, of the patterns that make legal groups."""
    alike, chance = equivalence_class(problem), channel
    placed = np.full(len(choices.begin), NOWHERE)
    for wish in range(MOST_WISHES):
        waiting = placed == NOWHERE
        if (wish > 0 and stop()) or not waiting.any():
            break
        wished = np.where(waiting, choices.most_likely(chance), placed)
        legal = np.zeros(len(placed), dtype=bool)
        legal[alike] = _in_legal_groups(problem, wished[alike])
        placed = np.where(waiting & legal, wished, placed)
        refused = np.isin(choices.pattern, wished[waiting & ~legal])
        chance = np.where(refused & (waiting & ~legal)[choices.row], STRUCK, chance)
    types = np.flatnonzero(placed[alike] != NOWHERE)
    _, groups = np.unique(placed[alike[types]], return_inverse=True)
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
    problem: Problem, lambdas: Sequence[float], stop: StoppingRule | None = None, most_steps: int = 1000
) -> list[TradeOffPoint]:
    """Return the curve of the least information against stars, over the patterns in which a legal group may fit.

    Under k=1 or t=1 alone these are all patterns. Nothing here is a release: what is shown is left to chance.
    """
    stop = stop or StoppingRule()
    choices = Choices.of(problem, Pool.of(problem))
    points = []
    for lambda_ in lambdas:
        step, iterations = descended(descent(choices, lambda_), lambda_, stop, most_steps)
        points.append(TradeOffPoint(lambda_, step.information, step.stars, iterations))
    return points
