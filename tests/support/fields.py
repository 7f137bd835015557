"""The state of a search, and whether all that it keeps follows from who is where."""

from __future__ import annotations

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import Pool
from kilt.solvers.common.compile_rules import compile_rules
from kilt.solvers.search.state import SearchState, one_group, with_groups


def field_of(problem: Problem, partition: Partition | None = None, seed: int = 0) -> SearchState:
    """Return the state of a search that starts from a partition, or from one group."""
    whole = one_group(problem)
    start = partition or whole
    return SearchState.of(
        with_groups(problem, Pool.of(problem), [start, whole]), compile_rules(problem), start, problem, seed
    )


def assert_consistent(field: SearchState) -> None:
    """Everything that is kept beside the copies can be counted again from them, and no row is lost."""
    assert_lists_agree(field)
    assert_no_row_is_lost(field, field.state.copies)


def assert_no_row_is_lost(field: SearchState, copies: IntArray) -> None:
    """Every row is placed once."""
    assert (copies >= 0).all()
    placed = np.bincount(field.arena.kind_of, copies, len(field.problem.counts))
    assert placed.tolist() == field.problem.counts.tolist()


def assert_lists_agree(field: SearchState) -> None:
    """Sizes, classes, the cost and the linked lists are those of the copies, and open groups are legal."""
    arena, state, problem = field.arena, field.state, field.problem
    size = np.bincount(arena.pattern_of, state.copies, len(arena.cost)).astype(int)
    assert size.tolist() == state.size.tolist()
    assert field.cost == int(size @ arena.cost)
    by_class = np.zeros_like(state.by_class)
    np.add.at(by_class, (arena.pattern_of, arena.sensitive_class[arena.kind_of]), state.copies)
    assert by_class.tolist() == state.by_class.tolist()
    open_ = by_class[size > 0]
    assert problem.rules.meets(problem.groups(open_)).all()
    for head, after, owner in (
        (state.head, state.after, arena.pattern_of),
        (state.home, state.next_home, arena.kind_of),
    ):
        for first in range(len(head)):
            listed, e = [], head[first]
            while e >= 0:
                listed.append(int(e))
                e = after[e]
            assert sorted(listed) == np.flatnonzero((owner == first) & (state.copies > 0)).tolist()
