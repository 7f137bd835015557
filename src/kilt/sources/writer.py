"""Writing a release: it is staged where it belongs, verified from there, and published at the end.

A writer is made before any work is done, so that what cannot be written is refused at once. Files are in
`kilt.sources.duck.file_writer`; a database brings a writer of its own, which can stage and publish in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from kilt.model.marks import ColumnMark
from kilt.sources.base import Source


@dataclass(frozen=True)
class StagedRelease:
    """A release that is made, but not visible yet: ``table`` is read from what was staged, with its witnesses.

    ``publish`` puts it in its place, without the witnesses. It is called at most once, and only if the verifier agrees.
    ``formulas`` are the columns with cells that a spreadsheet would take for formulas.
    """

    table: Source
    publish: Callable[[], None]
    formulas: tuple[str, ...] = ()


class Writer(Protocol):
    """A place that a release can be written to."""

    @property
    def typed(self) -> bool:
        """Whether columns keep their types there."""

    def require_free(self, source: Source, marks: Mapping[str, ColumnMark]) -> None:
        """Raise if a release of this table with these marks cannot be written there, or would replace the table."""

    def stage(self, released: Source) -> AbstractContextManager[StagedRelease]:
        """Make a release there; unless it is published, nothing is left of it when the context ends."""


@contextmanager
def staged(writer: Writer | None, released: Source) -> Iterator[StagedRelease]:
    """Stage a release, or hand it over as it is where it is to be written nowhere."""
    if writer is None:
        yield StagedRelease(released, lambda: None)
        return
    with writer.stage(released) as stage:
        yield stage
