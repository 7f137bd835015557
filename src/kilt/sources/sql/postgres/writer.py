"""Writing a release to a table: it is verified where it is made, and published in the transaction that read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from kilt.errors import InputError
from kilt.model.marks import ColumnMark, Indicator
from kilt.sources.base import Source
from kilt.sources.sql.names import TableName
from kilt.sources.sql.postgres.publish import Place, publish
from kilt.sources.sql.postgres.table import PostgresSource
from kilt.sources.sql.postgres.url import PostgresUrl
from kilt.sources.writer import StagedRelease

ELSEWHERE = (
    "a release is written to a table only in the database that the original was read from, by the same URL: "
    "name a table there, or a file such as release.parquet"
)


@dataclass(frozen=True)
class TableWriter:
    """A table that a release can be written to, in the database of the original."""

    url: PostgresUrl
    table: TableName
    typed: bool = True

    def require_free(self, source: Source, marks: Mapping[str, ColumnMark]) -> None:
        """Raise if the release cannot be put there."""
        original = self._of_this_database(source)
        indicators = [mark.column for mark in marks.values() if isinstance(mark, Indicator)]
        Place.find(original.engine, self.table).require_free(original.engine, original, indicators)

    @contextmanager
    def stage(self, released: Source) -> Iterator[StagedRelease]:
        """Hand over the release, which is a table of the transaction: unless that is committed, nothing is left."""
        table = self._of_this_database(released)
        place = Place.find(table.engine, self.table)
        yield StagedRelease(table, lambda: publish(table, place))

    def _of_this_database(self, source: Source) -> PostgresSource:
        if not isinstance(source, PostgresSource) or source.engine.url.server != self.url.server:
            raise InputError(ELSEWHERE)
        return source
