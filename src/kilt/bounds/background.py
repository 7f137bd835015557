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
from kilt.run.threads import ALL_CORES, LimitedThread


class BackgroundBound:
    """Raises the bound from the moment it is entered; ``bound`` waits for the result, leaving it early abandons it."""

    def __init__(self, problem: Problem, stop: StoppingRule, observer: Observer, incumbent: Incumbent) -> None:
        self._abandoned = threading.Event()
        self._lock = threading.Lock()
        self._observer = observer
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
        while kind is None and self._thread.is_alive():
            self._thread.join(0.2)

    def wait(self, ready: threading.Event) -> None:
        """Wait for an event that the thread may set; meanwhile it has all cores."""
        self._thread.cores = ALL_CORES
        while self._thread.is_alive() and not ready.wait(0.02):
            pass
        self._thread.cores = 1

    def enough(self) -> Bound:
        """Stop raising the bound, and return what is proved."""
        self._abandoned.set()
        return self.bound()

    def bound(self) -> Bound:
        """Wait for the bound; Ctrl-C still interrupts."""
        while self._thread.is_alive():
            self._thread.join(0.2)
        if self._failed:
            raise self._failed[0]
        return self._found[0]

    def _run(self, problem: Problem, stop: StoppingRule, incumbent: Incumbent) -> None:
        try:
            self._found.append(lower_bound(problem, stop, self._observe_bound, incumbent))
        except BaseException as error:  # handed over to the thread that waits
            self._failed.append(error)
