"""Where highest levels divide a table into cells, each cell is solved on its own; their solutions and bounds add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.errors import InputError
from kilt.model.partition import Partition
from kilt.model.patterns import costs_of, tightest
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.progress import Observer, Progress
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
    rows_left, sums = problem.rows, CellSums(problem, cells)
    for cell, (start, end) in enumerate(pairwise(cells.starts.tolist())):
        types = np.sort(cells.values[start:end])
        part = problem.part(types, problem.counts[types])
        limit = stop.share(part.rows / rows_left)
        if stop.iterations is not None:
            limit = replace(limit, iterations=stop.iterations * part.rows // problem.rows)
        observer(
            sums.progress((problem.rows - rows_left) / problem.rows)
        )  # before it begins: Ctrl-C then keeps what is found
        solution = solve(part, limit, sums.observed(observer, cell, rows_left))
        sums.add(cell, solution)
        rows_left -= part.rows
        yield types, solution


class CellSums:
    """What all cells cost together: those that are not solved yet as one group each, which is legal."""

    def __init__(self, problem: Problem, cells: Ragged) -> None:
        self.problem = problem
        self.rows = cells.sums(problem.counts[cells.values])
        together = tightest(problem, cells.values, cells.starts)
        self.costs = [int(cost) for cost in self.rows * costs_of(problem, cells.first, together)]
        self.bounds = [int(cost) for cost in cells.sums((problem.counts * problem.base)[cells.values])]
        self.cost, self.bound = sum(self.costs), sum(self.bounds)

    def add(self, cell: int, solution: Solution) -> None:
        """Count a cell that is solved as what its solution costs."""
        bound = self.bounds[cell] if solution.bound is None else solution.bound.cost
        self.cost += solution.cost - self.costs[cell]
        self.bound += bound - self.bounds[cell]

    def progress(self, done: float, cost: int = 0, bound: int = 0) -> Progress:
        """Say where the whole stands, if a cell costs so much more than is counted."""
        return Progress("solving", done, self.problem.stars(self.cost + cost), self.problem.stars(self.bound + bound))

    def observed(self, observer: Observer, cell: int, rows_left: int) -> Observer:
        """Observe the solver of a cell, and tell of the whole."""
        unit, rows = self.problem.unit, self.problem.rows
        cost, bound, done = self.costs[cell], self.bounds[cell], 0.0

        def tell(progress: Progress) -> None:
            nonlocal cost, bound, done
            cost = cost if progress.stars is None else min(cost, int(progress.stars * unit))
            bound = bound if progress.bound is None else max(bound, int(progress.bound * unit))
            done = max(done, progress.done or 0.0)
            placed = rows - rows_left + done * int(self.rows[cell])
            observer(self.progress(placed / rows, cost - self.costs[cell], bound - self.bounds[cell]))

        return tell


def _joined(problem: Problem, solutions: Sequence[tuple[IntArray, Solution]]) -> Solution:
    """Put the groups of all cells together; a bound is as well proved, and a guarantee as good, as the worst."""
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
    factors = [solution.factor for _, solution in solutions if solution.factor is not None]
    floats = any(solution.factor_proof == "float" for _, solution in solutions)
    return Solution(
        partition,
        bound if len(bounds) == len(solutions) else None,
        max(factors) if len(factors) == len(solutions) else None,
        factor_proof="float" if floats else "exact",
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
