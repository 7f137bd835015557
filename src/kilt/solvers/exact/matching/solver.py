"""Matching: 2-anonymity and 2-diversity, fast by price and cut, and in polynomial time by simplex matching.

Any legal group splits into legal groups of two and three rows, so an optimum is a perfect matching with edges of two
and three rows. Either way the optimum is proved in integers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray, pluralize
from kilt.patterns.pool import every_pattern, too_many_patterns
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.diving import dive
from kilt.solvers.exact.column_generation.master import RestrictedMaster, solve_relaxation
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups, is_two_diversity
from kilt.solvers.exact.column_generation.pricing import Pricing
from kilt.solvers.exact.column_generation.solver import STAGES, Stage, close_gap, has_many_copies
from kilt.solvers.exact.matching.price_and_cut import Duals as PricedDuals
from kilt.solvers.exact.matching.price_and_cut import Effort, PriceAndCut
from kilt.solvers.exact.matching.simplex_matching import Duals, Hypergraph, Matching, SimplexMatching
from kilt.solvers.exact.matching.split import pairs_and_triples
from kilt.solvers.exact.matching.vertices import EveryCopy
from kilt.solvers.exact.milp.solver import MOST_ENTRIES, improve
from kilt.solvers.greedy.solver import greedy_start

MOST_ROWS = 1_000_000  # a group has an entry for each of its rows
MAX_ROWS = 300  # of simplex matching: it is polynomial, but not fast
FIRST_EDGES, MAX_EDGES = 50_000, 5_000_000  # groups that are listed; all of 300 rows are fewer
LAST_WORD_ROWS = 1_000  # up to which simplex matching goes on as long as it takes
PATTERN_NODES = 1_000  # of the search tree of HiGHS, where the program of patterns is small
STARTING = (replace(STAGES[0], proof_work=0), replace(STAGES[1], proof_work=0))  # a good partition, without a proof


@dataclass(frozen=True)
class Turn:
    """One more attempt to prove, at a higher cost than the one before."""

    effort: Effort
    stages: tuple[Stage, ...]
    work: int  # of simplex matching: matchings by pairs times rows squared


TURNS = (Turn(Effort(200, 100), STAGES[:1], 100_000_000), Turn(Effort(5_000, 10_000), STAGES, 2_000_000_000))


def refuses_all_but_two(problem: Problem) -> str | None:
    """Refuse any policy but 2-anonymity and 2-diversity, and tables whose patterns are too many to list."""
    sized = problem.rules.is_k_anonymity and problem.rules.min_group_size == 2
    if not sized and not is_two_diversity(problem):
        return "it takes k=2, or l=2 (frequency) on the one sensitive column"
    if problem.rows > MOST_ROWS:
        return f"it forms groups of single rows, up to {MOST_ROWS:,}, and this table has {problem.rows:,}"
    return too_many_patterns(problem)


@dataclass(frozen=True)
class PairsAndTriples:
    """Exact for k=2 and for l=2 on one sensitive column, up to thousands of rows."""

    seed: int = 0

    def refuses(self, problem: Problem) -> str | None:
        """Refuse any other policy, and tables whose patterns are too many to list."""
        return refuses_all_but_two(problem)

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Prove by price and cut, and if that fails by simplex matching and by branch and cut, with more and more work.

        Simplex matching has the last word.
        """
        started = start(problem, stop, observer)
        if isinstance(started, Solution):
            return started
        pricing, relaxation, partition = started
        multipliers = relaxation.multipliers
        found = Solution(partition, Bound(min(multipliers.bound, partition.cost)))
        if not _is_enough(found, stop):
            dived = dive(pricing, relaxation, STAGES[0].dive_share, stop) or partition
            found = replace(found, partition=min(partition, dived, key=lambda each: each.cost))
        for turn in TURNS:
            if not _is_enough(found, stop):
                priced = PriceAndCut.of(pricing, stop).solve(multipliers, found.partition, turn.effort)
                found = priced.with_bound(found.bound)
                observer(Progress("solving", None, problem.stars(found.cost)))
            max_matchings = turn.work // problem.rows**2
            if not _is_enough(found, stop) and max_matchings:
                found = match(pricing, relaxation, found.partition, stop, max_matchings).with_bound(found.bound)
            if not _is_enough(found, stop):
                cut = close_gap(pricing, relaxation, found.partition, stop, observer, turn.stages, self.seed)
                found = cut.with_bound(found.bound)
        if not _is_enough(found, stop) and problem.rows <= LAST_WORD_ROWS:
            found = match(pricing, relaxation, found.partition, stop).with_bound(found.bound)
        return replace(found, evidence=multipliers.evidence(problem))


def _is_enough(found: Solution, stop: StoppingRule) -> bool:
    """Say whether it is proved in integers that the cost is low enough, or time is over."""
    is_exact = found.bound is not None and found.bound.arithmetic == "exact"
    return found.status == "optimal" or stop(found.cost, found.bound.cost if found.bound and is_exact else None)


