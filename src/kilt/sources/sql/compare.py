"""A release compared with its original in SQL, each row with the one that it was made of, by its witness.

One JOIN finds the pairs of rows and one GROUP BY counts what is different in them, however many columns there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kilt.sources.sql.engine import fresh, listed, number, places
from kilt.sources.tally import Comparison, Pair, Pairing

if TYPE_CHECKING:
    from kilt.sources.sql.table import SqlSource


def compare(released: SqlSource, original: SqlSource, identifier: Sequence[str], blurred: Sequence[str]) -> Comparison:
    """Compare the cells; no pairs are found if the numbers of rows differ, or if nothing says which rows to pair."""
    expected = [name for name in original.columns if name not in identifier]
    rows = original.rows, released.rows
    paired = pairing(released)
    comparable = paired is not None and rows[0] == rows[1]
    both = [name for name in expected if name in released.columns] if comparable else []
    differing, changed, unmatched = _Pairs(released, original, both, blurred).count() if both else ({}, {}, 0)
    return Comparison(
        rows=rows,
        missing=tuple(name for name in expected if name not in released.columns),
        added=tuple(name for name in released.columns if name not in expected),
        differing=differing,
        changed=changed,
        unmatched=unmatched,
        paired=paired,
    )


def pairing(released: SqlSource) -> Pairing | None:
    """Say by what the rows of a table are paired with those of an original: witnesses, their order, or nothing."""
    if not released.witness:
        return None
    return "order" if released.witness == (released.engine.row_number,) else "witness"


class _Pairs:
    """The rows of a release beside those of the original, in the columns that both have."""

    def __init__(self, released: SqlSource, original: SqlSource, both: list[str], blurred: Sequence[str]) -> None:
        self.released, self.original, self.both = released, original, both
        self.blurred = [name for name in both if name in blurred]
        self.kept = [name for name in both if name not in blurred]
        self.engine = released.engine
        self.keys = [f"w{i}" for i in range(len(released.witness))]

    def count(self) -> tuple[dict[str, list[Pair]], dict[str, int], int]:
        """Count the cells that differ, and the rows that belong to no row of the original."""
        originals, paired = fresh("originals"), fresh("paired")
        told_apart = bool(self.original.row_ids)
        if not told_apart:
            self.engine.create(originals, self._originals())
        self.engine.create(paired, self._query(f"({self._originals()})" if told_apart else originals))
        sums = ["coalesce(sum(n), 0)", *(f"coalesce(sum(d{i}), 0)" for i in range(len(self.kept)))]
        matched, *changed = map(int, self.engine.rows(f"SELECT {listed(sums)} FROM {paired}")[0])
        differing = {
            name: [(was, now, int(n)) for was, now, n in self.engine.rows(_differing(paired, i))]
            for i, name in enumerate(self.blurred)
        }
        unmatched = abs(self.released.rows - matched) or self._surplus(originals)
        self.engine.drop(paired, *([] if told_apart else [originals]))
        return differing, dict(zip(self.kept, changed, strict=True)), unmatched

    def _originals(self) -> str:
        """Return the rows of the original as text, each with its witness; equal rows are one where they share it."""
        identity = [f"{each} AS {key}" for each, key in zip(self.original.identity(), self.keys, strict=True)]
        query = f"SELECT {self.original.texts(self.both)}, {listed(identity)}"
        if self.original.row_ids:
            return f"{query} FROM {self.original.table}"
        return f"{query}, count(*) AS n FROM {self.original.table} GROUP BY {places(len(self.both) + len(identity))}"

    def _query(self, originals: str) -> str:
        """Count the pairs of rows by what their blurred cells were and are, with the kept cells that differ."""
        place = {name: f"o.k{i}" for i, name in enumerate(self.both)}
        was = [f"{place[name]} AS o{i}" for i, name in enumerate(self.blurred)]
        now = [f"{self.released.text(name, 't.')} AS t{i}" for i, name in enumerate(self.blurred)]
        differ = (
            f"sum(CASE WHEN {place[name]} IS DISTINCT FROM {self.released.text(name, 't.')} THEN 1 ELSE 0 END) AS d{i}"
            for i, name in enumerate(self.kept)
        )
        joined = [f"t.{each} = o.{key}" for each, key in zip(self.released.witness, self.keys, strict=True)]
        return (
            f"SELECT {listed([*was, *now, 'count(*) AS n', *differ])} FROM {self.released.table} t "
            f"JOIN {originals} o ON {' AND '.join(joined)}" + (f" GROUP BY {places(2 * len(was))}" if was else "")
        )

    def _surplus(self, originals: str) -> int:
        """Count the rows of the original that were taken too often or not often enough, or cannot be told apart."""
        counted = f"SELECT {listed(self.released.witness)}, count(*) AS n FROM {self.released.table} GROUP BY "
        counted += places(len(self.keys))
        if self.original.row_ids:
            if self.released.witness == (self.engine.row_number,):
                return 0  # each row is its own witness
            return number(self.engine, f"SELECT count(*) FROM ({counted}) AS counted WHERE n > 1")
        keys = listed(self.keys)
        known = f"SELECT {keys}, sum(n) AS n, count(*) AS different FROM {originals} GROUP BY {keys}"
        joined = " AND ".join(f"t.{each} = o.{key}" for each, key in zip(self.released.witness, self.keys, strict=True))
        wrong = f"FROM ({counted}) t JOIN ({known}) o ON {joined} WHERE t.n <> o.n OR o.different > 1"
        return number(self.engine, f"SELECT count(*) {wrong}")


def _differing(paired: str, place: int) -> str:
    """Return the pairs of cells of a blurred column that differ."""
    was, now = f"o{place}", f"t{place}"
    return f"SELECT {was}, {now}, sum(n) FROM {paired} WHERE {was} IS DISTINCT FROM {now} GROUP BY 1, 2"
