"""The queries that evaluate a bound: how levels and costs are written, and one aggregate for every level vector."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from kilt.certificates.proof.evidence import Levels
from kilt.model.patterns import least_costs, useful_levels
from kilt.model.problem import Problem
from kilt.numbers import ROOM, IntArray


def fresh(kind: str) -> str:
    """Return a name that no table has."""
    return f"kilt_{kind}_{secrets.token_hex(6)}"


@dataclass(frozen=True)
class Layout:
    """How levels and costs of a row are written: as numbers, or as columns that come from dictionaries.

    ``cells`` and ``costs`` are expressions by column and level; a cell that is the same for all rows is None, others
    are below ``sizes``. A dictionary has a row for every code of a column.
    """

    cells: tuple[tuple[str | None, ...], ...]
    sizes: tuple[tuple[int, ...], ...]
    costs: tuple[tuple[str, ...], ...]
    dictionaries: Mapping[str, Mapping[str, IntArray]]
    places: Mapping[str, int]  # the column of each dictionary
    scale: int  # multipliers to a unit of cost

    @classmethod
    def of(cls, problem: Problem, scale: int) -> Layout:
        """Write what differs between codes into dictionaries, and all else as it is."""
        cells, sizes, costs, dictionaries, places = [], [], [], {}, {}
        for j, column in enumerate(problem.columns):
            content: dict[str, IntArray] = {}
            cells.append(tuple(_cell(j, level, codes, content) for level, codes in enumerate(column.levels)))
            costs.append(tuple(_cost(j, level, cost * scale, content) for level, cost in enumerate(problem.costs[j])))
            sizes.append(tuple(int(codes.max(initial=0)) + 1 for codes in column.levels))
            if content:
                name = fresh(f"column_{j}")
                places[name] = j
                dictionaries[name] = {"code": np.arange(len(column.levels[0])), **content}
        return cls(tuple(cells), tuple(sizes), tuple(costs), dictionaries, places, scale)

    def shown(self, counted: str) -> str:
        """Return the query for all row types with what they show and pay at each level."""
        columns = ["t.type", "t.copies", "t.multiplier", *(f"t.c{j} AS v{j}_0" for j in range(len(self.cells)))]
        columns += [
            f"{table}.{name}" for table, content in self.dictionaries.items() for name in content if name != "code"
        ]
        joins = [f"JOIN {table} ON {table}.code = t.c{j}" for table, j in self.places.items()]
        return f"SELECT {', '.join(columns)} FROM {counted} t {' '.join(joins)}"

    def keys(self, levels: Levels) -> list[str]:
        """Return numbers that are the same for the rows of a pattern and for no others, as few as there is room in."""
        keys, span = ["0"], 1
        for j, level in enumerate(levels):
            cell, size = self.cells[j][level], self.sizes[j][level]
            if cell is None:
                continue
            if span * size >= ROOM:
                keys, span = [*keys, "0"], 1
            keys[-1] = cell if keys[-1] == "0" else f"({keys[-1]}) * {size} + {cell}"
            span *= size
        return keys


def _cell(j: int, level: int, codes: IntArray, content: dict[str, IntArray]) -> str | None:
    """Return what a row shows at a level; None if all rows show the same."""
    if not codes.any():
        return None
    if level:
        content[f"v{j}_{level}"] = codes.astype(np.int64)
    return f"v{j}_{level}"


def _cost(j: int, level: int, costs: IntArray, content: dict[str, IntArray]) -> str:
    """Return what a row pays at a level."""
    if len(costs) and (costs == costs[0]).all():
        return str(int(costs[0]))
    content[f"w{j}_{level}"] = costs
    return f"w{j}_{level}"


def bound_queries(problem: Problem, layout: Layout, shown: str, largest: int) -> Iterator[str]:
    """Yield one query for every level vector that matters: what the groups of least reduced cost gain under it in all.

    ``shown`` has a row for every row type: ``type``, ``copies``, ``multiplier`` (``largest`` at most), and the columns
    of the layout.
    """
    for levels in _vectors(problem, layout.scale, largest):
        yield _query(layout, levels, shown, max(1, problem.rules.min_group_size))


def _vectors(problem: Problem, scale: int, largest: int) -> Iterator[Levels]:
    """Yield the level vectors under which some row could pay less than the largest multiplier."""
    useful = useful_levels(problem)
    least = [[cost * scale for cost in costs] for costs in least_costs(problem)]

    def longer(levels: Levels, cost: int) -> Iterator[Levels]:
        place = len(levels)
        if place == len(useful):
            yield levels
            return
        later = sum(costs[0] for costs in least[place + 1 :])
        for level in useful[place]:
            if cost + least[place][level] + later < largest:
                yield from longer((*levels, level), cost + least[place][level])

    return longer((), 0)


def _query(layout: Layout, levels: Levels, shown: str, k: int) -> str:
    """Return what the groups of least reduced cost gain under a level vector.

    Such a group has all rows whose multiplier is above their cost; if they are fewer than k, the next best are added.
    Patterns that are not closed are those of another level vector, at a higher cost: they are left out.
    """
    keys = {f"k{i}": key for i, key in enumerate(layout.keys(levels))}
    listed, named = ", ".join(keys), ", ".join(f"{key} AS {name}" for name, key in keys.items())
    cost = " + ".join(layout.costs[j][level] for j, level in enumerate(levels))
    below = {f"b{j}": layout.cells[j][level - 1] for j, level in enumerate(levels) if level}
    closed = "".join(f" AND min({name}) < max({name})" for name in below)
    also = "".join(f", {cell} AS {name}" for name, cell in below.items())
    return f"""
WITH entries AS (
  SELECT {named}, type, copies, multiplier - ({cost}) AS gain{also} FROM {shown}
), patterns AS (
  SELECT {listed}, sum(CASE WHEN gain > 0 THEN copies * gain ELSE 0 END) AS gained,
    sum(CASE WHEN gain > 0 THEN copies ELSE 0 END) AS taken
  FROM entries GROUP BY {listed}
  HAVING max(gain) > 0 AND sum(copies) >= {k}{closed}
), others AS (
  SELECT {listed}, copies, gain, {k} - taken AS missing,
    row_number() OVER (PARTITION BY {listed} ORDER BY gain DESC, type) AS place
  FROM entries JOIN patterns USING ({listed}) WHERE gain <= 0 AND taken < {k}
), nearest AS (
  SELECT {listed}, copies, gain, missing, sum(copies) OVER (PARTITION BY {listed} ORDER BY place) - copies AS before
  FROM others WHERE place < {k}
), added AS (
  SELECT {listed}, sum(least(copies, missing - before) * gain) AS lost
  FROM nearest WHERE before < missing GROUP BY {listed}
)
SELECT sum(greatest(gained + coalesce(lost, 0), 0)) FROM patterns LEFT JOIN added USING ({listed})
"""
