"""A DuckDB database as an engine that evaluates bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb


class DuckEngine:
    """Runs the SQL of a bound; counts its queries."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()
        self.queries = 0

    def upload(self, table: str, columns: Mapping[str, Any]) -> None:
        self.connection.register("uploaded", dict(columns))
        self.create(table, "SELECT * FROM uploaded")
        self.connection.unregister("uploaded")

    def create(self, table: str, query: str) -> None:
        self.connection.execute(f"CREATE TABLE {table} AS {query}")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        self.queries += 1
        return self.connection.execute(sql).fetchall()

    def drop(self, *tables: str) -> None:
        for table in tables:
            self.connection.execute(f"DROP TABLE IF EXISTS {table}")

    @property
    def tables(self) -> list[str]:
        return [str(name) for (name,) in self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
