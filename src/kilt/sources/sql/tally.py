"""The groups of a table, counted in SQL for the verifier: one GROUP BY over the rows, the rest on its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kilt.sources.sql.engine import fresh, listed, places, rank
from kilt.sources.tally import Tally, ValueCounts

if TYPE_CHECKING:
    from kilt.sources.sql.table import SqlSource


def tally(source: SqlSource, quasi: Sequence[str], sensitive: Sequence[str]) -> Tally:
    """Count the groups and the sensitive values in them."""
    engine, names = source.engine, [*quasi, *sensitive]
    keys = [f"k{i}" for i in range(len(names))]
    shown, values = keys[: len(quasi)], keys[len(quasi) :]
    counted = f"SELECT {source.texts(names)}, count(*) AS n FROM {source.table} GROUP BY {places(len(names))}"
    tallied = fresh("tallied")
    engine.create(tallied, f"SELECT {rank(shown)} AS g, {listed(keys)}, n FROM ({counted}) AS counted")
    ranks = "".join(f", {rank([key])} AS {key}" for key in values)
    entries = engine.integers(f"SELECT g, n{ranks} FROM {tallied} ORDER BY g")
    return Tally(
        sizes=np.bincount(entries["g"], entries["n"]).astype(np.int64),
        sensitive=tuple(
            ValueCounts(name, _values(source, tallied, key), entries["g"], entries[key], entries["n"])
            for name, key in zip(sensitive, values, strict=True)
        ),
        patterns=lambda chosen: _patterns(source, tallied, shown, chosen),
    )


def _values(source: SqlSource, tallied: str, key: str) -> list[str | None]:
    """Return the values of a sensitive column in the order of their ranks."""
    sql = f"SELECT DISTINCT {key} FROM {tallied} ORDER BY {key} NULLS FIRST"
    return [row[0] for row in source.engine.rows(sql)]


def _patterns(
    source: SqlSource, tallied: str, shown: Sequence[str], chosen: Sequence[int]
) -> list[tuple[str | None, ...]]:
    """Return what some groups look like."""
    wanted = fresh("wanted")
    source.engine.upload(wanted, {"p": np.arange(len(chosen)), "g": np.array(chosen, dtype=np.int64)})
    cells = listed(f"t.{key}" for key in shown)
    found = source.engine.rows(
        f"SELECT DISTINCT w.p, {cells} FROM {wanted} w JOIN {tallied} t ON w.g = t.g ORDER BY w.p"
    )
    source.engine.drop(wanted)
    return [tuple(row[1:]) for row in found]
