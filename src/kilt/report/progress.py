"""Where a run stands, for a person who waits: put together from what it tells, and written as lines of a log."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from kilt.certificates.proof.evidence import gap_of
from kilt.errors import printable
from kilt.numbers import whole_bound
from kilt.run.progress import Progress, Task
from kilt.run.recorder import MOST, Moment, thinned

EVERY = 1.0  # seconds from line to line, at least
HEADER = f"{'time':>8}{'stars':>14}{'bound':>14}{'gap':>9}"
WORDS = {
    "reading": "reading the table",
    "reading the original": "reading the original",
    "counting": "counting rows that are alike",
    "listing": "listing patterns",
    "solving": "searching for a release",
    "bounding": "proving a bound",
    "certifying": "checking the proof",
    "verifying": "verifying the release",
    "writing": "writing the release",
    "reporting": "making the report",
}


@dataclass(frozen=True)
class Figures:
    """Stars, bound and gap, as far as they are known."""

    stars: Fraction | None = None
    bound: Fraction | None = None
    gap: float | None = None


class Standing:
    """Where a run stands; search and bound may run side by side, and both tell of it."""

    def __init__(self, started: float | None = None) -> None:
        self.started = time.monotonic() if started is None else started
        self.task: Task | None = None
        self.done: float | None = None
        self.moments: list[Moment] = []  # of this task
        self._phase, self._beside = "reading", ""
        self._lock = threading.Lock()

    def note(self, progress: Progress) -> None:
        """Take in what is told; another task begins anew."""
        with self._lock:
            if progress.task is not None and progress.task != self.task:
                self.task, self.moments, self._beside = progress.task, [], ""
            if progress.beside:
                self._beside = progress.phase
            else:
                self._beside = self._beside if progress.phase == self._phase else ""
                self._phase, self.done = progress.phase, progress.done
            self._note_figures(progress.stars, progress.bound)

    def _note_figures(self, stars: Fraction | None, bound: Fraction | None) -> None:
        """Keep the last stars and the last bound, with the moment at which they became what they are."""
        before = self.figures
        stars, bound = before.stars if stars is None else stars, before.bound if bound is None else bound
        if (stars, bound) != (before.stars, before.bound):
            moments = [*self.moments, Moment(self.elapsed, stars, bound)]
            self.moments = thinned(moments, MOST) if len(moments) > 2 * MOST else moments

    @property
    def elapsed(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.started

    @property
    def limit(self) -> float | None:
        """The seconds from the start to the moment when the search must end; None if there is no limit."""
        return None if self.task is None or self.task.deadline is None else self.task.deadline - self.started

    @property
    def phase(self) -> str:
        """What is being done, in plain words, and what is done beside it."""
        phases = [self._phase, *([self._beside] if self._beside else [])]
        return ", ".join(WORDS.get(phase, phase) for phase in phases)

    @property
    def name(self) -> str:
        """The name of the task, if it is one of several."""
        return printable(self.task.name) if self.task is not None and self.task.name else ""

    @property
    def figures(self) -> Figures:
        """Stars, bound and gap."""
        if not self.moments:
            return Figures()
        last = self.moments[-1]
        if last.stars is None:
            return Figures(None, last.bound)
        least = self.task.least if self.task is not None else Fraction(0)
        bound = max(last.bound or Fraction(0), least)
        return Figures(last.stars, bound or last.bound, float(gap_of(last.stars, bound, least)))


class Log:
    """Writes a line when there is something new, at most once a second: time, stars, bound, gap, and what is done.

    The first stars are told at once, or no earlier than anything else, so that a run of less than a second is silent.
    """

    def __init__(self, standing: Standing, write: Callable[[str], None], *, at_once: bool = True) -> None:
        self.standing, self.write, self._at_once = standing, write, at_once
        self._shown = standing.elapsed
        self._said: tuple[object, ...] | None = None
        self._has_header = False
        self._lock = threading.Lock()

    def tell(self) -> None:
        """Write a line if one is due: a second after the one before, the first with stars at once if that is wanted."""
        with self._lock:
            state, elapsed = self._state(), self.standing.elapsed
            first = self.standing.figures.stars is not None and not self._has_header
            is_due = state != self._said and elapsed >= self._shown + EVERY
            if not is_due and not (first and self._at_once):
                return
            if first:
                self.write(HEADER)
            self.write(self._line(elapsed))
            self._shown, self._said, self._has_header = elapsed, state, self._has_header or first

    def _state(self) -> tuple[object, ...]:
        standing = self.standing
        return standing.figures, standing.name, standing.phase

    def _line(self, elapsed: float) -> str:
        figures = self.standing.figures
        stars = "" if figures.stars is None else f"{float(figures.stars):,.0f}"
        nothing = figures.stars is None and figures.bound is None
        bound = "" if nothing else whole_bound(figures.bound or Fraction(0), figures.stars)
        gap = "" if figures.gap is None else f"{100 * figures.gap:.2f}%"
        said = ": ".join(filter(None, (self.standing.name, self.standing.phase)))
        return f"{elapsed:>7.1f}s{stars:>14}{bound:>14}{gap:>9}  {said}"


@contextmanager
def told_regularly(log: Log) -> Iterator[None]:
    """Let a log write what is due also while the run tells nothing."""
    ended = threading.Event()

    def tell() -> None:
        while not ended.wait(EVERY / 2 or None):
            log.tell()

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
