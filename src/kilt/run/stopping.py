"""When a solve may end: conditions that compose."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kilt.errors import InputError
from kilt.numbers import IntArray, Number, rational

if TYPE_CHECKING:
    from kilt.patterns.pool import Pool


def never() -> bool:
    """Say no."""
    return False


@dataclass
class Board:
    """What a search and a bound tell each other while they run side by side.

    ``cost`` is that of the best release so far, ``bound`` the best that is proved, and ``prices`` say for every row
    type what it is worth to place a row, ``scale`` of them for a unit of cost: a search can see from them which groups
    are cheap; where they are ``wanted``, ``ready`` says when they are good. ``pool`` has the patterns that are listed.
    """

    cost: int | None = None
    bound: int = 0
    prices: IntArray | None = None
    scale: int = 1
    wanted: bool = False
    ready: threading.Event = field(default_factory=threading.Event)
    pool: Pool | None = None


@dataclass(frozen=True)
class Stop:
    """Stop when the time or the iterations are over, when the gap is small enough, or when told to.

    Until then a search draws its random numbers from ``seed``.
    """

    seconds: float | None = None
    gap: float | None = None
    iterations: int | None = None
    seed: int = 0
    told: Callable[[], bool] = field(default=never)
    started: float = field(default_factory=time.monotonic)
    board: Board = field(default_factory=Board)

    @classmethod
    def of(
        cls,
        seconds: Number | None,
        gap: Number | None,
        told: Callable[[], bool] = never,
        iterations: int | None = None,
        seed: int = 0,
    ) -> Stop:
        """Check what the user gave."""
        share = _limit(gap, "gap")
        if share is not None and share > 1:
            raise InputError(f"'gap' is a share of the stars, from 0 to 1, not {gap}")
        if iterations is not None and iterations < 0:
            raise InputError(f"'iterations' must be a whole number of at least 0, not {iterations}")
        if seed < 0:
            raise InputError(f"'seed' must be a whole number of at least 0, not {seed}")
        return cls(_limit(seconds, "time"), share, iterations, seed, told)

    def or_else(self, seconds: float, iterations: int, gap: float) -> Stop:
        """Stop after so many seconds or iterations if neither are given, and at this gap if none is."""
        stop = self if self.gap is not None else replace(self, gap=gap)
        limited = self.seconds is not None or self.iterations is not None
        return stop if limited else replace(stop, seconds=seconds, iterations=iterations)

    def share(self, part: float) -> Stop:
        """Stop after a part of the time that is left, if there is a limit."""
        if self.seconds is None:
            return self
        return replace(self, seconds=self.elapsed + part * max(0.0, self.seconds - self.elapsed))

    def later(self, seconds: float) -> Stop:
        """Start so many seconds later."""
        return replace(self, started=self.started + seconds)

    def again(self) -> Stop:
        """Start anew, with the same limits."""
        return replace(self, started=time.monotonic(), board=Board())

    @property
    def elapsed(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.started

    def __call__(self, cost: float | None = None, bound: float | None = None) -> bool:
        """Say whether to stop, given the best cost and the best bound so far."""
        if self.told() or (self.seconds is not None and self.elapsed >= self.seconds):
            return True
        if self.gap is None or cost is None or bound is None:
            return False
        return cost - bound <= self.gap * cost


def _limit(given: Number | None, name: str) -> float | None:
    if given is None:
        return None
    try:
        limit = float(rational(given))
    except (ValueError, ZeroDivisionError):
        limit = -1.0
    if limit < 0:
        raise InputError(f"'{name}' must be a number of at least 0, not '{given}'")
    return limit
