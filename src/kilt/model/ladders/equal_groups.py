"""Bands that are filled equally, made from the values of the column."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from kilt.errors import InputError
from kilt.model.ladders.domain import Domain
from kilt.model.ladders.numeric import is_missing, numbers_of, ordered
from kilt.model.ladders.path import Labels, PathLadder


@dataclass(frozen=True)
class EqualGroups(PathLadder):
    """So many bands with about as many rows in each: of numbers, or else of texts in their order.

    A band is named by its first and its last value. Equal values are in one band; missing values can only become the
    mark.
    """

    numbers: tuple[int, ...]
    decimal: str = "."

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", tuple(self.numbers))
        if not self.numbers or min(self.numbers) < 2:
            raise InputError("'groups' must be given numbers of bands, at least 2, as in groups=16,4")
        for many, few in pairwise(self.numbers):
            if few >= many or many % few:
                raise InputError(
                    f"'groups' must have numbers of which each divides the one before: {few} does not divide {many}"
                )

    def names(self, domain: Domain) -> tuple[str, ...]:  # noqa: ARG002
        """Name the levels by their number of bands."""
        return tuple(map(str, self.numbers))

    def labels(self, domain: Domain) -> Sequence[Labels]:
        """Name the band of every value."""
        return [self._bands(domain, number) for number in self.numbers]

    def _bands(self, domain: Domain, number: int) -> list[Hashable]:
        keys, order = self._ranked(domain)
        twice_before, rows = domain.once(self, "middles", lambda: _middles(domain, keys, order))
        ends: dict[int, list[int]] = {}
        for place in order:
            ends.setdefault(twice_before[keys[place]] * number // (2 * rows), []).append(place)
        labels: list[Hashable] = list(domain.values)
        for places in ends.values():
            label = self._label(*(str(domain.values[place]) for place in (places[0], places[-1])))
            for place in places:
                labels[place] = label
        return labels

    def _label(self, first: str, last: str) -> str:
        if first == last:
            return first
        return f"{first}-{last}" if first.replace(self.decimal, "").isdecimal() else f"{first} to {last}"

    def _ranked(self, domain: Domain) -> tuple[dict[int, Hashable], list[int]]:
        """Return what the values are ordered by, and where those that are not missing stand, in their order."""
        return domain.once(self, "ranked", lambda: self._rank(domain))

    def _rank(self, domain: Domain) -> tuple[dict[int, Hashable], list[int]]:
        present = [place for place, value in enumerate(domain.values) if not is_missing(value)]
        numbers, others = numbers_of([domain.values[place] for place in present], self.decimal)
        texts = [str(domain.values[place]) for place in present]
        keys: Sequence[Fraction | str | None] = texts if others else numbers
        by_text = sorted(range(len(present)), key=texts.__getitem__)
        order = by_text if others else [by_text[i] for i in ordered([numbers[place] for place in by_text])]
        return {present[i]: keys[i] for i in order}, [present[i] for i in order]

    def positions(self, domain: Domain) -> Sequence[Fraction | None]:
        """Return the ranks."""
        _, order = self._ranked(domain)
        rank = {place: Fraction(number) for number, place in enumerate(order)}
        return [rank.get(place) for place in range(len(domain.values))]

    def remarks(self, name: str) -> tuple[str, ...]:
        """Say that the labels show values."""
        return (f"the bands of '{name}' are made from its values: their edges are values of the table",)

    def __str__(self) -> str:
        return f"groups={','.join(map(str, self.numbers))}"


def _middles(domain: Domain, keys: dict[int, Hashable], order: Sequence[int]) -> tuple[dict[Hashable, int], int]:
    """Return for every key twice the rows before it, with half of its own, and how many rows there are."""
    counts: dict[Hashable, int] = {}
    for place in order:
        counts[keys[place]] = counts.get(keys[place], 0) + int(domain.counts[place])
    before, middle = 0, {}
    for key, count in counts.items():
        middle[key] = 2 * before + count
        before += count
    return middle, before
