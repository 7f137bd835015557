"""The recipe for medium tables: prices, then a choice among the few groups that prices leave possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.patterns.pool import every_pattern, too_many_patterns
from kilt.run.progress import Observer, Progress
from kilt.run.stopping import Stop
from kilt.solvers.base import Proof, Solution
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.diving import dived
from kilt.solvers.exact.column_generation.kernelization import Capped
from kilt.solvers.exact.column_generation.lns import SMALL, Neighbourhoods
from kilt.solvers.exact.column_generation.master import Relaxation, chosen, listed, proved, relaxed
from kilt.solvers.exact.column_generation.minimal_groups import Atoms
from kilt.solvers.exact.column_generation.pricing import Pricing
from kilt.solvers.exact.milp.solver import MOST_ENTRIES, improve
from kilt.solvers.greedy.solver import Greedy
from kilt.solvers.search.wide.swaps import annealed


@dataclass(frozen=True)
class Stage:
    """One more attempt to close the gap, at a higher cost than the one before."""

    kept: float  # the share of the rows that a dive places in a round
    patience: int  # neighbourhoods that may bring nothing
    columns_per_row: int  # groups to choose from, if these are all that can matter
    partly: int  # groups per row to choose from, if they are not
    most_nodes: int | None  # of the search tree


STAGES = (
    Stage(0.04, 0, 20, 20, 20),
    Stage(0.02, 60, 60, 40, 30),
    Stage(0.08, 60, 60, 40, 30),
    Stage(0.01, 60, 120, 40, 30),
    Stage(0.06, 60, 120, 40, 30),
    Stage(0.03, 60, 200, 40, 30),
    Stage(0.05, 60, 200, 40, 30),
    Stage(0.07, 400, 1_500, 1_500, None),
    Stage(0.04, 0, 6_000, 6_000, None),
    Stage(0.04, 0, 24_000, 24_000, None),
)
MOST_COLUMNS = 2_000_000  # groups to choose from: stages that would have more are for smaller tables
FEW_FITTING = 10  # patterns that a row type fits under: if they are so few, the program of patterns is the shorter one


@dataclass(frozen=True)
class Exact:
    """Prices by column generation, groups that prices cannot rule out, and a program that chooses among them."""

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables whose patterns are too many to list."""
        return too_many_patterns(problem.simpler)

    def solve(self, problem: Problem, stop: Stop, observer: Observer) -> Solution:
        """Solve the kernel, and go back from it to the table."""
        capped = Capped.of(problem.simpler)
        found = _solved(capped.problem, stop, observer)
        return Solution(capped.lifted(found.partition), found.bound, found.proof)


def _solved(problem: Problem, stop: Stop, observer: Observer) -> Solution:
    pool = every_pattern(problem, stop)
    start = Greedy(pool).solve(problem, Stop(), observer)
    atoms = Atoms.of(problem)
    if pool is None or start.bound == start.partition.cost or stop():
        return start
    if atoms is None:
        better = annealed(problem, start.partition, stop) if problem.rows <= SMALL else start.partition
        return improve(problem, pool, replace(start, partition=better), stop, observer)
    pricing = Pricing(problem, pool, atoms)
    relaxation = relaxed(pricing, Columns.of_partition(problem, start.partition), stop)
    few = len(pool.types) <= FEW_FITTING * len(problem.counts)
    found = with_gap_closed(pricing, relaxation, start.partition, stop, observer, STAGES[:1] if few else STAGES)
    enough = found.bound == found.partition.cost or stop(found.partition.cost, found.bound)
    if enough or len(pool.types) > MOST_ENTRIES:
        return found
    return improve(problem, pool, found, stop, observer)  # it knows the groups that are not listed


def with_gap_closed(
    pricing: Pricing,
    relaxation: Relaxation,
    partition: Partition,
    stop: Stop,
    observer: Observer,
    stages: Sequence[Stage] = STAGES,
) -> Solution:
    """Close the gap between a partition and the bound of the prices, from few groups to many."""
    problem, prices, bound = pricing.problem, relaxation.prices, relaxation.prices.bound
    search = Neighbourhoods(problem, pricing.atoms, prices)

    def watch(progress: Progress) -> None:  # another dive starts higher than the best known
        stars = problem.stars(partition.cost)
        observer(replace(progress, stars=min(stars, progress.stars or stars), bound=problem.stars(bound)))

    proof: Proof = "exact"
    for number, stage in enumerate(stages):
        if stage.columns_per_row * problem.rows > MOST_COLUMNS:
            break
        if number == 1 and problem.rows <= SMALL:
            partition = annealed(problem, partition, stop)
        for start in (partition, None):  # go on from the best, and from another dive
            if partition.cost > bound and not stop(partition.cost, bound):
                found = start or dived(pricing, relaxation, stage.kept, stop) or partition
                partition = min(partition, search.improved(found, stage.patience, stop, watch), key=_cost)
        if bound >= partition.cost or stop(partition.cost, bound):
            break
        reach = prices.reach(partition.cost)
        columns, limit = listed(pricing, prices, reach, stage.columns_per_row * problem.rows, stop)
        if limit < reach and stage.partly < stage.columns_per_row:
            columns, limit = listed(pricing, prices, limit, stage.partly * problem.rows, stop)
        nodes = stage.most_nodes and stage.most_nodes * (10 if limit >= reach else 1)  # it may be the last word
        partition, outcome = chosen(problem, columns, partition, stop, watch, nodes)
        better = min(proved(prices, limit, outcome), partition.cost)
        if better > bound:
            bound, proof = better, "float"
        observer(Progress("solving", None, problem.stars(partition.cost), problem.stars(bound)))
    return Solution(partition, bound, proof)


def _cost(partition: Partition) -> int:
    return partition.cost
