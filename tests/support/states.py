"""The state of a search, and whether all that it keeps follows from who is where."""

from __future__ import annotations

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.search.state import SearchState, one_group, with_groups


def state_of(problem: Problem, partition: Partition | None = None, seed: int = 0) -> SearchState:
    """Return the state of a search that starts from a partition, or from one group."""
    whole = one_group(problem)
    start = partition or whole
    return SearchState.of(
        with_groups(problem, Pool.of(problem), [start, whole]), compile_rules(problem), start, problem, seed
    )


def assert_consistent(state: SearchState) -> None:
    """Everything that is kept beside the copies can be counted again from them, and no row is lost."""
    assert_lists_agree(state)
    assert_no_row_is_lost(state, state.assignment.copies)


def assert_no_row_is_lost(state: SearchState, copies: IntArray) -> None:
    """Every row is placed once."""
    assert (copies >= 0).all()
    placed = np.bincount(state.index.kind_of, copies, len(state.problem.counts))
    assert placed.tolist() == state.problem.counts.tolist()


def assert_lists_agree(state: SearchState) -> None:
    """Sizes, classes, the cost and the linked lists are those of the copies, and open groups are legal."""
    index, assignment, problem = state.index, state.assignment, state.problem
    size = np.bincount(index.pattern_of, assignment.copies, len(index.cost)).astype(int)
    assert size.tolist() == assignment.size.tolist()
    assert state.cost == int(size @ index.cost)
    by_class = np.zeros_like(assignment.by_class)
    np.add.at(by_class, (index.pattern_of, index.sensitive_class[index.kind_of]), assignment.copies)
    assert by_class.tolist() == assignment.by_class.tolist()
    open_ = by_class[size > 0]
    assert problem.rules.meets(problem.groups(open_)).all()
    for head, after, owner in (
        (assignment.head, assignment.after, index.pattern_of),
        (assignment.home, assignment.next_home, index.kind_of),
    ):
        for first in range(len(head)):
            listed, e = [], head[first]
            while e >= 0:
                listed.append(int(e))
                e = after[e]
            assert sorted(listed) == np.flatnonzero((owner == first) & (assignment.copies > 0)).tolist()
