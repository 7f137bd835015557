"""A part of a table, as bytes: what a worker anywhere is sent, and what it sends back."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass

from kilt.certificates.proof.evidence import Evidence
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.run.progress import silent
from kilt.run.stopping import StoppingRule, never
from kilt.solvers.search.solver import Search


@dataclass(frozen=True)
class PartTask:
    """A part as a problem of its own, a legal partition of it to go on from, and the limits of its search."""

    problem: Problem
    start: Partition | None
    seed: int
    seconds: float | None = None
    gap: float | None = None
    iterations: int | None = None

    def to_bytes(self) -> bytes:
        """Return it as bytes."""
        return pickle.dumps(self, protocol=pickle.HIGHEST_PROTOCOL)


@dataclass(frozen=True)
class PartAnswer:
    """A legal partition of a part, and the multipliers that prove its bound: they are of use for the whole table."""

    partition: Partition
    evidence: tuple[Evidence, ...]

    @classmethod
    def of_bytes(cls, answer: bytes) -> PartAnswer:
        """Read what `solve_part` returned."""
        found: PartAnswer = pickle.loads(answer)  # noqa: S301 - of a worker that this run started
        return found


def solve_part(task: bytes, interrupted: Callable[[], bool] = never) -> bytes:
    """Search a part: a plain function from bytes to bytes, which can run in any process that has kilt."""
    part: PartTask = pickle.loads(task)  # noqa: S301 - of the run that started this worker
    stop = StoppingRule(part.seconds, part.gap, part.iterations, interrupted, base=part.problem.base_cost)
    found = Search(part.seed, part.start, counts_groups=False).solve(part.problem, stop, silent)
    answer = PartAnswer(found.partition, () if found.bound is None else found.bound.parts)
    return pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
