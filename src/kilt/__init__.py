"""kilt: release microdata with the fewest cells hidden, and prove it."""

from kilt.anonymize import anonymize
from kilt.bound import LowerBound, bound
from kilt.certificate import Certificate
from kilt.check import Check, check
from kilt.compare import Compared, compare
from kilt.errors import InfeasibleError, InputError, KiltError, VerificationError
from kilt.frontier import Point, frontier
from kilt.ladders import Characters, Prefix, Suppression, Taxonomic
from kilt.policy import KAnonymity, LDiversity, Policy, TCloseness
from kilt.release import Group, Release
from kilt.spaces import EqualDistance, Metric, Numeric, Ordered, Tree
from kilt.taxonomy import Taxonomy
from kilt.verify import Verdict, verify
from kilt.version import NUMBER

__version__ = NUMBER

__all__ = [
    "Certificate",
    "Characters",
    "Check",
    "Compared",
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
    "check",
    "compare",
    "frontier",
    "verify",
]
