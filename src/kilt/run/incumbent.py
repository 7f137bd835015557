"""The incumbent: the best that a search and a bound have found so far, while they run side by side."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kilt.numbers import IntArray

if TYPE_CHECKING:  # small tables do without it
    from kilt.model.problem import Problem
    from kilt.patterns.pool import Pool


SMALL = 5_000  # row types of a table at most that is small


@dataclass
class Incumbent:
    """The best cost, the best proven bound, and the multipliers and patterns that belong to it.

    Every row type has a multiplier, ``scale`` of them to a unit of cost: they show a search which groups have a low
    reduced cost. Where it has ``wanted`` them, ``ready`` is set when they are good. ``pool`` has the listed patterns,
    only those up to a ceiling if multipliers ask for others ``on_demand``.

    In small tables ``early`` has the multipliers after few steps, after more, and so on, whatever the time. The proof
    of the bound ``counts_groups`` where that raises it.
    """

    cost: int | None = None
    bound: int = 0
    multipliers: IntArray | None = None
    scale: int = 1
    pool: Pool | None = None
    on_demand: bool = False
    wanted: bool = False
    counts_groups: bool = True
    ready: threading.Event = field(default_factory=threading.Event)
    early: list[IntArray] = field(default_factory=list)

    def improve(self, cost: int) -> int:
        """Record the cost of a legal partition; return the best cost so far."""
        self.cost = cost if self.cost is None else min(cost, self.cost)
        return self.cost


def is_small(problem: Problem) -> bool:
    """Say whether steps and moves are so short that a search begins again and again, with better multipliers."""
    return len(problem.counts) <= SMALL
