"""Parts of a split table, solved where its rows are: on the executors of the engine that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from kilt.certificates.proof.in_database import evaluate_bound_in
from kilt.model.problem import Problem
from kilt.solvers.base import Solver
from kilt.solvers.registry import SPLIT
from kilt.sources.base import ExecutingSource, Executors, Source

if TYPE_CHECKING:
    from kilt.solvers.split.solver import MapParts, SolvePart

MAX_BOUNDED_HERE = 1_000_000  # row types of a table whose bound is sooner evaluated here than asked for by SQL


def on_executors(
    solver: str | Solver, source: Source, problem: Problem, seed: int, interrupted: Callable[[], bool]
) -> str | Solver:
    """Let a split be solved by the executors of the source, if it has some, unless it says itself who solves parts.

    Under k alone, the bound of a table of many row types is evaluated there, too: once, as it takes a query for every
    level vector.
    """
    name = solver if isinstance(solver, str) else getattr(solver, "name", None)
    if name != SPLIT or not isinstance(source, ExecutingSource):
        return solver
    from kilt.solvers.split.solver import Split, map_in_threads  # noqa: PLC0415 - only where a table is split

    split = solver if isinstance(solver, Split) else Split(seed)
    if split.map_parts is not map_in_threads:
        return split
    executors = source.executors
    split = replace(split, map_parts=map_parts(executors, interrupted), slots=executors.slots)
    if problem.rules.is_k_anonymity and len(problem.counts) > MAX_BOUNDED_HERE:
        split = replace(split, evaluate=partial(evaluate_bound_in, executors.engine), steps=0)
    return split


def map_parts(executors: Executors, interrupted: Callable[[], bool]) -> MapParts:
    """Return what solves parts, as many at a time as there are slots; once interrupted, it makes them legal here."""
    from kilt.solvers.split.part import solve_part  # noqa: PLC0415 - only where a table is split

    def mapped(solve: SolvePart, tasks: Iterable[bytes]) -> Iterator[bytes]:
        left = iter(tasks)
        while wave := list(islice(left, executors.slots)):
            answers = None if interrupted() else executors.do(solve, wave, interrupted)
            yield from answers or [solve_part(task, lambda: True) for task in wave]

    return mapped
