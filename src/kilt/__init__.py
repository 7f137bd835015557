"""kilt: release microdata with the fewest cells hidden, and prove it."""

from kilt.certificates.certificate import Certificate
from kilt.certificates.check import Check, check
from kilt.commands.anonymize import anonymize
from kilt.commands.bound import LowerBound, bound
from kilt.commands.compare import Compared, compare
from kilt.commands.frontier import Point, frontier
from kilt.errors import InfeasibleError, InputError, KiltError, VerificationError
from kilt.model.ladders import Characters, Prefix, Suppression, Taxonomic
from kilt.model.policy import KAnonymity, LDiversity, Policy, TCloseness
from kilt.model.spaces import EqualDistance, Metric, Numeric, Ordered, Tree
from kilt.model.taxonomy import Taxonomy
from kilt.release.release import Group, Release
from kilt.verification.verifier import Verdict, verify
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
