"""Unique rows, counted in SQL: the values of each column are numbered once, and then whole numbers are grouped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kilt.model.column_counts import FREQUENT, ColumnCounts
from kilt.model.detect import ColumnSample
from kilt.numbers import ROOM
from kilt.sources.combinations import CodedRows
from kilt.sources.sql.engine import digest, fresh, listed, number

if TYPE_CHECKING:
    from kilt.sources.sql.table import SqlSource


def count_values(source: SqlSource, column: str, most: int) -> ColumnCounts:
    """Count the values of a column with one GROUP BY over the rows; the rest is asked of its result."""
    engine, values = source.engine, fresh("values")
    engine.create(values, f"SELECT {source.profile_text(column)} AS v, count(*) AS n FROM {source.table} GROUP BY 1")
    rows, filled, distinct, unique, blank = engine.rows(
        "SELECT sum(n), sum(CASE WHEN v IS NULL THEN 0 ELSE n END), count(v), sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), "
        f"sum(CASE WHEN trim(v) = '' THEN n ELSE 0 END) FROM {values}"
    )[0]
    hashed = f"ORDER BY md5(v) LIMIT {most}" if distinct > most else ""
    chosen = engine.rows(f"SELECT v FROM {values} WHERE v IS NOT NULL {hashed}")
    frequent = engine.rows(f"SELECT v, n FROM {values} ORDER BY n DESC, v NULLS FIRST LIMIT {FREQUENT}")
    engine.drop(values)
    looked_at = sorted(row[0] for row in chosen)
    sample = ColumnSample(column, int(rows), int(filled), int(distinct), looked_at, int(blank))
    return ColumnCounts(sample, int(unique), int(blank), tuple((value, int(count)) for value, count in frequent))


class SqlCombinations:
    """A table of codes k0, k1, ... for some columns of a source."""

    def __init__(self, source: SqlSource, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.engine = source.engine
        self.table = fresh("coded")
        values = [self._numbered(source, name) for name in columns]
        self.sizes = [number(self.engine, f"SELECT count(*) FROM {each}") for each in values]
        joins = "".join(
            f" LEFT JOIN {each} v{i} ON {self.engine.same(source.text(name, 't.'), f'v{i}.v')}"
            for i, (name, each) in enumerate(zip(columns, values, strict=True))
        )
        codes = listed(f"v{i}.y AS k{i}" for i in range(len(values))) or "0 AS k0"
        self.engine.create(self.table, f"SELECT {codes} FROM {source.table} t{joins}")
        self.engine.drop(*values)

    def _numbered(self, source: SqlSource, name: str) -> str:
        """Number the values of a column, null among them, from 0."""
        values = fresh("numbered")
        place = "CAST(row_number() OVER (ORDER BY v NULLS FIRST) - 1 AS INTEGER)"
        distinct = f"SELECT DISTINCT {source.text(name)} AS v FROM {source.table}"
        self.engine.create(values, f"SELECT {place} AS y, v FROM ({distinct}) AS different")
        return values

    def unique_rows(self, columns: Sequence[str]) -> int:
        """Count with one GROUP BY over whole numbers, each of which stands for several columns."""
        if not columns:
            return int(number(self.engine, f"SELECT count(*) FROM {self.table}") == 1)
        keys = self._keys([self.columns.index(name) for name in columns])
        alone = f"SELECT 1 AS one FROM {self.table} GROUP BY {listed(keys)} HAVING count(*) = 1"
        return number(self.engine, f"SELECT count(*) FROM ({alone}) AS alone")

    def _keys(self, places: Sequence[int]) -> list[str]:
        """Put codes together to as few numbers of 64 bits as hold them."""
        keys: list[str] = []
        span = ROOM
        for place in places:
            if span * self.sizes[place] >= ROOM:
                keys.append(f"CAST(k{place} AS BIGINT)")
                span = 1
            else:
                keys[-1] += f" + {span} * CAST(k{place} AS BIGINT)"
            span *= self.sizes[place]
        return keys

    def draw(self, most: int) -> CodedRows:
        """Draw rows by a hash of their codes: the same rows, wherever the table lives and in whatever order."""
        codes = [f"k{i}" for i in range(len(self.columns))]
        if not codes:
            return CodedRows((), np.zeros((number(self.engine, f"SELECT count(*) FROM {self.table}"), 0), np.int32))
        texts = [f"CAST({code} AS {self.engine.text_type})" for code in codes]
        some = f" ORDER BY {digest(self.engine, texts)} LIMIT {most}"
        few = number(self.engine, f"SELECT count(*) FROM {self.table}") <= most
        found = self.engine.integers(f"SELECT {listed(codes)} FROM {self.table}{'' if few else some}")
        return CodedRows(self.columns, np.column_stack([found[code] for code in codes]))

    def close(self) -> None:
        """Remove the table of codes."""
        self.engine.drop(self.table)
