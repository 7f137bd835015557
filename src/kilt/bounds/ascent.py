"""The ascent: prices are raised where rows are in too few groups of least value and lowered where in too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kilt.bounds.incidence import Oracle
from kilt.numbers import IntArray

BOX = 4  # prices stay above minus so many times the ceiling


@dataclass(frozen=True)
class Course:
    """How the steps of an ascent shrink: from ``rate`` stars to nothing, at once if ``power`` is high."""

    steps: int
    rate: float
    power: float

    def size(self, step: int) -> float:
        """Return the size of a step in stars."""
        return float(self.rate * (1 - step / self.steps) ** self.power + 1e-4)


def ascent(oracle: Oracle, course: Course) -> Iterator[tuple[IntArray, float]]:
    """Yield prices that follow the normalised subgradient (Adam) from the pattern bound on, and the total of each.

    Floats guide the prices, and each total is that of whole prices. Prices above the ceiling would need patterns that
    are not listed.
    """
    problem, ceiling, scale = oracle.incidence.problem, oracle.incidence.ceiling, oracle.incidence.scale
    prices = oracle.incidence.cheapest().astype(np.float64)
    mean, square = np.zeros_like(prices), np.zeros_like(prices)
    for step in range(course.steps):
        whole = np.floor(prices * scale).astype(np.int64)
        least, taken = oracle.least(whole)
        yield whole, int(whole @ problem.counts) + least
        slope = 1 - taken / problem.counts
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        steady, spread = mean / (1 - 0.9 ** (step + 1)), np.sqrt(square / (1 - 0.99 ** (step + 1)))
        prices = prices + course.size(step) * problem.unit * steady / (spread + 1e-3)
        prices = np.clip(prices, -BOX * ceiling, ceiling)
