"""What a run tells while it goes on: where it stands, at most a few times a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

from kilt.numbers import json_number
from kilt.run.progress import Progress

EVERY = 0.25  # seconds


class Watch:
    """An observer that puts together what search and bound tell, side by side, and hands it on."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell, self._started, self._told = tell, time.monotonic(), 0.0
        self._stars: Fraction | None = None
        self._bound: Fraction | None = None
        self._last = Progress("reading")
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._hand_on()

    def __call__(self, progress: Progress) -> None:
        """Note where it stands, and hand it on if that was not just done."""
        with self._lock:
            self._stars = self._stars if progress.stars is None else progress.stars
            self._bound = self._bound if progress.bound is None else progress.bound
            changed, self._last = progress.phase != self._last.phase, progress
            if not changed and time.monotonic() < self._told + EVERY:
                return
            self._told = time.monotonic()
        self._hand_on()

    def _hand_on(self) -> None:
        self._tell(
            {
                "phase": self._last.phase,
                "done": self._last.done,
                "seconds": round(time.monotonic() - self._started, 2),
                "stars": None if self._stars is None else json_number(self._stars, up=True),
                "bound": None if self._bound is None else json_number(self._bound),
            }
        )
