"""Progress of a run, for whoever observes it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol


@dataclass(frozen=True)
class Progress:
    """Where a run stands: what it is doing, how much of it is done, the best stars and bound so far."""

    phase: str
    done: float | None = None
    stars: Fraction | None = None
    bound: Fraction | None = None


class Observer(Protocol):
    """Anything that takes progress."""

    def __call__(self, progress: Progress) -> None:
        """Receive progress."""


def silent(progress: Progress) -> None:
    """Ignore progress."""
