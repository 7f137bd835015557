"""The charts of a report one by one, for notebooks."""

from __future__ import annotations

from dataclasses import dataclass

from kilt.errors import InputError, nearest
from kilt.report.data.model import Report
from kilt.report.page.charts import distance_chart, progress_chart
from kilt.report.page.html import bound_percent
from kilt.report.page.plot import BarPlot, LinePlot, PlotBar


@dataclass(frozen=True)
class ReleasePlots:
    """Pictures of a release: each is shown in a notebook, and has ``svg()`` and ``write(path)``."""

    report: Report

    def columns(self) -> BarPlot:
        """Draw how much detail is left of each quasi column."""
        bars = (PlotBar(c.name, c.detail_left, bound_percent(c.detail_left)) for c in self.report.columns)
        return BarPlot("Detail left, by column", "bar: share of the detail", tuple(bars), most=1.0)

    def rows(self) -> BarPlot:
        """Draw how many rows lost 0, 1, 2, ... cells."""
        bars = (PlotBar(f"{each.cells} lost", each.rows, f"{each.rows:,}") for each in self.report.lost_rows)
        return BarPlot("Rows, by the number of cells that they lost", "bar: rows", tuple(bars))

    def sizes(self) -> BarPlot:
        """Draw how many rows are in groups of which size."""
        bars = (
            PlotBar(f"{each.smallest:,} to {each.largest:,}", each.rows, f"{each.rows:,}") for each in self.report.sizes
        )
        return BarPlot("Rows, by the size of their group", "bar: rows", tuple(bars))

    def distances(self, column: str | None = None) -> LinePlot:
        """Draw the distances of the groups to the table in a sensitive column, the first if none is named."""
        known = {each.column: each for each in self.report.closeness}
        if not known:
            raise InputError("there is no sensitive column whose distances could be drawn")
        chosen = next(iter(known)) if column is None else column
        if chosen not in known:
            raise InputError(f"'{chosen}' is not a sensitive column: {nearest(chosen, known)}")
        return LinePlot(distance_chart(known[chosen], 1))

    def progress(self) -> LinePlot:
        """Draw stars and bound over time."""
        if not self.report.progress:
            raise InputError("nothing is known of the run that made this release")
        return LinePlot(progress_chart(self.report.progress))
