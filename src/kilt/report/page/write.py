"""Writing a report: staged next to its place, and renamed into it at the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any

from kilt.errors import InputError
from kilt.report.data.model import Report
from kilt.staging import require_writable, staged_bytes

HTML, JSON = (".html", ".htm"), ".json"


def require_report_place(path: str | PathLike[str], **others: Any) -> None:
    """Raise, before any work is done, unless a report can be written there."""
    if Path(path).suffix.lower() not in (*HTML, JSON):
        raise InputError(f"the report '{path}' must be a file whose name ends in .html or .json")
    require_writable(Path(path), "report", **others)


def rendered(report: Report, path: str | PathLike[str]) -> bytes:
    """Return the bytes of a report, as the name of its file wants it."""
    if Path(path).suffix.lower() == JSON:
        return (json.dumps(report.to_dict(), ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
    from kilt.report.page.html import report_html  # noqa: PLC0415 - templates are loaded only where a page is made

    return report_html(report).encode("utf-8", "replace")


def staged_report(
    path: str | PathLike[str] | None, make: Callable[[], Report]
) -> AbstractContextManager[Callable[[], None]]:
    """Make a report and write it to a staging file; the function puts it in place."""
    if path is None:
        return nullcontext(lambda: None)
    return staged_bytes(Path(path), rendered(make(), path))
