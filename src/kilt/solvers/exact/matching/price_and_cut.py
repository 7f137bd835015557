"""Price and cut: pairs and triples that contain every vertex, at the least cost, proved in integers.

The linear program over some of the edges, with parity cuts, gives a number to each vertex and to each cut. All edges
that these do not pay for are found and added, until there are none: then the numbers prove a bound. The edges that
they do not rule out below the best partition are listed, and branch and cut selects from them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kilt.certificates.proof.evidence import Bound
from kilt.model.partition import Partition
from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule
from kilt.solvers.base import Solution
from kilt.solvers.exact.column_generation.branch_and_cut import BranchAndCut
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.master import enumerate_columns
from kilt.solvers.exact.column_generation.parity_cuts import odd_groups, parity_cuts
from kilt.solvers.exact.column_generation.pricing import BOX, Multipliers, Pricing
from kilt.solvers.exact.column_generation.selection import Node, Relaxed, SelectionProgram
from kilt.solvers.exact.matching.two_copies import TwoCopies
from kilt.solvers.exact.matching.vertices import EveryCopy, Vertices


@dataclass(frozen=True)
class Params:
    """How many edges there may be, and how long more are looked for."""

    first_edges: int = 10  # for each row: those of the first program
    max_edges: int = 1_000_000  # that are listed
    max_programs: int = 1_000  # until all edges are paid for
    max_rounds: int = 3  # of cuts that do not raise the bound


PARAMS = Params()
NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Effort:
    """How long a selection is looked for: linear programs of the tree, and nodes of that of HiGHS."""

    max_programs: int
    max_nodes: int


@dataclass(frozen=True)
class Duals:
    """A number for each vertex and for each cut, ``scale`` of them to a unit of cost; those of cuts are not negative.

    They pay for an edge with its vertices and with the cuts of which it has an odd number of vertices. If no edge costs
    less than that, edges that contain every vertex, ``counts`` times, cost no less than all of the numbers together.
    """

    counts: IntArray
    values: IntArray
    cuts: tuple[IntArray, ...]
    weights: IntArray
    scale: int

    @property
    def total(self) -> int:
        """What all of them add up to."""
        paid = sum(value * count for value, count in zip(self.values.tolist(), self.counts.tolist(), strict=True))
        return int(paid + sum(self.weights.tolist()))

    @property
    def bound(self) -> int:
        """The least whole cost that they allow, if no edge has a negative reduced cost."""
        return -(-self.total // self.scale)

    def bound_above(self, limit: int) -> int:
        """Return the same for edges of which one has a reduced cost above a limit."""
        return -(-(self.total + limit + 1) // self.scale)

    def reduced_costs(self, edges: Columns) -> IntArray:
        """Return what edges cost beyond what is paid for them."""
        reduced = edges.cost * self.scale - edges.members.sums(self.values[edges.types])
        for cut, weight in zip(self.cuts, self.weights.tolist(), strict=True):
            inside = np.zeros(len(self.values), dtype=bool)
            inside[cut] = True
            reduced[odd_groups(edges, inside)] -= weight
        return reduced

    def most(self) -> IntArray:
        """Return for each vertex its number and those of all cuts that contain it: no edge is paid for with more."""
        most = self.values.copy()
        for cut, weight in zip(self.cuts, self.weights.tolist(), strict=True):
            most[cut] += weight
        return most

    def lowered(self, edges: Columns) -> Duals:
        """Lower the numbers of the vertices until none of these edges has a negative reduced cost."""
        least = int((self.reduced_costs(edges) // edges.members.lengths).min(initial=0)) if len(edges) else 0
        return replace(self, values=self.values + least)


@dataclass(frozen=True)
class PriceAndCut:
    """The vertices of a table, and how the edges between them are found."""

    pricing: Pricing
    vertices: Vertices
    stop: StoppingRule

    @classmethod
    def of(cls, pricing: Pricing, stop: StoppingRule) -> PriceAndCut:
        """Take the copies apart under k=2, where two are enough; under 2-diversity keep them together."""
        problem = pricing.problem
        diverse = pricing.minimal_groups.distinct
        return cls(pricing, EveryCopy(problem) if diverse else TwoCopies.of(problem, pricing.pool), stop)

    def solve(self, multipliers: Multipliers, partition: Partition, effort: Effort) -> Solution:
        """Improve a partition, given multipliers of the row types, and prove a bound."""
        rest, step = self.vertices.cost_of_the_rest, self.pricing.problem.unit
        duals, partition = self.price(multipliers, partition)
        bound = max(multipliers.bound - rest, duals.bound)
        tree = BranchAndCut(duals.scale, self.stop, effort.max_programs)
        while bound < partition.cost - rest and not tree.is_over():
            ceiling = min(partition.cost - rest, bound + step)
            edges, listed = self.list_below(duals, ceiling)
            node = self._node(edges, duals.cuts)
            partition = self._improve(node, partition, effort.max_nodes)
            found = tree.solve(node, min(listed, partition.cost - rest))
            partition = self._better(partition, found.groups)
            if found.bound <= bound:
                break
            bound, step = found.bound, 2 * step
        return Solution(partition, Bound(min(bound + rest, partition.cost)))

    def _improve(self, node: Node, partition: Partition, max_nodes: int) -> Partition:
        """Select from edges by HiGHS, which may find a better partition."""
        program = SelectionProgram(node, self.pricing.scale, partition.cost)
        return self._better(partition, program.select(self.stop, max_nodes))

    def _better(self, partition: Partition, edges: Columns | None) -> Partition:
        """Return the partition that edges stand for if it is better."""
        return partition if edges is None else min(partition, self.vertices.partition(edges), key=_cost)

    def price(self, multipliers: Multipliers, partition: Partition) -> tuple[Duals, Partition]:
        """Solve over some edges, add all that are not paid for, and so on; cut where there are none.

        Return the best duals, and a better partition if the program has one.
        """
        ceiling, scale = partition.cost - self.vertices.cost_of_the_rest, self.pricing.scale
        program = SelectionProgram(self._node(self._first_edges(multipliers, partition.cost), ()), scale, ceiling)
        best = self._duals(multipliers.values[self.vertices.type_of])
        tolerance = scale // (10 * int(self.vertices.counts.sum()))  # to lower all by it loses a tenth of a unit
        rounds = 0
        for _ in range(PARAMS.max_programs):
            relaxed = program.solve(self.stop)
            duals = self._rounded(program, relaxed)
            unpaid, is_complete = self._list_unpaid(duals)
            if is_complete and (valid := duals.lowered(unpaid)).total > best.total:
                rounds = 0 if valid.total > best.total + scale // 100 else rounds
                best = valid
            wanted = np.flatnonzero(duals.reduced_costs(unpaid) < -tolerance)
            if self.stop():
                break
            if len(wanted):
                program.add(unpaid.picked(wanted))
                continue
            if relaxed.is_whole:
                return best, self._better(partition, program.node.whole(relaxed.shares))
            if best.bound >= ceiling or rounds == PARAMS.max_rounds or not self._cut(program, relaxed):
                break
            rounds += 1
        return best, partition

    def _cut(self, program: SelectionProgram, relaxed: Relaxed) -> bool:
        """Cut the solution of a program off; say whether that is possible."""
        found = parity_cuts(program.node.columns, relaxed.shares, program.node.counts)
        for types in found:
            program.cut(types)
        return bool(found)

    def _node(self, edges: Columns, cuts: tuple[IntArray, ...]) -> Node:
        return replace(Node.of(edges, self.vertices.counts), cuts=cuts)

    def _first_edges(self, multipliers: Multipliers, cost: int) -> Columns:
        """Return edges that multipliers of the row types show to be useful."""
        limit, most = multipliers.max_reduced_cost(cost), PARAMS.first_edges * self.pricing.problem.rows
        groups, _ = enumerate_columns(self.pricing, multipliers, limit, most, self.stop)
        return Columns.joined([self.vertices.unmixed, self.vertices.edges(groups)])

    def _duals(self, values: IntArray, cuts: tuple[IntArray, ...] = (), weights: IntArray = NOTHING) -> Duals:
        return Duals(self.vertices.counts, values, cuts, weights, self.pricing.scale)

    def _rounded(self, program: SelectionProgram, relaxed: Relaxed) -> Duals:
        """Return the duals of a program, within a box: sums of them then are exact."""
        highest = BOX * self.pricing.problem.highest_cost * self.pricing.scale
        values = np.clip(relaxed.multipliers, -highest, highest).astype(np.int64)
        used = np.flatnonzero(relaxed.weights)
        cuts = tuple(np.flatnonzero(program.cuts[i]) for i in used)
        return self._duals(values, cuts, np.minimum(relaxed.weights[used], highest))

    def _list_unpaid(self, duals: Duals) -> tuple[Columns, bool]:
        """List the edges with a negative reduced cost, or some if they are too many; say whether these are all."""
        limit = -1
        while (edges := self.list_edges(duals, limit)) is None:
            limit = min(2 * limit, -duals.scale // 8)
        return edges, limit == -1

    def list_below(self, duals: Duals, ceiling: int, most: int | None = None) -> tuple[Columns, int]:
        """List the edges of all matchings below a ceiling, or below the highest at which they are not too many."""
        limit = (ceiling - 1) * duals.scale - duals.total
        while limit >= 0 and not self.stop():
            if (edges := self.list_edges(duals, limit, most)) is not None:
                return edges, min(ceiling, duals.bound_above(limit))
            limit = limit * 3 // 4 if limit else -1
        return Columns.none(), duals.bound

    def list_edges(self, duals: Duals, limit: int, most: int | None = None) -> Columns | None:
        """List every edge whose reduced cost is at most a limit; None if they may be too many."""
        edges = self.vertices.list_edges(self.pricing, duals.most(), limit, most or PARAMS.max_edges)
        return None if edges is None else edges.picked(np.flatnonzero(duals.reduced_costs(edges) <= limit))


def _cost(partition: Partition) -> int:
    return partition.cost
