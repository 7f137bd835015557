"""A value, or the mark: the ladder of two levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from kilt.model.ladders.domain import Domain
from kilt.model.ladders.numeric import numbers_of
from kilt.model.ladders.path import Labels, PathLadder


@dataclass(frozen=True)
class Suppression(PathLadder):
    """A value, or the mark; the type of the column is kept."""

    decimal: str = field(default=".", compare=False)  # it guides methods, and changes no label

    text_only = False

    def names(self, domain: Domain) -> tuple[str, ...]:  # noqa: ARG002
        """There is nothing between them."""
        return ()

    def labels(self, domain: Domain) -> Sequence[Labels]:  # noqa: ARG002
        """There is nothing between them."""
        return ()

    def positions(self, domain: Domain) -> Sequence[Fraction | None] | None:
        """Return the numbers, if all values are: methods that cut between values follow their order."""
        numbers, others = numbers_of(domain.values, self.decimal)
        return None if others else numbers

    def __str__(self) -> str:
        return "suppress"
