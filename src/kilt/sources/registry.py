"""Opening a table: which source it is."""

from __future__ import annotations

from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import Any

from kilt.errors import InputError
from kilt.sources.base import Source
from kilt.sources.file_format import FileStyle
from kilt.sources.sql.postgres.url import PostgresUrl, is_postgres_url

GROUP = "kilt.sources"  # the entry points by which packages bring sources of their own


def open_source(data: Any, style: FileStyle | None = None, beside: Source | None = None) -> Source:
    """Open a path or a frame; a file can be opened in the same database as another, to compare the two.

    ``style`` is what the user says of how a file is written. A source is taken as it is. An entry point of the group
    ``kilt.sources`` is called with the data and returns a source, or None if the data is not for it.
    """
    if isinstance(data, Source):
        return data
    for point in entry_points(group=GROUP):
        found: Source | None = point.load()(data)
        if found is not None:
            return found
    if is_postgres_url(data) or isinstance(data, PostgresUrl):
        return _open_postgres(data if isinstance(data, PostgresUrl) else PostgresUrl.parse(data), beside)
    if isinstance(data, str | PathLike):
        from kilt.sources.duck.table import DuckSource  # noqa: PLC0415 - only where a file is read

        return DuckSource.open(Path(data), style, beside if isinstance(beside, DuckSource) else None)
    from kilt.sources.frame import FrameSource  # noqa: PLC0415 - only where a frame is read

    return FrameSource(data)


def _open_postgres(url: PostgresUrl, beside: Source | None) -> Source:
    try:
        from kilt.sources.sql.postgres.table import PostgresSource  # noqa: PLC0415 - only where a database is read
    except ImportError:
        raise InputError("PostgreSQL is read through ADBC, which is not installed: pip install 'kilt[sql]'") from None
    return PostgresSource.open(url, beside)
