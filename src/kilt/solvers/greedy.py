"""Level greedy: the cheapest patterns first, and under equally cheap ones the largest buckets first.

Every row that a level can place legally is placed at that level. What is left in the end joins
groups that stay legal, and then becomes one group, which takes in other groups until it is legal;
the whole table is legal, so this ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

import numpy as np

from kilt.numbers import IntArray
from kilt.observe import Observer, Progress
from kilt.patterns import Levels, buckets, level_vectors, useful_levels
from kilt.problem import Problem
from kilt.solvers.base import Kind, Solution
from kilt.solvers.rest import place_rest
from kilt.solvers.trim import largest_legal
from kilt.stop import Stop

WORK = 400_000_000  # row types times level vectors that are tried in order of cost
MOST_VECTORS = 8192


@dataclass(frozen=True)
class Greedy:
    """Level greedy, under any policy."""

    name: str = "greedy"
    kind: Kind = "heuristic"

    def refuses(self, problem: Problem) -> str | None:  # noqa: ARG002 - it takes all
        """Refuse nothing."""
        return None

    def solve(self, problem: Problem, stop: Stop, observer: Observer) -> Solution:
        """Place rows level by level, then the rest."""
        state = State(problem)
        for vectors in _levels(problem, state):
            if stop() or not state.left.any():
                break
            _place(state, vectors)
            observer(Progress("solving", 1 - int(state.left.sum()) / problem.rows))
        partition = place_rest(problem, *state.entries(), state.left)
        observer(Progress("solving", 1.0, problem.stars(partition.cost)))
        return Solution(partition, 0 if partition.cost == 0 else None)


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


def _levels(problem: Problem, state: State) -> Iterator[list[Levels]]:
    """Yield lists of equally cheap level vectors from cheap to dear, as many as the work allows; then an ascent."""
    limit = min(MOST_VECTORS, max(64, WORK // len(problem.counts)))
    reached = 0
    for cost, entries in groupby(islice(level_vectors(problem), limit), key=lambda entry: entry[0]):
        reached = cost
        yield [vector for _, vector in entries]
    yield from _ascent(problem, state, reached)


def _ascent(problem: Problem, state: State, above: int) -> Iterator[list[Levels]]:
    """Climb from the values to the top, always by the step that lets most of the rows left find company."""
    useful = useful_levels(problem)
    steps = [0] * len(useful)
    while any(step + 1 < len(levels) for step, levels in zip(steps, useful, strict=True)):
        raised = [
            [*steps[:j], steps[j] + 1, *steps[j + 1 :]] for j, levels in enumerate(useful) if steps[j] + 1 < len(levels)
        ]
        vectors = [tuple(useful[j][step] for j, step in enumerate(each)) for each in raised]
        if problem.level_cost(max(vectors, key=problem.level_cost)) <= above:
            best = max(range(len(raised)), key=lambda i: -len(useful[_changed(steps, raised[i])]))
        else:
            best = max(range(len(raised)), key=lambda i: _company(state, vectors[i]))
        steps = raised[best]
        if problem.level_cost(vectors[best]) > above:
            yield [vectors[best]]


def _changed(before: Sequence[int], after: Sequence[int]) -> int:
    return next(j for j, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)


def _company(state: State, vector: Levels) -> int:
    """Count the rows left that share a bucket of legal size under these levels."""
    types = np.flatnonzero(state.left)
    found = buckets(state.problem, vector, types)
    sizes = np.add.reduceat(state.left[types[found.order]], found.starts[:-1])
    return int(sizes[sizes >= state.problem.rules.least_size].sum())


@dataclass(frozen=True)
class Candidates:
    """Buckets that can hold a legal group: their row types, and how many rows of each class to take."""

    members: IntArray
    starts: IntArray
    whole: IntArray
    part: IntArray

    @property
    def sizes(self) -> IntArray:
        """How many rows each bucket would place."""
        return np.asarray(self.part.sum(axis=1))

    def bucket(self, index: int) -> IntArray:
        """Return the row types of one bucket."""
        return self.members[self.starts[index] : self.starts[index + 1]]


def _place(state: State, vectors: Sequence[Levels]) -> None:
    """Place the largest legal parts of the buckets under these level vectors.

    In every round a bucket that lost rows to a larger one waits for the next round.
    """
    types = np.flatnonzero(state.left)
    found = [buckets(state.problem, vector, types) for vector in vectors]
    members = np.concatenate([types[each.order] for each in found])
    sizes = np.concatenate([np.diff(each.starts) for each in found])
    candidates = _candidates(state, members, sizes)
    while len(candidates.part):
        waiting = _take(state, candidates)
        sizes = np.diff(candidates.starts)[waiting]
        kept = np.concatenate([np.zeros(0, np.int64), *(candidates.bucket(i) for i in waiting)])
        candidates = _candidates(state, kept, sizes)


def _candidates(state: State, members: IntArray, sizes: IntArray) -> Candidates:
    """Evaluate buckets, given their row types one after the other, and keep those that can hold a legal group."""
    problem = state.problem
    owner = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.bincount(owner, weights=state.left[members], minlength=len(sizes))
    chosen = (rows[owner] >= problem.rules.least_size) & (state.left[members] > 0)
    members, owner = members[chosen], owner[chosen]
    kept, owner = np.unique(owner, return_inverse=True)
    classes = len(problem.class_totals)
    cells = np.bincount(owner * classes + problem.class_of[members], state.left[members], len(kept) * classes)
    whole = cells.astype(np.int64).reshape(len(kept), classes)
    part = largest_legal(problem, whole)
    legal = np.asarray(part.any(axis=1), dtype=bool)
    lengths = np.bincount(owner, minlength=len(kept))[legal]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return Candidates(members[legal[owner]], starts, whole[legal], part[legal])


def _take(state: State, candidates: Candidates) -> list[int]:
    """Take buckets from large to small; return those that lost rows to others and must be evaluated again."""
    touched = np.zeros(len(state.left), dtype=bool)
    complete = candidates.whole.sum(axis=1) == candidates.sizes
    waiting = []
    for index in np.argsort(-candidates.sizes, kind="stable").tolist():
        types = candidates.bucket(index)
        if touched[types].any():
            waiting.append(index)
            continue
        left = state.left[types]
        state.place(types, left if complete[index] else _share(state, types, left, candidates.part[index]))
        touched[types] = True
    return sorted(waiting)


def _share(state: State, types: IntArray, left: IntArray, part: IntArray) -> IntArray:
    """Choose copies of the row types, first come first served, so that every class gives its part."""
    class_of = state.problem.class_of[types]
    counts = np.zeros_like(left)
    for each in np.unique(class_of):
        mine = np.flatnonzero(class_of == each)
        before = np.cumsum(left[mine]) - left[mine]
        counts[mine] = np.clip(part[each] - before, 0, left[mine])
    return counts
