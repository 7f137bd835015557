"""Limits: a ladder that begins at a least level, or ends at a highest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kilt.errors import InputError, nearest
from kilt.model.ladders.domain import Domain, Mark
from kilt.model.ladders.path import Labels, PathLadder
from kilt.model.ladders.suppression import Suppression

VALUE = "value"  # the name of level 0
LAST = "!"  # the last level below the mark, whatever it is called


@dataclass(frozen=True)
class Limited(PathLadder):
    """A ladder of which everything is shown at the ``least`` level at least, and nothing beyond the ``highest``."""

    ladder: PathLadder
    least: str | None = None
    highest: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.ladder, PathLadder):
            raise InputError(f"the ladder '{self.ladder}' has no levels that could be limited")

    @property
    def text_only(self) -> bool:  # type: ignore[override]
        """As the ladder itself."""
        return self.ladder.text_only

    @property
    def masks(self) -> bool:  # type: ignore[override]
        """As the ladder itself."""
        return self.ladder.masks

    @property
    def hides_values(self) -> bool:  # type: ignore[override]
        """Whether there is a least level above the value."""
        return self.least not in (None, VALUE)

    def span(self, domain: Domain) -> tuple[int, int]:
        """Return the least and the highest level."""
        names = (VALUE, *self.ladder.names(domain))
        low = 0 if self.least is None else _level(self.least, names, "from", domain.name)
        high = len(names) if self.highest is None else _level(self.highest, names, "to", domain.name)
        if low > high:
            raise InputError(f"'{domain.name}' is never to be shown below '{names[low]}' nor above '{names[high]}'")
        return low, high

    def names(self, domain: Domain) -> tuple[str, ...]:
        """As the ladder itself."""
        return self.ladder.names(domain)

    def labels(self, domain: Domain) -> Sequence[Labels]:
        """As the ladder itself."""
        return self.ladder.labels(domain)

    def loss(self, level: int, first: int, size: int, domain: Domain) -> Fraction:
        """As the ladder itself."""
        return self.ladder.loss(level, first, size, domain)

    def text(self, label: Hashable, domain: Domain, mark: Mark) -> Mark:
        """As the ladder itself."""
        return self.ladder.text(label, domain, mark)

    def positions(self, domain: Domain) -> Sequence[Fraction | None] | None:
        """As the ladder itself."""
        return self.ladder.positions(domain)

    def remarks(self, name: str) -> tuple[str, ...]:
        """As the ladder itself."""
        return self.ladder.remarks(name)

    def __str__(self) -> str:
        return "keep" if self == KEEP else f"{self.ladder}{self.suffix}"

    @property
    def suffix(self) -> str:
        """What stands behind the ladder itself."""
        least = "" if self.least is None else f"/from={self.least}"
        return least + ("" if self.highest is None else LAST if self.highest == LAST else f"/to={self.highest}")


KEEP = Limited(Suppression(), highest=VALUE)


def _level(name: str, names: Sequence[str], word: str, column: str) -> int:
    if name == LAST:
        return len(names) - 1
    if name not in names:
        raise InputError(f"'/{word}={name}' names no level of the ladder of '{column}': {nearest(name, names)}")
    return names.index(name)
