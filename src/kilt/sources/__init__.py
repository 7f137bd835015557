"""Sources: where tables live. Each counts row types and applies the finished plan."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from kilt.numbers import IntArray
from kilt.plan import Plan
from kilt.problem import RowTypes
from kilt.tally import Comparison, Tally


class Source(Protocol):
    """A table, wherever it lives."""

    columns: list[str]
    notes: tuple[str, ...]

    @property
    def rows(self) -> int:
        """The number of rows."""

    @property
    def native(self) -> Any:
        """The table as an object that the user can go on with."""

    def typed(self, column: str) -> bool:
        """Say whether the column holds something other than text."""

    def count(self, quasi: Sequence[str], sensitive: Sequence[str]) -> RowTypes:
        """Count the row types."""

    def apply(self, plan: Plan, identifier: Sequence[str]) -> Source:
        """Return the release that the plan describes, rows in their order."""

    def content_order(self) -> IntArray:
        """Return the rows in the order of what they show."""

    def reordered(self, order: IntArray) -> Source:
        """Return the rows in another order."""

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups, for the verifier."""

    def compare(self, original: Any, identifier: Sequence[str], order: IntArray | None) -> Comparison:
        """Put the cells beside those of the original, for the verifier."""

    def distinct(self, column: str) -> list[str | None]:
        """Return the distinct values of a column as text."""

    def cells(self, column: str) -> list[str | None]:
        """Return the cells of a column as text, row by row, for the check of a certificate."""


def open_source(data: Any, delimiter: str | None = None, beside: Source | None = None) -> Source:
    """Open a path or a frame; a file can be opened beside another, so that the two can be compared."""
    if isinstance(data, str | PathLike):
        from kilt.sources.duck import DuckSource  # noqa: PLC0415 - only where a file is read

        return DuckSource.open(Path(data), delimiter, beside if isinstance(beside, DuckSource) else None)
    from kilt.sources.frame import FrameSource  # noqa: PLC0415 - only where a frame is read

    return FrameSource(data)
