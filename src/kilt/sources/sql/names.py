"""Names of tables and columns: as users write them in an address, and as SQL has them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kilt.errors import InputError

NAME = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')


@dataclass(frozen=True)
class TableName:
    """The name of a table, and its schema if it was given."""

    name: str
    schema: str | None = None

    @classmethod
    def parse(cls, text: str) -> TableName:
        """Read ``name``, ``schema.name`` or both in double quotes, if they have dots in them; case matters."""
        parts = parts_of(text)
        if parts is None or len(parts) > 2:
            raise InputError(
                f"'table={text}' is not the name of a table: write table=name or table=schema.name, in double quotes "
                "where a name has a dot or a quote in it"
            )
        return cls(parts[-1], parts[0] if len(parts) == 2 else None)

    @property
    def sql(self) -> str:
        """The name as SQL has it."""
        return ".".join(sql_name(part) for part in (self.schema, self.name) if part is not None)

    def __str__(self) -> str:
        plain = ".".join(part for part in (self.schema, self.name) if part is not None)
        return self.sql if '"' in plain or plain.count(".") != (self.schema is not None) else plain


def parts_of(text: str) -> list[str] | None:
    """Take a name apart at its dots, but for those in double quotes; None if it is no name."""
    parts: list[str] = []
    place = 0
    while found := NAME.match(text, place):
        parts.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        place = found.end()
        if place == len(text):
            return parts
        if text[place] != ".":
            return None
        place += 1
    return None


def sql_name(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'
