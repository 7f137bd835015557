"""One end of a value may be masked: 98765, 9876*, 987**, or *8765, **765."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from kilt.errors import InputError
from kilt.model.ladders.domain import Domain, Mark
from kilt.model.ladders.path import HIDDEN, Labels, PathLadder


class Masked(NamedTuple):
    """The end that stays visible of a value whose other characters are masked."""

    visible: str


@dataclass(frozen=True)
class Masking(PathLadder):
    """Only so many characters of one end stay visible; without ``lengths``, every number of them is a level.

    A masked value is as long as the longest value of the column. A value that has no characters to mask, and shares
    its visible end with no longer one, stays as it is.
    """

    lengths: tuple[int, ...] = ()

    word: ClassVar[str]
    masks = True

    def __post_init__(self) -> None:
        going_down = all(a > b for a, b in zip(self.lengths, self.lengths[1:], strict=False))
        if not going_down or any(length < 1 for length in self.lengths):
            raise InputError(
                f"'{self.word}' must have ever fewer visible characters, at least 1, as in {self.word}=4,2"
            )

    def visible(self, value: str, length: int) -> str:
        """Return the end of a value that stays visible."""
        raise NotImplementedError

    def _shown_lengths(self, domain: Domain) -> tuple[int, ...]:
        return self.lengths or tuple(range(domain.width - 1, 0, -1))

    def names(self, domain: Domain) -> tuple[str, ...]:
        """Name the levels by the number of visible characters."""
        return tuple(map(str, self._shown_lengths(domain)))

    def labels(self, domain: Domain) -> Sequence[Labels]:
        """Cut the values to each length."""
        return [self._cut(domain, length) for length in self._shown_lengths(domain)]

    def _cut(self, domain: Domain, length: int) -> list[Hashable]:
        ends = [None if value is None else self.visible(value, length) for value in domain.values]
        shared = Counter(ends)
        return [
            value if end is None or (end == value and shared[end] == 1) else Masked(end)
            for value, end in zip(domain.values, ends, strict=True)
        ]

    def text(self, label: Hashable, domain: Domain, mark: Mark) -> Mark:
        """Write the mark for every masked character."""
        if label is HIDDEN:
            return str(mark) * domain.width
        if not isinstance(label, Masked):
            return None if label is None else str(label)
        return self.masked(label.visible, str(mark) * (domain.width - len(label.visible)))

    def masked(self, visible: str, marks: str) -> str:
        """Put the marks on the side of the masked end."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{self.word}={','.join(map(str, self.lengths))}" if self.lengths else self.word


@dataclass(frozen=True)
class Prefix(Masking):
    """The last characters may be masked: ``98765``, ``9876*``, ``987**``, and so on."""

    word = "prefix"

    def visible(self, value: str, length: int) -> str:
        """Return the beginning."""
        return value[:length]

    def masked(self, visible: str, marks: str) -> str:
        """Put the marks behind it."""
        return visible + marks


@dataclass(frozen=True)
class Right(Masking):
    """The first characters may be masked, so that the right end stays visible: ``98765``, ``*8765``, ``**765``."""

    word = "right"

    def visible(self, value: str, length: int) -> str:
        """Return the end."""
        return value[-length:]

    def masked(self, visible: str, marks: str) -> str:
        """Put the marks before it."""
        return marks + visible
