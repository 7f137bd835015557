"""A ladder: 34, then 30-39, then the mark."""

from __future__ import annotations

from collections.abc import Sequence

from kilt.model.ladders import Domain, PathLadder


class Decades(PathLadder):
    """A whole number may become its decade; what is not a whole number can only be hidden."""

    def names(self, domain: Domain) -> tuple[str, ...]:  # noqa: ARG002 - it has the same levels for all columns
        """Name the level between the value and the mark."""
        return ("decade",)

    def labels(self, domain: Domain) -> Sequence[Sequence[str | None]]:
        """Return the labels of all values at this level; values that share one look alike."""
        return [[_decade(value) for value in domain.values]]


def _decade(value: str | None) -> str | None:
    return f"{int(value) // 10 * 10}-{int(value) // 10 * 10 + 9}" if value and value.isdecimal() else value
