"""Reductions: an instance of one problem, turned into one of another, with a way back for its solutions.

``a >> b`` goes on: b is a reduction of what a leads to, or a function that makes one of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kilt.errors import InputError
from kilt.hardness.instances.instance import Instance, Table
from kilt.hardness.problems.problem import OptimaRelation, OptimizationProblem
from kilt.model.policy import Policy

Given = TypeVar("Given")
Made = TypeVar("Made")
Last = TypeVar("Last")


class Reduction(ABC, Generic[Given, Made]):
    """From solutions of the source to solutions of the target, and back.

    Both maps keep the answer: if one side accepts a solution, the other accepts what it becomes. Where the claim is an
    equality or the answer is yes, they also keep optimal solutions optimal. They raise `InputError` for what is no
    solution.
    """

    source: OptimizationProblem[Given]

    @property
    @abstractmethod
    def target(self) -> OptimizationProblem[Made]:
        """What the source is turned into."""

    @abstractmethod
    def forward(self, solution: Given) -> Made:
        """Turn a solution of the source into one of the target."""

    @abstractmethod
    def back(self, solution: Made) -> Given:
        """Turn a solution of the target into one of the source."""

    @abstractmethod
    def claim(self) -> OptimaRelation:
        """Return what is proved of the two optima."""

    @property
    def instance(self) -> Instance:
        """The table with its policy that the source is turned into."""
        if not isinstance(self.target, Instance):
            raise InputError("this reduction does not lead to a table yet: go on with >> and another one")
        return self.target

    @property
    def table(self) -> Table:
        """The table."""
        return self.instance.table

    @property
    def policy(self) -> Policy:
        """The policy that its partitions must meet."""
        return self.instance.policy

    @property
    def threshold(self) -> int | None:
        """The stars up to which the answer is yes; None if only the fewest stars are asked for."""
        return self.instance.threshold

    def __rshift__(
        self, other: Reduction[Made, Last] | Callable[[Any], Reduction[Made, Last]]
    ) -> Reduction[Given, Last]:
        following = other if isinstance(other, Reduction) else other(self.target)
        if following.source != self.target:
            raise InputError("the second reduction does not start where the first one ends")
        return Composed(self, following)


@dataclass(frozen=True)
class Composed(Reduction[Given, Last], Generic[Given, Made, Last]):
    """One reduction behind another."""

    first: Reduction[Given, Made]
    second: Reduction[Made, Last]

    @property
    def source(self) -> OptimizationProblem[Given]:  # type: ignore[override]
        """Where the first one starts."""
        return self.first.source

    @property
    def target(self) -> OptimizationProblem[Last]:
        """Where the second one ends."""
        return self.second.target

    def forward(self, solution: Given) -> Last:
        """Go forward twice."""
        return self.second.forward(self.first.forward(solution))

    def back(self, solution: Last) -> Given:
        """Go back twice."""
        return self.first.back(self.second.back(solution))

    def claim(self) -> OptimaRelation:
        """Return what follows from both claims."""
        return self.first.claim().then(self.second.claim())
