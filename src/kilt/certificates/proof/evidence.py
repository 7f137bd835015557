"""What proves a bound: integers, any of which may be bad without making the bound wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from kilt.errors import InputError
from kilt.numbers import IntArray

Levels = tuple[int, ...]
Arithmetic = Literal["exact", "float"]
Status = Literal["optimal", "optimal (floating point)", "feasible"]
MAX_SIZE = 1_000  # rows of a group that is proved by its size
NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class PatternMultipliers:
    """Patterns, each named by its level vector and by the first of its row types, with integers for each.

    ``vectors`` are level vectors, ``vector`` says which of them a pattern has.
    """

    vectors: tuple[Levels, ...] = ()
    vector: IntArray = field(default_factory=lambda: NONE)
    first: IntArray = field(default_factory=lambda: NONE)
    numbers: IntArray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))

    def __post_init__(self) -> None:
        if len(self.vector) and not 0 <= self.vector.min() <= self.vector.max() < len(self.vectors):
            raise InputError("the proof has patterns without a level vector")


@dataclass(frozen=True)
class PatternTrees:
    """Trees of patterns: the numbers of each are the size of its groups, and how many of the ``nodes`` are its own.

    A tree is written from the root on. A sensitive value that is divided is followed by the tree of the groups that
    have no more rows of it than are free (*out*), and then by that of the groups that have more (*in*). At an end is
    -1 - theta.
    """

    patterns: PatternMultipliers = field(default_factory=PatternMultipliers)
    nodes: IntArray = field(default_factory=lambda: NONE)

    def __post_init__(self) -> None:
        numbers = self.patterns.numbers
        if len(numbers) and (numbers.shape[1] != 2 or numbers.min() < 1 or numbers[:, 0].max() > MAX_SIZE):
            raise InputError(f"the trees of the proof do not have a size up to {MAX_SIZE:,} and a number of nodes each")
        if (int(numbers[:, 1].sum()) if len(numbers) else 0) != len(self.nodes):
            raise InputError("the trees of the proof do not have as many nodes as they should")

    def of_each(self) -> list[IntArray]:
        """Return the nodes of every tree."""
        return np.split(self.nodes, np.cumsum(self.patterns.numbers[:-1, 1])) if len(self.patterns.first) else []


@dataclass(frozen=True)
class CountingCuts:
    """Sets of row types, one after the other, of these ``lengths``, with a multiplier of at least 0 for each.

    The multiplier is paid by every group that lies wholly in the set.
    """

    types: IntArray = field(default_factory=lambda: NONE)
    lengths: IntArray = field(default_factory=lambda: NONE)
    multipliers: IntArray = field(default_factory=lambda: NONE)

    def __post_init__(self) -> None:
        if len(self.lengths) != len(self.multipliers) or (self.lengths < 1).any() or (self.multipliers < 0).any():
            raise InputError("the proof does not have a multiplier of at least 0 for every set of row types")
        if int(self.lengths.sum()) != len(self.types):
            raise InputError("the sets of the proof do not have as many row types as they should")

    def __len__(self) -> int:
        return len(self.lengths)

    def sets(self) -> list[IntArray]:
        """Return the row types of every set."""
        return np.split(self.types, np.cumsum(self.lengths[:-1])) if len(self) else []


@dataclass(frozen=True)
class Evidence:
    """What proves a bound: a multiplier for every row type, ``scale`` of them to a unit of cost, and those of patterns.

    Groups are proved with ``linear_multipliers``: that of the size of a group, and those of every linear rule of the
    policy. Where they are not enough, groups of up to ``largest`` rows are proved size by size (none if it is 0) with
    ``size_multipliers``, a size (0 for all that are not named) and its theta, and larger groups with
    ``tail_multipliers``, which are like ``linear_multipliers``. Where a theta is not enough for a size, there is one of
    the ``trees``. Patterns in ``own_largest`` have another largest size than the others. The ``counting`` cuts say how
    many groups lie in sets of rows. It is about the costs in some ``columns``.
    """

    columns: tuple[int, ...]
    multipliers: IntArray
    scale: int
    largest: int = 0
    size_multipliers: PatternMultipliers = field(default_factory=PatternMultipliers)
    linear_multipliers: PatternMultipliers = field(default_factory=PatternMultipliers)
    tail_multipliers: PatternMultipliers = field(default_factory=PatternMultipliers)
    trees: PatternTrees = field(default_factory=PatternTrees)
    own_largest: PatternMultipliers = field(default_factory=PatternMultipliers)
    counting: CountingCuts = field(default_factory=CountingCuts)


@dataclass(frozen=True)
class Bound:
    """No legal partition costs less than ``cost``: how that was proved, and the parts of a proof that can be checked.

    The arithmetic is exact, or that of floating point. Without parts there is no proof that can be written down.
    """

    cost: int
    parts: tuple[Evidence, ...] = ()
    arithmetic: Arithmetic = "exact"

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """The higher bound is the better one; of equal ones that which is exact, and then that which has a proof."""
        return self.cost, self.arithmetic == "exact", bool(self.parts)


def status_of(cost: Fraction | int, bound: Fraction | int | None, arithmetic: Arithmetic) -> Status:
    """Say what a bound proves of a release: nothing else in kilt decides what is called optimal."""
    if bound is None or bound < cost:
        return "feasible"
    return "optimal" if arithmetic == "exact" else "optimal (floating point)"


def gap_of(cost: Fraction, bound: Fraction, least: Fraction) -> Fraction:
    """Return how far a cost can be from the optimum, as a share of what it is above the least of all releases."""
    return (cost - bound) / (cost - least) if cost > least else Fraction(0)
