"""Tables of DuckDB databases and relations as sources: they are copied into a database of kilt's own, as files are.

So the run sees one state of them, whatever others do meanwhile, and no setting of the user's changes what a cell is.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import duckdb

from kilt.errors import InputError
from kilt.leftovers import own_name
from kilt.numbers import pluralize
from kilt.sources.base import is_object_of
from kilt.sources.duck.connection import Database
from kilt.sources.duck.file_reader import check_names, identifier
from kilt.sources.duck.kinds import loaded
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import quoted
from kilt.sources.file_state import FileState
from kilt.sources.sql.engine import fresh, listed

SCHEME = "duckdb://"
SUFFIXES = (".duckdb", ".ddb")


@dataclass(frozen=True)
class Address:
    """A table of a database file: ``patients.duckdb?table=clinic.visits``, also after ``duckdb://``."""

    path: Path
    schema: str = "main"
    table: str | None = None

    @classmethod
    def of(cls, text: str | PathLike[str]) -> Address:
        """Read an address."""
        path, _, query = str(text).removeprefix(SCHEME).partition("?")
        said = dict(parse_qsl(query, keep_blank_values=True))
        others = [f"'{name}'" for name in said if name != "table"]
        if others or not path or (query and not said.get("table")):
            raise InputError(f"'{text}' must look like patients.duckdb?table=visits")
        schema, _, table = said.get("table", "").rpartition(".")
        return cls(Path(path), schema or "main", table or None)

    @property
    def name(self) -> str:
        """The table as a message calls it."""
        return f"{'' if self.schema == 'main' else f'{self.schema}.'}{self.table}"

    def __str__(self) -> str:
        return f"{self.path}" + (f"?{urlencode({'table': self.name}, safe='.')}" if self.table else "")


def is_database(data: Any) -> bool:
    """Say whether something is the address of a table in a database file."""
    if not isinstance(data, str | PathLike):
        return False
    text = str(data)
    return text.startswith(SCHEME) or text.partition("?")[0].lower().endswith(SUFFIXES)


def is_relation(data: Any) -> bool:
    """Say whether something is an object of DuckDB's, such as a relation."""
    return is_object_of(data, "duckdb", "_duckdb")


def open_database(text: str | PathLike[str], beside: DuckSource | None) -> DuckSource:
    """Copy a table of a database file; the only one, if the address names none."""
    address = Address.of(text)
    if not address.path.is_file():
        raise InputError(f"the database '{address.path}' does not exist")
    database = beside.engine if beside is not None else Database()
    state = FileState.of(address.path, address.path.with_name(f"{address.path.name}.wal"))
    with attached(database, address.path, read_only=True) as alias:
        schema, table = _table(database, alias, address)
        source = _copied(database, f"{alias}.{identifier(schema)}.{identifier(table)}", f"'{address}'")
    source.state = state
    return source


def _table(database: Database, alias: str, address: Address) -> tuple[str, str]:
    """Return schema and name of the table that is meant."""
    found = database.rows(
        "SELECT table_schema, table_name FROM information_schema.tables "
        f"WHERE table_catalog = {quoted(alias)} ORDER BY ALL"
    )
    if address.table is None and len(found) == 1:
        return str(found[0][0]), str(found[0][1])
    if (address.schema, address.table) in found:
        return address.schema, str(address.table)
    names = ", ".join(name if schema == "main" else f"{schema}.{name}" for schema, name in found[:10])
    there = f"it has {names}" if found else "it has none"
    if address.table is None:
        example = f": {address.path}?table=NAME" if found else ""
        raise InputError(f"the database '{address.path}' has {pluralize(len(found), 'table')} ({names}){example}")
    raise InputError(f"the database '{address.path}' has no table '{address.name}': {there}")


def open_relation(relation: Any, beside: DuckSource | None) -> DuckSource:
    """Copy a relation of the user's, by way of a file: it belongs to a connection that only it knows."""
    if not isinstance(relation, duckdb.DuckDBPyRelation):
        raise InputError("'data' must be a relation of DuckDB's, such as connection.table('patients')")
    check_names(list(relation.columns), "the relation")
    database, alias = beside.engine if beside is not None else Database(), fresh("relation")
    with tempfile.TemporaryDirectory(prefix=f"{own_name()}-") as folder:
        path = Path(folder) / "relation.duckdb"
        _write(relation, path, alias)
        with attached(database, path, read_only=True) as there:
            return _copied(database, f"{there}.main.t", "the relation")


def _write(relation: duckdb.DuckDBPyRelation, path: Path, alias: str) -> None:
    """Write a relation to a database file, and leave nothing behind in its connection."""
    try:
        relation.query(alias, f"ATTACH {quoted(str(path))} AS {alias}_file (READ_WRITE)")
        try:
            relation.query(alias, f"CREATE TABLE {alias}_file.main.t AS SELECT * FROM {alias}")
        finally:
            relation.query(alias, f"DETACH {alias}_file")
            relation.query(alias, f"DROP VIEW IF EXISTS {alias}")
    except duckdb.Error as error:
        kind = type(error).__name__
        raise InputError(
            f"the relation cannot be read ({kind}): is its connection open, and may it write files?"
        ) from None


def _copied(database: Database, given: str, shown: str) -> DuckSource:
    """Copy a table of an attached database."""
    kinds = database.kinds(given)
    check_names(list(kinds), shown)
    table = fresh("table")
    chosen = (loaded(identifier(name), kind, f"c{i}") for i, (name, kind) in enumerate(kinds.items()))
    database.create(table, f"SELECT {listed(chosen)} FROM {given}")
    source = DuckSource(database, table, list(kinds))
    if not source.rows:
        raise InputError(f"{shown} has no rows")
    return source


@contextmanager
def attached(database: Database, path: Path, *, read_only: bool) -> Iterator[str]:
    """Attach a database file under a name of its own."""
    alias = f"kilt_{secrets.token_hex(6)}"
    try:
        database.run(f"ATTACH {quoted(str(path))} AS {alias}{' (READ_ONLY)' if read_only else ''}")
    except duckdb.Error as error:
        raise InputError(_explained(str(error), path)) from None
    try:
        yield alias
    finally:
        database.run(f"DETACH {alias}")


REASONS: Mapping[str, str] = {
    "not a valid": "is not a database of DuckDB's",
    "lock": "is in use by another process: close it there first",
    "handle conflict": "is open in this process: close that connection first, or give a relation of it",
    "permission": "may not be opened",
    "version": "was written by another version of DuckDB",
}


def _explained(message: str, path: Path) -> str:
    reason = next((said for sign, said in REASONS.items() if sign in message.lower()), "cannot be opened")
    return f"the database '{path}' {reason}"
