"""A table of a DuckDB database that a release is written to: staged, verified and published in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import PathLike

import duckdb

from kilt.errors import InputError, KiltError
from kilt.model.marks import ColumnMark
from kilt.sources.base import Source
from kilt.sources.duck.carrying import carried, carried_back
from kilt.sources.duck.connection import Database
from kilt.sources.duck.database import Address, attached, is_named
from kilt.sources.duck.file_writer import FRAME
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import quoted
from kilt.sources.sql.engine import fresh, listed, number
from kilt.sources.sql.names import parts_of, sql_name
from kilt.sources.sql.table import SqlSource
from kilt.sources.writer import StagedRelease
from kilt.staging import is_same_file, require_writable


@dataclass(frozen=True)
class DatabaseWriter:
    """A table of a database file; the file is made if it does not exist, its other tables stay as they are."""

    address: Address

    typed = True

    @property
    def name(self) -> str:
        """The name of the table in its schema."""
        if self.address.table is None:
            raise AssertionError("an output has a table")
        return self.address.table.name

    @classmethod
    def of(cls, text: str | PathLike[str]) -> DatabaseWriter:
        """Check, before any work is done, that the table can be written."""
        address = Address.of(text)
        if address.table is None:
            raise InputError(f"the output '{text}' names no table: {address.path}?table=NAME")
        require_writable(address.path, "output")
        database = Database()
        if address.path.exists():
            with attached(database, address.path, read_only=False) as alias:
                _require_schema(database, alias, address)
                _require_replaceable(database, alias, address)
        elif address.schema != "main":
            raise InputError(f"the output '{text}' is a new database, which has no schema '{address.schema}'")
        return cls(address)

    def require_free(self, source: Source, marks: Mapping[str, ColumnMark]) -> None:  # noqa: ARG002 - all can be written
        """Raise if the original is read from the table, perhaps through a view: it would be gone."""
        if not isinstance(source, DuckSource) or not any(
            is_same_file(self.address.path, p) for p in source.state.paths
        ):
            return
        for parts in filter(None, map(parts_of, source.read)):
            if is_named(self.address, parts[-2] if len(parts) > 1 else self.address.schema, parts[-1]):
                raise InputError(f"the output '{self.address}' is the input, or read by it: choose another table")

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
        table = f"{alias}.{sql_name(self.address.schema)}.{fresh('staged')}"
        cells = [f"c{i}" for i in range(len(released.columns))]
        chosen = listed([*cells, *(f"{each} AS w{i}" for i, each in enumerate(released.witness))])
        released.engine.run(f"CREATE TABLE {table} AS SELECT {chosen} FROM {released.table} ORDER BY rowid")
        return released.derived(table, released.columns, [f"w{i}" for i in range(len(released.witness))])

    def _publish(self, staged: DuckSource, alias: str) -> None:
        """Replace the table by what was staged, without the witnesses."""
        table = f"{alias}.{sql_name(self.address.schema)}.{sql_name(self.name)}"
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


def _require_replaceable(database: Database, alias: str, address: Address) -> None:
    """Raise if something of the name is there that cannot be replaced by a table."""
    views = f"SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = {quoted(alias)}"
    if any(is_named(address, *row) for row in database.rows(views)):
        raise InputError(f"the output '{address}' is a view: choose another table")
    referenced = (
        "SELECT schema_name, referenced_table, table_name FROM duckdb_constraints() "
        f"WHERE constraint_type = 'FOREIGN KEY' AND database_name = {quoted(alias)}"
    )
    for schema, name, by in database.rows(referenced):
        if is_named(address, schema, name):
            raise InputError(
                f"the output '{address}' cannot be replaced: the table '{by}' refers to it: choose another"
            )


@contextmanager
def _transaction(source: DuckSource) -> Iterator[None]:
    """Begin a transaction; roll it back at the end, unless it was committed."""
    source.engine.run("BEGIN")
    try:
        yield
    finally:
        with suppress(duckdb.TransactionException):  # where it was committed
            source.engine.run("ROLLBACK")
