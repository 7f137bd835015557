"""Matching: 2-anonymity and 2-diversity in polynomial time, with a proof that does not depend on the argument for it.

Any legal group splits into legal groups of two and three rows, so an optimum is a perfect matching with edges of two
and three rows. Small tables are solved by the local search of simplex matching, large ones by column generation; either
way the bound is proved by the multipliers, or by the program over all groups that these cannot rule out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.patterns.pool import every_pattern, too_many_patterns
from kilt.run.progress import Observer
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.master import solve_relaxation
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups, is_two_diversity
from kilt.solvers.exact.column_generation.pricing import Multipliers, Pricing
from kilt.solvers.exact.column_generation.solver import close_gap
from kilt.solvers.exact.matching.simplex_matching import Duals, Hypergraph, SimplexMatching
from kilt.solvers.greedy.solver import Greedy

MOST_ROWS = 1_000_000  # a group has an entry for each of its rows
LOCAL_ROWS = 60  # up to which the local search is fast
MAX_MATCHINGS = 1_000  # of the local search


@dataclass(frozen=True)
class PairsAndTriples:
    """Exact for k=2 and for l=2 on one sensitive column, up to thousands of rows."""

    seed: int = 0

    def refuses(self, problem: Problem) -> str | None:
        """Refuse any other policy, and tables whose patterns are too many to list."""
        sized = problem.rules.is_k_anonymity and problem.rules.min_group_size == 2
        if not sized and not is_two_diversity(problem):
            return "it takes k=2, or l=2 (frequency) on the one sensitive column"
        if problem.rows > MOST_ROWS:
            return f"it forms groups of single rows, up to {MOST_ROWS:,}, and this table has {problem.rows:,}"
        return too_many_patterns(problem)

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Start from the local search if the table is small, and close the gap to the bound of the multipliers."""
        pool = every_pattern(problem, stop)
        start = Greedy(pool).solve(problem, StoppingRule(), observer)
        minimal_groups = MinimalGroups.of(problem)
        if start.is_optimal or stop() or minimal_groups is None or pool is None:
            return start
        pricing = Pricing(problem, pool, minimal_groups)
        relaxation = solve_relaxation(pricing, Columns.of_partition(problem, start.partition), stop)
        partition = start.partition
        if problem.rows <= LOCAL_ROWS and not stop():
            partition = match_rows(problem, minimal_groups, relaxation.multipliers, stop) or partition
        return close_gap(pricing, relaxation, partition, stop, observer, seed=self.seed)


def match_rows(
    problem: Problem, minimal_groups: MinimalGroups, multipliers: Multipliers, stop: StoppingRule
) -> Partition | None:
    """Solve a small table by simplex matching; the vertices are the copies of its row types."""
    copies = np.repeat(np.arange(len(problem.counts)), problem.counts)
    pairs, triples = (_edges(problem, minimal_groups, copies, size) for size in (2, 3))
    graph = Hypergraph(len(copies), pairs, triples)
    search = SimplexMatching(graph, Duals(multipliers.values[copies], multipliers.scale), MAX_MATCHINGS)
    found = search.solve(stop=stop)
    if found is None:
        return None
    sizes = np.array([len(edge) for edge in found.edges])
    rows = np.array([row for edge in found.edges for row in edge])
    return Columns.of(problem, copies[rows], sizes).partition(problem)


def _edges(problem: Problem, minimal_groups: MinimalGroups, copies: IntArray, size: int) -> dict[tuple[int, ...], int]:
    """Return the legal groups of so many copies, with their costs."""
    rows = np.array(list(combinations(range(len(copies)), size)), dtype=np.int64).reshape(-1, size)
    if minimal_groups.distinct:
        classes = np.sort(minimal_groups.sensitive_class[copies[rows]], axis=1)
        rows = rows[(classes[:, 1:] != classes[:, :-1]).all(axis=1)]
    cost = Columns.of(problem, copies[rows].ravel(), np.full(len(rows), size)).cost
    return dict(zip(map(tuple, rows.tolist()), cost.tolist(), strict=True))
