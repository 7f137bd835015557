"""The figures of a report, spelled out row by row from their definitions; slow, and without any code of kilt's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Row = tuple[str | None, ...]


def sizes(rows: Sequence[Row]) -> list[int]:
    """How many rows look the same, one number for each look."""
    return sorted(Counter(rows).values())


def risk(rows: Sequence[Row], fewest: int) -> dict[str, Fraction]:
    """The chance to pick the right row, of every row."""
    looks = Counter(rows)
    chances = [Fraction(1, looks[row]) for row in rows]
    return {
        "highest": max(chances),
        "lowest": min(chances),
        "average": sum(chances, Fraction(0)) / len(rows),
        "unique": Fraction(sum(chance == 1 for chance in chances), len(rows)),
        "at_risk": Fraction(sum(looks[row] < fewest for row in rows), len(rows)),
    }


def discernibility(rows: Sequence[Row]) -> int:
    """The pairs of rows that look the same, each row with itself among them."""
    return sum(first == second for first in rows for second in rows)


def lost(before: Sequence[Row], after: Sequence[Row]) -> list[int]:
    """How many cells each row has lost."""
    return [sum(was != now for was, now in zip(*pair, strict=True)) for pair in zip(before, after, strict=True)]


def entropy(cells: Sequence[object]) -> float:
    """The entropy of a column in bits."""
    return sum(-math.log2(cells.count(cell) / len(cells)) for cell in cells) / len(cells)


def entropy_kept(before: Sequence[object], after: Sequence[object]) -> float:
    """One minus the share of the entropy of a column that is still open if its released cell is known."""
    whole = entropy(before)
    if not whole:
        return 1.0
    pairs = list(zip(before, after, strict=True))
    still_open = sum(-math.log2(pairs.count((was, now)) / after.count(now)) for was, now in pairs) / len(pairs)
    return 1 - still_open / whole


def cramers_v(first: Sequence[object], second: Sequence[object]) -> float:
    """Cramér's V from the table of observed and expected numbers."""
    rows, columns, n = sorted(set(first), key=str), sorted(set(second), key=str), len(first)
    if min(len(rows), len(columns)) < 2:
        return 0.0
    chi = 0.0
    for row in rows:
        for column in columns:
            expected = first.count(row) * second.count(column) / n
            observed = sum(pair == (row, column) for pair in zip(first, second, strict=True))
            chi += (observed - expected) ** 2 / expected
    return math.sqrt(chi / (n * (min(len(rows), len(columns)) - 1)))


def distances(quasi: Sequence[Row], sensitive: Sequence[object]) -> list[Fraction]:
    """Half of the sum of the differences of shares between each group and the table (equal distances)."""
    table = {value: Fraction(sensitive.count(value), len(sensitive)) for value in set(sensitive)}
    found = []
    for look in set(quasi):
        inside = [value for row, value in zip(quasi, sensitive, strict=True) if row == look]
        found.append(sum(abs(Fraction(inside.count(v), len(inside)) - share) for v, share in table.items()) / 2)
    return sorted(found)
