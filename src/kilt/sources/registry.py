"""Opening a table: which source it is."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from kilt.sources.base import Source


def open_source(data: Any, delimiter: str | None = None, beside: Source | None = None) -> Source:
    """Open a path or a frame; a file can be opened beside another, so that the two can be compared."""
    if isinstance(data, str | PathLike):
        from kilt.sources.duck.table import DuckSource  # noqa: PLC0415 - only where a file is read

        return DuckSource.open(Path(data), delimiter, beside if isinstance(beside, DuckSource) else None)
    from kilt.sources.frame import FrameSource  # noqa: PLC0415 - only where a frame is read

    return FrameSource(data)
