"""Charts as small SVG pictures: lines over two axes, drawn by a template from a few numbers.

Bars need no picture of their own: they stand in the cells of the tables that they show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kilt.report.data.model import ReportCloseness, ReportPoint

WIDTH, HEIGHT = 400, 220
LEFT, RIGHT, TOP, BOTTOM = 58, 22, 14, 40  # what the axes need around the picture


@dataclass(frozen=True)
class Tick:
    """A place on an axis, and what stands there."""

    at: float
    text: str


@dataclass(frozen=True)
class Line:
    """A line through points, as SVG writes them; ``kind`` says how it is drawn, ``name`` what it is."""

    name: str
    kind: str
    points: str


@dataclass(frozen=True)
class Dot:
    """A point that stands out on a line: where it is, what it is, and whether it is the one that was chosen."""

    x: float
    y: float
    text: str
    chosen: bool


@dataclass(frozen=True)
class Chart:
    """Lines over two axes; dots are points of them that can be chosen."""

    identity: str
    title: str
    description: str
    x_name: str
    y_name: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...] = ()
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


@dataclass(frozen=True)
class _Axis:
    """A range of numbers on a range of the picture."""

    low: float
    high: float
    start: float
    end: float

    def at(self, number: float) -> float:
        span = self.high - self.low
        return self.start + (self.end - self.start) * ((number - self.low) / span if span else 0.5)

    def ticks(self, unit: str = "") -> tuple[Tick, ...]:
        return tuple(Tick(round(self.at(n), 2), f"{n:,.10g}{unit}") for n in round_steps(self.low, self.high))


def distance_chart(column: ReportCloseness, place: int) -> Chart:
    """Draw the distances of all groups, from the closest to the farthest, and the threshold."""
    most = max([*column.distances, column.threshold or 0.0, 0.01])
    x, y = _x(0, 100), _y(0, most * 1.05)
    groups = [(100 * i / len(column.distances), distance) for i, distance in enumerate(column.distances)]
    lines = [Line("distance of the groups", "first", _points(x, y, _steps(groups, 100)))]
    if column.threshold is not None:
        limit = [(0.0, column.threshold), (100.0, column.threshold)]
        lines.append(Line(f"limit t={column.threshold:g}", "limit", _points(x, y, limit)))
    allowed = "no limit" if column.threshold is None else f"a limit of {column.threshold:g}"
    return Chart(
        f"distance-{place}",
        f"Distance of the groups to the table in {column.column}",
        f"A rising curve from {column.distances[0]:.3g} to {column.distances[-1]:.3g}, with {allowed}.",
        "share of the groups, closest first",
        "distance",
        x.ticks("%"),
        y.ticks(),
        tuple(lines),
    )


def progress_chart(points: Sequence[ReportPoint]) -> Chart:
    """Draw stars and bound over time."""
    known = [n for point in points for n in (point.stars, point.bound) if n is not None]
    stars = [(p.seconds, p.stars) for p in points if p.stars is not None]
    bounds = [(p.seconds, p.bound) for p in points if p.bound is not None]
    low = min([bound for _, bound in bounds[-1:]] + [star for _, star in stars], default=0)
    low = max(0.0, low - (max(known) - low) * 0.5)  # the first bounds are far below all that matters
    high = max(known) + 0.05 * (max(known) - low)
    x, y = _x(0, max(points[-1].seconds, 0.001)), _y(low, high if high > low else low + 1)
    lines = [
        Line(name, kind, _points(x, y, _steps([(s, max(n, low)) for s, n in curve], points[-1].seconds)))
        for name, kind, curve in (("stars", "first", stars), ("bound", "second", bounds))
        if curve
    ]
    return Chart(
        "progress",
        "Stars and bound during the run",
        "The stars fall and the bound rises until they meet, or the run ends.",
        "seconds",
        "stars",
        x.ticks(),
        y.ticks(),
        tuple(lines),
    )


@dataclass(frozen=True)
class FrontierDot:
    """A policy of a frontier: what it is called on its axis, its stars and its bound, if it can be met."""

    name: str
    stars: float | None
    bound: float | None
    chosen: bool = False


def frontier_chart(name: str, found: Sequence[FrontierDot]) -> Chart:
    """Draw stars and bounds of policies that differ in one number, each in a place of its own."""
    known = [n for each in found for n in (each.stars, each.bound) if n is not None]
    x, y = _x(-0.5, len(found) - 0.5), _y(0, max([*known, 1]) * 1.05)
    stars = [(place, each.stars) for place, each in enumerate(found) if each.stars is not None]
    bounds = [(place, each.bound) for place, each in enumerate(found) if each.bound is not None]
    lines = [
        Line(title, kind, _points(x, y, curve))
        for title, kind, curve in (("stars", "first", stars), ("bound: no release has fewer", "second", bounds))
        if curve
    ]
    return Chart(
        "frontier",
        f"Stars and bound by {name}",
        "; ".join(f"{each.name}: {'cannot be met' if each.stars is None else f'{each.stars:,}'}" for each in found),
        name,
        "stars",
        tuple(Tick(round(x.at(place), 2), each.name) for place, each in enumerate(found)),
        y.ticks(),
        tuple(lines),
        tuple(Dot(round(x.at(p), 2), round(y.at(n), 2), found[p].name, found[p].chosen) for p, n in stars),
    )


def round_steps(low: float, high: float, most: int = 5) -> list[float]:
    """Return at most about so many round numbers from low to high."""
    if high <= low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first = math.ceil(low / step - 1e-9)
    return [round(place * step, 10) for place in range(first, math.floor(high / step + 1e-9) + 1)]


def _x(low: float, high: float) -> _Axis:
    return _Axis(low, high, LEFT, WIDTH - RIGHT)


def _y(low: float, high: float) -> _Axis:
    return _Axis(low, high, HEIGHT - BOTTOM, TOP)


def _points(x: _Axis, y: _Axis, curve: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x.at(a):.2f},{y.at(b):.2f}" for a, b in curve)


def _steps(curve: Sequence[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    """Return a curve that stays where it is until the next point, up to the end."""
    found: list[tuple[float, float]] = []
    for seconds, height in curve:
        if found:
            found.append((seconds, found[-1][1]))
        found.append((seconds, height))
    return [*found, (end, found[-1][1])]
