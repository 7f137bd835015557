"""Progress of a run, for whoever observes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol


@dataclass(frozen=True)
class Task:
    """What is being solved: so many rows, until a moment of the monotonic clock; its name, if it is one of several.

    The least levels of ladders cost ``least`` stars in every release.
    """

    rows: int
    deadline: float | None = None
    least: Fraction = Fraction(0)
    name: str | None = None


@dataclass(frozen=True)
class Progress:
    """Where a run stands: what it is doing, how much of it is done, the best stars and bound so far.

    What goes on ``beside`` the search, in the background, says so.
    """

    phase: str
    done: float | None = None
    stars: Fraction | None = None
    bound: Fraction | None = None
    task: Task | None = None
    beside: bool = False


class Observer(Protocol):
    """Anything that takes progress."""

    def __call__(self, progress: Progress) -> None:
        """Receive progress."""


def silent(progress: Progress) -> None:
    """Ignore progress."""


def on_task(observer: Observer, task: Task) -> Observer:
    """Return an observer that says what task the progress belongs to."""
    return lambda progress: observer(replace(progress, task=task))
