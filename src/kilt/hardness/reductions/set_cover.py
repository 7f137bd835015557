"""From set cover to t-closeness with a single quasi column, for 0 < t < 1: the stars are N (sets + 1).

The column names a class, and a row is either released with it or has one star. Each class is *rigid*: of its parts,
only the whole class is legal. So a release is given by the classes that it hides. N *odd* rows, each a class of its
own, are always hidden. They have a row too many of every element, and become legal once each element is missing in some
hidden class of N rows. There is such a class for each set, and it lacks the elements of the set. The other values and
classes keep the balance; ``docs/open_problem.md`` has the proof, with the same letters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import TypeAlias

from kilt.errors import InputError
from kilt.hardness.instances.instance import Groups, Instance, Table, require_room
from kilt.hardness.problems.problem import OptimaRelation
from kilt.hardness.problems.set_cover import Chosen, SetCover
from kilt.hardness.reductions.reduction import Reduction
from kilt.hardness.reductions.shares import share
from kilt.model.policy import Policy, TCloseness
from kilt.numbers import Number

Counts: TypeAlias = dict[str, int]


@dataclass(frozen=True)
class Sizes:
    """How many values and rows of every sort there are; the letters are those of the proof.

    ``kinds`` is κ, ``wide`` is F, ``lacking`` is d and ``steps`` is z there; ``rows`` is N, the rows of most classes.
    """

    u: int
    kinds: int
    wide: int
    lacking: int
    steps: int
    rows: int

    @property
    def regular(self) -> int:
        """The classes of N rows: of sets, and dummies."""
        return self.wide * (self.steps + 1) - 1

    @property
    def x(self) -> int:
        """The values that odd rows do not have."""
        return (self.u + self.lacking) // self.wide

    @property
    def y(self) -> int:
        """The values that classes lack in place of elements."""
        return self.lacking * (self.steps + 1) - self.x - self.u

    @property
    def v(self) -> int:
        """The values that no large class has."""
        return self.lacking * ((self.kinds + 1) * self.steps + 2)

    @property
    def w(self) -> int:
        """The values that only large classes of one kind have."""
        return self.lacking * self.kinds * self.steps * ((self.kinds + 1) * self.steps + 2) // 2

    @property
    def o(self) -> int:
        """The values that fill classes up to N rows, two of each."""
        return (self.rows - 2 * self.u - self.y - self.v) // 2

    @property
    def odd_steps(self) -> int:
        """Twice the rows of a large class, in N."""
        return self.kinds * self.steps + 1

    @property
    def all_rows(self) -> int:
        """The rows of the table."""
        return self.rows * self.wide * ((self.kinds + 1) * self.steps + 2)


@dataclass(frozen=True)
class CoverToCloseness(Reduction[Chosen, Groups]):
    """A cover of c sets is a release with N (c + 1) stars, in a table with one quasi column and many values."""

    source: SetCover
    t: Number

    def __post_init__(self) -> None:
        if not 0 < self.exact_t < 1:
            raise InputError(f"'t' must be above 0 and below 1 here, not {self.t}: for t=0 and one column it is easy")

    @property
    def exact_t(self) -> Fraction:
        """How far a group may be from the whole table."""
        return share(self.t, "t")

    @cached_property
    def sizes(self) -> Sizes:
        """The smallest sizes that fit."""
        return _sizes(self.source, self.exact_t)

    @cached_property
    def sets(self) -> tuple[tuple[frozenset[int], int], ...]:
        """The sets with their numbers, and single elements until each is in F + 1 sets."""
        members = self.source.members
        often = Counter(element for each in members for element in each)
        single = [
            (frozenset([element]), number)
            for element, number in enumerate(self.source.set_with)
            for _ in range(self.sizes.wide + 1 - often[element])
        ]
        return (*zip(members, range(len(members)), strict=True), *single)

    @cached_property
    def target(self) -> Instance:
        """The table of classes: those of sets, dummies, large ones, and odd rows."""
        require_room(self.sizes.all_rows, 1)
        classes = [*self._classes()]
        rows = [(name, value) for name, counts in classes for value, number in counts.items() for _ in range(number)]
        table = Table(("class",), tuple((name,) for name, _ in rows), tuple(value for _, value in rows))
        threshold = None if self.source.most is None else self.sizes.rows * (self.source.most + 1)
        return Instance(table, Policy(TCloseness(self.exact_t)), threshold)

    def forward(self, solution: Chosen) -> Groups:
        """Hide the odd rows and the classes of the sets; every other class is a group."""
        self.source.require(solution)
        hidden = {_set_name(number) for number in solution}
        groups: dict[str, list[int]] = {}
        for row, (name,) in enumerate(self.table.rows):
            groups.setdefault("" if name.startswith("odd") or name in hidden else name, []).append(row)
        return tuple(map(tuple, groups.values()))

    def back(self, solution: Groups) -> Chosen:
        """Take the sets whose classes are hidden; whoever hides a large class pays for a cover that is always there."""
        self.target.require(solution)
        shown = [{self.table.rows[row][0] for row in group} for group in solution]
        hidden = set().union(*(names for names in shown if len(names) > 1))
        if any(name.startswith("large") for name in hidden):
            return self.source.always_enough
        return frozenset(number for i, (_, number) in enumerate(self.sets) if _set_name(i) in hidden)

    def claim(self) -> OptimaRelation:
        """The odd rows and the classes of a smallest cover are hidden, N rows each."""
        return OptimaRelation.between(self.source, self.target, self.sizes.rows, self.sizes.rows)

    def _classes(self) -> Iterator[tuple[str, Counts]]:
        """Yield every class: its name, and how many rows of each value it has."""
        size = self.sizes
        filled = {**_values("o", size.o, 2), **_values("v", size.v)}
        plain = {**_values("u", size.u), **_values("y", size.y), **_values("x", size.x, size.wide), **filled}
        for name, absent in self._absent():
            yield name, {value: number for value, number in plain.items() if value not in absent}
        high, half = (size.odd_steps + 1) // 2, (size.wide * size.odd_steps + 1) // 2
        large = {**_values("u", size.u, high), **_values("y", size.y, high), **_values("x", size.x, half)}
        for i in range(2 * size.wide):
            own = {**_values("o", size.o, size.odd_steps), **_values(f"w{i % size.kinds} ", size.w)}
            yield f"large {i}", {**large, **own}
        odd = {**_values("u", size.u, 2), **_values("y", size.y), **filled}
        for i, value in enumerate(value for value, number in odd.items() for _ in range(number)):
            yield f"odd {i}", {value: 1}

    def _absent(self) -> Iterator[tuple[str, set[str]]]:
        """Yield the classes of sets and the dummies, each with the d values that it lacks: no y in more than F."""
        turn = 0
        for i in range(self.sizes.regular):
            elements = self.sets[i][0] if i < len(self.sets) else frozenset()
            others = self.sizes.lacking - len(elements)
            absent = {f"y{(turn + j) % self.sizes.y}" for j in range(others)}
            turn += others
            yield _set_name(i) if i < len(self.sets) else f"dummy {i}", absent | {f"u{each}" for each in elements}


def _set_name(number: int) -> str:
    return f"set {number}"


def _values(sort: str, number: int, rows: int = 1) -> Counts:
    return {f"{sort}{i}": rows for i in range(number)}


def _sizes(source: SetCover, t: Fraction) -> Sizes:
    """Choose κ for t, then F for the frequencies of elements, d for the sizes of sets, and z for their number."""
    u, often = len(source.elements), Counter(element for each in source.members for element in each)
    kinds = next(k for k in count(1, 2) if Fraction(k, k + 2) > t and math.gcd(k, t.numerator) == 1)
    wide = next(f for f in count(kinds, 2 * kinds) if f + 1 >= max(often.values()) and math.gcd(f, t.numerator) == 1)
    step = 2 * t.numerator
    lacking = next(d for d in count(step, step) if d >= max(map(len, source.sets)) and (u + d) % wide == 0)
    sets = len(source.sets) + (wide + 1) * u - sum(often.values())
    each = (Sizes(u, kinds, wide, lacking, z, int(lacking * (1 + kinds * z) / t)) for z in count(2, 2))
    enough = len(source.always_enough)
    return next(s for s in each if s.odd_steps >= 2 * enough and s.regular >= sets and s.y >= s.lacking and s.o >= 0)
