"""Stopping rules: when a run may end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kilt.errors import InputError
from kilt.numbers import Number, rational


def never() -> bool:
    """Never interrupt."""
    return False


class TimeLeft(float):
    """What is left of a time limit, in seconds; ``limit`` is all of it."""

    limit: float

    @classmethod
    def of(cls, limit: float, spent: float) -> TimeLeft:
        """Return what is left after some time was spent."""
        left = cls(max(0.0, limit - spent))
        left.limit = limit
        return left


@dataclass(frozen=True)
class StoppingRule:
    """Stop when the time or the iterations are over, when the gap is small enough, or when interrupted.

    The gap is a share of what a release costs above the ``base``, which every release costs.
    """

    seconds: float | None = None
    gap: float | None = None
    iterations: int | None = None
    interrupted: Callable[[], bool] = field(default=never)
    started: float = field(default_factory=time.monotonic)
    base: int = 0

    @classmethod
    def of(
        cls,
        seconds: Number | None,
        gap: Number | None,
        interrupted: Callable[[], bool] = never,
        iterations: int | None = None,
    ) -> StoppingRule:
        """Check what the user gave."""
        share = read_limit(gap, "gap")
        if share is not None and share > 1:
            raise InputError(f"'gap' is a share of the stars, from 0 to 1, not {gap}")
        return cls(read_limit(seconds, "time"), share, require_iterations(iterations), interrupted)

    def with_defaults(self, seconds: float, iterations: int, gap: float) -> StoppingRule:
        """Stop after so many seconds or iterations if neither are given, and at this gap if none is."""
        rule = self if self.gap is not None else replace(self, gap=gap)
        limited = self.seconds is not None or self.iterations is not None
        return rule if limited else replace(rule, seconds=seconds, iterations=iterations)

    def share(self, part: float) -> StoppingRule:
        """Stop after a part of the time that is left, if there is a limit."""
        if self.seconds is None:
            return self
        return replace(self, seconds=self.elapsed + part * max(0.0, self.seconds - self.elapsed))

    def at_least(self, seconds: float) -> StoppingRule:
        """Stop no sooner than in so many seconds, if there is a limit."""
        return self if self.seconds is None else replace(self, seconds=max(self.seconds, self.elapsed + seconds))

    def at_most(self, seconds: float) -> StoppingRule:
        """Stop no later than in so many seconds."""
        latest = self.elapsed + seconds
        return replace(self, seconds=latest if self.seconds is None else min(self.seconds, latest))

    def delayed(self, seconds: float) -> StoppingRule:
        """Return the same rule, started so many seconds later."""
        return replace(self, started=self.started + seconds)

    def restarted(self) -> StoppingRule:
        """Return the same rule, started now."""
        return replace(self, started=time.monotonic())

    @property
    def deadline(self) -> float | None:
        """The moment of the monotonic clock at which the time is over; None if there is no limit."""
        return None if self.seconds is None else self.started + self.seconds

    @property
    def elapsed(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.started

    def __call__(self, cost: float | None = None, bound: float | None = None) -> bool:
        """Say whether to stop, given the best cost and the best bound so far."""
        if self.interrupted() or (self.seconds is not None and self.elapsed >= self.seconds):
            return True
        if self.gap is None or cost is None or bound is None:
            return False
        return cost - bound <= self.gap * (cost - self.base)


def require_iterations(iterations: int | None) -> int | None:
    """Return the number of iterations, or raise if it is none; no limit is given by None."""
    if iterations is not None and iterations < 0:
        raise InputError(f"'iterations' must be a whole number of at least 0, not {iterations}")
    return iterations


def require_seed(seed: int) -> int:
    """Return the seed of what is random, or raise if it is none."""
    if seed < 0:
        raise InputError(f"'seed' must be a whole number of at least 0, not {seed}")
    return seed


def read_limit(given: Number | None, name: str) -> float | None:
    """Return a limit as a number, or raise if it is none; no limit is given by None."""
    if given is None:
        return None
    try:
        limit = float(rational(given))
    except (ValueError, ZeroDivisionError):
        limit = -1.0
    if limit < 0:
        raise InputError(f"'{name}' must be a number of at least 0, not '{given}'")
    return limit
