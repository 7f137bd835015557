"""Charts as files and in notebooks: the same drawing as in a report, as a picture of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from kilt.errors import InputError
from kilt.numbers import json_number
from kilt.report.page.charts import Chart
from kilt.report.page.html import number, render, short
from kilt.staging import require_writable, staged_bytes

WIDTH, ROW, TOP, CHARACTER = 640, 26, 40, 7.0  # what a bar, the title and a character of a label take
LONGEST = 34  # characters of a label


@dataclass(frozen=True)
class PlotBar:
    """A bar: its label, its length, what stands behind it, and a mark on it (a bound), if there is one."""

    label: str
    value: float | None
    text: str
    mark: float | None = None


@dataclass(frozen=True)
class PlacedBar:
    """A bar in its place."""

    label: str
    text: str
    y: float
    width: float
    mark: float | None


class Plot:
    """A picture that can be shown in a notebook, or written to a file."""

    def svg(self) -> str:
        """Return the picture as SVG."""
        raise NotImplementedError

    def _repr_svg_(self) -> str:
        return self.svg()

    def write(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file (.svg); it appears whole or not at all."""
        require_plot_place(path)
        with staged_bytes(Path(path), self.svg().encode("utf-8", "replace")) as put:
            put()


@dataclass(frozen=True)
class BarPlot(Plot):
    """Bars with labels, one below the other; ``key`` says what they are, and ``most`` is the length of the widest."""

    title: str
    key: str
    bars: tuple[PlotBar, ...]
    most: float | None = None

    def svg(self) -> str:
        """Return the picture as SVG."""
        left = 16 + CHARACTER * max((len(short(bar.label, LONGEST)) for bar in self.bars), default=0)
        right = 28 + CHARACTER * max((len(bar.text) for bar in self.bars), default=0)
        numbers = [n for bar in self.bars for n in (bar.value, bar.mark) if n is not None]
        most = self.most or max(numbers, default=0) or 1
        scale = max(60.0, WIDTH - left - right) / most
        placed = [
            PlacedBar(
                short(bar.label, LONGEST),
                bar.text,
                TOP + ROW * place,
                round(scale * (bar.value or 0), 2),
                None if bar.mark is None else round(left + scale * bar.mark, 2),
            )
            for place, bar in enumerate(self.bars)
        ]
        height = TOP + ROW * len(placed) + 28
        return render("bars.svg.jinja", plot=self, bars=placed, left=left, width=WIDTH, height=height)


@dataclass(frozen=True)
class LinePlot(Plot):
    """Lines over two axes."""

    chart: Chart

    def svg(self) -> str:
        """Return the picture as SVG."""
        return render("lines.svg.jinja", chart=self.chart)


def stars_plot(title: str, results: Sequence[Any], labels: Sequence[str]) -> BarPlot:
    """Draw the stars of releases with the bound as a mark, given anything that has both; None is drawn as nothing."""
    bars = [
        PlotBar(
            label,
            None if result.exact_stars is None else float(result.exact_stars),
            "none" if result.exact_stars is None else number(json_number(result.exact_stars, up=True)),
            None if result.exact_stars is None or result.exact_bound is None else float(result.exact_bound),
        )
        for label, result in zip(labels, results, strict=True)
    ]
    return BarPlot(title, "bar: stars; line: no release can have fewer", tuple(bars))


def require_plot_place(path: str | PathLike[str], **others: Any) -> None:
    """Raise, before any work is done, unless a picture can be written there."""
    if Path(path).suffix.lower() != ".svg":
        raise InputError(f"the plot '{path}' must be a file whose name ends in .svg")
    require_writable(Path(path), "plot", **others)
