"""Vertices: what pairs and triples are to contain once each, or as often as there are copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kilt.model.partition import Partition
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.solvers.exact.column_generation.columns import Columns
from kilt.solvers.exact.column_generation.pricing import Pricing


class Vertices(Protocol):
    """The copies of row types that may be in edges, and the edges between them."""

    @property
    def type_of(self) -> IntArray:
        """The row type of each vertex."""

    @property
    def counts(self) -> IntArray:
        """How many copies each vertex stands for."""

    @property
    def cost_of_the_rest(self) -> int:
        """What those copies pay, in units, for which there is no vertex."""

    @property
    def unmixed(self) -> Columns:
        """The edges inside row types, all of which are listed."""

    def edges(self, groups: Columns) -> Columns:
        """Return the other edges that pairs and triples of row types stand for."""

    def list_edges(self, pricing: Pricing, values: IntArray, limit: int, most: int) -> Columns | None:
        """List all edges that cost at most a limit more than these numbers of their vertices, and perhaps others.

        ``values`` has so many of them to a unit of cost as the pricing; the result is None if the edges are too many.
        """

    def partition(self, edges: Columns) -> Partition:
        """Return the partition of the table that edges stand for that contain every vertex."""


@dataclass(frozen=True)
class EveryCopy:
    """Each row type is a vertex, with all of its copies."""

    problem: Problem

    @property
    def type_of(self) -> IntArray:
        """The row type of each vertex: itself."""
        return np.arange(len(self.problem.counts))

    @property
    def counts(self) -> IntArray:
        """How many copies there are."""
        return self.problem.counts

    @property
    def cost_of_the_rest(self) -> int:
        """Nothing is left."""
        return 0

    @property
    def unmixed(self) -> Columns:
        """No edges are told apart."""
        return Columns.none()

    def edges(self, groups: Columns) -> Columns:
        """Return the groups."""
        return groups

    def list_edges(self, pricing: Pricing, values: IntArray, limit: int, most: int) -> Columns | None:
        """List the groups up to a reduced cost."""
        return pricing.list_groups(values, limit, most)

    def partition(self, edges: Columns) -> Partition:
        """Return the partition into these groups."""
        return edges.partition(self.problem)
