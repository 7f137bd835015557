"""What a ladder is: how one quasi column may be blurred, from the value itself up to the mark."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from kilt.model.ladders.coding import Encoding
from kilt.model.ladders.domain import Domain, Mark


class Ladder(Protocol):
    """How one quasi column may be blurred. `kilt.model.ladders.path.PathLadder` has all but the labels."""

    @property
    def text_only(self) -> bool:
        """Whether a released column is always text."""

    @property
    def masks(self) -> bool:
        """Whether single characters are masked, so that the mark must be one character."""

    @property
    def hides_values(self) -> bool:
        """Whether the value itself is never shown, not even where nothing has to be blurred."""

    def encode(self, domain: Domain) -> Encoding:
        """Code the values of a column."""

    def show(self, value: str | None, levels: Sequence[int], domain: Domain, mark: Mark) -> Mark:
        """Return what a value looks like at these levels of the coded columns."""

    def ambiguous(self, domain: Domain, mark: Mark) -> int:
        """Count the values and labels that could be mistaken for the mark."""

    def stars(self, original: str | None, released: str | None, domain: Domain, mark: Mark) -> Fraction | None:
        """Return the cost of a released cell, or None if the ladder does not lead there from its original.

        A cell that is as it was is asked for only if the ladder hides values.
        """

    def remarks(self, name: str) -> tuple[str, ...]:
        """Return what the owner of the column should know of a release."""
