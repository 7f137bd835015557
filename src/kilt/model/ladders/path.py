"""Ladders whose values have a path of ever wider labels: a subclass says which labels, the rest follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from kilt.errors import InputError
from kilt.model.ladders.coding import CodedColumn, Encoding, lowest_looks, numbered
from kilt.model.ladders.domain import Domain, Mark
from kilt.model.ladders.numeric import ordered
from kilt.model.measure import DEFAULT, Measure, Prices, Rungs
from kilt.numbers import IntArray

Labels = Sequence[Hashable]  # of all values of a domain, at one level
HIDDEN = ("hidden",)  # the label at the top: the mark


class PathLadder:
    """Every value has one label at each level; values that share a label share all wider ones.

    Level 0 is the value itself, then come the levels that `names` names, and above them all is the mark.
    """

    text_only = True
    masks = False
    hides_values = False

    def names(self, domain: Domain) -> tuple[str, ...]:
        """Name the levels between the value and the mark, from fine to coarse."""
        raise NotImplementedError

    def labels(self, domain: Domain) -> Sequence[Labels]:
        """Return for each level between the value and the mark the labels of all values.

        Labels that mean the same are equal; where `text` is not overridden they are what is shown.
        """
        raise NotImplementedError

    def loss(self, level: int, first: int, size: int, domain: Domain) -> Fraction:  # noqa: ARG002 - for subclasses
        """Return the share of the domain that a label between value and mark may stand for, beyond the value itself.

        ``first`` is where the first value with this label stands in the domain; ``size`` of its values have it.
        """
        return Fraction(size - 1, max(1, len(domain.values) - 1))

    def text(self, label: Hashable, domain: Domain, mark: Mark) -> Mark:
        """Return what a label looks like."""
        del domain
        return mark if label is HIDDEN else None if label is None else str(label)

    def positions(self, domain: Domain) -> Sequence[Fraction | None] | None:  # noqa: ARG002 - for subclasses
        """Return the values as numbers (None where one is missing), if they have an order as numbers do."""
        return None

    def span(self, domain: Domain) -> tuple[int, int]:
        """Return the lowest and the highest level that may be shown."""
        return 0, len(self.names(domain)) + 1

    def _limits(self, domain: Domain) -> tuple[int, int]:
        return domain.once(self, "limits", lambda: self.span(domain))

    def remarks(self, name: str) -> tuple[str, ...]:  # noqa: ARG002 - for subclasses
        """Return what the owner of the column should know of a release."""
        return ()

    def encode(self, domain: Domain, measure: Measure = DEFAULT) -> Encoding:
        """Return one coded column with the levels that may be shown."""
        low, high = self._limits(domain)
        labels, numbers = self.steps(domain), self.rungs(domain).numbers[low : high + 1]
        prices = self.prices(domain, measure)
        codes, value_of, positions = self._codes(numbers[0], domain)
        levels = (np.arange(len(value_of), dtype=np.int32), *(level[value_of] for level in numbers[1:]))
        costs = tuple(
            tuple(prices[low + step][label] for label in level[value_of].tolist()) for step, level in enumerate(numbers)
        )
        shown = [[labels[level][value] for value in value_of.tolist()] for level in range(low, high + 1)]
        same = [
            np.array([a == b for a, b in zip(below, above, strict=True)], dtype=bool)
            for below, above in pairwise(shown)
        ]
        column = CodedColumn(domain.name, levels, costs, lowest_looks(same), positions)
        return Encoding(codes[:, None], (column,), _paid(prices[0], domain.counts))

    def _codes(self, numbers: IntArray, domain: Domain) -> tuple[IntArray, IntArray, tuple[Fraction, ...]]:
        """Return the code of every value, a value of every code, and the position of every code if there are any.

        Codes are in the order of the positions; a missing value is the first, and stands where the smallest does.
        """
        positions = self.positions(domain)
        order = np.arange(len(numbers)) if positions is None else np.array(ordered(positions))
        _, first, inverse = np.unique(numbers[order], return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int32)
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        codes = np.empty(len(order), dtype=np.int32)
        codes[order] = rank[inverse]
        value_of = order[np.sort(first)]
        if positions is None:
            return codes, value_of, ()
        smallest = next((at for place in order.tolist() if (at := positions[place]) is not None), Fraction(0))
        return codes, value_of, tuple(smallest if (at := positions[v]) is None else at for v in value_of.tolist())

    def show(self, value: str | None, levels: Sequence[int], domain: Domain, mark: Mark) -> Mark:
        """Show the label."""
        return self.text(self.steps(domain)[self._limits(domain)[0] + levels[0]][domain.places[value]], domain, mark)

    def ambiguous(self, domain: Domain, mark: Mark) -> int:
        """Count the values and labels that equal the mark, or hold it if characters are masked."""
        low, high = self._limits(domain)
        if self.masks:
            return sum(1 for value in domain.values if value is not None and str(mark) in value)
        if high <= len(self.names(domain)):
            return 0  # the mark is never shown
        labels = {label for level in self.steps(domain)[low:high] for label in level}
        return sum(1 for label in labels if self.text(label, domain, mark) == mark)

    def stars(
        self, original: str | None, released: str | None, domain: Domain, mark: Mark, measure: Measure = DEFAULT
    ) -> Fraction | None:
        """Return the cost of the lowest level at which the original looks like this."""
        place = domain.places.get(original)
        if place is None:
            return None
        low, high = self._limits(domain)
        for level, labels in enumerate(self.steps(domain)[low : high + 1], low):
            if self.text(labels[place], domain, mark) == released:
                return self._cost(place, level, domain, measure)
        return None

    def cost(self, value: str | None, level: int, domain: Domain, measure: Measure | None = None) -> Fraction:
        """Return what it costs to show a value at a level, above what it would cost to show the value itself."""
        return self._cost(domain.places[value], level, domain, measure or DEFAULT)

    def _cost(self, place: int, level: int, domain: Domain, measure: Measure) -> Fraction:
        prices = self.prices(domain, measure)
        price: Fraction = prices[level][int(self.rungs(domain).numbers[level][place])]
        own = prices[0][place]
        return price - own if own else price

    def steps(self, domain: Domain) -> tuple[Labels, ...]:
        """Return the labels of all values at every level, from the value itself to the mark."""
        size = len(domain.values)
        return domain.once(self, "steps", lambda: (domain.values, *self.labels(domain), [HIDDEN] * size))

    def rungs(self, domain: Domain) -> Rungs:
        """Return the levels as a measure sees them; raise if a label could be read in two ways."""
        return domain.once(self, "rungs", lambda: self._rungs(domain))

    def prices(self, domain: Domain, measure: Measure) -> Prices:
        """Return what every label costs."""
        return domain.once(self, measure.name, lambda: measure.prices(self.rungs(domain)))

    def _rungs(self, domain: Domain) -> Rungs:
        steps = self.steps(domain)
        self._require_clear(domain)
        values = np.arange(len(domain.values), dtype=np.int32)
        numbers = (values, *(numbered(labels) for labels in steps[1:]))
        losses: list[Sequence[Fraction]] = [[Fraction(0)] * len(values)]
        for level in range(1, len(steps) - 1):
            _, first, size = np.unique(numbers[level], return_index=True, return_counts=True)
            found = zip(first.tolist(), size.tolist(), strict=True)
            losses.append([self.loss(level, *each, domain) for each in found])
        return Rungs(numbers, (*losses, [Fraction(1)]), np.asarray(domain.counts))

    def _require_clear(self, domain: Domain) -> None:
        """Raise if one label stands for two different sets of values: a release could be read in two ways."""
        low, high = self._limits(domain)
        steps = self.steps(domain)
        if len(steps) == 2:
            return  # nothing between the values and the mark
        shown = list(enumerate(steps[:-1]))[low : high + 1]
        repeated = _repeated([labels for _, labels in shown])
        meaning: dict[Hashable, list[int]] = {}
        for level, labels in shown if repeated else []:
            members: dict[Hashable, list[int]] = {}
            for place, label in enumerate(labels):
                if label in repeated:
                    members.setdefault(label, []).append(place)
            for label, places in members.items():
                if meaning.setdefault(label, places) != places:
                    raise InputError(
                        f"the ladder of '{domain.name}' uses one label at level {level} and, for other values, at a "
                        "lower level: rename one, or the release could be read in two ways"
                    )


def _repeated(levels: Sequence[Labels]) -> set[Hashable]:
    """Return the labels that occur at more than one level."""
    seen: set[Hashable] = set()
    repeated: set[Hashable] = set()
    for labels in levels:
        different = set(labels)
        repeated |= seen & different
        seen |= different
    return repeated


def _paid(prices: Sequence[Fraction], counts: IntArray) -> Fraction:
    """Return what all rows pay for their values."""
    rows: Counter[Fraction] = Counter()
    for price, count in zip(prices, counts.tolist(), strict=True):
        if price:
            rows[price] += count
    return sum((price * count for price, count in rows.items()), Fraction(0))
