"""Counting cuts: no more groups lie wholly in a set of rows than fit into it.

Where a set has rows for less than two groups, the steps of an ascent may still use one and a half. Sets for which the
patterns inside are used more often than groups fit are found in the course of an ascent, and their multipliers are
raised with those of the rows. ``docs/bounds/counting.md`` has the inequality.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kilt.arrays.ragged import Ragged
from kilt.bounds.incidence import Incidence, Oracle
from kilt.bounds.oracles import SizeOracle
from kilt.bounds.subgradient import Moments
from kilt.certificates.proof.evaluate import MAX_MULTIPLIER
from kilt.certificates.proof.evidence import NONE, CountingCuts, Evidence
from kilt.certificates.proof.patterns import is_joined
from kilt.kernels.bounds.counting import ONE, GrowingSets
from kilt.kernels.bounds.incidence import by_type
from kilt.numbers import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Params:
    """When cuts are looked for, and how far."""

    end: float = 0.7  # of the ascent: cuts that are found later would not be raised any more
    rounds: int = 6  # until then
    least_steps: int = 20  # between two rounds: the use of patterns is an average over so many
    memory: float = 0.96  # of what a pattern was used before, at each step
    rate: float = 10.0  # how much longer steps are than those of rows: a group has many rows
    least_use: float = 0.02  # of patterns that are looked at
    least_violation: float = 0.05  # by how much more groups are used than fit
    most_patterns: int = 8  # that make a set, besides the first one
    most_cuts: int = 1_000
    roomy_cuts: int = 16  # with more, multipliers are limited further


PARAMS = Params()


@dataclass
class ActiveCuts:
    """The cuts of an ascent with their multipliers, in units of cost, and how often patterns were used of late.

    Cut c counts the patterns of ``patterns`` whose ``cut`` is c, and at most ``limits[c]`` groups fit.
    """

    incidence: Incidence
    min_group_size: int
    sets: list[IntArray] = field(default_factory=list)
    limits: IntArray = field(default_factory=lambda: NONE)
    patterns: IntArray = field(default_factory=lambda: NONE)
    cut: IntArray = field(default_factory=lambda: NONE)
    multipliers: FloatArray = field(default_factory=lambda: np.zeros(0))
    rounds: int = 0  # in which cuts were looked for
    steps: int = 0  # since then
    seen: int = 0  # steps in all

    def __post_init__(self) -> None:
        self.use = np.zeros(len(self.incidence.pool))
        self.moments = Moments.of(0)
        self.known: set[bytes] = set()

    @property
    def highest(self) -> float:
        """The most that a multiplier may be: what all rows can pay, less where a proof has no room for their sum."""
        most = min(self.incidence.problem.most_cost, (MAX_MULTIPLIER - 1) / self.incidence.scale)
        return most * min(1.0, PARAMS.roomy_cuts / max(1, len(self.sets)))

    @property
    def whole(self) -> IntArray:
        """The multipliers as integers, as they are proved."""
        return np.floor(self.multipliers * self.incidence.scale).astype(np.int64)

    def penalties(self) -> IntArray:
        """Return what a group pays under each pattern."""
        total = np.zeros(len(self.use), dtype=np.int64)
        np.add.at(total, self.patterns, self.whole[self.cut])
        return total

    def owed(self) -> int:
        """Return what all cuts subtract from the bound."""
        return int(self.whole.astype(object) @ self.limits)

    def evidence(self) -> CountingCuts:
        """Return the cuts that have a multiplier."""
        whole = self.whole
        kept = np.flatnonzero(whole)
        lengths = np.array([len(self.sets[c]) for c in kept], dtype=np.int64)
        types = np.concatenate([NONE, *(self.sets[c] for c in kept)])
        return CountingCuts(types, lengths, whole[kept])

    def advance(self, used: BoolArray, step: float, done: float) -> None:
        """Follow a step of the ascent: raise multipliers of cuts that are violated, and now and then look for more."""
        self.use += (1 - PARAMS.memory) * (used - self.use)
        self.steps, self.seen = self.steps + 1, self.seen + 1
        if len(self.sets):
            groups = np.bincount(self.cut, used[self.patterns], len(self.sets)).astype(np.float64)
            raised = self.multipliers + PARAMS.rate * step * self.moments.direction(groups - self.limits)
            self.multipliers = np.clip(raised, 0.0, self.highest)
        if self.rounds * PARAMS.end / PARAMS.rounds <= done < PARAMS.end and self.steps >= PARAMS.least_steps:
            self.rounds, self.steps = self.rounds + 1, 0
            self.add(self.find())

    def find(self) -> list[IntArray]:
        """Return new sets of row types in which patterns were used more often than groups fit."""
        mean_use = self.use / (1 - PARAMS.memory**self.seen)
        used = np.flatnonzero(mean_use > PARAMS.least_use)
        covers, counts = self.incidence.pool.covers.picked(used), self.incidence.problem.counts
        starts, patterns, _ = by_type(covers.values, covers.starts, len(counts))
        use = np.floor(mean_use[used] * ONE).astype(np.int64)
        growing = GrowingSets(counts, covers.values, covers.starts, starts, patterns, use, self.min_group_size)
        violation = int(PARAMS.least_violation * ONE)
        found = (growing.grow(first, PARAMS.most_patterns, violation) for first in range(len(used)))
        sets = {types.tobytes(): types for types in found if len(types)}
        return [types for key, types in sets.items() if key not in self.known]

    def add(self, sets: list[IntArray]) -> None:
        """Add cuts, with multipliers of 0."""
        sets = sets[: PARAMS.most_cuts - len(self.sets)]
        if not sets:
            return
        counts, inside = self.incidence.problem.counts, [self._inside(types) for types in sets]
        limits = [int(counts[types].sum()) // self.min_group_size for types in sets]
        cut = np.repeat(len(self.sets) + np.arange(len(sets)), [len(each) for each in inside])
        self.patterns, self.cut = np.concatenate([self.patterns, *inside]), np.concatenate([self.cut, cut])
        self.limits = np.concatenate([self.limits, np.array(limits, dtype=np.int64)])
        self.multipliers = np.concatenate([self.multipliers, np.zeros(len(sets))])
        self.sets += sets
        self.known.update(types.tobytes() for types in sets)
        self.moments = Moments.of(len(self.sets))

    def _inside(self, types: IntArray) -> IntArray:
        """Return all patterns whose row types are all in a set, used or not."""
        starts, patterns = self.incidence.by_type
        over = Ragged(patterns, starts).picked(types).values
        return np.flatnonzero(np.bincount(over, minlength=len(self.use)) == self.incidence.pool.covers.lengths)


@dataclass(frozen=True)
class CountingOracle(SizeOracle):
    """The same groups, which pay for lying in sets of rows where more are used than fit."""

    cuts: ActiveCuts

    @classmethod
    def takes(cls, oracle: Oracle) -> bool:
        """Say whether cuts can be found for an oracle: under k alone, where a proof lists patterns with all rows."""
        problem = oracle.incidence.problem
        return isinstance(oracle, SizeOracle) and problem.rules.is_k_anonymity and not is_joined(problem)

    @classmethod
    def of(cls, oracle: SizeOracle) -> CountingOracle:
        """Start without cuts."""
        return cls(oracle.incidence, oracle.min_group_size, ActiveCuts(oracle.incidence, oracle.min_group_size))

    def least(self, multipliers: IntArray, everywhere: bool = True) -> tuple[int, IntArray]:  # noqa: ARG002
        """Return the sum of the negative least reduced costs, less what the cuts subtract."""
        self._groups.penalize(self.cuts.penalties())
        total, taken = self._groups.least(multipliers)
        return total - self.cuts.owed(), taken

    def advance(self, step: float, done: float) -> None:
        """Follow a step of the ascent."""
        self.cuts.advance(self._groups.used(), step, done)

    def evidence(self, multipliers: IntArray) -> Evidence:
        """Return the multipliers, and the cuts as they are now."""
        incidence = self.incidence
        return Evidence(incidence.columns, multipliers, incidence.scale, counting=self.cuts.evidence())
