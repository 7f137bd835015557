"""Optimization problems, and relations between the optima of two of them.

A problem gives every solution a value: the edges that a bisection cuts, the stars of a partition. Some values are
minimized and some maximized. A problem may have a goal, and then its answer is yes if a solution reaches it. A relation
says how the optima of two problems depend on each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

Solution = TypeVar("Solution")


@dataclass(frozen=True)
class Goal:
    """A value that is to be reached, from above or from below."""

    value: int
    at_least: bool = False

    def reached(self, value: int) -> bool:
        """Say whether a value is as good as the goal."""
        return value >= self.value if self.at_least else value <= self.value

    def __str__(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.value:,}"


class OptimizationProblem(ABC, Generic[Solution]):
    """What is asked: the best value of a solution, and whether it reaches the goal."""

    counts: ClassVar[str]  # what the value is a number of, as one word

    @property
    @abstractmethod
    def goal(self) -> Goal | None:
        """The value that makes the answer yes; None if only the best value is asked for."""

    @abstractmethod
    def value(self, solution: Solution) -> int:
        """Return the value of a solution, or raise `InputError` if it is none."""

    def require(self, solution: Solution) -> None:
        """Raise `InputError` unless this is a solution."""
        self.value(solution)

    def accepts(self, solution: Solution) -> bool:
        """Say whether a solution reaches the goal, so that the answer is yes."""
        return self.goal is not None and self.goal.reached(self.value(solution))


@dataclass(frozen=True)
class OptimaRelation:
    """What is proved of the best values of a source and of its target.

    With a ``factor``, the target's is ``factor * source + constant``, or if that is not ``exact``, it is at most that.
    With two goals, one is reached if and only if the other is.
    """

    names: tuple[str, str]
    goals: tuple[Goal | None, Goal | None]
    factor: int | None = None
    constant: int = 0
    exact: bool = True

    @classmethod
    def between(
        cls,
        source: OptimizationProblem[Any],
        target: OptimizationProblem[Any],
        factor: int | None = None,
        constant: int = 0,
        *,
        exact: bool = True,
    ) -> OptimaRelation:
        """Claim that the answers agree, and with a factor that the best values are in this relation."""
        return cls((source.counts, target.counts), (source.goal, target.goal), factor, constant, exact)

    def holds(self, source: int, target: int) -> bool:
        """Say whether two best values are as claimed."""
        if self.factor is not None:
            expected = self.factor * source + self.constant
            if target != expected and (self.exact or target > expected):
                return False
        mine, other = self.goals
        return mine is None or other is None or mine.reached(source) == other.reached(target)

    def then(self, other: OptimaRelation) -> OptimaRelation:
        """Return what follows from this claim and another about its target."""
        names, goals = (self.names[0], other.names[1]), (self.goals[0], other.goals[1])
        if self.factor is None or other.factor is None or not other.exact or (other.factor < 0 and not self.exact):
            return OptimaRelation(names, goals)
        constant = other.factor * self.constant + other.constant
        return OptimaRelation(names, goals, self.factor * other.factor, constant, self.exact)

    def __str__(self) -> str:
        (source, target), (mine, other) = self.names, self.goals
        said = [] if self.factor is None else [f"{target} {'=' if self.exact else '<='} {self._formula()}"]
        if mine is not None and other is not None:
            said.append(f"{source} {mine} if and only if {target} {other}")
        return "; ".join(said)

    def _formula(self) -> str:
        times = abs(self.factor or 0)
        term = self.names[0] if times == 1 else f"{times} * {self.names[0]}"
        if (self.factor or 0) < 0:
            return f"{self.constant:,} - {term}"
        return f"{term} + {self.constant:,}" if self.constant else term
