"""What a solver is, and what it hands over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, Protocol, runtime_checkable

from kilt.certificates.proof.evidence import Arithmetic, Bound, Evidence, Status, status_of
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule

Kind = Literal["exact", "guaranteed", "heuristic"]


@dataclass(frozen=True)
class Solution:
    """A legal partition, and a proven lower bound on the cost of all of them (None if there is none).

    Above the base, which every partition costs, it costs at most ``factor`` times the optimum (None if that is not
    known), which is proved exactly or in floating point, as ``factor_proof`` says. ``stopped`` says that the solver was
    stopped before its end, and ``solver`` who found it. ``evidence`` are multipliers that it found on the way: they may
    prove a bound that can be written down where its own has no such proof.
    """

    partition: Partition
    bound: Bound | None = None
    factor: Fraction | None = None
    stopped: bool = False
    solver: str = ""
    evidence: Evidence | None = None
    factor_proof: Arithmetic = "exact"

    @property
    def cost(self) -> int:
        """What the partition costs."""
        return self.partition.cost

    @property
    def is_optimal(self) -> bool:
        """Whether the bound proves that no partition costs less, be it in floating point."""
        return self.bound is not None and self.bound.cost == self.cost

    @property
    def status(self) -> Status:
        """What the bound proves."""
        return "feasible" if self.bound is None else status_of(self.cost, self.bound.cost, self.bound.arithmetic)

    def with_bound(self, other: Bound | None) -> Solution:
        """Take another bound if it is better, or as good and better proved."""
        if other is None:
            return self
        other = replace(other, cost=min(self.cost, other.cost))
        return self if self.bound is not None and self.bound.rank >= other.rank else replace(self, bound=other)


@runtime_checkable
class Solver(Protocol):
    """An algorithm that finds legal partitions."""

    def refuses(self, problem: Problem) -> str | None:
        """Say why this problem is not supported, or return None if it is."""

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Find a legal partition; when it is stopped, hand over the best one so far."""
