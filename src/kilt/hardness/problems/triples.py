"""3-dimensional matching: three sets of equal size, and tuples with one element of each.

It asks for tuples that cover every element exactly once. Here it is also the question how many tuples can be chosen
that share no element; the answer is yes if that number is the size of the sets.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, TypeAlias

from kilt.errors import InputError
from kilt.hardness.problems.checks import distinct, has_length
from kilt.hardness.problems.problem import Goal, OptimizationProblem

Triple: TypeAlias = tuple[Hashable, Hashable, Hashable]
Triples: TypeAlias = frozenset[Triple]
NAMES = "XYZ"
ELEMENTS = "the elements of a matching"


@dataclass(frozen=True)
class Matching(OptimizationProblem[Triples]):
    """Three sets of elements, and the tuples that may be chosen. The same name in two sets is two elements."""

    counts: ClassVar[str] = "matching"
    elements: tuple[tuple[Hashable, ...], ...]
    triples: tuple[Triple, ...]

    @classmethod
    def of(cls, triples: Iterable[Sequence[Any]], elements: Sequence[Iterable[Hashable]] = ((), (), ())) -> Matching:
        """Take tuples, and sets with the elements that are in none of them; a tuple that is given twice counts once."""
        chosen = _distinct_triples(triples)
        _require_three(elements)
        sets = [distinct(given, ELEMENTS) for given in elements]
        return cls(tuple(distinct([*given, *(t[i] for t in chosen)], ELEMENTS) for i, given in enumerate(sets)), chosen)

    @classmethod
    def numbered(cls, size: int, triples: Iterable[Sequence[int]]) -> Matching:
        """Take tuples of numbers from 1 to the size of the sets."""
        return cls.of(triples, [range(1, size + 1)] * 3)

    def __post_init__(self) -> None:
        _require_three(self.elements)
        if any(len(distinct(each, ELEMENTS)) < len(each) for each in self.elements):
            raise InputError("a set of a matching has an element twice")
        if len(_distinct_triples(self.triples)) < len(self.triples):
            raise InputError("a matching has a tuple twice; Matching.of takes it once")
        if not all((i, element) in self.place for triple in self.triples for i, element in enumerate(triple)):
            raise InputError("a tuple of a matching has an element that is not in its set; Matching.of adds it")
        sizes = [len(each) for each in self.elements]
        if len(set(sizes)) != 1 or not sizes[0]:
            said = ", ".join(f"{name} has {size}" for name, size in zip(NAMES, sizes, strict=True))
            raise InputError(
                f"the three sets of a matching must have the same number of elements, at least 1, and {said}"
            )

    @property
    def size(self) -> int:
        """How many elements each set has."""
        return len(self.elements[0])

    @property
    def goal(self) -> Goal:
        """As many tuples as the sets have elements: they cover everything."""
        return Goal(self.size, at_least=True)

    @cached_property
    def place(self) -> dict[tuple[int, Hashable], int]:
        """The place of every element of X, Y and Z, one set behind the other."""
        return {key: i for i, key in enumerate((s, e) for s, each in enumerate(self.elements) for e in each)}

    def places(self, triple: Triple) -> tuple[int, ...]:
        """Return the places of the three elements of a tuple."""
        return tuple(self.place[i, element] for i, element in enumerate(triple))

    def value(self, solution: Triples) -> int:
        """Count the tuples, which must share no element."""
        if not solution <= set(self.triples):
            raise InputError("a solution has a tuple that may not be chosen")
        if any(len({triple[i] for triple in solution}) < len(solution) for i in range(3)):
            raise InputError("two tuples of a solution share an element")
        return len(solution)


def _require_three(elements: Sequence[Iterable[Hashable]]) -> None:
    if not has_length(elements, 3):
        raise InputError("a matching has three sets of elements: give all three, or none")


def _distinct_triples(triples: Iterable[Sequence[Any]]) -> tuple[Triple, ...]:
    chosen = [_triple(each) for each in triples]
    distinct(chain.from_iterable(chosen), ELEMENTS)
    return tuple(dict.fromkeys(chosen))


def _triple(given: Sequence[Any]) -> Triple:
    if not has_length(given, 3):
        raise InputError("a tuple of a matching must have three elements")
    return given[0], given[1], given[2]
