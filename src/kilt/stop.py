"""When a solve may end: conditions that compose."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Stop:
    """Stop when the time is over, when the gap is small enough, or when told to."""

    seconds: float | None = None
    gap: float | None = None
    told: Callable[[], bool] = field(default=lambda: False)
    started: float = field(default_factory=time.monotonic)

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
