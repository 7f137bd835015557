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
from kilt.sources.duck.file_reader import check_names
from kilt.sources.duck.kinds import loaded
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import quoted
from kilt.sources.file_state import FileState
from kilt.sources.sql.engine import fresh, listed
from kilt.sources.sql.names import TableName, sql_name

SCHEME = "duckdb://"
SUFFIXES = (".duckdb", ".ddb")
MAIN = "main"  # the schema of a table that is named without one


@dataclass(frozen=True)
class Address:
    """A table of a database file: ``patients.duckdb?table=clinic.visits``, also after ``duckdb://``."""

    path: Path
    table: TableName | None = None

    @classmethod
    def of(cls, text: str | PathLike[str]) -> Address:
        """Read an address."""
        path, _, query = str(text).removeprefix(SCHEME).partition("?")
        said = dict(parse_qsl(query, keep_blank_values=True))
        others = [f"'{name}'" for name in said if name != "table"]
        if others or not path or (query and not said.get("table")):
            raise InputError(f"'{text}' must look like patients.duckdb?table=visits")
        return cls(Path(path), TableName.parse(said["table"]) if query else None)

    @property
    def schema(self) -> str:
        """The schema of the table."""
        return MAIN if self.table is None or self.table.schema is None else self.table.schema

    def __str__(self) -> str:
        return f"{self.path}" + (f"?{urlencode({'table': str(self.table)}, safe='.')}" if self.table else "")


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
        place = _place(database, alias, address)
        try:
            read = frozenset(database.connection.get_table_names(f"FROM {place}", qualified=True))
            source = _copied(database, place, f"'{address}'")
        except duckdb.Error as error:
            kind = type(error).__name__
            raise InputError(f"the table '{address}' cannot be read ({kind}): does DuckDB itself read it?") from None
    source.state, source.read = state, read
    return source


def _place(database: Database, alias: str, address: Address) -> str:
    """Return the table that is meant as SQL has it; capital letters do not matter to DuckDB."""
    found = database.rows(
        "SELECT table_schema, table_name FROM information_schema.tables "
        f"WHERE table_catalog = {quoted(alias)} ORDER BY ALL"
    )
    known = [TableName(name, None if schema == MAIN else schema) for schema, name in found]
    if address.table is None and len(known) == 1:
        chosen = [0]
    else:
        chosen = [place for place, (schema, name) in enumerate(found) if is_named(address, schema, name)]
    if chosen:
        return f"{alias}.{'.'.join(map(sql_name, found[chosen[0]]))}"
    names = listed(map(str, known[:10]))
    there = f"it has {names}" if known else "it has none"
    if address.table is None:
        example = f": {address.path}?table=NAME" if known else ""
        raise InputError(f"the database '{address.path}' has {pluralize(len(known), 'table')} ({names}){example}")
    raise InputError(f"the database '{address.path}' has no table '{address.table}': {there}")


def is_named(address: Address, schema: str, name: str) -> bool:
    """Say whether an address names this table, as DuckDB reads names."""
    named = address.table is not None and address.table.name.casefold() == name.casefold()
    return named and address.schema.casefold() == schema.casefold()


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
    chosen = (loaded(sql_name(name), kind, f"c{i}") for i, (name, kind) in enumerate(kinds.items()))
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
