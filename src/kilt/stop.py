"""When a solve may end: conditions that compose."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kilt.errors import InputError
from kilt.numbers import IntArray, Number, rational


def never() -> bool:
    """Say no."""
    return False


@dataclass
class Board:
    """What a search and a bound tell each other while they run side by side.

    ``cost`` is that of the best release so far, ``bound`` the best that is proved, and ``prices`` say for every row
    type what it is worth to place a row: a search can see from them which groups are cheap.
    """

    cost: int | None = None
    bound: int = 0
    prices: IntArray | None = None


@dataclass(frozen=True)
class Stop:
    """Stop when the time is over, when the gap is small enough, or when told to."""

    seconds: float | None = None
    gap: float | None = None
    told: Callable[[], bool] = field(default=never)
    started: float = field(default_factory=time.monotonic)
    board: Board = field(default_factory=Board)

    @classmethod
    def of(cls, seconds: Number | None, gap: Number | None, told: Callable[[], bool] = never) -> Stop:
        """Check what the user gave."""
        share = _limit(gap, "gap")
        if share is not None and share > 1:
            raise InputError(f"'gap' is a share of the stars, from 0 to 1, not {gap}")
        return cls(_limit(seconds, "time"), share, told)

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
