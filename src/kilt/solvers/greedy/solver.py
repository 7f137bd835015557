"""Level greedy: the cheapest patterns first, and under equally cheap ones the largest buckets first.

Every row that a level can place legally is placed at that level. What is left in the end joins
groups that stay legal, and then becomes one group, which takes in other groups until it is legal;
the whole table is legal, so this ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, pairwise

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.patterns import Levels, buckets, level_vectors, total_costs, useful_levels
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.common.leftovers import place_leftovers
from kilt.solvers.greedy.trim import largest_legal


@dataclass(frozen=True)
class Params:
    """Limits on the work."""

    max_work: int = 400_000_000  # row types times level vectors that are tried in order of cost: some seconds
    max_vectors: int = 8_192  # level vectors that are tried so: the rest is an ascent
    start_share: float = 0.3  # of the time of a solver that starts from here
    start_seconds: float = 0.4  # the same if its time is shorter: less would make a poor start
    max_entries: int = 20_000_000  # of buckets that are held at a time, for lack of memory


PARAMS = Params()


@dataclass(frozen=True)
class Greedy:
    """Level greedy, under any policy; with a pool of all patterns it tries these in place of level vectors."""

    pool: Pool | None = None

    def refuses(self, problem: Problem) -> str | None:  # noqa: ARG002 - it takes all
        """Refuse nothing."""
        return None

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Place rows level by level, then the rest."""
        state = State(problem)
        for found in _by_levels(state) if self.pool is None else _by_pool(self.pool):
            if stop() or not state.left.any():
                break
            _place(state, *found, stop)
            observer(Progress("solving", 1 - int(state.left.sum()) / problem.rows))
        partition = place_leftovers(problem, *state.entries(), state.left)
        observer(Progress("solving", 1.0, problem.stars(partition.cost)))
        return Solution(partition, Bound(partition.cost) if partition.cost == problem.base_cost else None)


def greedy_start(problem: Problem, pool: Pool | None, stop: StoppingRule, observer: Observer) -> Solution:
    """Return a partition to start from, in a share of the time, or in an instant if there is hardly any."""
    return Greedy(pool).solve(problem, stop.share(PARAMS.start_share).at_least(PARAMS.start_seconds), observer)


