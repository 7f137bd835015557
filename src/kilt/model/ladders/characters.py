"""Every character position is a column of its own, as in the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kilt.model.ladders.coding import CodedColumn, Encoding, numbered
from kilt.model.ladders.domain import Domain, Mark, Values
from kilt.numbers import IntArray


@dataclass(frozen=True)
class Characters:
    """Every character position is a column of its own: 98765 may become 98*** or 9*7**, a star for each.

    Shorter values are padded with an absent character, which is a value like any other; so is the
    missing value, in every position. It has no characters to mask: by itself it stays as it is.
    """

    text_only: bool = True
    masks: bool = True
    hides_values: bool = False

    def encode(self, domain: Domain) -> Encoding:
        """One two-level column per position."""
        values = domain.values
        codes = np.column_stack([numbered([_character(v, i) for v in values]) for i in range(domain.width)])
        columns = tuple(
            _two_level(f"{domain.name}[{i + 1}]", codes[:, i], _masked(codes[:, i], values))
            for i in range(domain.width)
        )
        return Encoding(codes, columns)

    def show(self, value: str | None, levels: Sequence[int], domain: Domain, mark: Mark) -> Mark:  # noqa: ARG002
        """Mask the positions at level 1."""
        shown = [mark if level else _character(value, place) for place, level in enumerate(levels)]
        return "".join(character for character in shown if character is not None)

    def ambiguous(self, domain: Domain, mark: Mark) -> int:
        """Count values that hold the mark."""
        return sum(1 for value in domain.values if value is not None and str(mark) in value)

    def stars(self, original: str | None, released: str | None, domain: Domain, mark: Mark) -> Fraction | None:
        """Count the masked positions; every other position must be as it was."""
        if released is None or len(released) > domain.width or len(released) < len(original or ""):
            return None
        if original is None and released != str(mark) * domain.width:  # it differs from any other in every position
            return None
        masked = sum(1 for shown in released if shown == mark)
        kept = all(shown in (mark, _character(original, i)) for i, shown in enumerate(released))
        return Fraction(masked) if kept and masked else None

    def remarks(self, name: str) -> tuple[str, ...]:  # noqa: ARG002
        """There is nothing to know."""
        return ()

    def __str__(self) -> str:
        return "characters"


def _two_level(name: str, codes: IntArray, looks: IntArray) -> CodedColumn:
    """Return a column of two levels; ``looks`` has the lowest level that looks like the upper one."""
    size = int(codes.max(initial=-1)) + 1
    identity, zeros = np.arange(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    return CodedColumn(name, (identity, zeros), ((Fraction(0),) * size, (Fraction(1),) * size), (zeros, looks))


def _character(value: str | None, position: int) -> str | None:
    """Return the character at a position, '' where the value is shorter, None for the missing value."""
    return None if value is None else value[position : position + 1]


def _masked(codes: IntArray, values: Values) -> IntArray:
    """Return for every code of a position the lowest level that looks masked: 0 for the missing value alone."""
    looks = np.ones(int(codes.max(initial=-1)) + 1, dtype=np.int32)
    looks[[code for code, value in zip(codes.tolist(), values, strict=True) if value is None]] = 0
    return looks
