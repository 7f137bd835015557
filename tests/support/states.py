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
    assert_no_row_is_lost(state, state.copies)


def assert_no_row_is_lost(state: SearchState, copies: IntArray) -> None:
    """Every row is placed once."""
    assert (copies >= 0).all()
    placed = np.bincount(state.row_type_of, copies, len(state.problem.counts))
    assert placed.tolist() == state.problem.counts.tolist()


def assert_lists_agree(state: SearchState) -> None:
    """Sizes, classes, the cost and the linked lists are those of the copies, and open groups are legal."""
    assignment, problem, copies = state.assignment, state.problem, state.copies
    size = np.bincount(state.pattern_of, copies, len(state.pool)).astype(int)
    assert size.tolist() == state.sizes.tolist()
    assert state.cost == int(size @ state.pool.cost)
    kept = np.asarray(assignment.by_class.of)
    by_class = np.zeros_like(kept)
    sensitive_class = np.asarray(state.index.sensitive_class)[state.row_type_of]
    np.add.at(by_class, (state.pattern_of, sensitive_class), copies)
    assert by_class.tolist() == kept.tolist()
    of_values = np.zeros((len(size), len(problem.sensitive_totals)), dtype=np.int64)
    np.add.at(of_values, (state.pattern_of, problem.sensitive_class[state.row_type_of]), copies)
    assert problem.is_legal(of_values[size > 0]).all()
    homes = np.bincount(state.row_type_of, copies > 0)
    only = [int(state.pattern_of[h]) if n == 1 else -1 for h, n in zip(assignment.homes.head, homes, strict=True)]
    assert only == list(assignment.only_home)
    member_of = state.pattern_of * state.index.classes + sensitive_class
    for lists, owner in ((assignment.members, member_of), (assignment.homes, state.row_type_of)):
        head, after = np.asarray(lists.head), np.asarray(lists.after)
        for first in range(len(head)):
            listed, e = [], head[first]
            while e >= 0:
                listed.append(int(e))
                e = after[e]
            assert sorted(listed) == np.flatnonzero((owner == first) & (copies > 0)).tolist()
