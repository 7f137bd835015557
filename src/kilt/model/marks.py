"""Marks: what a suppressed cell looks like in each quasi column, as the user says it and as it is decided.

A mark is a text, null, or an *indicator*: then a suppressed cell is null, and a column of truth values beside it says
which cells are suppressed, so that they can be told from the nulls that the column has of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kilt.errors import InputError, nearest, raise_all
from kilt.model.ladders import MARK, Ladder, Mark, never_hidden
from kilt.model.roles import words
from kilt.model.row_types import RowTypes

HIDDEN = "(hidden)"  # how a cell is read that its indicator calls suppressed
NULL, INDICATOR = "null", "indicator"
SUFFIX = "_hidden"
MarkSpec: TypeAlias = str | Mapping[Any, str | None] | None


@dataclass(frozen=True)
class Indicator:
    """A mark: null, and true in a column of this name, which is false for every other cell."""

    column: str


ColumnMark: TypeAlias = Mark | Indicator


def indicator_of(name: str) -> Indicator:
    """Return the indicator of a column."""
    return Indicator(f"{name}{SUFFIX}")


def ladder_mark(mark: ColumnMark) -> Mark:
    """Return the mark that a ladder shows, and that a released cell is compared with."""
    return HIDDEN if isinstance(mark, Indicator) else mark


def read_marks(spec: MarkSpec, quasi: Collection[str]) -> dict[str, ColumnMark]:
    """Read the marks that the user chose, by column; a column without a choice is left out.

    A spec is a text for all columns, or ``"zip=?,age=null"``, where a text without a column is for all others, or a
    mapping from columns to marks. ``null`` and ``indicator`` are not taken for texts.
    """
    if spec is None:
        return {}
    if isinstance(spec, str):
        spec = _by_column(spec, quasi)
    if not isinstance(spec, Mapping):
        raise InputError(f"'mark' must be a text, or a mapping from columns to texts, not a {type(spec).__name__}")
    unknown = [str(name) for name in spec if str(name) not in quasi]
    raise_all([f"'mark' names '{name}', which is not a quasi column: {nearest(name, quasi)}" for name in unknown])
    return {str(name): _mark(str(name), word) for name, word in spec.items()}


def _by_column(text: str, quasi: Collection[str]) -> dict[str, str]:
    split = [(name, mark) for name, _, mark in (str(word).rpartition("=") for word in words(text))]
    chosen = {name: mark for name, mark in split if name and mark}
    others = [mark for name, mark in split if not name]
    if not chosen:
        return dict.fromkeys(quasi, text)
    if len(others) > 1 or len(chosen) + len(others) < len(split):
        raise InputError("'mark' must be one text, or one for each column, as in zip=?,age=null")
    return {**(dict.fromkeys(quasi, others[0]) if others else {}), **chosen}


def _mark(name: str, word: str | None) -> ColumnMark:
    if word is None or word == NULL:
        return None
    if word == INDICATOR:
        return indicator_of(name)
    if not isinstance(word, str) or not word.strip():
        raise InputError("'mark' must have at least one visible character")
    return word


def choose_marks(
    types: RowTypes,
    ladders: Mapping[str, Ladder],
    typed: Mapping[str, bool],
    spec: MarkSpec,
    columns: Sequence[str] = (),
) -> dict[str, ColumnMark]:
    """Return what a suppressed cell looks like in each quasi column, or raise if it could be mistaken for a value.

    Without a mark of the user's choice it is ``*`` in text columns and null in typed ones, and so it is in columns that
    are never hidden, so that they keep their type. ``columns`` are those of the table, none of which may have the name
    of an indicator.
    """
    given = read_marks(spec, ladders)
    marks: dict[str, ColumnMark] = {}
    for column, (name, ladder) in enumerate(ladders.items()):
        chosen = name in given and (isinstance(given[name], Indicator) or not never_hidden(ladder))
        marks[name] = given[name] if chosen else default_mark(ladder, typed=typed[name])
        _require_shape(name, ladder, marks[name])
        _require_free(name, marks[name], columns)
        if ladder.ambiguous(types.domain(column, name), ladder_mark(marks[name])):
            raise InputError(_clash(name, marks[name]))
    return marks


def default_mark(ladder: Ladder, *, typed: bool) -> Mark:
    """Return the mark of a column that the user chose none for."""
    return MARK if ladder.text_only or not typed else None


def _require_shape(name: str, ladder: Ladder, mark: ColumnMark) -> None:
    if ladder.masks and (not isinstance(mark, str) or len(mark) != 1):
        raise InputError(f"'mark' must be a single character, because '{name}' is masked character by character")


def _require_free(name: str, mark: ColumnMark, columns: Sequence[str]) -> None:
    if isinstance(mark, Indicator) and mark.column.lower() in {column.lower() for column in columns}:
        raise InputError(
            f"the indicator of '{name}' would be the column '{mark.column}', which is already there: "
            "choose another 'mark', or rename that column"
        )


def _clash(name: str, mark: ColumnMark) -> str:
    if mark is None:
        return (
            f"'{name}' has missing values, which a suppressed cell would look like; choose a 'mark': with '{name}=*' "
            f"the column becomes text, with '{name}={INDICATOR}' a column '{indicator_of(name).column}' is added"
        )
    return (
        f"'{name}' already holds the mark '{ladder_mark(mark)}', so that suppressed cells could not be told from it; "
        "choose another 'mark'"
    )
