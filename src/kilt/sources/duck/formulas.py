"""Cells of a CSV file that a spreadsheet would take for formulas, and how they are escaped.

Such a cell begins with = + - @, a tab or the end of a line, and is no number. A single quote before it makes it a text.
A cell that begins like this after quotes gets one more, so that taking one away undoes it, whatever the cell was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kilt.sources.duck.connection import Database
from kilt.sources.file_format import quoted

QUOTE = "'"
FORMULA = r"(?s)^'*[=+\-@\t\r\n]."
NUMBER = r"[+-]?([0-9][0-9.,]*|[.,][0-9]+)([eE][+-]?[0-9]+)?%?"
FIRST = ("=", "+", "-", "@", "\t", "\r", "\n", QUOTE)  # what all of these begin with: cheaper to look for


def is_formula(text: str) -> bool:
    """Say whether a spreadsheet would take a text for a formula."""
    return text[:1] != QUOTE and _is_escapable(text)


def escaped(text: str) -> str:
    """Return a text so that no spreadsheet takes it for a formula."""
    return QUOTE + text if _is_escapable(text) else text


def unescaped(text: str) -> str:
    """Return what was escaped; anything else is what it was."""
    return text[1:] if text[:1] == QUOTE and _is_escapable(text[1:]) else text


def _is_escapable(text: str) -> bool:
    """Say whether a text looks like a formula, or like one that is escaped."""
    return bool(re.match(FORMULA, text)) and not re.fullmatch(NUMBER, text)


def escaped_cell(cell: str) -> str:
    """Return SQL for a cell as `escaped` writes it."""
    return f"CASE WHEN {_escapable(cell)} THEN {quoted(QUOTE)} || {cell} ELSE {cell} END"


def unescaped_cell(cell: str) -> str:
    """Return SQL for a cell as `unescaped` reads it."""
    rest = f"substr({cell}, 2)"
    is_escaped = f"substr({cell}, 1, 1) = {quoted(QUOTE)} AND {_escapable(rest)}"
    return f"CASE WHEN {is_escaped} THEN {rest} ELSE {cell} END"


def formula_columns(database: Database, table: str, cells: Sequence[str]) -> list[int]:
    """Return the places of the columns, given their cells, that have a cell like a formula."""
    looks = (f"{_escapable(cell)} AND substr({cell}, 1, 1) <> {quoted(QUOTE)}" for cell in cells)
    found = ", ".join(f"coalesce(bool_or({each}), false)" for each in looks)
    return [place for place, has in enumerate(database.rows(f"SELECT {found} FROM {table}")[0]) if has] if cells else []


def _escapable(cell: str) -> str:
    """Return SQL that says whether a cell is escaped; regular expressions come last, as they cost the most."""
    first = ", ".join(map(_literal, FIRST))
    looks = f"regexp_matches({cell}, {quoted(FORMULA)}) AND NOT regexp_full_match({cell}, {quoted(NUMBER)})"
    return f"({cell} IS NOT NULL AND substr({cell}, 1, 1) IN ({first}) AND {looks})"


def _literal(sign: str) -> str:
    return quoted(sign) if sign.isprintable() else f"chr({ord(sign)})"
