"""What a policy costs, about: what is found first is told first, so that nobody waits for a proof to see the stars."""

from __future__ import annotations

import threading
import time
from fractions import Fraction
from typing import Any

from kilt.commands.frontier import Frontier, FrontierPoint
from kilt.errors import KiltError
from kilt.numbers import json_number
from kilt.report.progress import Figures, Standing
from kilt.run.budget import Budget
from kilt.run.progress import Progress
from kilt.sources.counted_table import CountedTable
from kilt.studio.work.calling import Calling

SEARCHING = 0.8  # seconds of search: with all around it, an estimate is there within two
PREPARING = 0.2  # seconds that may pass before the search; what takes longer is taken from it
SHORTEST = 0.2  # seconds that are left to it in any case
LATEST = 1.35  # seconds after which it is stopped, whatever it would still like to finish
EVERY = 0.15  # seconds from one figure that is told to the next


def estimate(calling: Calling, known: dict[str, Any], table: CountedTable, begun: float) -> dict[str, Any]:
    """Search for a moment, and tell what is found, beside what is known; ``begun`` is when somebody began to wait."""
    left = SEARCHING + PREPARING - (time.monotonic() - begun)
    seconds = min(max(left, SHORTEST), SEARCHING)
    latest = time.monotonic() + seconds + LATEST - SEARCHING
    budget = Budget(seconds, None, None, lambda: calling.interrupted() or time.monotonic() >= latest)
    telling = Telling(calling, known, table)
    for point in Frontier(table, [table.policy], "auto", 0, telling).points(budget):
        return {**known, "found": _last(table, point)}
    raise KiltError("the estimate was interrupted")


class Telling:
    """An observer that hands on stars and bound as soon as they are there, and as shares of what could be hidden."""

    def __init__(self, calling: Calling, known: dict[str, Any], table: CountedTable) -> None:
        self._calling, self._known, self._table = calling, known, table
        self._standing, self._lock = Standing(), threading.Lock()
        self._told, self._at = Figures(), 0.0

    def __call__(self, progress: Progress) -> None:
        """Note the figures; search and bound may do so side by side."""
        with self._lock:
            self._standing.note(progress)
            figures = self._standing.figures
            if figures.stars is None or (figures.stars, figures.bound) == (self._told.stars, self._told.bound):
                return
            if time.monotonic() >= self._at + EVERY:
                self._told, self._at = figures, time.monotonic()
                self._calling.tell({**self._known, "found": _so_far(self._table, figures.stars, figures.bound)})


def _so_far(table: CountedTable, stars: Fraction, bound: Fraction | None) -> dict[str, Any]:
    """Return what is found so far; a bound of nothing is none yet."""
    return {
        "stars": json_number(stars, up=True),
        "lost": float(table.scale.share(stars)),
        "must_be_lost": float(table.scale.share(bound)) if bound else None,
        "blurs": table.blurs,
        "status": None,
        "infeasible": None,
    }


def _last(table: CountedTable, point: FrontierPoint) -> dict[str, Any]:
    """Return what was found in the end, or why there is nothing."""
    if point.exact_stars is None:
        return {"infeasible": point.infeasible}
    bound = None if point.exact_bound is None else float(table.scale.share(point.exact_bound))
    return {**_so_far(table, point.exact_stars, None), "must_be_lost": bound, "status": point.status}
