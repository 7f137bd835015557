"""The bound in the background: raised in a thread during a search; the two share an incumbent."""

from __future__ import annotations

import threading
from dataclasses import replace
from types import TracebackType

from kilt.bounds.lagrangian import lower_bound
from kilt.certificates.proof.evidence import Bound
from kilt.model.problem import Problem
from kilt.run.incumbent import Incumbent
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.run.threads import ALL_CORES, LimitedThread, abandon

ALLOWANCE = (0.1, 0.2)  # the share of a time limit, and the seconds, that a proof may take longer than that


class BackgroundBound:
    """Raises the bound from the moment it is entered; ``bound`` waits for the result, leaving it early gives it up."""

    def __init__(self, problem: Problem, stop: StoppingRule, observer: Observer, incumbent: Incumbent) -> None:
        self._abandoned = threading.Event()
        self._lock = threading.Lock()
        self._problem, self._observer = problem, observer
        self._proved: list[Bound] = []
        self._found: list[Bound] = []
        self._failed: list[BaseException] = []
        until = replace(stop, interrupted=lambda: self._abandoned.is_set() or stop.interrupted())
        self._thread = LimitedThread(target=self._run, args=(problem, until, incumbent), daemon=True)

    def observe(self, progress: Progress) -> None:
        """Report the progress of either side to the observer, one at a time."""
        with self._lock:
            self._observer(progress)

    def _observe_bound(self, progress: Progress) -> None:
        self.observe(replace(progress, beside=True))

    def __enter__(self) -> BackgroundBound:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._abandoned.set()

    def wait(self, ready: threading.Event) -> None:
        """Wait for an event that the thread may set; meanwhile it has all cores."""
        self._thread.cores = ALL_CORES
        while self._thread.is_alive() and not ready.wait(0.02):
            pass
        self._thread.cores = 1

    def enough(self, limit: StoppingRule) -> Bound:
        """Stop raising the bound, and return what is proved."""
        self._abandoned.set()
        self._thread.cores = ALL_CORES
        return self.bound(limit)

    def bound(self, limit: StoppingRule) -> Bound:
        """Wait for the bound; Ctrl-C still interrupts. A last proof that takes too long is not waited for."""
        share, seconds = ALLOWANCE
        late = limit if limit.seconds is None else replace(limit, seconds=(1 + share) * limit.seconds + seconds)
        while self._thread.is_alive() and (late.seconds is None or late.elapsed < late.seconds):
            self._thread.join(0.02)
        if self._thread.is_alive():
            abandon(self._thread)
            return max(self._proved, key=lambda bound: bound.cost, default=Bound(self._problem.base_cost))
        if self._failed:
            raise self._failed[0]
        return self._found[0]

    def _run(self, problem: Problem, stop: StoppingRule, incumbent: Incumbent) -> None:
        try:
            self._found.append(lower_bound(problem, stop, self._observe_bound, incumbent, self._proved))
        except BaseException as error:  # handed over to the thread that waits
            self._failed.append(error)
