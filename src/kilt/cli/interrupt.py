"""What a person sees of a run that is on, and what Ctrl-C does to it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from kilt.cli.started import STARTED

if TYPE_CHECKING:
    from kilt.run.progress import Observer, Progress

_abandoned: list[int] = []  # the signals that abandoned what was being done
KEEPING = frozenset({"listing", "solving", "bounding", "certifying", "writing"})  # phases with a result to keep


def can_show_panel(given: dict[str, Any]) -> bool:
    """Say whether there is a terminal for a panel, to which no release is written."""
    return sys.stderr.isatty() and not (given.get("output") == "-" and sys.stdout.isatty())


@contextmanager
def watching_run(given: dict[str, Any], table: object = None) -> Iterator[Observer]:
    """Show what is going on: as a panel on a terminal, as lines elsewhere or where a log is asked for."""
    from kilt.run.progress import silent

    log = given.get("log")
    if given.get("quiet") or log is False or (log is None and given.get("json")):
        yield silent
        return
    from kilt.report.panel import watching
    from kilt.sources.sql.postgres.url import shown_location

    title = f"kilt {click.get_current_context().info_name} {shown_location(str(table)) if table else ''}".rstrip()
    lines = bool(log) or not can_show_panel(given)
    with watching(title, lines=lines, at_once=bool(log), started=STARTED) as observer:
        yield observer


def abandon(number: int, frame: object) -> None:  # noqa: ARG001 - as signals want it
    """Abandon what is being done, and note it: native code that is being loaded makes another exception of this one."""
    _abandoned.append(number)
    raise KeyboardInterrupt


def is_abandoned() -> bool:
    """Say whether a signal has abandoned what was being done."""
    return bool(_abandoned)


@contextmanager
def at_work() -> Iterator[None]:
    """Let Ctrl-C, or a signal to end, abandon what is being done, so that no part of a file is left."""
    before = {number: signal.signal(number, abandon) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interruptible(
    watch: Observer, follows: str, keeping: frozenset[str] = KEEPING
) -> Iterator[tuple[Observer, Callable[[], bool]]]:
    """While a search is on, let the first Ctrl-C end it, so that the best so far is kept; the next abandons it.

    ``follows`` says what comes then, and ``keeping`` in which phases there is something to keep.
    """
    phase, interrupted = "reading", False

    def follow(progress: Progress) -> None:
        nonlocal phase
        phase = phase if progress.beside else progress.phase
        watch(progress)

    def stop(number: int, frame: object) -> None:
        nonlocal interrupted
        if interrupted or phase not in keeping:
            abandon(number, frame)
        interrupted = True
        click.echo(f"kilt: stopping; {follows} (Ctrl-C again to abandon it)", err=True)

    with at_work():
        signal.signal(signal.SIGINT, stop)
        yield follow, lambda: interrupted
