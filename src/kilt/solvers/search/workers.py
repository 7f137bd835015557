"""Hands: searches side by side on one field, each of which holds some of the groups; these are dealt again and again.

Two groups that are legal are legal together, so that hands may open the same pattern, and what they hold adds up to one
release. What comes out depends on the number of hands, but not on the number of cores.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from kilt.kernels.search.assignment import Arena
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.solvers.search.state import Field

DEAL = 2  # moves for each row type, and then the groups are dealt again
LARGE = 0.01  # the share of the rows from which on all hands get a part of a group
TILT = 3  # how much more some columns matter than others when groups that are alike are dealt to the same hand


@dataclass
class Hands:
    """Fields that share all but where the rows are: every row is in one of them."""

    fields: list[Field]
    rng: np.random.Generator
    tried: int = 0

    @classmethod
    def of(cls, field: Field, number: int, seed: int) -> Hands:
        """Take up a field with so many hands."""
        return cls([field, *(field.emptied(seed + hand) for hand in range(1, number))], np.random.default_rng(seed))

    @property
    def problem(self) -> Problem:
        """The problem of all hands together."""
        return self.fields[0].problem

    @property
    def arena(self) -> Arena:
        """What the fields share."""
        return self.fields[0].arena

    @property
    def cost(self) -> int:
        """The cost of the release."""
        return sum(field.cost for field in self.fields)

    def copies(self) -> IntArray:
        """Return how many copies of each row type are at each entry."""
        return np.asarray(sum(field.state.copies for field in self.fields))

    def anneal(self, moves: int, temperature: float) -> None:
        """Try moves, all hands at once, each as many as it has a share of the row types."""
        if len(self.fields) == 1:
            self.fields[0].anneal(moves, temperature)
            return
        if self.tried == 0 or self.tried >= DEAL * len(self.problem.counts):
            self.deal()
            self.tried = 0
        self.tried += moves
        busy = [field for field in self.fields if len(field.kinds)]
        held = np.array([len(field.kinds) for field in busy])
        with ThreadPoolExecutor(len(busy)) as threads:
            list(threads.map(lambda f, m: f.anneal(int(m), temperature), busy, moves * held // held.sum()))

    def deal(self) -> None:
        """Deal the groups: those that are alike, by the columns that matter this time, to the same hand.

        Of large groups, like that of rows which found no company yet, all hands get a part.
        """
        copies = self.copies()
        used = np.flatnonzero(copies)
        kinds, patterns, copies = self.arena.kind_of[used], self.arena.pattern_of[used], copies[used]
        shares = np.zeros((len(self.fields), len(used)), dtype=np.int64)
        shares[self._dealt(kinds, patterns, copies)[patterns], np.arange(len(used))] = copies
        sizes = np.bincount(patterns, copies)
        for large in np.flatnonzero(sizes >= LARGE * self.problem.rows):
            mine = np.flatnonzero(patterns == large)
            parts = self._parts(kinds[mine], copies[mine])
            if parts is not None:
                shares[:, mine] = parts
        self.fields = [
            field.with_rows(used[share > 0], share[share > 0]) for field, share in zip(self.fields, shares, strict=True)
        ]

    def _parts(self, kinds: IntArray, copies: IntArray) -> IntArray | None:
        """Deal the rows of a group, class by class, one to each hand in turn; None if that leaves illegal parts."""
        problem, number = self.problem, len(self.fields)
        order = np.argsort(problem.class_of[kinds], kind="stable")
        ends = np.cumsum(copies[order])
        edges = np.stack([ends - copies[order], ends]) + np.arange(number)[:, None, None]
        parts = np.empty((number, len(kinds)), dtype=np.int64)
        parts[:, order] = np.diff(edges // number, axis=1)[:, 0]
        by_class = np.zeros((number, len(problem.class_totals)), dtype=np.int64)
        np.add.at(by_class.T, problem.class_of[kinds], parts.T)
        return parts if problem.rules.meets(problem.groups(by_class)).all() else None

    def _dealt(self, kinds: IntArray, patterns: IntArray, copies: IntArray) -> IntArray:
        """Return for every pattern the hand that gets its group: all get about as many rows."""
        problem, number = self.problem, len(self.fields[0].pool)
        score = np.zeros(len(problem.counts))
        for codes in problem.codes.T:
            score += self.rng.random() ** TILT * self.rng.random(int(codes.max()) + 1)[codes]
        size = np.bincount(patterns, copies, number)
        mean = np.bincount(patterns, copies * score[kinds], number) / np.maximum(size, 1)
        order = np.argsort(mean, kind="stable")
        hand = np.empty(number, dtype=np.int64)
        hand[order] = np.cumsum(size[order]) * len(self.fields) // (size.sum() + 1)
        return hand
