"""What a source is: a table, wherever it lives, that counts its row types and applies the finished plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from kilt.model.detect import PARAMS, ColumnSample
from kilt.model.ladders import Domain
from kilt.model.plan import Plan
from kilt.model.row_types import RowTypes
from kilt.numbers import IntArray
from kilt.sources.tally import Comparison, Tally


@dataclass(frozen=True)
class Counted:
    """What a source counts: the row types, and which of them each row is."""

    types: RowTypes
    type_of_row: IntArray


@runtime_checkable
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

    def count(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Counted:
        """Count the row types."""

    def apply(self, plan: Plan, type_of_row: IntArray, identifier: Sequence[str]) -> Source:
        """Return the release that the plan describes, rows in their order, given what was counted."""

    def content_order(self) -> IntArray:
        """Return the rows in the order of what they show."""

    def reordered(self, order: IntArray) -> Source:
        """Return the rows in another order."""

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups, for the verifier."""

    def compare(self, original: Any, identifier: Sequence[str], order: IntArray | None) -> Comparison:
        """Compare the cells with those of the original, for the verifier."""

    def distinct(self, column: str) -> list[str | None]:
        """Return the distinct values of a column as text."""

    def domain(self, column: str) -> Domain:
        """Return the distinct values of a column as text, with the number of rows that have each."""

    def cells(self, column: str) -> list[str | None]:
        """Return the cells of a column as text, row by row, for the check of a certificate."""


@runtime_checkable
class SamplingSource(Protocol):
    """A source that takes the sample of a column itself, for tables whose cells should not be fetched for it."""

    def sample_column(self, column: str, most: int) -> ColumnSample:
        """Count the cells and the distinct values of a column, and return at most so many of these, evenly chosen."""


def sample_of(source: Source, column: str, most: int = PARAMS.sample) -> ColumnSample:
    """Take the sample of a column, as the source does it or from its cells."""
    if isinstance(source, SamplingSource):
        return source.sample_column(column, most)
    return ColumnSample.of(column, source.cells(column), most)
