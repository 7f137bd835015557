"""What a person sees of a run that is on, and what Ctrl-C does to it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kilt.run.progress import Observer, Progress

NOT_SEARCHING = ("reading", "checking", "verifying", "reporting")  # phases that have no result to keep


@contextmanager
def watching_run(given: dict[str, Any], *, lines: bool = True) -> Iterator[Observer]:
    """Show what is going on, on a terminal or where it is asked for."""
    from kilt.run.progress import silent

    if not given.get("log", sys.stderr.isatty() and not given.get("json")):
        yield silent
        return
    from kilt.report.progress import watching

    with watching(lines=lines) as observer:
        yield observer


@contextmanager
def at_work() -> Iterator[None]:
    """Let Ctrl-C, or a signal to end, abandon what is being done, so that no part of a file is left."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interruptible(watch: Observer, follows: str) -> Iterator[tuple[Observer, Callable[[], bool]]]:
    """While a search is on, let the first Ctrl-C end it, so that the best so far is kept; the next abandons it.

    ``follows`` says what comes then.
    """
    phase, interrupted = "reading", False

    def follow(progress: Progress) -> None:
        nonlocal phase
        phase = progress.phase
        watch(progress)

    def stop(number: int, frame: object) -> None:  # noqa: ARG001 - as signals want it
        nonlocal interrupted
        if interrupted or phase in NOT_SEARCHING:
            raise KeyboardInterrupt
        interrupted = True
        click.echo(f"kilt: stopping; {follows} (Ctrl-C again to abandon it)", err=True)

    with at_work():
        signal.signal(signal.SIGINT, stop)
        yield follow, lambda: interrupted
