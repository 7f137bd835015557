"""Where a run stands, as a panel that lives on a terminal while the run goes on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from kilt.errors import printable
from kilt.numbers import pluralize, whole_bound
from kilt.report.progress import Log, Standing, told_regularly
from kilt.run.progress import Observer, Progress
from kilt.run.recorder import Moment

BARS = "▁▂▃▄▅▆▇█"
PLAIN_BARS = "_.-=^"  # where a terminal has no other signs
WIDTH = 32  # signs of a sparkline
PER_SECOND = 4


def sparkline(values: Sequence[float | None], bars: str = BARS) -> str:
    """Draw numbers as bars between the least and the largest of them; nothing where none is known."""
    known = [value for value in values if value is not None]
    least, span = min(known, default=0.0), max(known, default=0.0) - min(known, default=0.0)
    top = len(bars) - 1

    def bar(value: float | None) -> str:
        return " " if value is None else bars[round(top * (value - least) / span)] if span else bars[top // 2]

    return "".join(map(bar, values))


def over_time(moments: Sequence[Moment], figure: str, until: float, width: int = WIDTH) -> list[float | None]:
    """Return what was known of a figure at so many moments, evenly spread from the first of all to now."""
    first = moments[0].seconds if moments else 0.0
    known: list[float | None] = []
    place, last = 0, None
    for slot in range(1, width + 1):
        while place < len(moments) and moments[place].seconds <= first + (until - first) * slot / width:
            told: Fraction | None = getattr(moments[place], figure)
            last, place = float(told) if told is not None else last, place + 1
        known.append(last)
    return known


def clock(seconds: float) -> str:
    """Write a time as minutes and seconds, or as hours, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


def panel_of(standing: Standing, title: str, bars: str = BARS) -> Panel:
    """Draw where a run stands: what it does, time and limit, rows; then stars, bound and gap, and how they went."""
    elapsed, limit, task = standing.elapsed, standing.limit, standing.task
    time = clock(elapsed) if limit is None else f"{clock(elapsed)} of {clock(max(limit + 0.5, 0))}"
    rows = [] if task is None else [pluralize(task.rows, "row")]
    placed = [f"{standing.done:.0%} placed"] if standing.done is not None and 0 < standing.done < 1 else []
    lines = [standing.name, standing.phase, "   ".join([time, *rows, *placed])]
    grid = Table.grid(padding=(0, 2))
    grid.add_row(Text("\n".join(filter(None, lines)), overflow="fold"))
    if standing.moments:
        grid.add_row(_figures(standing, elapsed, bars))
    heading = Text(printable(title), style="bold")
    return Panel(grid, title=heading, title_align="left", border_style="cyan", expand=False)


def _figures(standing: Standing, elapsed: float, bars: str) -> Table:
    figures, moments = standing.figures, standing.moments
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(justify="right", min_width=12)
    grid.add_column()
    stars = "" if figures.stars is None else f"{float(figures.stars):,.0f}"
    bound = "" if figures.bound is None else whole_bound(figures.bound, figures.stars)
    for name, shown, colour in (("stars", stars, "yellow"), ("bound", bound, "green")):
        grid.add_row(name, shown, Text(sparkline(over_time(moments, name, elapsed), bars), style=colour))
    grid.add_row("gap", "" if figures.gap is None else f"{100 * figures.gap:.2f}%", "")
    return grid


@contextmanager
def watching(title: str, *, lines: bool, at_once: bool = True, started: float | None = None) -> Iterator[Observer]:
    """Show where a run stands on standard error: as a panel on a terminal, or as lines, if these are wanted."""
    console = Console(stderr=True, highlight=False, soft_wrap=lines)
    standing = Standing(started)
    if lines or console.is_dumb_terminal:
        log = Log(standing, lambda line: console.print(line, markup=False, highlight=False), at_once=at_once)

        def write(progress: Progress) -> None:
            standing.note(progress)
            log.tell()

        with told_regularly(log):
            yield write
        return
    bars = BARS if "utf" in console.encoding.lower() and os.environ.get("TERM") != "linux" else PLAIN_BARS
    with Live(
        console=console,
        get_renderable=lambda: panel_of(standing, title, bars),
        refresh_per_second=PER_SECOND,
        transient=True,
        redirect_stdout=False,  # a release may be written there
    ):
        yield standing.note
