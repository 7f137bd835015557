"""How columns single rows out together: the best pairs and triples, and the order in which hiding columns helps most.

Of a large table, what is worth counting is chosen on some of its rows; every figure is counted on all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from kilt.sources.combinations import CodedRows, Combinations


@dataclass(frozen=True)
class Params:
    """How much is counted and kept."""

    in_memory: int = 30_000  # rows: a table of so many is counted in memory
    drawn: int = 10_000  # rows on which combinations are chosen of a larger one
    kept: int = 5  # of the pairs and of the triples
    tried: int = 10  # of each are counted on all rows, if they were chosen on some


PARAMS = Params()


@dataclass(frozen=True)
class Combination:
    """Some columns, and how many rows no other row is like in them."""

    columns: tuple[str, ...]
    unique: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {"columns": list(self.columns), "unique_rows": self.unique}


@dataclass(frozen=True)
class Step:
    """A column that is hidden after those before it, and how many rows are unique in the columns that are left."""

    column: str
    left: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {"column": self.column, "unique_rows_left": self.left}


@dataclass(frozen=True)
class Uniqueness:
    """The best pairs and triples of quasi columns, all of them together, and the order to hide these in.

    ``drawn`` is the number of rows that pairs, triples and the order were chosen on; None if it was all of them.
    """

    pairs: tuple[Combination, ...]
    triples: tuple[Combination, ...]
    quasi: Combination
    order: tuple[Step, ...]
    drawn: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "pairs": [each.to_dict() for each in self.pairs],
            "triples": [each.to_dict() for each in self.triples],
            "quasi": self.quasi.to_dict(),
            "order": [each.to_dict() for each in self.order],
            "chosen_on_rows": self.drawn,
        }


def uniqueness_of(table: Combinations, rows: int, distinct: Mapping[str, int], params: Params = PARAMS) -> Uniqueness:
    """Count the quasi columns of a table together; ``distinct`` has their numbers of values."""
    quasi = table.columns
    all_drawn = rows <= params.in_memory
    some = table.draw(rows if all_drawn else params.drawn)
    counted = some if all_drawn else table
    pairs, triples = (_best(counted, some, size, params) for size in (2, 3))
    order = tuple(_order(counted, some, quasi, distinct))
    together = Combination(quasi, counted.unique_rows(quasi) if quasi else 0)
    return Uniqueness(pairs, triples, together, order, None if all_drawn else params.drawn)


def _best(counted: Combinations, some: CodedRows, size: int, params: Params) -> tuple[Combination, ...]:
    """Return the combinations of so many columns that single out most rows."""
    chosen: Iterable[tuple[str, ...]] = combinations(counted.columns, size)
    if counted is not some:
        estimated = {each: some.unique_rows(each) for each in chosen}
        chosen = sorted(estimated, key=lambda each: -estimated[each])[: params.tried]
    found = sorted((Combination(each, counted.unique_rows(each)) for each in chosen), key=lambda each: -each.unique)
    return tuple(each for each in found[: params.kept] if each.unique)


def _order(counted: Combinations, some: CodedRows, quasi: Sequence[str], distinct: Mapping[str, int]) -> Iterable[Step]:
    """Hide one column after the other, each time the one without which fewest rows are unique.

    Where several are as good as each other, it is the one with most values.
    """
    left = list(quasi)
    while left:
        others = {name: [each for each in left if each != name] for name in left}
        best = min(left, key=lambda name: (some.unique_rows(others[name]), -distinct[name]))
        left = others[best]
        yield Step(best, counted.unique_rows(left))
