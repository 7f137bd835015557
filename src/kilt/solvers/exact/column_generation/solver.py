"""Column generation for medium tables: multipliers, then a selection among the groups that these cannot rule out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kilt.bounds.lagrangian import lower_bound
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.patterns.pool import Pool, every_pattern, too_many_patterns
from kilt.run.incumbent import Incumbent
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.exact.column_generation.branch_and_cut import BranchAndCut
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.diving import dive
from kilt.solvers.exact.column_generation.kernelization import CappedProblem
from kilt.solvers.exact.column_generation.lns import SMALL_TABLE, ColumnLns
from kilt.solvers.exact.column_generation.master import (
    RestrictedMaster,
    bound_of_selection,
    cost_of_unlisted,
    enumerate_columns,
    select_columns,
    solve_relaxation,
)
from kilt.solvers.exact.column_generation.minimal_groups import MinimalGroups, is_two_diversity
from kilt.solvers.exact.column_generation.pricing import Multipliers, Pricing
from kilt.solvers.exact.column_generation.selection import Node
from kilt.solvers.exact.compositions.solver import ascend, rule_of
from kilt.solvers.exact.compositions.solver import close_gap as close_by_compositions
from kilt.solvers.exact.milp.solver import MOST_ENTRIES, improve
from kilt.solvers.greedy.solver import greedy_start
from kilt.solvers.search.solver import search_in_cycles
from kilt.solvers.search.wide.swaps import anneal_rows


@dataclass(frozen=True)
class Stage:
    """One more attempt to close the gap, at a higher cost than the one before."""

    dive_share: float  # the share of the rows that a dive places in a round
    failures_allowed: int  # subproblems in a row that may bring no improvement
    columns_per_row: int  # groups to select from, if these are all that can matter
    partial_columns_per_row: int  # groups to select from, if they are not
    max_nodes: int | None  # of the search tree of HiGHS
    proof_work: int | None  # of branch and cut: its linear programs times the groups to select from


STAGES = (
    Stage(0.04, 0, 20, 20, 20, 1_000_000),
    Stage(0.02, 60, 60, 40, 30, 3_000_000),
    Stage(0.08, 60, 60, 40, 30, 0),
    Stage(0.01, 60, 120, 40, 30, 10_000_000),
    Stage(0.06, 60, 120, 40, 30, 0),
    Stage(0.03, 60, 200, 40, 30, 30_000_000),
    Stage(0.05, 60, 200, 40, 30, 0),
    Stage(0.07, 400, 1_500, 1_500, None, 100_000_000),
    Stage(0.04, 0, 6_000, 6_000, None, 300_000_000),
    Stage(0.04, 0, 24_000, 24_000, None, None),
)


@dataclass(frozen=True)
class Params:
    """The stages, and which of them a table is too large for."""

    stages: tuple[Stage, ...] = STAGES
    max_columns: int = 2_000_000  # groups to select from: stages that would have more are for smaller tables
    max_proved: int = 200_000  # groups to select from, where only the proof in integers is missing
    proof_work: int = 300_000_000
    few_patterns: int = 10  # of a row type, on average: if they are so few, the program of patterns is the smaller one
    max_rows: int = 20_000  # a group has an entry for each of its rows: with more, patterns are all that is left
    max_copies: int = 20  # of a row type, on average: with more, groups are many, and the program of patterns is small
    listing_share: float = 0.3  # of the time, after which no more minimal groups are listed
    max_certified: int = 1_000  # row types of a table whose certificate has multipliers from here
    search_cycles: int = 14  # of a search before compositions are listed
    max_listed: int = 50_000_000  # rows that are candidates for groups, in all patterns


PARAMS = Params()
MANY_CLASSES = 3  # sensitive classes, above which compositions are listed rather than minimal groups


@dataclass(frozen=True)
class ColumnGeneration:
    """Multipliers by column generation, the groups that they cannot rule out, and a program that selects from these."""

    seed: int = 0

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables whose patterns are too many to list."""
        return too_many_patterns(problem.presolved)

    def solve(self, problem: Problem, stop: StoppingRule, observer: Observer) -> Solution:
        """Solve the kernel, and lift its partition to the table."""
        capped = CappedProblem.of(problem.presolved)
        found = _solve(capped.problem, stop, capped.lift_progress(observer), self.seed)
        return replace(found, partition=capped.lift(found.partition), bound=capped.lift_bound(found.bound))