@dataclass
class State:
    """The copies of each row type that are not placed yet, and where the others went."""

    problem: Problem
    left: IntArray = field(init=False)
    placed: list[tuple[IntArray, IntArray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = self.problem.counts.copy()

    def place(self, types: IntArray, counts: IntArray) -> None:
        """Put copies of row types into a new group."""
        taken = counts > 0
        self.left[types] -= counts
        self.placed.append((types[taken], counts[taken]))

    def entries(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the groups so far as entries of a partition."""
        nothing = np.zeros(0, dtype=np.int64)
        groups = np.repeat(np.arange(len(self.placed)), [len(types) for types, _ in self.placed])
        types = np.concatenate([nothing, *(types for types, _ in self.placed)])
        return types, groups, np.concatenate([nothing, *(counts for _, counts in self.placed)])


Found = tuple[IntArray, IntArray]  # the row types of buckets, one after the other, and their numbers


def _by_pool(pool: Pool) -> Iterator[Found]:
    """Yield the row types of equally cheap patterns, from cheap to dear."""
    first = np.unique(pool.cost, return_index=True)[1]
    for begin, end in pairwise([*first.tolist(), len(pool)]):
        yield pool.types[pool.starts[begin] : pool.starts[end]], np.diff(pool.starts[begin : end + 1])


def _by_levels(state: State) -> Iterator[Found]:
    """Yield the buckets of equally cheap level vectors that have enough rows, from cheap to dear."""
    for vectors in _levels(state.problem, state):
        types = np.flatnonzero(state.left)
        step = max(1, PARAMS.max_entries // max(len(types), 1))
        for start in range(0, len(vectors), step):
            found = [_large_enough(state, vector, types) for vector in vectors[start : start + step]]
            members, sizes = (np.concatenate(part) for part in zip(*found, strict=True))
            yield members, sizes


def _levels(problem: Problem, state: State) -> Iterator[list[Levels]]:
    """Yield lists of equally cheap level vectors from cheap to dear, as many as the work allows; then an ascent."""
    limit = min(PARAMS.max_vectors, max(64, PARAMS.max_work // len(problem.counts)))
    costs, reached = total_costs(problem), 0
    for cost, entries in groupby(islice(level_vectors(problem, costs), limit), key=lambda entry: entry[0]):
        reached = cost
        yield [vector for _, vector in entries]
    yield from _ascent(problem, state, costs, reached)


def _ascent(problem: Problem, state: State, costs: Sequence[Sequence[int]], above: int) -> Iterator[list[Levels]]:
    """Go up from the values to the top levels, always by the step after which most remaining rows have a group."""
    useful = useful_levels(problem)

    def total_cost(vector: Levels) -> int:
        return sum(cost[level] for cost, level in zip(costs, vector, strict=True))

    steps = [0] * len(useful)
    while any(step + 1 < len(levels) for step, levels in zip(steps, useful, strict=True)):
        raised = [
            [*steps[:j], steps[j] + 1, *steps[j + 1 :]] for j, levels in enumerate(useful) if steps[j] + 1 < len(levels)
        ]
        vectors = [tuple(useful[j][step] for j, step in enumerate(each)) for each in raised]
        if max(map(total_cost, vectors)) <= above:
            best = max(range(len(raised)), key=lambda i: -len(useful[_changed(steps, raised[i])]))
        else:
            best = max(range(len(raised)), key=lambda i: _rows_in_buckets(state, vectors[i]))
        steps = raised[best]
        if total_cost(vectors[best]) > above:
            yield [vectors[best]]


def _changed(before: Sequence[int], after: Sequence[int]) -> int:
    return next(j for j, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)


def _rows_in_buckets(state: State, vector: Levels) -> int:
    """Count the remaining rows that are in a bucket of legal size under these levels."""
    types = np.flatnonzero(state.left)
    found = buckets(state.problem, vector, types)
    sizes = np.add.reduceat(state.left[types[found.values]], found.starts[:-1])
    return int(sizes[sizes >= state.problem.rules.min_group_size].sum())


@dataclass(frozen=True)
class Candidates:
    """Buckets that can hold a legal group: their row types, and how many copies of each it would take.

    Bucket b has the row types ``members[starts[b]:starts[b + 1]]``.
    """

    members: IntArray
    copies: IntArray
    starts: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def sizes(self) -> IntArray:
        """Return how many rows each bucket would place."""
        return np.asarray(np.add.reduceat(self.copies, self.starts[:-1])) if len(self) else self.starts[:-1]


def _place(state: State, members: IntArray, sizes: IntArray, stop: StoppingRule) -> None:
    """Place the largest legal parts of buckets; one that lost rows to a larger one waits for the next round."""
    while len(sizes) and not stop():
        members, sizes = _take(state, _candidates(state, members, sizes, stop))


def _large_enough(state: State, vector: Levels, types: IntArray) -> Found:
    """Return the row types of the buckets under a level vector that have enough rows, and their numbers."""
    found = buckets(state.problem, vector, types)
    members = types[found.values]
    rows = np.add.reduceat(state.left[members], found.starts[:-1]) if len(members) else found.starts[:-1]
    enough = rows >= state.problem.rules.min_group_size
    sizes = np.diff(found.starts)
    return members[np.repeat(enough, sizes)], sizes[enough]


def _candidates(state: State, members: IntArray, sizes: IntArray, stop: StoppingRule) -> Candidates:
    """Evaluate buckets, given their row types one after the other, and keep those that can hold a legal group."""
    left = state.left[members]
    owner = np.repeat(np.arange(len(sizes)), sizes)
    copies = largest_legal(state.problem, members, left, owner, stop)
    legal = np.bincount(owner, copies, len(sizes)) > 0
    kept = np.repeat(legal, sizes) & (left > 0)
    lengths = np.bincount(owner[kept], minlength=len(sizes))[legal]
    return Candidates(members[kept], copies[kept], np.concatenate([[0], np.cumsum(lengths)]))


def _take(state: State, candidates: Candidates) -> tuple[IntArray, IntArray]:
    """Take buckets from large to small; return the members and sizes of those that lost rows to others."""
    touched = np.zeros(len(state.left), dtype=bool)
    starts = candidates.starts.tolist()
    waiting = []
    for index in np.argsort(-candidates.sizes(), kind="stable").tolist():
        bucket = slice(starts[index], starts[index + 1])
        types = candidates.members[bucket]
        if touched[types].any():
            waiting.append(index)
            continue
        state.place(types, candidates.copies[bucket])
        touched[types] = True
    waits = np.zeros(len(candidates), dtype=bool)
    waits[waiting] = True
    lengths = np.diff(candidates.starts)
    return candidates.members[np.repeat(waits, lengths)], lengths[waits]
