"""What an engine is: a database that runs SQL, and the little in which databases differ.

The SQL of the source is the same for all engines. Tables that it makes have columns k0, k1, ... of text, so that cells
are compared and counted by what they look like, and fresh names, so that several runs can share one database.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from kilt.numbers import BoolArray, IntArray

Uploaded = IntArray | BoolArray | Sequence[str | None]


class Engine(Protocol):
    """A database; a statement that fails raises an error of kilt's, without a cell in it."""

    name: str
    text_type: str  # what a cast to text is called
    float_type: str  # and one to a floating-point number of 64 bits
    writes_nested: bool  # whether lists and the like can be written as text, for a profile
    row_number: str | None  # what numbers the rows of a table in their order; None where they have no order

    def run(self, sql: str) -> None:
        """Run a statement."""

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""

    def integers(self, sql: str) -> dict[str, IntArray]:
        """Return the columns of a query whose cells are integers."""

    def create(self, table: str, query: str) -> None:
        """Make a table of the run from a query."""

    def arrow(self, sql: str) -> Any:
        """Return the rows of a query as a reader of Arrow batches, to write them to a file."""

    def ingest(self, table: str, batches: Any) -> None:
        """Make a table of the run from a reader of Arrow batches, to compare what was read from a file."""

    def upload(self, table: str, columns: Mapping[str, Uploaded]) -> None:
        """Make a table of the run from integers, truth values and texts."""

    def drop(self, *tables: str) -> None:
        """Remove tables of the run."""

    def kinds(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their types, as the database calls them."""

    def is_text(self, kind: str) -> bool:
        """Say whether a type is that of text."""

    def is_float(self, kind: str) -> bool:
        """Say whether a type is that of floating-point numbers, which every database writes in its own way."""

    def has_text(self, kind: str) -> bool:
        """Say whether cells of a type can be compared by their texts."""

    def text(self, cell: str, kind: str) -> str:
        """Write a cell as text: the same cell always gives the same text, whatever the session's settings are."""

    def same(self, left: str, right: str) -> str:
        """Say that two texts are the same, null being a value like any other, so that a hash join can use it."""

    def witness(self, texts: Sequence[str], prefix: str) -> tuple[str, ...]:
        """Return what identifies a row of an original: its number, or a hash of its cells, which equal rows share."""


def fresh(kind: str) -> str:
    """Return a name that no table has."""
    return f"kilt_{kind}_{secrets.token_hex(6)}"


def number(engine: Engine, sql: str) -> int:
    """Return the one number that a query yields, 0 for null."""
    return int(engine.rows(sql)[0][0] or 0)


def listed(parts: Iterable[str]) -> str:
    """Write a list of expressions."""
    return ", ".join(parts)


def places(count: int) -> str:
    """Name the first columns of a query by their places, as GROUP BY takes them."""
    return listed(str(place + 1) for place in range(count))


def by_text(keys: Sequence[str]) -> str:
    """Order by texts, null first."""
    return listed(f"{key} NULLS FIRST" for key in keys)


def by_value(engine: Engine, text: str) -> str:
    """Order texts of floating-point numbers by the numbers, as all databases do alike: -0 is before 0, NaN last."""
    return f"CAST({text} AS {engine.float_type}) NULLS FIRST, {text}"


def rank(keys: Sequence[str]) -> str:
    """Number what is different in some texts in their order, from 0."""
    return ranked(by_text(keys))


def ranked(order: str, within: str = "") -> str:
    """Number what is different in an order, from 0, also within the rows that agree on an expression."""
    return f"dense_rank() OVER ({f'PARTITION BY {within} ' if within else ''}ORDER BY {order}) - 1"


def digest(engine: Engine, texts: Sequence[str]) -> str:
    """Return a hash of texts, the same in all databases; lengths are hashed too, so that no two rows run together."""
    parts = (
        f"CASE WHEN {text} IS NULL THEN '-' ELSE CAST(length({text}) AS {engine.text_type}) || ':' || {text} END"
        for text in texts
    )
    return f"md5({' || '.join(parts)})"