def _solve(problem: Problem, stop: StoppingRule, observer: Observer, seed: int) -> Solution:
    pool = every_pattern(problem, stop)
    start = greedy_start(problem, pool, stop, observer)
    if pool is None or start.is_optimal or stop():
        return start
    if rule_of(problem) is not None and len(problem.sensitive_totals) > MANY_CLASSES:
        start = _close_by_compositions(problem, pool, start, stop, observer, seed)
        if start.is_optimal or stop():
            return start
    minimal_groups = _minimal_groups(problem, pool, stop)
    if minimal_groups is None:
        better = anneal_rows(problem, start.partition, stop, seed) if problem.rows <= SMALL_TABLE else start.partition
        found = improve(problem, pool, replace(start, partition=better), stop, observer)
        is_float = found.status == "optimal (floating point)"
        return _prove_by_multipliers(problem, pool, found, stop, observer) if is_float else found
    pricing = Pricing(problem, pool, minimal_groups)
    relaxation = solve_relaxation(pricing, Columns.of_partition(problem, start.partition), stop)
    few = len(pool.types) <= PARAMS.few_patterns * len(problem.counts)
    stages = PARAMS.stages[:1] if few else PARAMS.stages
    found = close_gap(pricing, relaxation, start.partition, stop, observer, stages, seed)
    found = replace(found, evidence=relaxation.multipliers.evidence(problem))
    enough = found.is_optimal or stop(found.cost, found.bound.cost if found.bound else None)
    if not enough and len(pool.types) <= MOST_ENTRIES:
        found = improve(problem, pool, found, stop, observer)  # it knows the groups that are not listed
    return _prove(pricing, relaxation.multipliers, found, stop) if found.status == "optimal (floating point)" else found


def _close_by_compositions(
    problem: Problem, pool: Pool, start: Solution, stop: StoppingRule, observer: Observer, seed: int
) -> Solution:
    """Search for a moment by the multipliers with which compositions are listed afterwards."""
    ascent = ascend(problem, pool, stop)
    given = problem, pool, ascent.multipliers, ascent.scale, start.partition
    better = search_in_cycles(*given, PARAMS.search_cycles, stop, seed)
    return close_by_compositions(problem, pool, replace(start, partition=better), stop, observer, ascent=ascent)


def multipliers_of(problem: Problem, partition: Partition, stop: StoppingRule) -> Evidence | None:
    """Find multipliers by column generation, given a partition; None where that is not meant for the table."""
    pool = every_pattern(problem, stop) if len(problem.counts) <= PARAMS.max_certified else None
    minimal_groups = None if pool is None else _minimal_groups(problem, pool, stop)
    if pool is None or minimal_groups is None:
        return None
    pricing = Pricing(problem, pool, minimal_groups)
    return solve_relaxation(pricing, Columns.of_partition(problem, partition), stop).multipliers.evidence(problem)


def _minimal_groups(problem: Problem, pool: Pool, stop: StoppingRule) -> MinimalGroups | None:
    """List the minimal groups; None if there are too many rows to form groups of single rows."""
    if problem.rows > PARAMS.max_rows or (has_many_copies(problem) and not problem.rules.is_k_anonymity):
        return None
    found = MinimalGroups.of(problem, stop.share(PARAMS.listing_share))
    listed = 0 if found is None else len(pool) * int(found.vectors.max(axis=0).sum())
    return found if listed <= PARAMS.max_listed else None


def has_many_copies(problem: Problem) -> bool:
    """Say whether row types have so many copies that groups of single rows are many."""
    return problem.rows > PARAMS.max_copies * len(problem.counts)


