"""The release of a table, made where the table is: every row gets the look of its group.

The plan has entries (row type, from copy, to copy, group). Where a row type is in several groups, its rows are dealt in
the order of a hash of all their cells, so that every database deals them alike; equal rows are interchangeable. Only
floating-point numbers are written by every database in its own way: their ranks among the rows of the type are hashed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kilt.errors import InputError
from kilt.model.plan import Plan
from kilt.sources.base import Counted
from kilt.sources.sql.engine import Engine, Uploaded, by_value, digest, fresh, listed, ranked

if TYPE_CHECKING:
    from kilt.sources.sql.table import SqlSource

Table = TypeVar("Table", bound="SqlSource")


def release_of(source: Table, plan: Plan, counted: Counted, identifier: Sequence[str], seed: int | None) -> Table:
    """Return the release, each row with the witness of the original row that it was made of."""
    looks, names = fresh("looks"), counted.type_of_row.columns
    is_split = _upload_looks(source.engine, looks, plan, counted)
    cells = _released_cells(source, plan, identifier)
    witness = source.identity("t.")
    chosen = [f"{cell} AS c{i}" for i, cell in enumerate(cells.values())]
    chosen += [f"{each} AS w{i}" for i, each in enumerate(witness)]
    chosen += [] if source.is_fixed else ["x.y AS y"]
    alike = " AND ".join(_alike(source, counted, key, name) for key, name in enumerate(names))
    query = f"SELECT {listed(chosen)} FROM {source.table} t JOIN {looks} x ON {alike} WHERE NOT x.is_split"
    if is_split:
        query = f"{query} UNION ALL SELECT {listed(chosen)} FROM {_dealt(source, looks, alike, names)} t"
        query = f"{query} JOIN {looks} x ON t.y = x.y AND t.copy_number BETWEEN x.first_copy AND x.last_copy"
    released, keys = fresh("released"), [f"w{i}" for i in range(len(witness))]
    order = f" ORDER BY {listed(keys)}" if source.engine.row_number and seed is None else ""
    source.engine.create(released, query + order)
    source.engine.drop(looks)
    if not source.is_fixed:
        _require_unchanged(source, released, plan)
    made = source.derived(released, list(cells), keys)
    return made if seed is None else _shuffled(made, seed)


def _upload_looks(engine: Engine, looks: str, plan: Plan, counted: Counted) -> bool:
    """Make a table with the keys of every row type, the copies that go into a group, and what that looks like.

    Return whether some row type is in several groups.
    """
    entries, groups = fresh("entries"), fresh("groups")
    is_split = plan.is_split
    engine.upload(
        entries,
        {"y": plan.types, "first_copy": plan.first_copies, "last_copy": plan.last_copies, "g": plan.groups}
        | {"is_split": is_split},
    )
    shown: dict[str, Uploaded] = {"g": np.arange(len(plan.columns[0].shown))}
    for index, column in enumerate(plan.columns):
        shown |= {f"h{index}": column.hidden, f"s{index}": column.texts, f"i{index}": column.suppressed}
    engine.upload(groups, shown)
    keys = listed(f"y.k{i}" for i in range(len(counted.type_of_row.columns)))
    engine.create(
        looks,
        f"SELECT {keys}, y.y, e.first_copy, e.last_copy, e.is_split, {listed(f'g.{name}' for name in shown)} "
        f"FROM {counted.type_of_row.table} y JOIN {entries} e ON y.y = e.y JOIN {groups} g ON e.g = g.g",
    )
    engine.drop(entries, groups)
    return bool(is_split.any())


def _released_cells(source: SqlSource, plan: Plan, identifier: Sequence[str]) -> dict[str, str]:
    """Return what every column of the release has in a row of the table, given the look of its group."""
    cells = {name: source.cell(name, "t.") for name in source.columns if name not in identifier}
    for index, column in enumerate(plan.columns):
        shown, kept = ("NULL", cells[column.name])
        if column.as_text:
            shown, kept = f"x.s{index}", source.text(column.name, "t.")
        cells[column.name] = f"CASE WHEN x.h{index} THEN {shown} ELSE {kept} END"
    indicators = {column.indicator: f"x.i{index}" for index, column in enumerate(plan.columns) if column.indicator}
    return cells | indicators


def _alike(source: SqlSource, counted: Counted, key: int, name: str) -> str:
    """Say that a row has the value of a row type."""
    types = counted.types
    has_null = None in (*types.quasi, *types.sensitive)[key]
    left, right = source.text(name, "t."), f"x.k{key}"
    return source.engine.same(left, right) if has_null else f"{left} = {right}"


def _dealt(source: SqlSource, looks: str, alike: str, keys: Sequence[str]) -> str:
    """Return the rows whose row types are in several groups, with their numbers among the copies of their type."""
    engine = source.engine
    texts = {name: source.text(name, "t.") for name in source.columns if source.has_text(name)}
    floats = {name: f"f{i}" for i, name in enumerate(texts) if source.is_float(name)}
    ranks = {name: "0" if name in keys else ranked(by_value(engine, texts[name]), "x.y") for name in floats}
    texts |= {name: f"CAST(t.{rank} AS {engine.text_type})" for name, rank in floats.items()}
    order = digest(engine, list(texts.values())) + (f", t.{engine.row_number}" if engine.row_number else "")
    cells = [f"t.c{i}" for i in range(len(source.columns))]
    cells += [f"t.{each} AS {each}" for each in source.row_ids]
    found = [*cells, "x.y AS y", *(f"{ranks[name]} AS {rank}" for name, rank in floats.items())]
    split = f"SELECT {listed(found)} FROM {source.table} t JOIN {looks} x ON {alike} "
    return (
        f"(SELECT {listed(cells)}, t.y, row_number() OVER (PARTITION BY t.y ORDER BY {order}) - 1 AS copy_number "
        f"FROM ({split}WHERE x.is_split AND x.first_copy = 0) t)"
    )


def _require_unchanged(source: SqlSource, released: str, plan: Plan) -> None:
    """Raise if there are not as many rows of every row type as were counted, or others."""
    found = source.engine.integers(f"SELECT y, count(*) AS n FROM {released} GROUP BY y")
    now = np.bincount(found["y"], found["n"], int(plan.types[-1]) + 1)
    then = np.bincount(plan.types, plan.counts)
    if source.rows != plan.counts.sum() or (now != then).any():
        raise InputError("the table was changed while it was being anonymized: run it again, or on a copy")


def _shuffled(made: Table, seed: int) -> Table:
    """Return the rows in an order that depends on what they show and on the seed alone."""
    engine, shuffled = made.engine, fresh("shuffled")
    cells = listed([*(f"c{i}" for i in range(len(made.columns))), *made.witness])
    shown = digest(engine, [made.text(name) for name in made.columns])
    copies = f"row_number() OVER (PARTITION BY shown ORDER BY {listed(made.witness)})"
    order = f"md5('{seed}:' || CAST(copy_number AS {engine.text_type}) || ':' || shown)"
    engine.create(
        shuffled,
        f"SELECT {cells} FROM (SELECT {cells}, shown, {copies} AS copy_number "
        f"FROM (SELECT {cells}, {shown} AS shown FROM {made.table}) AS hashed) AS copied ORDER BY {order}",
    )
    engine.drop(made.table)
    return made.derived(shuffled, made.columns, made.witness)
