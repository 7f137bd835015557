"""How many cells rows have lost, counted where the tables are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kilt.sources.base import LostCells
from kilt.sources.sql.engine import listed, places

if TYPE_CHECKING:
    from kilt.sources.sql.table import SqlSource


def lost_cells(
    released: SqlSource, original: SqlSource, quasi: Sequence[str], by: str | None
) -> list[LostCells] | None:
    """Count rows by their value in a column of the original and by the quasi cells that differ from it.

    None if nothing says which rows to pair.
    """
    if not released.witness:
        return None
    keys = [f"w{i}" for i in range(len(released.witness))]
    identity = [f"{each} AS {key}" for each, key in zip(original.identity(), keys, strict=True)]
    names = [*quasi, *([] if by is None else [by])]
    originals = f"SELECT {original.texts(names)}, {listed(identity)} FROM {original.table}"
    if not original.row_ids:
        originals += f" GROUP BY {places(len(names) + len(identity))}"
    differ = " + ".join(
        f"CASE WHEN o.k{i} IS DISTINCT FROM {released.text(name, 't.')} THEN 1 ELSE 0 END"
        for i, name in enumerate(quasi)
    )
    joined = " AND ".join(f"t.{each} = o.{key}" for each, key in zip(released.witness, keys, strict=True))
    value = "CAST(NULL AS VARCHAR(1))" if by is None else f"o.k{len(quasi)}"
    sql = (
        f"SELECT v, lost, count(*) FROM (SELECT {value} AS v, {differ} AS lost FROM {released.table} t "
        f"JOIN ({originals}) o ON {joined}) AS paired GROUP BY 1, 2 ORDER BY 1, 2"
    )
    return [(row[0], int(row[1]), int(row[2])) for row in released.engine.rows(sql)]
