"""What a solver is, and what it hands over."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from kilt.certificates.proof.evidence import Evidence
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.run.progress import Observer
from kilt.run.stopping import Stop

Proof = Literal["exact", "float"]
Kind = Literal["exact", "guaranteed", "heuristic"]


@dataclass(frozen=True)
class Solution:
    """A legal partition, and a proven lower bound on the cost of all of them (None if there is none).

    ``proof`` says how the bound was proved: in exact arithmetic, or in floating point. ``parts`` are what a certificate
    needs, if the solver has that. The partition costs at most ``factor`` times the optimum (None if that is not known).
    ``stopped`` says that the solver was stopped before its end.
    """

    partition: Partition
    bound: int | None = None
    proof: Proof = "exact"
    parts: tuple[Evidence, ...] = ()
    factor: Fraction | None = None
    stopped: bool = False


class Solver(Protocol):
    """An algorithm that finds legal partitions."""

    def refuses(self, problem: Problem) -> str | None:
        """Say why this problem is not supported, or return None if it is."""

    def solve(self, problem: Problem, stop: Stop, observer: Observer) -> Solution:
        """Find a legal partition; when told to stop, hand over the best one so far."""
