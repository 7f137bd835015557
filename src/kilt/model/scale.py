"""How costs are told to people: in stars, or as shares of the detail where cells may be blurred in steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kilt.model.ladders import Encoding, Ladder
from kilt.numbers import bound_number, bound_percent, json_number, percent


@dataclass(frozen=True)
class Scale:
    """What it costs to hide everything, and whether cells may be blurred in steps."""

    most_stars: Fraction = Fraction(0)
    blurs: bool = False

    @classmethod
    def of(cls, ladders: Mapping[str, Ladder], encodings: Sequence[Encoding], rows: int) -> Scale:
        """Return the scale of a table with so many rows."""
        return cls(sum(top_stars(ladders, encodings).values(), Fraction(0)) * rows, _blur(ladders, encodings))

    def share(self, stars: Fraction) -> Fraction:
        """Return stars as a share of what it costs to hide everything."""
        return stars / self.most_stars if self.most_stars else Fraction(0)

    def headings(self) -> tuple[str, str]:
        """Return what stands above costs and bounds."""
        return ("lost", "at least") if self.blurs else ("stars", "bound")

    def cost(self, stars: Fraction) -> str:
        """Write what a release costs."""
        return percent(self.share(stars)) if self.blurs else f"{json_number(stars, up=True):,}"

    def bound(self, bound: Fraction, stars: Fraction | None) -> str:
        """Write a lower bound, rounded down; one that equals the cost of the release, as that one."""
        if self.blurs:
            return bound_percent(self.share(bound), None if stars is None else self.share(stars))
        return f"{bound_number(bound, stars):,}"


IN_STARS = Scale()


def top_stars(ladders: Mapping[str, Ladder], encodings: Sequence[Encoding]) -> dict[str, Fraction]:
    """Return what it costs to hide a cell of each column altogether: its weight, for every character or for all."""
    weights = (getattr(ladder, "weight", Fraction(1)) for ladder in ladders.values())
    tops = (weight * len(e.columns) for weight, e in zip(weights, encodings, strict=True))
    return dict(zip(ladders, tops, strict=True))


def _blur(ladders: Mapping[str, Ladder], encodings: Sequence[Encoding]) -> bool:
    """Say whether a cell may be anything but the value or the mark: by more levels than two, or by limits."""
    limited = any(ladder.hides_values for ladder in ladders.values())
    levels = [column.levels for encoding in encodings for column in encoding.columns]
    return limited or any(len(each) > 2 or (len(each) == 2 and bool(each[-1].any())) for each in levels)
