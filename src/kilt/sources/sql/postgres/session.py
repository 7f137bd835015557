"""A session of PostgreSQL through ADBC: statements in one transaction, which Ctrl-C cancels.

The driver's interface for Python (DBAPI) is not used: it commits before it runs a script, and loads pandas and polars.
"""

from __future__ import annotations

import getpass
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import unquote

import adbc_driver_manager as adbc
import adbc_driver_postgresql as driver
import pyarrow as pa

from kilt.sources.sql.interrupt import interruptible
from kilt.sources.sql.postgres.carried import carried_batches
from kilt.sources.sql.postgres.errors import connecting, told_plainly
from kilt.sources.sql.postgres.url import PostgresUrl

Answer = TypeVar("Answer")


class Session:
    """A connection whose transaction lasts until it is committed; it is gone with the session otherwise."""

    def __init__(self, url: PostgresUrl) -> None:
        with connecting(f"'{url.shown}'", user_of(url), unquote(url.database)):
            self._database = driver.connect(url.uri)
            self._connection = adbc.AdbcConnection(self._database)
            self._connection.set_autocommit(False)
        self._ending = weakref.finalize(self, _end, self._connection, self._database)

    def run(self, sql: str, *, one: bool = False) -> None:
        """Run a statement; if it must be ``one``, a text with several is refused."""

        def work(statement: adbc.AdbcStatement) -> None:
            statement.set_sql_query(sql)
            if one:
                statement.prepare()
            statement.execute_update()

        self._do(work)

    def table(self, sql: str) -> pa.Table:
        """Return the answer of a query."""

        def work(statement: adbc.AdbcStatement) -> pa.Table:
            statement.set_sql_query(sql)
            return pa.RecordBatchReader.from_stream(statement.execute_query()[0]).read_all()

        return self._do(work)

    def reader(self, sql: str) -> pa.RecordBatchReader:
        """Return the answer of a query as a reader of batches."""
        statement = adbc.AdbcStatement(self._connection)
        with told_plainly():
            statement.set_sql_query(sql)
            found = interruptible(lambda: statement.execute_query()[0], statement.cancel)
            reader = pa.RecordBatchReader.from_stream(found)

        def batches() -> Iterator[pa.RecordBatch]:
            with statement, told_plainly():
                yield from reader

        return carried_batches(reader.schema, batches())

    def ingest(self, table: str, batches: pa.RecordBatchReader) -> None:
        """Make a temporary table from batches (COPY)."""
        options = {
            adbc.StatementOptions.INGEST_TARGET_TABLE.value: table,
            adbc.StatementOptions.INGEST_MODE.value: adbc.INGEST_OPTION_MODE_CREATE,
            adbc.StatementOptions.INGEST_TEMPORARY.value: "true",
        }

        def work(statement: adbc.AdbcStatement) -> None:
            statement.set_options(**options)
            statement.bind_stream(batches)
            statement.execute_update()

        self._do(work)

    def commit(self) -> None:
        """End the transaction and keep what it did."""
        with told_plainly():
            self._connection.commit()

    def close(self) -> None:
        """End the session; what is not committed is gone."""
        self._ending()

    def _do(self, work: Callable[[Any], Answer]) -> Answer:
        with told_plainly(), adbc.AdbcStatement(self._connection) as statement:
            return interruptible(lambda: work(statement), statement.cancel)


def _end(connection: adbc.AdbcConnection, database: adbc.AdbcDatabase) -> None:
    """Close a connection; one that is broken is closed already."""
    for each in (connection, database):
        with suppress(adbc.Error):
            each.close()


def user_of(url: PostgresUrl) -> str:
    """Return the name of the user that a session is for, as libpq finds it."""
    given = unquote(url.user) or dict(url.parameters).get("user") or os.environ.get("PGUSER", "")
    try:
        return given or getpass.getuser()
    except (KeyError, OSError):
        return ""
