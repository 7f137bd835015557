"""The bound of a table as SQL: one grouped aggregate for every level vector, wherever the row types are.

This is `kilt.certificates.proof.evaluate` for k-anonymity, in a database: the same numbers, exactly. Patterns are never
listed: a database groups the row types under each level vector, and adds up what the groups of least reduced cost gain.
It needs no more than integers, GROUP BY, ROW_NUMBER and a running SUM, which DuckDB, PostgreSQL and Spark all have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from kilt.certificates.proof.bound_queries import Layout, bound_queries, fresh
from kilt.certificates.proof.evidence import Evidence
from kilt.errors import InputError
from kilt.model.problem import Problem
from kilt.model.rules import SizeRule
from kilt.numbers import ROOM, max_abs


class Engine(Protocol):
    """What is asked of a database."""

    def upload(self, table: str, columns: Mapping[str, Any]) -> None:
        """Make a table from integers."""

    def create(self, table: str, query: str) -> None:
        """Make a table from a query."""

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""

    def drop(self, *tables: str) -> None:
        """Remove tables."""


def evaluate_bound_in(engine: Engine, problem: Problem, parts: Sequence[Evidence]) -> int:
    """Return the cost that no legal partition goes below, as far as this evidence proves it, evaluated in a database.

    The row types are uploaded; where a database has them already, `bound_queries` is all that is needed.
    """
    columns = [column for part in parts for column in part.columns]
    if len(set(columns)) < len(columns):
        raise InputError("the parts of the proof are not about different columns of the table")
    found = [problem.on(part.columns) for part in parts]
    return sum(
        _evaluate_part(engine, on, part) * (problem.unit // on.unit) for on, part in zip(found, parts, strict=True)
    )


def _evaluate_part(engine: Engine, problem: Problem, evidence: Evidence) -> int:
    _require_room(problem, evidence)
    typed = {f"c{j}": codes.astype(np.int64) for j, codes in enumerate(problem.codes.T)}
    uploaded = {"type": np.arange(len(problem.counts)), "copies": problem.counts, "multiplier": evidence.multipliers}
    counted, shown = fresh("types"), fresh("levels")
    layout, made = Layout.of(problem, evidence.scale), []
    try:
        for table, content in {counted: {**uploaded, **typed}, **layout.dictionaries}.items():
            engine.upload(table, content)
            made.append(table)
        engine.create(shown, layout.shown(counted))
        made.append(shown)
        total = int(engine.rows(f"SELECT sum(copies * multiplier) FROM {shown}")[0][0] or 0)
        for query in bound_queries(problem, layout, shown, int(evidence.multipliers.max(initial=0))):
            total -= int(engine.rows(query)[0][0] or 0)
    finally:
        engine.drop(*reversed(made))
    return max(0, -(-total // evidence.scale))


def _require_room(problem: Problem, evidence: Evidence) -> None:
    """Raise where the sums of a database could overflow, and under a policy that asks for more than sizes."""
    if not all(isinstance(rule, SizeRule) for rule in problem.rules):
        raise InputError("a bound is evaluated in a database under k-anonymity alone: evaluate it in memory")
    if len(evidence.counting):
        raise InputError("a bound that counts groups is not evaluated in a database: evaluate it in memory")
    largest = max(max_abs(evidence.multipliers) * problem.rows, evidence.scale * problem.most_cost)
    if 4 * largest >= ROOM or len(evidence.multipliers) != len(problem.counts):
        raise InputError("the multipliers of the proof are too large, or not one for every row type")
