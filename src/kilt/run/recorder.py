"""What a run has told of stars and bound, moment by moment, for those who look at it afterwards."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kilt.run.progress import Observer, Progress

MOST = 400  # moments that are kept


@dataclass(frozen=True)
class Moment:
    """The best stars and the best bound, so many seconds after the start."""

    seconds: float
    stars: Fraction | None
    bound: Fraction | None


class Recorder:
    """An observer that hands on what it is told, and keeps the stars and bounds among it."""

    def __init__(self, observer: Observer) -> None:
        self._observer, self._started = observer, time.monotonic()
        self._told: list[Moment] = []
        self._lock = threading.Lock()  # search and bound run side by side

    def __call__(self, progress: Progress) -> None:
        """Keep what is new, and hand it on."""
        with self._lock:
            last = self._told[-1] if self._told else Moment(0.0, None, None)
            new = (progress.stars, progress.bound) != (last.stars, last.bound)
            if new and (progress.stars is not None or progress.bound is not None):
                self._told.append(Moment(time.monotonic() - self._started, progress.stars, progress.bound))
                self._told = thinned(self._told, MOST) if len(self._told) > 4 * MOST else self._told
        self._observer(progress)

    def moments(self, stars: Fraction, bound: Fraction | None) -> tuple[Moment, ...]:
        """Return the moments at which stars or bound became better, up to those of the end.

        What was told of a part of the table alone is left out: fewer stars than in the end, or a higher bound.
        """
        found: list[Moment] = []
        best, proved = None, None
        for told in [*self._told, Moment(time.monotonic() - self._started, stars, bound)]:
            if told.stars is not None and told.stars >= stars:
                best = told.stars if best is None else min(best, told.stars)
            if told.bound is not None and bound is not None and told.bound <= bound:
                proved = told.bound if proved is None else max(proved, told.bound)
            if not found or (best, proved) != (found[-1].stars, found[-1].bound):
                found.append(Moment(told.seconds, best, proved))
        return tuple(thinned(found, MOST))


def thinned(moments: Sequence[Moment], most: int) -> list[Moment]:
    """Return at most so many of the moments, the first and the last among them."""
    if len(moments) <= most:
        return list(moments)
    step = (len(moments) - 1) / (most - 1)
    return [moments[round(place * step)] for place in range(most)]
