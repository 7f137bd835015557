"""A release whose rows are in another order than those of its original, or in none: which row may be which.

The rows of the release are matched one to one with rows of the original that they cover: every cell is the same or, in
a quasi column, a blur of it. Rows that look the same are one node of a flow, so that the answer is exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kilt.model.ladders import Domain, Ladder, Mark
from kilt.model.ladders.path import PathLadder
from kilt.model.ladders.priced import Priced
from kilt.sources.base import CountedRow
from kilt.sources.tally import Pair
from kilt.verification.flow import Flow

Cells = tuple[Mark, ...]


@dataclass(frozen=True)
class Matching:
    """How rows were matched: the pairs of blurred cells that differ, and how many rows cover no row that is free."""

    differing: dict[str, list[Pair]]
    unmatched: int


@dataclass(frozen=True)
class QuasiColumn:
    """A quasi column of the original: which of its values a released cell can stand for."""

    name: str
    ladder: Ladder
    domain: Domain
    mark: Mark

    def finder(self) -> Callable[[Mark], frozenset[Mark]]:
        """Return a function that finds the values which a released cell can stand for."""
        known: dict[Mark, frozenset[Mark]] = {}
        inner = self.ladder.ladder if isinstance(self.ladder, Priced) else self.ladder
        labels = self._labels(inner) if isinstance(inner, PathLadder) else None

        def values(cell: Mark) -> frozenset[Mark]:
            if cell not in known:
                candidates = set(self.domain.values if labels is None else labels.get(cell, ()))
                candidates |= {cell} & self.domain.places.keys()
                known[cell] = frozenset(value for value in candidates if self._covers(cell, value))
            return known[cell]

        return values

    def _labels(self, ladder: PathLadder) -> dict[Mark, set[Mark]]:
        """Return the values that look like a label on some level, so that not every value has to be tried."""
        found: dict[Mark, set[Mark]] = defaultdict(set)
        for labels in ladder.steps(self.domain):
            for value, label in zip(self.domain.values, labels, strict=True):
                found[ladder.text(label, self.domain, self.mark)].add(value)
        return found

    def _covers(self, cell: Mark, value: Mark) -> bool:
        if cell == value and not self.ladder.hides_values:
            return True
        return self.ladder.stars(value, cell, self.domain, self.mark) is not None


def match(released: Sequence[CountedRow], original: Sequence[CountedRow], columns: Sequence[QuasiColumn]) -> Matching:
    """Match rows whose first cells are those of the quasi columns, and whose other cells must be the same."""
    differing: list[Counter[tuple[Mark, Mark]]] = [Counter() for _ in columns]
    finders, sizes = [column.finder() for column in columns], [len(column.domain.values) for column in columns]
    there = _by_kept_cells(original, len(columns))
    unmatched = 0
    for kept, rows in _by_kept_cells(released, len(columns)).items():
        candidates = there.get(kept, Counter())
        cells = list(candidates)
        flow = Flow(list(candidates.values()), list(rows.values()), _covered(list(rows), cells, finders, sizes))
        unmatched += flow.missing
        for now, taken in zip(rows, flow.taken, strict=True):
            for place, count in taken.items():
                for pairs, was, shown in zip(differing, cells[place], now, strict=True):
                    if was != shown:
                        pairs[was, shown] += count
    found = {
        column.name: [(*pair, n) for pair, n in each.items()] for column, each in zip(columns, differing, strict=True)
    }
    return Matching(found, unmatched)


def _by_kept_cells(rows: Sequence[CountedRow], quasi: int) -> Mapping[Cells, Counter[Cells]]:
    """Count the cells of the quasi columns among rows whose other cells are the same."""
    found: dict[Cells, Counter[Cells]] = defaultdict(Counter)
    for cells, count in sorted(rows, key=lambda row: _in_order(row[0])):
        found[cells[quasi:]][cells[:quasi]] += count
    return found


def _in_order(cells: Sequence[object]) -> list[tuple[bool, str]]:
    return [(cell is not None, str(cell)) for cell in cells]


def _covered(
    released: Sequence[Cells],
    original: Sequence[Cells],
    finders: Sequence[Callable[[Mark], frozenset[Mark]]],
    sizes: Sequence[int],
) -> list[list[int]]:
    """Return the rows of the original that each released row covers.

    Where a released cell stands for one value alone, the rows with that value are looked up; where it stands for some
    of the values of its column (``sizes`` has their numbers), they are tried.
    """
    lookups: dict[tuple[int, ...], dict[Cells, list[int]]] = {}
    found: list[list[int]] = []
    for row in released:
        values = [finder(cell) for finder, cell in zip(finders, row, strict=True)]
        if not all(values):
            found.append([])
            continue
        exact = tuple(place for place, each in enumerate(values) if len(each) == 1)
        others = [(place, each) for place, each in enumerate(values) if 1 < len(each) < sizes[place]]
        if exact not in lookups:
            lookups[exact] = _lookup(original, exact)
        candidates = lookups[exact].get(tuple(next(iter(values[place])) for place in exact), [])
        found.append(list(_filtered(candidates, original, others)))
    return found


def _lookup(original: Sequence[Cells], places: tuple[int, ...]) -> dict[Cells, list[int]]:
    found: dict[Cells, list[int]] = defaultdict(list)
    for number, cells in enumerate(original):
        found[tuple(cells[place] for place in places)].append(number)
    return found


def _filtered(
    candidates: Sequence[int], original: Sequence[Cells], allowed: Sequence[tuple[int, frozenset[Mark]]]
) -> Iterator[int]:
    for number in candidates:
        cells = original[number]
        if all(cells[place] in values for place, values in allowed):
            yield number
