"""The time of several runs, one after the other: what a run does not use is there for those that are left."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from kilt.run.stopping import StoppingRule, never


@dataclass(frozen=True)
class Budget:
    """The seconds of all runs together, which those that are left share equally, and the limits of each of them."""

    seconds: float | None
    seconds_each: float | None = None
    iterations: int | None = None
    interrupted: Callable[[], bool] = field(default=never)
    started: float = field(default_factory=time.monotonic)

    @property
    def deadline(self) -> float | None:
        """The moment of the monotonic clock at which the time of all runs is over; None if there is no limit."""
        return None if self.seconds is None else self.started + self.seconds

    def next(self, left: int) -> StoppingRule:
        """Return when the next run must stop, which is the first of so many that are left; it starts now."""
        limits = [] if self.seconds_each is None else [self.seconds_each]
        if self.seconds is not None:
            limits.append(max(0.0, self.seconds - (time.monotonic() - self.started)) / left)
        return StoppingRule(min(limits, default=None), None, self.iterations, self.interrupted)
