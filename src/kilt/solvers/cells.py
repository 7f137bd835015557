"""Where highest levels divide a table into cells, each cell is solved on its own; their solutions and bounds add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.errors import InputError
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.join_evidence import join_evidence

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
    """Return the multipliers of all cells together, if each has some."""
    found = [(types, _evidence_of(solution)) for types, solution in solutions]
    parts = [(types, evidence) for types, evidence in found if evidence is not None]
    if len(parts) < len(solutions) or any(len(part.columns) < len(problem.columns) for _, part in parts):
        return None
    return join_evidence(problem, parts)


def _evidence_of(solution: Solution) -> Evidence | None:
    if solution.bound is not None and len(solution.bound.parts) == 1:
        return solution.bound.parts[0]
    return solution.evidence