@dataclass(frozen=True)
class PolynomialMatching:
    """Exact for k=2 and for l=2 on one sensitive column, in a number of steps that is polynomial in the rows."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse any other policy, and tables for which it would take too long."""
        if problem.rows > MAX_ROWS:
            return f"it takes at most {pluralize(MAX_ROWS, 'row')}, and the table has {problem.rows:,}"
        return refuses_all_but_two(problem)

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Improve a partition into pairs and triples step by step, until no step does."""
        started = start(problem, stop, observer)
        if isinstance(started, Solution):
            return started
        pricing, relaxation, partition = started
        partition = close_gap(pricing, relaxation, partition, stop, observer, STARTING).partition
        solution = match(pricing, relaxation, partition, stop)
        observer(Progress("solving", 1.0, problem.stars(solution.cost)))
        return replace(solution, evidence=relaxation.multipliers.evidence(problem))


def start(
    problem: Problem, stop: StoppingRule, observer: Observer
) -> Solution | tuple[Pricing, RestrictedMaster, Partition]:
    """Find a partition and multipliers; where the first is optimal, or time is over, it is the solution.

    Where row types have many copies, the program of patterns finds a better partition: what is left to prove is little.
    """
    pool = every_pattern(problem, stop)
    first = greedy_start(problem, pool, stop, observer)
    minimal_groups = MinimalGroups.of(problem)
    if first.is_optimal or stop() or minimal_groups is None or pool is None:
        return first
    if has_many_copies(problem) and len(pool.types) <= MOST_ENTRIES:
        first = improve(problem, pool, first, stop, observer, PATTERN_NODES)
    pricing = Pricing(problem, pool, minimal_groups)
    relaxation = solve_relaxation(pricing, Columns.of_partition(problem, first.partition), stop)
    return pricing, relaxation, first.partition


def match(
    pricing: Pricing,
    relaxation: RestrictedMaster,
    partition: Partition,
    stop: StoppingRule,
    max_matchings: int | None = None,
) -> Solution:
    """Improve a partition by simplex matching; if no step is left, it is optimal.

    Groups that the duals rule out for any cheaper partition are left out. If the others are too many, those of least
    reduced cost come first: a cheaper partition rules out more, so that all of the rest can be listed in the end.
    """
    priced = PriceAndCut(pricing, EveryCopy(pricing.problem), stop)
    duals, partition = priced.price(relaxation.multipliers, partition)
    bound = max(relaxation.multipliers.bound, duals.bound)
    most = FIRST_EDGES
    while True:
        found, is_optimal = _match_listed(priced, duals, partition, most, max_matchings)
        is_better = found.cost < partition.cost
        partition = found if is_better else partition
        if is_optimal:
            return Solution(partition, Bound(partition.cost))
        if stop() or max_matchings is not None or (most == MAX_EDGES and not is_better):
            return Solution(partition, Bound(min(bound, partition.cost)))
        most = most if is_better else min(8 * most, MAX_EDGES)


def _match_listed(
    priced: PriceAndCut, duals: PricedDuals, partition: Partition, most: int, max_matchings: int | None
) -> tuple[Partition, bool]:
    """Match the copies of the row types by so many of the groups at most; say whether the result is optimal."""
    problem = priced.pricing.problem
    start = pairs_and_triples(problem, partition, priced.pricing.minimal_groups)
    cost = int(start.cost.sum())
    columns, listed = priced.list_below(duals, cost, most)
    if _edges_between_copies(problem, columns) > 6 * MAX_EDGES:
        return partition, False
    copies = np.repeat(np.arange(len(problem.counts)), problem.counts)
    search = SimplexMatching(_hypergraph(problem, columns), _of_copies(duals, copies), max_matchings)
    found = search.solve(_placed(start), priced.stop)
    if found is None:
        return partition, False
    sizes, rows = np.array([len(edge) for edge in found.edges]), np.array([r for edge in found.edges for r in edge])
    matched = Columns.of(problem, copies[rows], sizes).partition(problem)
    return min(partition, matched, key=lambda each: each.cost), found.is_local_optimum and listed >= cost


def _of_copies(duals: PricedDuals, copies: IntArray) -> Duals:
    """Return duals of row types for their copies."""
    cuts = tuple(frozenset(np.flatnonzero(np.isin(copies, cut)).tolist()) for cut in duals.cuts)
    return Duals(duals.values[copies], duals.scale, cuts, tuple(duals.weights.tolist()))


def _edges_between_copies(problem: Problem, columns: Columns) -> int:
    """Return at most how many edges these groups are between the copies of their row types; too many by six times."""
    return int(np.multiply.reduceat(problem.counts[columns.types], columns.starts[:-1]).sum()) if len(columns) else 0


def _hypergraph(problem: Problem, columns: Columns) -> Hypergraph:
    """Return the groups of row types as edges between their copies."""
    last = np.cumsum(problem.counts)
    copies = [list(range(end - count, end)) for end, count in zip(last.tolist(), problem.counts.tolist(), strict=True)]
    edges: dict[int, dict[tuple[int, ...], int]] = {2: {}, 3: {}}
    members, starts = columns.types.tolist(), columns.starts.tolist()
    for i, cost in enumerate(columns.cost.tolist()):
        types = members[starts[i] : starts[i + 1]]
        for edge in _choices(copies, types):
            edges[len(types)][edge] = cost
    return Hypergraph(problem.rows, edges[2], edges[3])


def _choices(copies: list[list[int]], types: list[int]) -> list[tuple[int, ...]]:
    """Return all ways to take different copies of these row types."""
    chosen: list[tuple[int, ...]] = [()]
    for row_type in sorted(set(types)):
        more = list(combinations(copies[row_type], types.count(row_type)))
        chosen = [(*edge, *each) for edge in chosen for each in more]
    return [tuple(sorted(edge)) for edge in chosen]


def _placed(groups: Columns) -> Matching:
    """Return a partition into pairs and triples as a matching of the copies."""
    order = np.argsort(groups.types, kind="stable")
    rows = np.empty(len(order), dtype=np.int64)
    rows[order] = np.arange(len(order))  # the copies of a row type are numbered one after the other
    edges = [tuple(sorted(rows[a:b].tolist())) for a, b in zip(groups.starts, groups.starts[1:], strict=False)]
    return Matching(tuple(edges), int(groups.cost.sum()), is_local_optimum=False)
