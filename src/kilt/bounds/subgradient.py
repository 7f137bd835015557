"""Subgradient ascent: raise the multipliers of rows that are covered too little, lower those of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from kilt.bounds.incidence import Oracle
from kilt.model.problem import Problem
from kilt.numbers import FloatArray, IntArray

# returns the sum of the negative least reduced costs at multipliers, and how many copies of row types the groups hold
Least = Callable[[IntArray], tuple[float, FloatArray]]
BOX = 4  # multipliers stay above minus so many times the ceiling


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


def subgradient_ascent(oracle: Oracle, schedule: StepSchedule, first: IntArray) -> Iterator[tuple[IntArray, float]]:
    """Yield multipliers that follow the normalised subgradient from the first ones on, and the total of each.

    Multipliers above the ceiling would need patterns that are not listed.
    """
    incidence = oracle.incidence
    return ascend(incidence.problem, incidence.scale, incidence.ceiling, oracle.least, schedule, first)


def ascend(
    problem: Problem, scale: int, ceiling: int, least: Least, schedule: StepSchedule, first: IntArray
) -> Iterator[tuple[IntArray, float]]:
    """Yield multipliers up to a ceiling that follow the normalised subgradient (Adam), and the total of each.

    Floats guide the ascent, and each total is that of integer multipliers, ``scale`` of them to a unit of cost.
    """
    multipliers = first / scale
    mean, square = np.zeros_like(multipliers), np.zeros_like(multipliers)
    for step in count():
        done = schedule.progress(step)
        if done >= 1:
            return
        whole = np.floor(multipliers * scale).astype(np.int64)
        reduced_cost, taken = least(whole)
        yield whole, int(whole @ problem.counts) + reduced_cost
        subgradient = 1 - taken / problem.counts
        mean, square = 0.9 * mean + 0.1 * subgradient, 0.99 * square + 0.01 * subgradient**2
        direction, deviation = mean / (1 - 0.9 ** (step + 1)), np.sqrt(square / (1 - 0.99 ** (step + 1)))
        multipliers = multipliers + schedule.size(done) * problem.unit * direction / (deviation + 1e-3)
        multipliers = np.clip(multipliers, -BOX * ceiling, ceiling)
