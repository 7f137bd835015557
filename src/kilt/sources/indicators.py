"""Indicators of a release, read into their columns, so that a suppressed cell is no longer a null like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kilt.errors import InputError, raise_all
from kilt.model.marks import HIDDEN, ColumnMark, Indicator, indicator_of
from kilt.model.roles import Roles
from kilt.numbers import pluralize

TRUTH_VALUES = ("true", "false")


def merge_indicators(table: Any, marks: Mapping[str, ColumnMark]) -> Any:
    """Return a table in which every cell that an indicator calls suppressed is read as such, without the indicators.

    Raise unless every indicator is there, is true or false in every row, and is true only beside a null.
    """
    chosen = {name: mark.column for name, mark in marks.items() if isinstance(mark, Indicator)}
    if not chosen:
        return table
    if not hasattr(table, "merged"):
        raise InputError("'mark' cannot be an indicator here: this kind of table has no way to read one")
    missing = [
        f"'{n}' has the indicator '{c}', which is not a column" for n, c in chosen.items() if c not in table.columns
    ]
    raise_all(missing)
    return table.merged(chosen)


def require_indicator(name: str, column: str, *, unclear: int, not_null: int, like_hidden: int) -> None:
    """Raise, with the numbers of cells that were counted, if a column is not the indicator of another."""
    problems = {
        f"the indicator '{column}' has {pluralize(unclear, 'cell')} that must be true or false": unclear,
        f"'{name}' has {pluralize(not_null, 'cell')} that must be null, because '{column}' is true": not_null,
        f"'{name}' has {pluralize(like_hidden, 'cell')} like '{HIDDEN}', which stands for suppressed ones": like_hidden,
    }
    raise_all([problem for problem, count in problems.items() if count])


def found_indicators(table: Any, roles: Roles, others: Mapping[str, ColumnMark]) -> Iterator[tuple[str, Indicator]]:
    """Find the indicators of a release by their names, for columns whose mark nobody gave."""
    for name in roles.quasi:
        indicator = indicator_of(name)
        free = name not in others and indicator.column not in (*roles.quasi, *roles.sensitive)
        if free and indicator.column in getattr(table, "columns", ()):
            try:
                merge_indicators(table, {name: indicator})
            except InputError:
                continue  # another column that happens to have this name
            yield name, indicator
