"""PostgreSQL as an engine, through ADBC: everything happens in one transaction, whose snapshot all reading sees.

Tables of the run are temporary and belong to the transaction, so that nothing is left if it ends before its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from kilt.errors import InputError
from kilt.numbers import IntArray
from kilt.sources.file_format import quoted
from kilt.sources.sql.engine import Uploaded, fresh, listed
from kilt.sources.sql.postgres import kinds
from kilt.sources.sql.postgres.carried import WITNESS, array_of, integers_of, plain
from kilt.sources.sql.postgres.session import Session
from kilt.sources.sql.postgres.url import PostgresUrl

OLDEST = 140000  # the first version whose rows can be joined by their places with a hash join
OWN_PATH = "pg_catalog, pg_temp"  # nobody else can put a function or an operator there
KINDS = """
WITH RECURSIVE types AS (
    SELECT a.attnum, a.attname, a.attcollation, a.atttypid AS type_id, a.atttypmod AS modifier
    FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = {table}::regclass AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
    SELECT d.attnum, d.attname, d.attcollation, t.typbasetype, t.typtypmod
    FROM types d JOIN pg_catalog.pg_type t ON t.oid = d.type_id WHERE t.typtype = 'd'
)
SELECT d.attname::text,
       CASE WHEN t.typtype = 'e' THEN 'enum' WHEN t.typcategory = 'A' THEN 'array' WHEN t.typtype = 'c' THEN 'composite'
            WHEN t.typname = 'citext' THEN 'citext' ELSE pg_catalog.format_type(t.oid, NULL) END AS kind,
       pg_catalog.format_type(t.oid, d.modifier) AS full_type,
       (SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.collname)
        FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
        WHERE c.oid = d.attcollation AND c.collname <> 'default') AS collation
FROM types d JOIN pg_catalog.pg_type t ON t.oid = d.type_id WHERE t.typtype <> 'd' ORDER BY d.attnum
"""


class Postgres:
    """A session of PostgreSQL: rows have no order, their places in the snapshot are their witnesses."""

    name = "PostgreSQL"
    text_type = "text"
    float_type = "double precision"
    writes_nested = False
    row_number: str | None = None

    def __init__(self, url: PostgresUrl) -> None:
        self.url = url
        self.session = Session(url)
        self.snapshots = 0  # how many there were: every transaction sees one
        self._prepare_session()

    def _prepare_session(self) -> None:
        """Pin what texts and plans depend on, and begin the transaction whose snapshot all reading sees."""
        for name, value in kinds.SETTINGS.items():
            self.run(f"SET {name} = {quoted(value)}")
        optional = "".join(f"PERFORM set_config({quoted(n)}, {quoted(v)}, false);" for n, v in kinds.OPTIONAL.items())
        self.run(f"DO $$ BEGIN {optional} EXCEPTION WHEN OTHERS THEN NULL; END $$")
        ((version, encoding, self._users_path),) = self.rows(
            "SELECT current_setting('server_version_num')::int8, current_setting('server_encoding'), "
            "current_setting('search_path')"
        )
        if version < OLDEST:
            raise InputError(
                f"the server is PostgreSQL {version // 10000}: kilt needs version {OLDEST // 10000} or later"
            )
        if encoding == "SQL_ASCII":
            raise InputError("the database has the encoding SQL_ASCII, so that its texts can be anything: use UTF8")
        self.run(f"SET search_path = {OWN_PATH}")
        self.commit()

    @contextmanager
    def users_path(self) -> Iterator[None]:
        """Find names where the user's session would; all else is found in the catalog alone."""
        self.run(f"SELECT set_config('search_path', {quoted(self._users_path)}, false)")
        yield
        self.run(f"SET search_path = {OWN_PATH}")

    def run(self, sql: str) -> None:
        """Run a statement."""
        self.session.run(sql)

    def run_one(self, sql: str) -> None:
        """Run a statement with something in it that the user wrote; a text with several statements is refused."""
        self.session.run(sql, one=True)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        columns = self.session.table(sql).columns
        return list(zip(*(plain(column).to_pylist() for column in columns), strict=True))

    def integers(self, sql: str) -> dict[str, IntArray]:
        """Return the columns of a query whose cells are integers."""
        table = self.session.table(sql)
        return {name: integers_of(table.column(name)) for name in table.column_names}

    def arrow(self, sql: str) -> pa.RecordBatchReader:
        """Return the rows of a query as a reader of batches; places of rows are texts in it."""
        return self.session.reader(sql)

    def ingest(self, table: str, batches: pa.RecordBatchReader) -> None:
        """Make a table of the run from batches; texts that are the places of rows are places again."""
        raw = fresh("raw")
        self.session.ingest(raw, batches)
        cells = (f"CAST({name} AS {WITNESS[name]}) AS {name}" if name in WITNESS else name for name in self.kinds(raw))
        self.create(table, f"SELECT {listed(cells)} FROM {raw}")
        self.drop(raw)

    def create(self, table: str, query: str) -> None:
        """Make a table of the run from a query; the planner is told what is in it."""
        self.run(f"CREATE TEMP TABLE {table} AS {query}")
        self.run(f"ANALYZE {table}")

    def upload(self, table: str, columns: Mapping[str, Uploaded]) -> None:
        """Make a table of the run from integers, truth values and texts (COPY)."""
        arrays = [array_of(cells) for cells in columns.values()]
        self.session.ingest(table, pa.Table.from_arrays(arrays, list(columns)).to_reader())
        self.run(f"ANALYZE {table}")

    def drop(self, *tables: str) -> None:
        """Remove tables of the run."""
        if tables:
            self.run(f"DROP TABLE {', '.join(tables)}")

    def kinds(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their types; a domain is what it is made of."""
        return {name: kind for name, kind, _, _ in self.rows(KINDS.format(table=quoted(table)))}

    def is_text(self, kind: str) -> bool:
        """Say whether a type is that of text."""
        return kinds.is_text(kind)

    def is_float(self, kind: str) -> bool:
        """Say whether a type is that of floating-point numbers."""
        return kind in kinds.FLOATS

    def has_text(self, kind: str) -> bool:
        """Say whether cells of a type can be compared by their texts."""
        return kinds.has_text(kind)

    def text(self, cell: str, kind: str) -> str:
        """Write a cell as text, which is compared byte by byte."""
        return kinds.text(cell, kind)

    def same(self, left: str, right: str) -> str:
        """Say that two texts are the same, in two equalities that a hash join can use."""
        return f"coalesce({left}, '') = coalesce({right}, '') AND ({left} IS NULL) = ({right} IS NULL)"

    def witness(self, texts: Sequence[str], prefix: str) -> tuple[str, ...]:  # noqa: ARG002 - cells are not needed
        """Return the place of a row in the snapshot."""
        return (f"{prefix}row_id",)

    def commit(self) -> None:
        """End the transaction and keep what it did; the next statement begins another."""
        self.session.commit()
        self.snapshots += 1

    def close(self) -> None:
        """End the session; what is not committed is gone."""
        self.session.close()
