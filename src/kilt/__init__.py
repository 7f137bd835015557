"""kilt: release microdata with the fewest cells hidden, and prove it."""

from __future__ import annotations

from importlib import import_module

from kilt.version import NUMBER

TYPE_CHECKING = False  # that of typing, without the milliseconds that it takes to load
if TYPE_CHECKING:
    from typing import Any

    from kilt.certificates.certificate import Certificate
    from kilt.certificates.check import CertificateCheck
    from kilt.commands.anonymize import anonymize
    from kilt.commands.bound import LowerBound, bound
    from kilt.commands.check import check
    from kilt.commands.compare import SolverResult, compare
    from kilt.commands.frontier import FrontierPoint, frontier
    from kilt.commands.inspect import inspect
    from kilt.commands.ladder import LadderPreview, ladder
    from kilt.commands.report import write_report
    from kilt.commands.verify import verify
    from kilt.errors import InfeasibleError, InputError, KiltError, StrictError, VerificationError
    from kilt.inspection.profile import ColumnProfile, Profile
    from kilt.model.ladders import Bands, Characters, Dates, EqualGroups, Limited, Prefix, Right, Suppression, Taxonomic
    from kilt.model.policy import AverageCloseness, KAnonymity, LDiversity, Policy, TCloseness
    from kilt.model.spaces import EqualDistance, Metric, Numeric, Ordered, Tree
    from kilt.model.taxonomy import Taxonomy
    from kilt.release.release import Group, Release
    from kilt.report.data.model import Report
    from kilt.sources.counted_table import TableDescription
    from kilt.verification.verdict import Verdict

__version__ = NUMBER

_PLACES = {  # where the public names are: each module is loaded when a name of it is first used
    "kilt.certificates.certificate": ("Certificate",),
    "kilt.certificates.check": ("CertificateCheck",),
    "kilt.commands.anonymize": ("anonymize",),
    "kilt.commands.bound": ("LowerBound", "bound"),
    "kilt.commands.check": ("check",),
    "kilt.commands.compare": ("SolverResult", "compare"),
    "kilt.commands.frontier": ("FrontierPoint", "frontier"),
    "kilt.commands.inspect": ("inspect",),
    "kilt.commands.ladder": ("LadderPreview", "ladder"),
    "kilt.commands.report": ("write_report",),
    "kilt.commands.verify": ("verify",),
    "kilt.errors": ("InfeasibleError", "InputError", "KiltError", "StrictError", "VerificationError"),
    "kilt.inspection.profile": ("ColumnProfile", "Profile"),
    "kilt.model.ladders": (
        "Bands",
        "Characters",
        "Dates",
        "EqualGroups",
        "Limited",
        "Prefix",
        "Right",
        "Suppression",
        "Taxonomic",
    ),
    "kilt.model.policy": ("AverageCloseness", "KAnonymity", "LDiversity", "Policy", "TCloseness"),
    "kilt.model.spaces": ("EqualDistance", "Metric", "Numeric", "Ordered", "Tree"),
    "kilt.model.taxonomy": ("Taxonomy",),
    "kilt.release.release": ("Group", "Release"),
    "kilt.report.data.model": ("Report",),
    "kilt.sources.counted_table": ("TableDescription",),
    "kilt.verification.verdict": ("Verdict",),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}
_RENAMED = {"Check": "CertificateCheck", "Compared": "SolverResult", "Point": "FrontierPoint"}

__all__ = [
    "AverageCloseness",
    "Bands",
    "Certificate",
    "CertificateCheck",
    "Characters",
    "ColumnProfile",
    "Dates",
    "EqualDistance",
    "EqualGroups",
    "FrontierPoint",
    "Group",
    "InfeasibleError",
    "InputError",
    "KAnonymity",
    "KiltError",
    "LDiversity",
    "LadderPreview",
    "Limited",
    "LowerBound",
    "Metric",
    "Numeric",
    "Ordered",
    "Policy",
    "Prefix",
    "Profile",
    "Release",
    "Report",
    "Right",
    "SolverResult",
    "StrictError",
    "Suppression",
    "TCloseness",
    "TableDescription",
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
    "inspect",
    "ladder",
    "verify",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used; a name that was changed still works, with a warning."""
    if name in _RENAMED:
        from kilt.deprecation import warn_renamed  # noqa: PLC0415 - only where an old name is used

        warn_renamed(f"kilt.{name}", f"kilt.{_RENAMED[name]}")
        return __getattr__(_RENAMED[name])
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'kilt' has no attribute '{name}'")
    found = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
