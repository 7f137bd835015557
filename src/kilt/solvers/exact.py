"""The recipe for medium tables: prices, then a choice among the few groups that prices leave possible."""

from __future__ import annotations

from dataclasses import dataclass

from kilt.observe import Observer, Progress
from kilt.partition import Partition
from kilt.pool import Pool
from kilt.problem import Problem
from kilt.solvers.atoms import Atoms
from kilt.solvers.base import Kind, Proof, Solution
from kilt.solvers.columns import Columns
from kilt.solvers.dive import dived
from kilt.solvers.greedy import Greedy
from kilt.solvers.master import Relaxation, chosen, listed, proved, relaxed
from kilt.solvers.milp import PatternMilp, improve
from kilt.solvers.multiplicity import Capped
from kilt.solvers.neighbourhood import Neighbourhoods
from kilt.solvers.pricing import Pricing
from kilt.stop import Stop

# neighbourhoods that may bring nothing, then how many groups per row to choose from, and nodes of the search tree
STAGES = ((0, 20, 20), (60, 60, 200), (200, 200, 1_000), (400, 1_500, None))


@dataclass(frozen=True)
class Exact:
    """Prices by column generation, groups that prices cannot rule out, and a program that chooses among them."""

    name: str = "exact"
    kind: Kind = "exact"

    def refuses(self, problem: Problem) -> str | None:
        """Refuse tables whose patterns are too many to list."""
        return PatternMilp().refuses(problem)

    def solve(self, problem: Problem, stop: Stop, observer: Observer) -> Solution:
        """Solve the kernel, and go back from it to the table."""
        capped = Capped.of(problem)
        found = _solved(capped.problem, stop, observer)
        return Solution(capped.lifted(found.partition), found.bound, found.proof)


def _solved(problem: Problem, stop: Stop, observer: Observer) -> Solution:
    start = Greedy().solve(problem, stop, observer)
    atoms = Atoms.of(problem)
    if start.bound == start.partition.cost or stop():
        return start
    pool = Pool.of(problem)
    if atoms is None:
        return improve(problem, pool, start, stop, observer)
    pricing = Pricing(problem, pool, atoms)
    relaxation = relaxed(pricing, Columns.of_partition(problem, start.partition), stop)
    return closed(pricing, relaxation, start.partition, stop, observer)


def closed(pricing: Pricing, relaxation: Relaxation, partition: Partition, stop: Stop, observer: Observer) -> Solution:
    """Close the gap between a partition and the bound of the prices, from few groups to many."""
    problem, prices, bound = pricing.problem, relaxation.prices, relaxation.prices.bound
    if partition.cost > bound:
        partition = min(partition, dived(pricing, relaxation, stop) or partition, key=lambda each: each.cost)
    search = Neighbourhoods(problem, pricing.atoms, prices)
    proof: Proof = "exact"
    for patience, columns_per_row, most_nodes in STAGES:
        partition = search.improved(partition, patience, stop, observer)
        if bound >= partition.cost or stop(partition.cost, bound):
            break
        reach = prices.reach(partition.cost)
        columns, limit = listed(pricing, prices, reach, columns_per_row * problem.rows)
        nodes = most_nodes and (10 * most_nodes if limit >= reach else most_nodes)  # it may be the last word
        partition, outcome = chosen(problem, columns, partition, stop, observer, nodes)
        better = min(proved(prices, limit, outcome), partition.cost)
        if better > bound:
            bound, proof = better, "float"
        observer(Progress("solving", None, problem.stars(partition.cost), problem.stars(bound)))
    return Solution(partition, bound, proof)
