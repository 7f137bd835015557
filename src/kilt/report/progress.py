"""Where a run stands, for a person who waits: a spinner, and a line a second with stars, bound and gap."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from rich.console import Console

from kilt.run.progress import Observer, Progress

EVERY = 1.0  # seconds from line to line
HEADER = f"{'time':>8}{'stars':>14}{'bound':>14}{'gap':>9}"


class Log:
    """Puts together what search and bound tell, which may run side by side."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.shown = 0.0
        self.stars: Fraction | None = None
        self.bound: Fraction | None = None

    def note(self, progress: Progress) -> None:
        """Keep the last stars and the last bound."""
        self.stars = self.stars if progress.stars is None else progress.stars
        self.bound = self.bound if progress.bound is None else progress.bound

    def due(self) -> bool:
        """Say whether it is time for a line, which there is none for before there are stars."""
        elapsed = time.monotonic() - self.started
        if self.stars is None or (self.shown and elapsed < self.shown + EVERY):
            return False
        self.shown = elapsed
        return True

    def line(self) -> str:
        """Return the line: seconds, stars, bound, gap."""
        stars, bound = self.stars or Fraction(0), self.bound or Fraction(0)
        gap = f"{100 * float((stars - bound) / stars):.2f}%" if stars else "0.00%"
        return f"{time.monotonic() - self.started:>7.1f}s{float(stars):>14,.0f}{float(bound):>14,.0f}{gap:>9}"


@contextmanager
def watching(*, lines: bool) -> Iterator[Observer]:
    """Show a spinner if there is a terminal, and lines if they are wanted, on standard error."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    log = Log()
    with console.status("reading") as status:

        def show(progress: Progress) -> None:
            placing = progress.done is not None and 0 < progress.done < 1
            status.update(f"{progress.phase} {progress.done:.0%} of the rows placed" if placing else progress.phase)
            log.note(progress)
            first = not log.shown
            if lines and log.due():
                console.print(HEADER + "\n" + log.line() if first else log.line())

        yield show
