"""Pictures that commands write on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def check_plot(given: dict[str, Any]) -> None:
    """Raise, before any work is done, if a picture is wanted that cannot be written."""
    if given.get("plot"):
        from kilt.report.page.plot import require_plot_place

        require_plot_place(given["plot"], input=given.get("input"))


def write_plot(given: dict[str, Any], title: str, results: Sequence[Any], labels: Sequence[str]) -> None:
    """Draw stars and bounds, if that is wanted."""
    if given.get("plot"):
        from kilt.report.page.plot import stars_plot

        stars_plot(title, results, labels).write(given["plot"])


def drawn(given: dict[str, Any], text: str) -> str:
    """Add to a text that a picture was written, if one was."""
    from kilt.errors import printable

    return f"{text}\nwrote {printable(given['plot'])}" if given.get("plot") else text
