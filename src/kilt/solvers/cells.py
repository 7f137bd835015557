"""Where highest levels divide a table into cells, each cell is solved on its own; their solutions and bounds add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.evidence import Bound, Evidence, PatternMultipliers
from kilt.errors import InputError
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution

SolveCell = Callable[[Problem, StoppingRule, Observer], Solution]


def solve_cells(problem: Problem, cells: Ragged, solve: SolveCell, stop: StoppingRule, observer: Observer) -> Solution:
    """Solve one cell after the other, each in a share of the time and the moves by its rows, and join the solutions."""
    if problem.rules.on_release:
        raise InputError(
            "'average_t' is about the release as a whole, which cannot be divided into cells: leave it out, or let "
            "every column be hidden where needed, without 'keep', '!' or '/to'"
        )
    return _joined(problem, list(_solutions(problem, cells, solve, stop, observer)))


def _solutions(
    problem: Problem, cells: Ragged, solve: SolveCell, stop: StoppingRule, observer: Observer
) -> Iterator[tuple[IntArray, Solution]]:
    rows_left, done = problem.rows, 0
    for start, end in zip(cells.starts[:-1], cells.starts[1:], strict=True):
        types = np.sort(cells.values[start:end])
        part = problem.part(types, problem.counts[types])
        limit = stop.share(part.rows / rows_left)
        if stop.iterations is not None:
            limit = replace(limit, iterations=stop.iterations * part.rows // problem.rows)
        observer(Progress("solving", done / problem.rows))  # before it begins: Ctrl-C then keeps what is found
        yield types, solve(part, limit, silent)
        rows_left, done = rows_left - part.rows, done + part.rows


def _joined(problem: Problem, solutions: Sequence[tuple[IntArray, Solution]]) -> Solution:
    """Put the groups of all cells together; a bound is as well proved as the worst of its parts."""
    parts = [solution.partition for _, solution in solutions]
    before = np.cumsum([0, *(len(part) for part in parts)])
    partition = Partition.of(
        problem,
        np.concatenate([types[part.types] for (types, _), part in zip(solutions, parts, strict=True)]),
        np.concatenate([part.groups + first for part, first in zip(parts, before[:-1], strict=True)]),
        np.concatenate([part.counts for part in parts]),
    )
    bounds = [solution.bound for _, solution in solutions if solution.bound is not None]
    exact = all(bound.arithmetic == "exact" for bound in bounds)
    bound = Bound(sum(bound.cost for bound in bounds), arithmetic="exact" if exact else "float")
    return Solution(
        partition,
        bound if len(bounds) == len(solutions) else None,
        stopped=any(solution.stopped for _, solution in solutions),
        solver=" + ".join(dict.fromkeys(solution.solver for _, solution in solutions)),
        evidence=_joined_evidence(problem, solutions),
    )


def _joined_evidence(problem: Problem, solutions: Sequence[tuple[IntArray, Solution]]) -> Evidence | None:
    """Return the multipliers of all cells together, if each has some, on the same scale."""
    found = [(types, _evidence_of(solution)) for types, solution in solutions]
    parts = [(types, evidence) for types, evidence in found if evidence is not None]
    every = tuple(range(len(problem.columns)))
    if len(parts) < len(solutions) or len({part.scale for _, part in parts}) > 1:
        return None
    if any(part.columns != every for _, part in parts) or len({part.largest for _, part in parts}) > 1:
        return None
    multipliers = np.zeros(len(problem.counts), dtype=np.int64)
    for types, part in parts:
        multipliers[types] = part.multipliers
    return Evidence(
        every,
        multipliers,
        parts[0][1].scale,
        parts[0][1].largest,
        _joined_multipliers([(types, part.size_multipliers) for types, part in parts]),
        _joined_multipliers([(types, part.linear_multipliers) for types, part in parts]),
        _joined_multipliers([(types, part.tail_multipliers) for types, part in parts]),
    )


def _evidence_of(solution: Solution) -> Evidence | None:
    if solution.bound is not None and len(solution.bound.parts) == 1:
        return solution.bound.parts[0]
    return solution.evidence


def _joined_multipliers(parts: Sequence[tuple[IntArray, PatternMultipliers]]) -> PatternMultipliers:
    """Name the patterns of all cells by row types of the whole table."""
    parts = [(types, part) for types, part in parts if len(part.first)]
    if not parts:
        return PatternMultipliers()
    vectors = tuple(dict.fromkeys(levels for _, part in parts for levels in part.vectors))
    place = {levels: index for index, levels in enumerate(vectors)}
    return PatternMultipliers(
        vectors,
        np.concatenate([np.array([place[levels] for levels in part.vectors])[part.vector] for _, part in parts]),
        np.concatenate([types[part.first] for types, part in parts]),
        np.concatenate([part.numbers for _, part in parts]),
    )
