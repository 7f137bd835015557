"""What a source is: a table, wherever it lives, that counts its row types and applies the finished plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, runtime_checkable

from kilt.errors import InputError
from kilt.model.detect import PARAMS, ColumnSample, listed
from kilt.model.ladders import Domain
from kilt.model.plan import Plan
from kilt.model.row_types import RowTypes
from kilt.sources.tally import Comparison, Tally

CountedRow = tuple[tuple[str | None, ...], int]
LostCells = tuple[str | None, int, int]  # a value, a number of cells, and the rows that have the one and lost the other


@dataclass(frozen=True)
class Counted:
    """What a source counts: the row types, and which of them each row is, in a form that only the source reads."""

    types: RowTypes
    type_of_row: Any


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

    def apply(self, plan: Plan, counted: Counted, identifier: Sequence[str], seed: int | None = None) -> Source:
        """Return the release that the plan describes, given what was counted.

        Rows are in their order or, with a seed, in one that depends on the released cells and the seed alone. The
        release knows which row of the original each of its rows is, so that it can be compared with it.
        """

    def tally(self, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
        """Count the groups, for the verifier."""

    def compare(self, original: Any, identifier: Sequence[str], blurred: Sequence[str]) -> Comparison:
        """Compare the cells with those of the original, for the verifier; those of ``blurred`` columns in pairs."""

    def distinct(self, column: str) -> list[str | None]:
        """Return the distinct values of a column as text."""

    def domain(self, column: str) -> Domain:
        """Return the distinct values of a column as text, with the number of rows that have each."""

    def counted_rows(self, columns: Sequence[str]) -> list[CountedRow]:
        """Return what is different in some columns as text, with its number of rows, to check a certificate."""


METHODS = ("typed", "count", "apply", "tally", "compare", "distinct", "domain", "counted_rows")


def is_source(data: Any) -> TypeGuard[Source]:
    """Say whether something is a source, by its class alone.

    A frame may claim to have every attribute, and to look at ``native`` can mean to fetch all rows.
    """
    return all(hasattr(type(data), name) for name in METHODS)


@runtime_checkable
class SamplingSource(Protocol):
    """A source that takes the sample of a column itself, for tables whose cells should not be fetched for it."""

    def sample_column(self, column: str, most: int) -> ColumnSample:
        """Count the cells and the distinct values of a column, and return at most so many of these, by their hash."""


@runtime_checkable
class ComparingSource(Protocol):
    """A source that may have columns of types that cannot be compared."""

    def require_texts(self, columns: Sequence[str]) -> None:
        """Raise if a column that is to be released has no text to compare it by."""


def require_compared(kinds: Mapping[str, str]) -> None:
    """Raise if there are columns whose types have no text of their own; what is in a nested type is left out."""
    found = {name: kind.partition("<")[0].partition("(")[0] for name, kind in kinds.items()}
    if len(found) == 1:
        ((name, kind),) = found.items()
        raise InputError(
            f"the column '{name}' has the type {kind}, which kilt does not compare: make it an identifier, so that it "
            "is dropped, or leave it out, or make text of it"
        )
    if found:
        named = listed([f"'{name}' ({kind})" for name, kind in found.items()])
        raise InputError(
            f"the columns {named} have types that kilt does not compare: make them identifiers, so that they are "
            "dropped, or leave them out, or make text of them"
        )


@runtime_checkable
class LossCountingSource(Protocol):
    """A release that knows which row of the original each of its rows was made of, and can say what it has lost."""

    def lost_cells(self, original: Any, quasi: Sequence[str], by: str | None) -> list[LostCells] | None:
        """Count rows by their value in a column of the original and the quasi cells that differ; None if it cannot."""


@runtime_checkable
class FloatingSource(Protocol):
    """A source that knows which of its columns hold floating-point numbers; row types are in the order of these."""

    def is_float(self, column: str) -> bool:
        """Say whether the column holds floating-point numbers."""


@runtime_checkable
class MovableSource(Protocol):
    """A release that can be brought to where its original is, to be compared with it there."""

    def moved_to(self, original: Any) -> Source:
        """Return the table where the original is."""


def beside_original(released: Source, original: Source) -> Source:
    """Return a release where its original is, if it can be brought there."""
    return released.moved_to(original) if isinstance(released, MovableSource) else released


class Executors(Protocol):
    """What works for a source where its rows are."""

    engine: Any

    @property
    def slots(self) -> int:
        """How many tasks are done at a time."""

    def do(
        self, work: Callable[[bytes], bytes], tasks: Sequence[bytes], interrupted: Callable[[], bool]
    ) -> list[bytes] | None:
        """Do so many tasks at most; return their answers in order, or None if interrupted."""


@runtime_checkable
class ExecutingSource(Protocol):
    """A source that has executors of its own."""

    @property
    def executors(self) -> Executors:
        """What works where its rows are."""


def is_object_of(data: Any, *packages: str) -> bool:
    """Say whether something is an object of a class of one of these packages, without importing it."""
    return type(data).__module__.partition(".")[0] in packages


def sample_of(source: Source, column: str, most: int = PARAMS.sample) -> ColumnSample:
    """Take the sample of a column, as the source does it or from its domain."""
    if isinstance(source, SamplingSource):
        return source.sample_column(column, most)
    domain = source.domain(column)
    counts: Counter[str | None] = Counter()
    for value, count in zip(domain.values, domain.counts.tolist(), strict=True):
        counts[value] += count  # values of different types may look the same
    return ColumnSample.of(column, counts, most)