def close_gap(
    pricing: Pricing,
    relaxation: RestrictedMaster,
    partition: Partition,
    stop: StoppingRule,
    observer: Observer,
    stages: Sequence[Stage] = PARAMS.stages,
    seed: int = 0,
) -> Solution:
    """Close the gap between a partition and the bound of the multipliers, with more and more groups."""
    problem, multipliers, bound = pricing.problem, relaxation.multipliers, relaxation.multipliers.bound
    search = ColumnLns(problem, pricing.minimal_groups, multipliers)

    def watch(progress: Progress) -> None:  # another dive starts higher than the best known
        stars = problem.stars(partition.cost)
        observer(replace(progress, stars=min(stars, progress.stars or stars), bound=problem.stars(bound)))

    proved = bound  # in integers: only this counts for a gap that is asked for
    for number, stage in enumerate(stages):
        if proved >= partition.cost or stage.columns_per_row * problem.rows > PARAMS.max_columns:
            break
        if number == 1 and problem.rows <= SMALL_TABLE:
            partition = anneal_rows(problem, partition, stop, seed)
        for start in (partition, None):  # continue from the best, and from another dive
            if partition.cost > bound and not stop(partition.cost, proved):
                found = start or dive(pricing, relaxation, stage.dive_share, stop) or partition
                partition = min(partition, search.improve(found, stage.failures_allowed, stop, watch), key=_cost)
        if proved >= partition.cost or stop(partition.cost, proved):
            break
        max_reduced_cost = multipliers.max_reduced_cost(partition.cost)
        most = stage.columns_per_row * problem.rows
        columns, limit = enumerate_columns(pricing, multipliers, max_reduced_cost, most, stop)
        if limit < max_reduced_cost and stage.partial_columns_per_row < stage.columns_per_row:
            columns, limit = enumerate_columns(
                pricing, multipliers, limit, stage.partial_columns_per_row * problem.rows, stop
            )
        found, exact = _select_exactly(pricing, multipliers, columns, limit, partition, stage.proof_work, stop)
        partition, proved = min(partition, found, key=_cost), max(proved, exact)
        bound = max(bound, proved)
        if bound < partition.cost and not stop(partition.cost, proved):
            nodes = stage.max_nodes and stage.max_nodes * (
                10 if limit >= max_reduced_cost else 1
            )  # it may close the gap
            partition, outcome = select_columns(problem, columns, partition, stop, watch, nodes)
            bound = max(bound, min(bound_of_selection(multipliers, limit, outcome), partition.cost))
        observer(Progress("solving", None, problem.stars(partition.cost), problem.stars(bound)))
    return Solution(partition, Bound(bound, arithmetic="exact" if proved >= bound else "float"))


def _prove_by_multipliers(
    problem: Problem, pool: Pool, found: Solution, stop: StoppingRule, observer: Observer
) -> Solution:
    """Prove in integers what is proved in floating point, without a list of all minimal groups.

    Pairs and triples need none under 2-diversity; else it depends on whether the Lagrangian bound is as high.
    """
    if is_two_diversity(problem) and problem.rows <= PARAMS.max_rows and (groups := MinimalGroups.of(problem)):
        pricing = Pricing(problem, pool, groups)
        relaxation = solve_relaxation(pricing, Columns.of_partition(problem, found.partition), stop)
        found = replace(found, evidence=relaxation.multipliers.evidence(problem))
        return _prove(pricing, relaxation.multipliers, found, stop)
    proved = lower_bound(problem, replace(stop, gap=None), observer, Incumbent(cost=found.cost))
    evidence = proved.parts[0] if len(proved.parts) == 1 else None
    return replace(found, evidence=evidence).with_bound(Bound(proved.cost))


def _prove(pricing: Pricing, multipliers: Multipliers, found: Solution, stop: StoppingRule) -> Solution:
    """Prove in integers what is proved in floating point, if the groups that matter can be listed."""
    limit = multipliers.max_reduced_cost(found.cost)
    columns, listed = enumerate_columns(pricing, multipliers, limit, PARAMS.max_proved, stop)
    if listed < limit:
        return found
    partition, proved = _select_exactly(pricing, multipliers, columns, limit, found.partition, PARAMS.proof_work, stop)
    return replace(found, partition=partition).with_bound(Bound(min(proved, partition.cost)))


def _select_exactly(
    pricing: Pricing,
    multipliers: Multipliers,
    columns: Columns,
    limit: int,
    known: Partition,
    work: int | None,
    stop: StoppingRule,
) -> tuple[Partition, int]:
    """Select from the groups up to a reduced cost by branch and cut; return the better partition and a proved bound."""
    ceiling = min(known.cost, cost_of_unlisted(multipliers, limit))
    if work == 0 or limit < 0 or not len(columns):
        return known, multipliers.bound
    tree = BranchAndCut(multipliers.scale, stop, None if work is None else work // len(columns))
    found = tree.solve(Node.of(columns, pricing.problem.counts), ceiling)
    partition = known if found.groups is None else found.groups.partition(pricing.problem)
    return partition, max(found.bound, multipliers.bound)


def _cost(partition: Partition) -> int:
    return partition.cost
