"""Opening files, to read a table from them or to write a release to them."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from kilt.errors import InputError
from kilt.sources.base import Source
from kilt.sources.duck.file_writer import FRAME, FileWriter
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import FileStyle
from kilt.sources.sql.table import SqlSource
from kilt.sources.writer import Writer


def open_table(data: Any, style: FileStyle | None, beside: Source | None) -> Source:
    """Read a file, into the same database as another table if one is given."""
    return DuckSource.open(Path(data), style, beside if isinstance(beside, DuckSource) else None)


def open_writer(output: Any, source: Any, style: FileStyle | None) -> Writer:
    """Return what writes a release to a file."""
    if source is not None and not isinstance(source, str | PathLike | SqlSource):
        raise InputError(FRAME)
    return FileWriter.of(Path(output), source, style)
