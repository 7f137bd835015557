"""What a run tells while it goes on: where it stands, at most a few times a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from kilt.numbers import json_number
from kilt.report.progress import Standing
from kilt.run.progress import Progress

EVERY = 0.25  # seconds


class Watch:
    """An observer that hands on where a run stands, as the terminal shows it."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell, self._standing = tell, Standing()
        self._told, self._phase = 0.0, ""

    def __call__(self, progress: Progress) -> None:
        """Note where it stands, and hand it on if that was not just done."""
        self._standing.note(progress)
        if self._standing.phase == self._phase and time.monotonic() < self._told + EVERY:
            return
        self._told, self._phase = time.monotonic(), self._standing.phase
        self._tell(self._plain())

    def _plain(self) -> dict[str, Any]:
        """Return it as plain values."""
        standing, figures = self._standing, self._standing.figures
        return {
            "phase": standing.phase,
            "done": standing.done,
            "seconds": round(standing.elapsed, 2),
            "limit": standing.limit,
            "stars": None if figures.stars is None else json_number(figures.stars, up=True),
            "bound": None if figures.bound is None else json_number(figures.bound),
            "gap": figures.gap,
        }
