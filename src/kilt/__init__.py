"""kilt: release microdata with the fewest cells hidden, and prove it."""

from kilt.anonymize import anonymize
from kilt.bound import LowerBound, bound
from kilt.errors import InfeasibleError, InputError, KiltError, VerificationError
from kilt.frontier import Point, frontier
from kilt.ladders import Characters, Prefix, Suppression, Taxonomic
from kilt.policy import KAnonymity, LDiversity, Policy, TCloseness
from kilt.release import Group, Release
from kilt.spaces import EqualDistance, Metric, Numeric, Ordered, Tree
from kilt.taxonomy import Taxonomy
from kilt.verify import Verdict, verify

__version__ = "0.1.0"

__all__ = [
    "Characters",
    "EqualDistance",
    "Group",
    "InfeasibleError",
    "InputError",
    "KAnonymity",
    "KiltError",
    "LDiversity",
    "LowerBound",
    "Metric",
    "Numeric",
    "Ordered",
    "Point",
    "Policy",
    "Prefix",
    "Release",
    "Suppression",
    "TCloseness",
    "Taxonomic",
    "Taxonomy",
    "Tree",
    "Verdict",
    "VerificationError",
    "__version__",
    "anonymize",
    "bound",
    "frontier",
    "verify",
]
