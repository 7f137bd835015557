"""A release in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from kilt.errors import printable
from kilt.report.text import left_text, loss, quality, reached

if TYPE_CHECKING:
    from kilt.release.release import Release

SHOWN = 10


def release_html(release: Release) -> str:
    """Show the figures and the largest groups as a small table that works in light and dark notebooks."""
    figures = [
        ("rows", f"{release.rows:,}"),
        ("groups", f"{len(release.sizes):,}"),
        ("stars", f"{release.stars:,}"),
        ("bound", "none known" if release.bound is None else f"{release.bound:,}"),
        *([("lost", loss(release))] if release.blurs else []),
        ("detail left", left_text(release)),
        ("verified", reached(release)),
    ]
    rows = "".join(f"<tr><th style='text-align:left'>{shown(n)}</th><td>{shown(v)}</td></tr>" for n, v in figures)
    largest = sorted(release.groups, key=lambda group: -group.size)[:SHOWN]
    header = "".join(f"<th>{shown(column.name)}</th>" for column in release.plan.columns)
    groups = "".join(
        f"<tr>{''.join(_cell(cell) for cell in group.pattern.values())}<td>{group.size:,}</td></tr>"
        for group in largest
    )
    warnings = "".join(f"<p><strong>Warning</strong>: {shown(each)}</p>" for each in release.warnings)
    return (
        f"<div>{warnings}<p><strong>kilt release</strong>: {shown(quality(release))}</p><table>{rows}</table>"
        f"<p>The largest groups:</p><table><tr>{header}<th>rows</th></tr>{groups}</table></div>"
    )


def _cell(cell: str | None) -> str:
    return "<td><em>missing</em></td>" if cell is None else f"<td>{shown(cell)}</td>"


def shown(text: str) -> str:
    """Write a text so that a notebook shows it and does nothing else with it."""
    return escape(printable(text))
