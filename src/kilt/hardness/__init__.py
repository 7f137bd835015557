"""Hard tables: the reductions by which anonymization is proved NP-hard, in the paper and before, with maps both ways.

A source is a question about a graph or about tuples; a reduction turns it into a table with a policy, and turns
partitions of the table back into solutions of the source. The fewest stars are known if the source's optimum is.
"""

from typing import Any

from kilt.deprecation import warn_renamed
from kilt.hardness.instances.files import graph_text, matching_text, read_graph, read_matching
from kilt.hardness.instances.instance import Answer, Groups, Instance, Table
from kilt.hardness.instances.output import read_release, write_instance
from kilt.hardness.instances.planted import (
    planted_bisection,
    planted_clique,
    planted_matching,
    random_graph,
    random_matching,
)
from kilt.hardness.problems.covers import TupleCover
from kilt.hardness.problems.graphs import Bisection, Clique, Graph, HalfClique
from kilt.hardness.problems.problem import Goal, OptimaRelation, OptimizationProblem
from kilt.hardness.problems.set_cover import SetCover
from kilt.hardness.problems.triples import Matching
from kilt.hardness.reductions.bisection import BisectionToAnonymity
from kilt.hardness.reductions.clique import CliqueToHalfClique, HalfCliqueToAnonymity, LargerHalfClique
from kilt.hardness.reductions.closeness import AnonymityToCloseness
from kilt.hardness.reductions.cover import CoverToDiversity
from kilt.hardness.reductions.dimensions import MatchingToAnonymity, MatchingToDiversity
from kilt.hardness.reductions.fraction import HalfToFraction
from kilt.hardness.reductions.matching import MatchingToCloseness, MatchingToFourPoints
from kilt.hardness.reductions.reduction import Reduction
from kilt.hardness.reductions.set_cover import CoverToCloseness
from kilt.hardness.reductions.theorem import kind_for, to_anonymity, to_closeness

__all__ = [
    "AnonymityToCloseness",
    "Answer",
    "Bisection",
    "BisectionToAnonymity",
    "Clique",
    "CliqueToHalfClique",
    "CoverToCloseness",
    "CoverToDiversity",
    "Goal",
    "Graph",
    "Groups",
    "HalfClique",
    "HalfCliqueToAnonymity",
    "HalfToFraction",
    "Instance",
    "LargerHalfClique",
    "Matching",
    "MatchingToAnonymity",
    "MatchingToCloseness",
    "MatchingToDiversity",
    "MatchingToFourPoints",
    "OptimaRelation",
    "OptimizationProblem",
    "Reduction",
    "SetCover",
    "Table",
    "TupleCover",
    "graph_text",
    "kind_for",
    "matching_text",
    "planted_bisection",
    "planted_clique",
    "planted_matching",
    "random_graph",
    "random_matching",
    "read_graph",
    "read_matching",
    "read_release",
    "to_anonymity",
    "to_closeness",
    "write_instance",
]

_RENAMED = {"Question": "OptimizationProblem", "Claim": "OptimaRelation"}


def __getattr__(name: str) -> Any:
    """Hand out what was renamed, with a warning."""
    if name not in _RENAMED:
        raise AttributeError(f"module 'kilt.hardness' has no attribute '{name}'")
    warn_renamed(f"kilt.hardness.{name}", f"kilt.hardness.{_RENAMED[name]}")
    return globals()[_RENAMED[name]]
