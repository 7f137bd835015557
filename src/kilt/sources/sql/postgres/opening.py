"""Opening a table of PostgreSQL, or a place there for a release of one."""

from __future__ import annotations

from typing import Any

from kilt.errors import InputError
from kilt.sources.base import Source, is_source
from kilt.sources.file_format import FileStyle
from kilt.sources.sql.postgres.table import PostgresSource
from kilt.sources.sql.postgres.url import EXAMPLE, PostgresUrl, is_postgres
from kilt.sources.sql.postgres.writer import ELSEWHERE, TableWriter
from kilt.sources.writer import Writer


def open_table(data: Any, style: FileStyle | None, beside: Source | None) -> Source:  # noqa: ARG001 - it has no style
    """Open the table or the query that a URL names."""
    return PostgresSource.open(PostgresUrl.of(data), beside)


def open_writer(output: Any, data: Any, style: FileStyle | None) -> Writer:  # noqa: ARG001 - it has no style
    """Return what writes a release to the table that a URL names, if that is in the database of the original."""
    url = PostgresUrl.of(output)
    if url.table is None:
        raise InputError(f"the output '{url.shown}' names no table: write {EXAMPLE}")
    given_elsewhere = not is_postgres(data) or PostgresUrl.of(data).server != url.server
    if data is not None and not is_source(data) and given_elsewhere:
        raise InputError(ELSEWHERE)
    return TableWriter(url, url.table)
