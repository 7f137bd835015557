"""The ascent: prices are raised where rows are in too few groups of least value and lowered where in too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kilt.bounds.oracles import Oracle
from kilt.numbers import IntArray
from kilt.problem import Problem

BOX = 4  # prices stay above minus so many times the ceiling


@dataclass(frozen=True)
class Bound:
    """Prices that prove a bound: together with the least values they are ``total``, scaled."""

    prices: IntArray
    total: int
    scale: int

    @property
    def cost(self) -> int:
        """No legal partition costs less than this."""
        return max(0, -(-self.total // self.scale))


@dataclass(frozen=True)
class Course:
    """How the steps of an ascent shrink: from ``rate`` stars to nothing, at once if ``power`` is high."""

    steps: int
    rate: float
    power: float

    def size(self, step: int) -> float:
        """Return the size of a step in stars."""
        return float(self.rate * (1 - step / self.steps) ** self.power + 1e-4)


def evaluated(problem: Problem, oracle: Oracle, prices: IntArray) -> tuple[Bound, IntArray]:
    """Return the bound of any prices, and the copies of each row type in the groups of least value."""
    least, taken = oracle.least(prices)
    return Bound(prices, int(prices @ problem.counts) + least, oracle.incidence.scale), taken


def ascent(problem: Problem, oracle: Oracle, course: Course) -> Iterator[Bound]:
    """Yield the bounds of prices that follow the normalised subgradient (Adam), from the pattern bound on.

    Floats guide the prices; each bound is that of whole prices, in integers. Prices above the ceiling would need
    patterns that are not listed.
    """
    ceiling, scale = oracle.incidence.ceiling, oracle.incidence.scale
    prices = oracle.incidence.cheapest().astype(np.float64)
    mean, square = np.zeros_like(prices), np.zeros_like(prices)
    for step in range(course.steps):
        bound, taken = evaluated(problem, oracle, np.floor(prices * scale).astype(np.int64))
        yield bound
        slope = 1 - taken / problem.counts
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        steady, spread = mean / (1 - 0.9 ** (step + 1)), np.sqrt(square / (1 - 0.99 ** (step + 1)))
        prices = prices + course.size(step) * problem.unit * steady / (spread + 1e-3)
        prices = np.clip(prices, -BOX * ceiling, ceiling)
