"""Writing a release to a table of PostgreSQL: verified there, and published in the transaction that read the original."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kilt.errors import InputError
from kilt.model.marks import ColumnMark
from kilt.release.staged import StagedRelease
from kilt.sources.base import Source
from kilt.sources.sql.postgres.url import EXAMPLE, PostgresUrl, TableName, is_postgres_url

if TYPE_CHECKING:
    from kilt.sources.sql.postgres.table import PostgresSource

ELSEWHERE = (
    "a release is written to a table only in the database that the original was read from: "
    "name a table there, or a file such as release.parquet"
)


@dataclass(frozen=True)
class TableWriter:
    """A table that a release can be written to, in the database of the original."""

    url: PostgresUrl
    table: TableName
    typed: bool = True

    @classmethod
    def of(cls, output: str, data: Any) -> TableWriter:
        """Check, before any work is done, that the table is one of the database of the original."""
        url = PostgresUrl.parse(output)
        if url.table is None:
            raise InputError(f"the output '{url.shown}' names no table: write {EXAMPLE}")
        if data is not None and not is_postgres_url(data):
            raise InputError(ELSEWHERE)
        if data is not None and PostgresUrl.parse(data).server != url.server:
            raise InputError(ELSEWHERE)
        return cls(url, url.table)

    def require_marks(self, marks: Mapping[str, ColumnMark], source: Source) -> None:  # noqa: ARG002 - all can be written
        """Raise, before any work is done, if the table cannot be replaced."""
        from kilt.sources.sql.postgres.publish import Place  # noqa: PLC0415 - only where there is PostgreSQL

        original = self._in_the_same_database(source)
        Place.find(original.engine, self.table).require_free(original.engine, original)

    @contextmanager
    def stage(self, released: Source) -> Iterator[StagedRelease]:
        """Hand over the release, which is a table of the transaction; unless it is committed, nothing is left."""
        from kilt.sources.sql.postgres.publish import Place, publish  # noqa: PLC0415 - only where there is PostgreSQL

        table = self._in_the_same_database(released)
        place = Place.find(table.engine, self.table)
        yield StagedRelease(table, lambda: publish(table, place))

    def _in_the_same_database(self, source: Source) -> PostgresSource:
        from kilt.sources.sql.postgres.table import PostgresSource  # noqa: PLC0415 - only where there is PostgreSQL

        if not isinstance(source, PostgresSource) or source.engine.url.server != self.url.server:
            raise InputError(ELSEWHERE)
        return source
