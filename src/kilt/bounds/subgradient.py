"""Subgradient ascent: raise the multipliers of rows that are covered too little, lower those of the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from kilt.bounds.incidence import Oracle
from kilt.model.problem import Problem
from kilt.numbers import FloatArray, IntArray

# returns the sum of the negative least reduced costs at multipliers, and how many copies of row types the groups hold;
# under all patterns, or only under those that had a low reduced cost before
Least = Callable[[IntArray, bool], tuple[float, FloatArray]]
# is told of a step, how large it was and how much of the way is done
Follow = Callable[[float, float], None]
BOX = 4  # multipliers stay above minus so many times the ceiling
FULL_STEPS = 20  # at the begin that look under all patterns: too much changes


@dataclass(frozen=True)
class StepSchedule:
    """How the steps of an ascent shrink: from ``rate`` stars to nothing, at once if ``power`` is high.

    ``progress`` says after each step how much of the way is done, from 0 to 1: an ascent must know when it will end.
    """

    rate: float
    power: float
    progress: Callable[[int], float]

    @classmethod
    def of_steps(cls, steps: int, rate: float, power: float) -> StepSchedule:
        """Return a schedule of so many steps."""
        return cls(rate, power, lambda step: step / steps)

    def size(self, done: float) -> float:
        """Return the size of a step in stars."""
        return float(self.rate * (1 - done) ** self.power + 1e-4)


@dataclass
class Moments:
    """What an ascent has learned of the subgradient (Adam): its mean and its square, over so many steps."""

    mean: FloatArray
    square: FloatArray
    steps: int = 0

    @classmethod
    def of(cls, n_row_types: int) -> Moments:
        """Start with nothing learned."""
        return cls(np.zeros(n_row_types), np.zeros(n_row_types))

    def direction(self, subgradient: FloatArray) -> FloatArray:
        """Learn from a subgradient, and return the direction of the next step."""
        self.steps += 1
        self.mean = 0.9 * self.mean + 0.1 * subgradient
        self.square = 0.99 * self.square + 0.01 * subgradient**2
        deviation = np.sqrt(self.square / (1 - 0.99**self.steps))
        return np.asarray(self.mean / (1 - 0.9**self.steps) / (deviation + 1e-3))


def subgradient_ascent(
    oracle: Oracle,
    schedule: StepSchedule,
    first: IntArray,
    moments: Moments | None = None,
    follow: Follow | None = None,
) -> Iterator[tuple[IntArray, float]]:
    """Yield multipliers that follow the normalised subgradient from the first ones on, and the total of each.

    Multipliers above the ceiling would need patterns that are not listed. Where all are listed they may be higher: one
    more row of a frequent class makes the groups of other rows dearer, too. With the moments of an ascent before, this
    one goes on where that ended.
    """
    incidence = oracle.incidence
    moments = Moments.of(len(first)) if moments is None else moments
    highest = incidence.ceiling * (BOX if incidence.pool.ceiling is None else 1)
    given = incidence.problem, incidence.scale, highest
    return ascend(*given, oracle.least, schedule, first, moments, oracle.period, follow)


def ascend(
    problem: Problem,
    scale: int,
    ceiling: int | IntArray,
    least: Least,
    schedule: StepSchedule,
    first: IntArray,
    moments: Moments,
    period: int = 1,
    follow: Follow | None = None,
) -> Iterator[tuple[IntArray, float]]:
    """Yield multipliers up to a ceiling that follow the normalised subgradient (Adam), and the total of each.

    Floats guide the ascent, and each total is that of integer multipliers, ``scale`` of them to a unit of cost. After
    the first steps only every so many look under all patterns, and the last one; in between the total is -infinity.
    """
    multipliers, everywhere = first / scale, False
    for step in count():
        done = schedule.progress(step)
        if done >= 1 and (everywhere or step == 0):
            return
        everywhere = done >= 1 or moments.steps < FULL_STEPS or step % period == 0
        whole = np.floor(multipliers * scale).astype(np.int64)
        reduced_cost, taken = least(whole, everywhere)
        yield whole, int(whole @ problem.counts) + reduced_cost if everywhere else -math.inf
        step_size = schedule.size(min(done, 1.0)) * problem.unit
        multipliers = multipliers + step_size * moments.direction(1 - taken / problem.counts)
        multipliers = np.clip(multipliers, -BOX * ceiling, ceiling)
        if follow is not None:
            follow(step_size, done)
