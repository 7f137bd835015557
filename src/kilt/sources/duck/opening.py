"""Opening files, databases and relations of DuckDB's, to read a table or to write a release."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from kilt.errors import InputError
from kilt.sources.base import Source, is_object_of
from kilt.sources.duck.database import is_database, is_relation, open_database, open_relation
from kilt.sources.duck.database_writer import DatabaseWriter
from kilt.sources.duck.file_writer import FRAME, FileWriter
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import FileStyle, require_path
from kilt.sources.sql.table import SqlSource
from kilt.sources.writer import Writer


def open_table(data: Any, style: FileStyle | None, beside: Source | None) -> Source:
    """Read a table, into the same database as another one if that is given."""
    other = beside if isinstance(beside, DuckSource) else None
    if is_relation(data):
        return open_relation(data, other)
    if is_database(data):
        return open_database(data, other)
    require_path(data)
    return DuckSource.open(Path(data), style, other)


def open_writer(output: Any, data: Any, style: FileStyle | None) -> Writer:
    """Return what writes a release to a file or to a table of a database."""
    known = isinstance(data, str | PathLike | SqlSource) or is_relation(data) or is_object_of(data, "pyspark")
    if data is not None and not known:
        raise InputError(FRAME)
    if is_database(output):
        return DatabaseWriter.of(output)
    require_path(output)
    return FileWriter.of(Path(output), data, style)
