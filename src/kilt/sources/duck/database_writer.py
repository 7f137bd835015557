"""A table of a DuckDB database that a release is written to: staged, verified and published in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from typing import Any

import duckdb

from kilt.errors import InputError, KiltError
from kilt.model.marks import ColumnMark
from kilt.sources.base import Source
from kilt.sources.duck.carrying import carried, carried_back
from kilt.sources.duck.connection import Database
from kilt.sources.duck.database import Address, attached, is_database
from kilt.sources.duck.file_reader import identifier
from kilt.sources.duck.file_writer import FRAME
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import quoted
from kilt.sources.sql.engine import fresh, listed, number
from kilt.sources.sql.table import SqlSource
from kilt.sources.writer import StagedRelease
from kilt.staging import is_same_file, require_writable


@dataclass(frozen=True)
class DatabaseWriter:
    """A table of a database file; the file is made if it does not exist, its other tables stay as they are."""

    address: Address

    typed = True

    @classmethod
    def of(cls, text: str | PathLike[str], data: Any) -> DatabaseWriter:
        """Check, before any work is done, that the table can be written."""
        address = Address.of(text)
        if address.table is None:
            raise InputError(f"the output '{text}' names no table: {address.path}?table=NAME")
        if is_database(data):
            given = Address.of(data)
            same = given.table in (None, address.table) and given.schema == address.schema
            if same and is_same_file(given.path, address.path):
                raise InputError(f"the output '{text}' is the input: choose another table")
        require_writable(address.path, "output")
        database = Database()
        if address.path.exists():
            with attached(database, address.path, read_only=False) as alias:
                _require_schema(database, alias, address)
        elif address.schema != "main":
            raise InputError(f"the output '{text}' is a new database, which has no schema '{address.schema}'")
        return cls(address)

    def require_marks(self, marks: Mapping[str, ColumnMark], source: Source) -> None:
        """Every mark can be written."""

    @contextmanager
    def stage(self, released: Source) -> Iterator[StagedRelease]:
        """Make the table under another name in a transaction; unless it is published, that is rolled back."""
        if not isinstance(released, SqlSource):
            raise InputError(FRAME)
        here = released if isinstance(released, DuckSource) else carried(released, typed=True)
        existed = self.address.path.exists()
        try:
            with attached(here.engine, self.address.path, read_only=False) as alias, _transaction(here):
                staged = self._staged(here, alias)
                table = staged if isinstance(released, DuckSource) else carried_back(staged, released)
                yield StagedRelease(table, lambda: self._publish(staged, alias))
        except duckdb.Error:
            raise KiltError(f"the table '{self.address}' cannot be written; nothing was written") from None
        finally:
            if not existed:
                self._remove_empty()

    def _staged(self, released: DuckSource, alias: str) -> DuckSource:
        """Copy the release with its witnesses."""
        _require_schema(released.engine, alias, self.address)
        table = f"{alias}.{identifier(self.address.schema)}.{fresh('staged')}"
        cells = [f"c{i}" for i in range(len(released.columns))]
        chosen = listed([*cells, *(f"{each} AS w{i}" for i, each in enumerate(released.witness))])
        released.engine.run(f"CREATE TABLE {table} AS SELECT {chosen} FROM {released.table} ORDER BY rowid")
        return released.derived(table, released.columns, [f"w{i}" for i in range(len(released.witness))])

    def _publish(self, staged: DuckSource, alias: str) -> None:
        """Replace the table by what was staged, without the witnesses."""
        table = f"{alias}.{identifier(self.address.schema)}.{identifier(str(self.address.table))}"
        staged.engine.run(f"DROP TABLE IF EXISTS {table}")
        staged.engine.run(f"CREATE TABLE {table} AS SELECT {staged.named()} FROM {staged.table} ORDER BY rowid")
        staged.engine.run(f"DROP TABLE {staged.table}")
        staged.engine.run("COMMIT")

    def _remove_empty(self) -> None:
        """Remove a database that was made for nothing."""
        try:
            with duckdb.connect(str(self.address.path), read_only=True) as connection:
                empty = not connection.execute("SELECT 1 FROM information_schema.tables LIMIT 1").fetchall()
        except duckdb.Error:
            return
        if empty:
            self.address.path.unlink(missing_ok=True)


def _require_schema(database: Database, alias: str, address: Address) -> None:
    known = f"SELECT count(*) FROM information_schema.schemata WHERE catalog_name = {quoted(alias)}"
    if not number(database, f"{known} AND schema_name = {quoted(address.schema)}"):
        raise InputError(f"the database '{address.path}' has no schema '{address.schema}'")


@contextmanager
def _transaction(source: DuckSource) -> Iterator[None]:
    """Begin a transaction; roll it back at the end, unless it was committed."""
    source.engine.run("BEGIN")
    try:
        yield
    finally:
        with suppress(duckdb.TransactionException):  # where it was committed
            source.engine.run("ROLLBACK")
