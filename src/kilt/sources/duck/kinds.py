"""The types of DuckDB's columns: which kilt can compare by their text, and as what they are loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kilt.errors import raise_all

NESTED = {  # how DuckDB's names of types begin or end -> what such a column holds
    r"^STRUCT\b": "structs",
    r"^MAP\b": "maps",
    r"^UNION\b": "unions",
    r"\[\d*\]$": "lists",
    r"^VARIANT\b": "variants",
}


def require_plain(kinds: Mapping[str, str]) -> None:
    """Raise if a column with a role holds something that is more than one value: its text would not say which."""
    raise_all(
        [
            f"the column '{name}' holds {what}, which are not single values: it can be neither quasi nor sensitive"
            for name, kind in kinds.items()
            for what in [next((what for sign, what in NESTED.items() if re.search(sign, kind)), None)]
            if what is not None
        ]
    )


NOT_IN_PARQUET = ("HUGEINT", "UHUGEINT", "TIME WITH TIME ZONE")  # written as something else


def require_parquet(kinds: Mapping[str, str]) -> None:
    """Raise if a column has a type that a Parquet file does not keep."""
    raise_all(
        [
            f"a Parquet file cannot hold '{name}', which is of the type {kind}: write to another kind of file"
            for name, kind in kinds.items()
            if kind in NOT_IN_PARQUET
        ]
    )


def loaded(cell: str, kind: str, name: str) -> str:
    """Return what a column is loaded as.

    Texts are equal only if they are the same, whatever their collation says. An ENUM becomes text: its type would name
    the values that are hidden.
    """
    if kind.startswith("ENUM"):
        return f"CAST({cell} AS VARCHAR) AS {name}"
    return f'{cell} COLLATE "binary" AS {name}' if kind == "VARCHAR" else f"{cell} AS {name}"
