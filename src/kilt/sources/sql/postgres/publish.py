"""Publishing a release in PostgreSQL: the verified rows become a table, which takes the place of the old release.

All of it is one transaction: whoever looks sees the old release or the new one, and nothing of what is between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kilt.errors import InputError, KiltError, VerificationError, raise_all
from kilt.sources.file_format import quoted
from kilt.sources.sql.engine import fresh, listed
from kilt.sources.sql.names import TableName, sql_name
from kilt.sources.sql.postgres import kinds
from kilt.sources.sql.postgres.connection import Postgres
from kilt.sources.sql.postgres.errors import LostConnectionError
from kilt.sources.sql.postgres.old_release import OldRelease
from kilt.sources.sql.postgres.table import PostgresSource

SEEDS = (0, 1)  # two hashes of 64 bits for every row
USUAL = 'pg_catalog."default"'  # the collation of the database
WAIT = "30s"  # how long a session that uses the old release is waited for


@dataclass(frozen=True)
class Place:
    """Where a release goes: a name in a schema."""

    table: TableName

    @classmethod
    def find(cls, engine: Postgres, named: TableName) -> Place:
        """Find the schema of a name: its own, that of a table of this name, or the one where new tables go."""
        _require_short(engine, [named.schema or "", named.name])
        with engine.users_path():
            ((schema,),) = engine.rows(
                "SELECT coalesce((SELECT n.nspname::text FROM pg_catalog.pg_class c "
                "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                f"WHERE c.oid = pg_catalog.to_regclass({quoted(named.sql)})), current_schema()::text)"
            )
        schema = named.schema or schema
        if schema is None:
            raise InputError(f"the table '{named}' has no schema to go to: write table=schema.{named}")
        return cls(TableName(named.name, schema))

    def require_free(self, engine: Postgres, original: PostgresSource, columns: Sequence[str] = ()) -> None:
        """Raise, before any work is done, if a release with such new columns cannot be put here."""
        _require_short(engine, columns)
        if original.place == self.table.sql:
            raise InputError(f"the output '{self.table}' is the input: choose another table")
        schema = self.table.schema or ""
        if schema.startswith("pg_") or schema == "information_schema":
            raise InputError(f"the schema '{schema}' belongs to PostgreSQL itself: name another for the output")
        ((exists, allowed),) = engine.rows(
            f"SELECT count(*) > 0, coalesce(bool_or(pg_catalog.has_schema_privilege(oid, 'CREATE')), false) "
            f"FROM pg_catalog.pg_namespace WHERE nspname = {quoted(schema)}"
        )
        if not exists:
            raise InputError(f"the schema '{schema}' of the output does not exist: make it, or name another")
        if not allowed:
            raise InputError(f"you may not make tables in the schema '{schema}': ask for the privilege CREATE on it")
        if (oid := self.oid(engine)) is not None:
            if oid in original.read_by_query:
                raise InputError(f"the output '{self.table}' is read by the query: choose another table")
            OldRelease.read(engine, oid, self.table).require_replaceable()

    def oid(self, engine: Postgres) -> int | None:
        """Return which table has the name now, whatever the snapshot shows."""
        ((found,),) = engine.rows(f"SELECT pg_catalog.to_regclass({quoted(self.table.sql)})::oid::int8")
        return None if found is None else int(found)


def _require_short(engine: Postgres, names: Sequence[str]) -> None:
    """Raise if PostgreSQL would cut a name off, which would then be that of another table or column."""
    ((most,),) = engine.rows("SELECT current_setting('max_identifier_length')::int8")
    long = [name for name in names if len(name.encode()) > most]
    raise_all([f"the name '{name}' is too long for PostgreSQL, which takes {most} bytes: shorten it" for name in long])


def publish(released: PostgresSource, place: Place) -> None:
    """Put a verified release in its place; the transaction ends with it."""
    engine, made = released.engine, TableName(fresh("release"), place.table.schema)
    engine.run(f"SET LOCAL lock_timeout = '{WAIT}'")
    engine.run(f"CREATE TABLE {made.sql} AS SELECT {_columns(released)} FROM {released.table}")
    _require_same_rows(released, made)
    if place.oid(engine) is not None:
        engine.run(f"LOCK TABLE {place.table.sql} IN ACCESS EXCLUSIVE MODE")
        _replace(engine, made, place)
    engine.run(f"ALTER TABLE {made.sql} RENAME TO {sql_name(place.table.name)}")
    try:
        engine.commit()
    except LostConnectionError:
        raise KiltError(
            f"the connection to the database was lost while '{place.table}' was published: the new release or what was "
            "there before is there, whole, but it is not known which of them: look, or run it again"
        ) from None


def _replace(engine: Postgres, made: TableName, place: Place) -> None:
    """Drop the old release, which is locked; the new one is for those for whom the old one was."""
    oid = place.oid(engine)
    if oid is None:
        raise InputError(f"the table '{place.table}' has just been dropped by another session: run it again")
    now = Postgres(engine.url)  # the snapshot of the run would show the grants and comments of its beginning
    try:
        old = OldRelease.read(now, oid, place.table)
    finally:
        now.close()
    old.require_replaceable()
    columns = list(engine.kinds(made.sql))
    engine.run(f"DROP TABLE {place.table.sql}")
    for statement in old.handed_on(engine, made, columns):
        engine.run(statement)


def _columns(released: PostgresSource) -> str:
    """Return the columns of a release under their names, with the types (if kept) and collations of the original."""
    chosen = []
    for i, name in enumerate(released.columns):
        cell, kind = f"c{i}", released.kinds[f"c{i}"]
        was, full, collation = released.definitions.get(name, (kind, kind, None))
        if kinds.is_text(kind):
            cell = f"{cell} COLLATE {collation or USUAL}"
        if kind == was and name in released.definitions:
            cell = f"CAST({cell} AS {full})"
        chosen.append(f"{cell} AS {sql_name(name)}")
    return listed(chosen)


def _require_same_rows(released: PostgresSource, made: TableName) -> None:
    """Raise unless the table that is published has the rows that were verified, as far as two hashes can tell."""
    engine = released.engine
    of_released = listed(released.text(name) for name in released.columns)
    found = zip(released.columns, engine.kinds(made.sql).values(), strict=True)
    of_made = listed(kinds.text(sql_name(name), kind) for name, kind in found)
    if engine.rows(_sums(of_released, released.table)) != engine.rows(_sums(of_made, made.sql)):
        raise VerificationError(
            "the table that was made of the verified release has other rows than it, nothing was published: "
            "does an event trigger of the database change new tables?"
        )


def _sums(texts: str, table: str) -> str:
    sums = listed(f"sum(pg_catalog.hash_record_extended(ROW({texts}), {seed})::numeric)::text" for seed in SEEDS)
    return f"SELECT count(*), {sums} FROM {table}"
