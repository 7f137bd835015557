"""Workers: searches side by side, each on some of the groups, which are redistributed again and again.

Two groups that are legal are legal together, so that workers may open the same pattern, and their groups add up to one
release. What comes out depends on the number of workers, but not on the number of cores.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.solvers.search.state import SearchState


@dataclass(frozen=True)
class Params:
    """When and how groups are redistributed."""

    moves_until_redistributed: int = 2  # for each row type
    large_share: float = 0.01  # of the rows: all workers get a part of a group that has so many
    column_emphasis: int = 3  # how much more some columns matter than others when similar groups are put together


PARAMS = Params()


@dataclass
class Workers:
    """Search states that share all but the assignment: every row is in one of them."""

    states: list[SearchState]
    rng: np.random.Generator
    tried: int = 0

    @classmethod
    def of(cls, state: SearchState, number: int, seed: int) -> Workers:
        """Search from a state with so many workers."""
        return cls([state, *(state.emptied(seed + worker) for worker in range(1, number))], np.random.default_rng(seed))

    @property
    def problem(self) -> Problem:
        """The problem of all workers together."""
        return self.states[0].problem

    @property
    def cost(self) -> int:
        """The cost of the release."""
        return sum(state.cost for state in self.states)

    def copies(self) -> IntArray:
        """Return how many copies of each row type are at each entry."""
        return np.asarray(sum(state.copies for state in self.states))

    def anneal(self, moves: int, temperature: float) -> None:
        """Try moves, all workers at once, each as many as it has a share of the row types."""
        if len(self.states) == 1:
            self.states[0].anneal(moves, temperature)
            return
        if self.tried == 0 or self.tried >= PARAMS.moves_until_redistributed * len(self.problem.counts):
            self.redistribute()
            self.tried = 0
        self.tried += moves
        busy = [state for state in self.states if len(state.row_types)]
        held = np.array([len(state.row_types) for state in busy])
        with ThreadPoolExecutor(len(busy)) as threads:
            list(threads.map(lambda f, m: f.anneal(int(m), temperature), busy, moves * held // held.sum()))

    def redistribute(self) -> None:
        """Redistribute the groups: similar ones, by the columns that matter this time, go to the same worker.

        Of large groups, like that of the rows that have no other group yet, all workers get a part.
        """
        copies = self.copies()
        used = np.flatnonzero(copies)
        first = self.states[0]
        row_types, patterns, copies = first.row_type_of[used], first.pattern_of[used], copies[used]
        shares = np.zeros((len(self.states), len(used)), dtype=np.int64)
        shares[self._worker_of(row_types, patterns, copies)[patterns], np.arange(len(used))] = copies
        sizes = np.bincount(patterns, copies)
        for large in np.flatnonzero(sizes >= PARAMS.large_share * self.problem.rows):
            mine = np.flatnonzero(patterns == large)
            parts = self._parts(row_types[mine], copies[mine])
            if parts is not None:
                shares[:, mine] = parts
        self.states = [
            state.with_rows(used[share > 0], share[share > 0]) for state, share in zip(self.states, shares, strict=True)
        ]

    def _parts(self, row_types: IntArray, copies: IntArray) -> IntArray | None:
        """Share out the rows of a group by sensitive class, one to each worker in turn; None if a part is not legal."""
        problem, number = self.problem, len(self.states)
        order = np.argsort(problem.sensitive_class[row_types], kind="stable")
        ends = np.cumsum(copies[order])
        edges = np.stack([ends - copies[order], ends]) + np.arange(number)[:, None, None]
        parts = np.empty((number, len(row_types)), dtype=np.int64)
        parts[:, order] = np.diff(edges // number, axis=1)[:, 0]
        by_class = np.zeros((number, len(problem.sensitive_totals)), dtype=np.int64)
        np.add.at(by_class.T, problem.sensitive_class[row_types], parts.T)
        return parts if problem.is_legal(by_class).all() else None

    def _worker_of(self, row_types: IntArray, patterns: IntArray, copies: IntArray) -> IntArray:
        """Return for every pattern the worker that gets its group: all get about as many rows."""
        problem, number = self.problem, len(self.states[0].pool)
        score = np.zeros(len(problem.counts))
        for codes in problem.codes.T:
            score += self.rng.random() ** PARAMS.column_emphasis * self.rng.random(int(codes.max()) + 1)[codes]
        size = np.bincount(patterns, copies, number)
        mean = np.bincount(patterns, copies * score[row_types], number) / np.maximum(size, 1)
        order = np.argsort(mean, kind="stable")
        worker = np.empty(number, dtype=np.int64)
        worker[order] = np.cumsum(size[order]) * len(self.states) // (size.sum() + 1)
        return worker
