"""Hard tables: the reductions by which the paper proves that anonymization is NP-hard, with maps both ways.

A source is a question about a graph or about tuples; a reduction turns it into a table with a policy, and turns
partitions of the table back into solutions of the source. The fewest stars are known if the source's optimum is.
"""

from kilt.hardness.bisection import BisectionToAnonymity
from kilt.hardness.clique import CliqueToHalfClique, HalfCliqueToAnonymity, LargerHalfClique
from kilt.hardness.closeness import AnonymityToCloseness
from kilt.hardness.files import graph_text, matching_text, read_graph, read_matching
from kilt.hardness.fraction import HalfToFraction
from kilt.hardness.graphs import Bisection, Clique, Graph, HalfClique
from kilt.hardness.instance import Answer, Groups, Instance, Table
from kilt.hardness.matching import MatchingToCloseness, MatchingToFourPoints
from kilt.hardness.output import read_release, write_instance
from kilt.hardness.planted import (
    planted_bisection,
    planted_clique,
    planted_matching,
    random_graph,
    random_matching,
)
from kilt.hardness.question import Claim, Goal, Question
from kilt.hardness.reduction import Reduction
from kilt.hardness.theorem import kind_for, to_anonymity, to_closeness
from kilt.hardness.triples import Matching

__all__ = [
    "AnonymityToCloseness",
    "Answer",
    "Bisection",
    "BisectionToAnonymity",
    "Claim",
    "Clique",
    "CliqueToHalfClique",
    "Goal",
    "Graph",
    "Groups",
    "HalfClique",
    "HalfCliqueToAnonymity",
    "HalfToFraction",
    "Instance",
    "LargerHalfClique",
    "Matching",
    "MatchingToCloseness",
    "MatchingToFourPoints",
    "Question",
    "Reduction",
    "Table",
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
