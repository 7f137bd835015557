"""A table of PostgreSQL, or what a query returns, as a source: it is read in place and never changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from kilt.errors import InputError, nearest
from kilt.sources.file_format import quoted
from kilt.sources.sql.engine import fresh, listed
from kilt.sources.sql.names import TableName, sql_name
from kilt.sources.sql.postgres.connection import KINDS, Postgres
from kilt.sources.sql.postgres.kinds import PORTABLE
from kilt.sources.sql.postgres.session import user_of
from kilt.sources.sql.postgres.url import EXAMPLE, PostgresUrl
from kilt.sources.sql.table import SqlSource

Definition = tuple[str, str, str | None]  # of a column: its type, with its length and digits, and its collation
IN_PLACE = ("r", "m", "p")  # tables, materialized views and partitioned tables: all else is copied first
FOUND = """
SELECT pg_catalog.has_table_privilege(c.oid, 'SELECT'), c.relkind::text, c.relhassubclass, n.nspname::text,
       c.relname::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = pg_catalog.to_regclass({name})
"""
READ = """
SELECT DISTINCT d.refobjid::int8 FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid
WHERE d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
  AND r.ev_class = {view}::regclass AND d.refobjid <> r.ev_class
"""


class PostgresSource(SqlSource):
    """A table in PostgreSQL, seen through a view with columns c0, c1, ...; the place of a row is its witness."""

    kind = "a table of PostgreSQL"
    engine: Postgres

    @classmethod
    def open(cls, url: PostgresUrl, beside: Any = None) -> Self:
        """Open a table or a query, in the same session as another table of the same database if there is one."""
        if url.table is None and url.query is None:
            raise InputError(f"'{url.shown}' names no table: write {EXAMPLE}, or give a query")
        shared = isinstance(beside, PostgresSource) and beside.engine.url.server == url.server
        engine = beside.engine if shared else Postgres(url)
        with engine.users_path():
            read = set() if url.query is None else _read_by(engine, url.query)
            place, has_parts = _asked(engine, url.query) if url.query is not None else _named(engine, url)
        shown = "the query" if url.table is None else f"the table '{url.table}'"
        source = cls._over(engine, place, has_parts, shown)
        source.read_by_query = read
        return source

    @classmethod
    def _over(cls, engine: Postgres, place: str, has_parts: bool, shown: str) -> Self:
        """Look at a table through a view."""
        columns = engine.rows(KINDS.format(table=quoted(place)))
        if not columns:
            raise InputError(f"{shown} has no columns")
        cells = [f"CAST({sql_name(name)} AS {full}) AS c{i}" for i, (name, _, full, _) in enumerate(columns)]
        ids = ["ctid AS row_id", *(["tableoid AS row_table"] if has_parts else [])]
        view = fresh("source")
        engine.run(f"CREATE TEMP VIEW {view} AS SELECT {listed([*ids, *cells])} FROM {place}")
        source = cls(engine, view, [row[0] for row in columns])
        source.row_ids = ("row_id", "row_table") if has_parts else ("row_id",)
        source.place = place
        source.definitions = {name: (kind, full, collation) for name, kind, full, collation in columns}
        if not engine.rows(f"SELECT 1 FROM {view} LIMIT 1"):
            raise InputError(f"{shown} has no rows")
        return source

    def __init__(
        self,
        engine: Postgres,
        table: str,
        columns: Sequence[str],
        witness: Sequence[str] = (),
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__(engine, table, columns, witness, notes)
        self.place: str | None = None
        self.read_by_query: set[int] = set()
        self._snapshot = engine.snapshots
        self.definitions: dict[str, Definition] = {}

    def derived(self, table: str, columns: Sequence[str], witness: Sequence[str]) -> Self:
        """Return another table of the same session; its columns are to have the types and collations of this one."""
        source = super().derived(table, columns, witness)
        source.definitions = self.definitions
        return source

    @property
    def is_fixed(self) -> bool:  # type: ignore[override]
        """Whether it is still read in the snapshot in which it was opened."""
        return self.engine.snapshots == self._snapshot

    @property
    def native(self) -> Any:
        """The table as an Arrow table."""
        names = listed(f"c{i} AS {sql_name(name)}" for i, name in enumerate(self.columns))
        return self.engine.arrow(f"SELECT {names} FROM {self.table}").read_all()

    def file_cell(self, column: str) -> str:
        """Return the cell of a column as a file with types has it: as text, where types of others hold less."""
        cell = self.cell(column)
        kind = self.kinds[cell]
        endless = kind.startswith("timestamp") and self.engine.rows(
            f"SELECT 1 FROM {self.table} WHERE NOT isfinite({cell}) LIMIT 1"
        )
        return cell if kind in PORTABLE and not endless else self.text(column)


def _read_by(engine: Postgres, query: str) -> set[int]:
    """Return which tables and views a query names, as a view that is made of it depends on them."""
    view = fresh("looked")
    engine.run_one(f"CREATE TEMP VIEW {view} AS {_nested(query)}")
    found = engine.rows(READ.format(view=quoted(view)))
    engine.run(f"DROP VIEW {view}")
    return {row[0] for row in found}


def _nested(query: str) -> str:
    """Put a query that the user wrote into one of ours."""
    inner = query.strip().rstrip(";")
    return f"SELECT * FROM (\n{inner}\n) AS asked"


def _asked(engine: Postgres, query: str) -> tuple[str, bool]:
    """Make a table of what a query returns, as it need not return the same twice."""
    table = fresh("asked")
    engine.run_one(f"CREATE TEMP TABLE {table} AS {_nested(query)}")
    engine.run(f"ANALYZE {table}")
    return table, False


def _named(engine: Postgres, url: PostgresUrl) -> tuple[str, bool]:
    """Find a table by its name; return it as SQL has it, and whether it has parts."""
    if url.table is None:
        raise AssertionError("a table must be named")
    found = engine.rows(FOUND.format(name=quoted(url.table.sql)))
    if not found:
        raise InputError(f"the table '{url.table}' does not exist in '{url.shown}': {_like(engine, url.table)}")
    ((may_read, kind, has_parts, schema, name),) = found
    if not may_read:
        raise InputError(
            f"you may not read the table '{url.table}' as the user '{user_of(url)}': ask for the privilege SELECT on "
            "it, or name the columns that you may read in a query (--query)"
        )
    place = TableName(name, schema).sql
    if kind in IN_PLACE:
        return place, has_parts or kind == "p"
    return _asked(engine, f"SELECT * FROM {place}")


def _like(engine: Postgres, table: TableName) -> str:
    """Say which tables there are that have such a name, here or in another schema."""
    if table.schema is None:
        elsewhere = _tables(engine, f"lower(c.relname) = {quoted(table.name.lower())}")
        if elsewhere:
            return nearest(table.name, [str(TableName(name, schema)) for name, schema in elsewhere])
        known = _tables(engine, "pg_catalog.pg_table_is_visible(c.oid)")
        nothing = "no table is found without its schema (search_path): write schema.name"
    else:
        known = _tables(engine, f"n.nspname = {quoted(table.schema)}")
        schemas = engine.rows(f"SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = {quoted(table.schema)}")
        nothing = "there are no tables in its schema" if schemas else "there is no such schema"
    return nearest(table.name, [name for name, _ in known]) if known else nothing


def _tables(engine: Postgres, where: str) -> list[tuple[Any, ...]]:
    """Return the tables for which something holds, each with its schema."""
    return engine.rows(
        "SELECT c.relname::text, n.nspname::text "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        f"WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND {where} "
        "AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 1, 2 LIMIT 1000"
    )
