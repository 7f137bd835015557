"""Set cover: some sets of elements, and as few of them as possible that have all elements between them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import ClassVar, TypeAlias

from kilt.errors import InputError
from kilt.hardness.problems.checks import distinct
from kilt.hardness.problems.problem import Goal, OptimizationProblem

Chosen: TypeAlias = frozenset[int]
ELEMENTS = "a set of a cover"


@dataclass(frozen=True)
class SetCover(OptimizationProblem[Chosen]):
    """Sets that cover their elements. A solution has the numbers of the sets that are chosen, counted from 0.

    With ``most`` it is a question with an answer: are so many sets enough?
    """

    counts: ClassVar[str] = "sets"
    sets: tuple[frozenset[Hashable], ...]
    most: int | None = None

    @classmethod
    def of(cls, sets: Iterable[Iterable[Hashable]], most: int | None = None) -> SetCover:
        """Take sets of numbers, texts or other values that can be hashed."""
        return cls(tuple(frozenset(distinct(each, ELEMENTS)) for each in sets), most)

    def __post_init__(self) -> None:
        if not any(self.sets):
            raise InputError("a cover needs at least one set that has an element")

    @property
    def goal(self) -> Goal | None:
        """The sets that may be chosen."""
        return None if self.most is None else Goal(self.most)

    @cached_property
    def elements(self) -> tuple[Hashable, ...]:
        """All elements, in the order of their names."""
        return tuple(sorted(set(chain.from_iterable(self.sets)), key=lambda each: (str(type(each)), str(each))))

    @cached_property
    def members(self) -> tuple[frozenset[int], ...]:
        """The sets again, with the places of their elements."""
        place = {element: i for i, element in enumerate(self.elements)}
        return tuple(frozenset(place[element] for element in each) for each in self.sets)

    @cached_property
    def set_with(self) -> tuple[int, ...]:
        """The first set that has each element."""
        return tuple(next(i for i, each in enumerate(self.sets) if element in each) for element in self.elements)

    @property
    def always_enough(self) -> Chosen:
        """A cover that is easy to find: all sets, or one for each element if these are fewer."""
        every = frozenset(range(len(self.sets)))
        return frozenset(self.set_with) if len(self.elements) < len(every) else every

    def value(self, solution: Chosen) -> int:
        """Count the sets, which must cover all elements."""
        if not all(isinstance(i, int) and 0 <= i < len(self.sets) for i in solution):
            raise InputError(f"a solution must have numbers of sets, from 0 to {len(self.sets) - 1}")
        if len(frozenset().union(*(self.members[i] for i in solution))) < len(self.elements):
            raise InputError("the sets of a solution do not cover all elements")
        return len(solution)
