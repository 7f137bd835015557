"""A ladder under a measure, with a weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from kilt.model.ladders.base import Ladder
from kilt.model.ladders.coding import Encoding
from kilt.model.ladders.domain import Domain, Mark
from kilt.model.ladders.limited import Limited
from kilt.model.ladders.path import PathLadder
from kilt.model.measure import DEFAULT, Measure


@dataclass(frozen=True)
class Priced:
    """A ladder whose labels cost what a measure says, and whose stars count for more, or less, than one each.

    A ladder that is no path of labels, such as ``characters``, prices itself.
    """

    ladder: Ladder
    weight: Fraction = Fraction(1)
    measure: Measure = DEFAULT

    @property
    def text_only(self) -> bool:
        """As the ladder itself."""
        return self.ladder.text_only

    @property
    def masks(self) -> bool:
        """As the ladder itself."""
        return self.ladder.masks

    @property
    def hides_values(self) -> bool:
        """As the ladder itself."""
        return self.ladder.hides_values

    def encode(self, domain: Domain) -> Encoding:
        """Multiply the costs."""
        inner = self.ladder
        found = inner.encode(domain, self.measure) if isinstance(inner, PathLadder) else inner.encode(domain)
        if self.weight == 1:
            return found
        return Encoding(
            found.codes,
            tuple(
                replace(column, costs=tuple(_times(self.weight, level) for level in column.costs))
                for column in found.columns
            ),
            found.credit * self.weight,
        )

    def show(self, value: str | None, levels: Sequence[int], domain: Domain, mark: Mark) -> Mark:
        """Show as the ladder itself does."""
        return self.ladder.show(value, levels, domain, mark)

    def ambiguous(self, domain: Domain, mark: Mark) -> int:
        """Count as the ladder itself does."""
        return self.ladder.ambiguous(domain, mark)

    def stars(self, original: str | None, released: str | None, domain: Domain, mark: Mark) -> Fraction | None:
        """Multiply the stars."""
        if isinstance(self.ladder, PathLadder):
            stars = self.ladder.stars(original, released, domain, mark, self.measure)
        else:
            stars = self.ladder.stars(original, released, domain, mark)
        return stars if stars is None or self.weight == 1 else stars * self.weight

    def remarks(self, name: str) -> tuple[str, ...]:
        """As the ladder itself."""
        return self.ladder.remarks(name)

    def __str__(self) -> str:
        return str(self.ladder)


def never_hidden(ladder: Ladder) -> bool:
    """Say whether a ladder has a highest level below the mark."""
    inner = ladder.ladder if isinstance(ladder, Priced) else ladder
    return isinstance(inner, Limited) and inner.highest is not None


def _times(weight: Fraction, costs: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Multiply costs, of which many are one and the same."""
    weighed = {id(cost): cost * weight for cost in {id(cost): cost for cost in costs}.values()}
    return tuple(weighed[id(cost)] for cost in costs)


def priced(ladder: Ladder, weight: Fraction = Fraction(1), measure: Measure = DEFAULT) -> Ladder:
    """Price a ladder, unless that is what it does by itself."""
    return ladder if weight == 1 and measure == DEFAULT else Priced(ladder, weight, measure)
