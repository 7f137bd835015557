"""Where a released cell stands on the ladder of its column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kilt.model.ladders import Bands, Characters, Domain, Ladder, Limited, Mark, PathLadder, Prefix, Priced, Right

KEPT, BLURRED, HIDDEN = "as it was", "blurred", "hidden"


class Levels(Protocol):
    """The levels of a ladder on the values of a column."""

    @property
    def names(self) -> Sequence[str]:
        """What a reader calls the levels, from the value itself to the mark."""

    def level(self, was: str | None, now: str | None) -> int | None:
        """Return the lowest level at which a value looks like this; None if there is none."""


@dataclass(frozen=True)
class PathLevels:
    """The levels of a path of labels."""

    ladder: PathLadder
    domain: Domain
    mark: Mark

    @property
    def names(self) -> Sequence[str]:
        """Name each level by what is left there."""
        return (KEPT, *(_named(self.ladder, name) for name in self.ladder.names(self.domain)), HIDDEN)

    def level(self, was: str | None, now: str | None) -> int | None:
        """Go up the ladder."""
        place = self.domain.places.get(was)
        low, high = self.ladder.span(self.domain)
        steps = self.ladder.steps(self.domain)
        for level in range(low, high + 1):
            if place is not None and self.ladder.text(steps[level][place], self.domain, self.mark) == now:
                return level
        return None


@dataclass(frozen=True)
class CharacterLevels:
    """Cells whose characters are hidden one by one: a level is the number of those that are."""

    width: int
    mark: Mark

    @property
    def names(self) -> Sequence[str]:
        """Count the hidden characters."""
        between = (f"{hidden} of {self.width} characters hidden" for hidden in range(1, self.width))
        return (KEPT, *between, HIDDEN)

    def level(self, was: str | None, now: str | None) -> int | None:
        """Count the marks."""
        hidden = 0 if now is None or was == now else now.count(str(self.mark))
        return min(hidden, self.width)


@dataclass(frozen=True)
class PlainLevels:
    """The levels of any other ladder: of a cell it is known only whether it is as it was, hidden, or between."""

    mark: Mark
    names: Sequence[str] = (KEPT, BLURRED, HIDDEN)

    def level(self, was: str | None, now: str | None) -> int | None:
        """Compare the cell with its original and with the mark."""
        return 0 if was == now else 2 if now == self.mark else 1


def levels_of(ladder: Ladder, domain: Domain, mark: Mark) -> Levels:
    """Return the levels of a ladder."""
    inner = ladder.ladder if isinstance(ladder, Priced) else ladder
    if isinstance(inner, PathLadder):
        return PathLevels(inner, domain, mark)
    if isinstance(inner, Characters):
        return CharacterLevels(domain.width, mark)
    return PlainLevels(mark)


def _named(ladder: PathLadder, name: str) -> str:
    """Say what a level is, where its name alone is a number."""
    inner = ladder.ladder if isinstance(ladder, Limited) else ladder
    if not name.replace(".", "").isdigit():
        return name
    if isinstance(inner, Bands):
        return f"bands of {name}"
    if isinstance(inner, Prefix | Right):
        side = "first" if isinstance(inner, Prefix) else "last"
        return f"{side} {name} characters" if name != "1" else f"{side} character"
    return f"level {name}"
