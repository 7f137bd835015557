"""Average closeness (Rebollo-Monedero, Forne and Domingo-Ferrer 2010): what a release tells of the sensitive values.

A *channel* shows every quasi row under one of the patterns that cover it, by chance. What a reader learns on average of
the sensitive value S from what is shown, X^, is the information I(S; X^); what it takes is the expected number of
stars. The trade-off is the least I(S; X^) + lambda E[stars]. That is convex in the channel, and mirror descent finds
it: the chance of a choice shrinks by the exponential of what it adds. Steps of size 1 never make it worse: it is never
further above its slope than the two channels are apart (Kullback-Leibler), because what is seen of them is not further
apart than they are. So after T steps it is at most D / T above the least, D being how far the best channel is from the
first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.model.problem import Problem
from kilt.numbers import FloatArray, IntArray
from kilt.patterns.pool import Pool
from kilt.run.stopping import never
from kilt.solvers.common.equivalence_classes import equivalence_class

MAX_STEPS = 1000  # of a descent
MIN_GAIN = 1e-9  # of a step


@dataclass(frozen=True)
class Choices:
    """Which patterns may show which quasi rows: choice c shows row ``row[c]`` under ``pattern[c]`` with ``stars[c]``.

    An entry is a row type under a pattern. Those of choice c are ``first[c]`` to ``first[c + 1]``; ``block`` says which
    pattern and sensitive class it has, ``mass`` its share of the table, and ``share`` its share of its quasi row.
    The choices of a row are in the order of their cost, and begin at ``begin``.
    """

    row: IntArray
    pattern: IntArray
    stars: FloatArray
    first: IntArray
    begin: IntArray
    block: IntArray
    mass: FloatArray
    share: FloatArray
    block_pattern: IntArray
    prior: FloatArray

    @classmethod
    def of(cls, problem: Problem, pool: Pool) -> Choices:
        """List what may be shown under the patterns of a pool, which must cover all rows."""
        class_of, owner = equivalence_class(problem), pool.owner
        found = bucket([class_of[pool.types], owner], len(owner))
        types, first = pool.types[found.values], found.starts
        row, pattern = class_of[types[first[:-1]]], owner[found.values[first[:-1]]]
        classes = problem.sensitive_class[types]
        blocks = bucket([owner[found.values], classes], len(owner))
        one_of_each = blocks.first
        mass = problem.counts[types] / problem.rows
        return cls(
            row=row,
            pattern=pattern,
            stars=pool.cost[pattern] / problem.unit,
            first=first,
            begin=np.flatnonzero(np.diff(row, prepend=-1)),
            block=blocks.ids(),
            mass=mass,
            share=mass / (np.bincount(class_of, problem.counts)[class_of[types]] / problem.rows),
            block_pattern=owner[found.values][one_of_each],
            prior=(problem.sensitive_totals / problem.rows)[classes[one_of_each]],
        )

    @cached_property
    def weight(self) -> FloatArray:
        """The share of the table that each choice would show."""
        return np.asarray(np.add.reduceat(self.mass, self.first[:-1]))

    def uniform(self) -> FloatArray:
        """Return the logarithm of the channel that has no preference."""
        return -np.log(np.bincount(self.row))[self.row]

    def normal(self, logarithm: FloatArray) -> FloatArray:
        """Return the logarithm of a channel that is proportional: the chances of a row sum up to 1."""
        logarithm = logarithm - np.maximum.reduceat(logarithm, self.begin)[self.row]
        return np.asarray(logarithm - np.log(np.add.reduceat(np.exp(logarithm), self.begin))[self.row])

    def surprise(self, channel: FloatArray) -> tuple[FloatArray, float]:
        """Return what each choice tells of the sensitive values, and the information of the channel, in nats."""
        joint = np.bincount(self.block, self.mass * np.repeat(channel, np.diff(self.first)), len(self.prior))
        shown = np.bincount(self.block_pattern, joint)[self.block_pattern]
        learned = np.log(np.divide(joint, shown, out=self.prior.copy(), where=joint > 0)) - np.log(self.prior)
        return np.add.reduceat(self.share * learned[self.block], self.first[:-1]), float(joint @ learned)

    def most_likely(self, channel: FloatArray) -> IntArray:
        """Return the pattern under which each quasi row is most likely shown, the cheapest of those."""
        likely = np.flatnonzero(channel == np.maximum.reduceat(channel, self.begin)[self.row])
        _, first = np.unique(self.row[likely], return_index=True)
        return self.pattern[likely[first]]


@dataclass(frozen=True)
class Step:
    """A channel on the way down, by its logarithm; what it tells in nats, and the stars that it takes on average."""

    logarithm: FloatArray = field(repr=False)
    information: float
    stars: float

    @property
    def channel(self) -> FloatArray:
        """The chance of every choice."""
        return np.exp(self.logarithm)

    def lagrangian(self, lambda_: float) -> float:
        """Return the objective."""
        return self.information + lambda_ * self.stars


def descent(choices: Choices, lambda_: float, start: FloatArray | None = None, size: float = 1.0) -> Iterator[Step]:
    """Yield one channel after the other, from the uniform one, or a given one, down to the least of the trade-off."""
    logarithm = choices.uniform() if start is None else start
    while True:
        channel = np.exp(logarithm)
        learned, information = choices.surprise(channel)
        yield Step(logarithm, information, float((choices.weight * channel) @ choices.stars))
        logarithm = choices.normal(logarithm - size * (learned + lambda_ * choices.stars))


def descend(
    steps: Iterator[Step],
    lambda_: float,
    stop: Callable[[], bool] = never,
    max_steps: int = MAX_STEPS,
    min_gain: float = MIN_GAIN,
) -> tuple[Step, int]:
    """Descend until a step gains too little, or until stopped; return the last channel and the number of steps."""
    before = np.inf
    for number, step in enumerate(steps):
        now = step.lagrangian(lambda_)
        if number >= max_steps or before - now < min_gain or stop():
            break
        before = now
    return step, number
