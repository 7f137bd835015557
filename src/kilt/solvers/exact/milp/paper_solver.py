"""The paper's program for t-closeness, solved by HiGHS as it stands: a reference for the smaller one (``milp``).

What HiGHS proves it proves in floating point, so its bound is labelled so; the groups are checked in integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.model.rules import ClosenessRule
from kilt.numbers import FloatArray
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.highs import quiet, solve, whole_bound
from kilt.solvers.exact.milp.paper_program import PaperProgram, sizes
from kilt.solvers.exact.milp.rows import highs_model

MOST_VARIABLES = 200_000  # HiGHS needs minutes for a tenth of them
BILLION = 10**9


@dataclass(frozen=True)
class PaperMilp:
    """Exact for t-closeness, up to the tolerance of floating point; for tables of few columns and few values.

    ``with_empty`` also writes down the flows of patterns that generalise no row, which can only be 0.
    """

    with_empty: bool = False

    def refuses(self, problem: Problem) -> str | None:
        """Refuse what the paper's program does not speak of, and programs that are too large."""
        others = [str(rule) for rule in problem.rules if not isinstance(rule, ClosenessRule)]
        if others:
            return f"the paper's program is for t-closeness alone, and this policy asks for {', '.join(others)}"
        size = sizes(problem, with_empty=self.with_empty)
        if size.variables > MOST_VARIABLES:
            most = "" if self.with_empty else "up to "
            found = f"{most}{size.variables:,}" if size.variables < BILLION else "more than a billion"
            return f"it takes at most {MOST_VARIABLES:,} variables, and the paper's program of this table has {found}"
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Give the program to HiGHS; until it finds groups, the table as a whole is the one group."""
        whole = Solution(_one_group(problem))
        program = PaperProgram(problem, self.with_empty)
        highs = quiet()
        highs.passModel(highs_model(program.rows, program.objective, program.limits(), program.copies))

        def watch(cost: float, bound: float) -> None:
            stars = problem.stars(min(whole.cost, round(cost)) if math.isfinite(cost) else whole.cost)
            proved = whole_bound(bound)
            observer(Progress("solving", None, stars, None if proved is None else problem.stars(proved)))

        outcome = solve(highs, stop, watch)
        found = _partition(program, outcome.values)
        best = whole if found is None else Solution(found)
        return best if outcome.bound is None else best.with_bound(Bound(outcome.bound, arithmetic="float"))


def _one_group(problem: Problem) -> Partition:
    """Return the table as one group, which is always close to itself."""
    every = np.arange(len(problem.counts))
    return Partition.of(problem, every, np.zeros_like(every), problem.counts)


def _partition(program: PaperProgram, values: FloatArray) -> Partition | None:
    """Read the groups off the copies; None if there are none, or if they are legal only within a tolerance."""
    problem = program.problem
    copies = np.rint(values[: len(program.copies)]).astype(np.int64)
    placed = np.bincount(program.row_type[: len(copies)], copies, len(problem.counts))
    if not len(copies) or (copies < 0).any() or (placed != problem.counts).any():
        return None
    used = copies > 0
    partition = Partition.of(problem, program.row_type[used], program.pattern[used], copies[used])
    return partition if problem.is_legal(partition.by_class(problem)).all() else None
