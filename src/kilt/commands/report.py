"""The command ``report``: a report on a release that was made before."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from kilt.certificates.certificate import Certificate
from kilt.certificates.check import reasons_refused
from kilt.commands.verify import open_beside
from kilt.errors import InputError
from kilt.model.marks import MarkSpec
from kilt.model.measure import Measure
from kilt.model.policy import Policy
from kilt.model.roles import Spec
from kilt.report.data.model import Report
from kilt.report.data.subject import RunFacts, Subject
from kilt.report.page.request import ReportRequest
from kilt.run.progress import Observer, Progress, silent
from kilt.sources.file_format import FileStyle
from kilt.verification.verifier import judge


def write_report(
    release: Any,
    output: str | PathLike[str] | None = None,
    *,
    original: Any,
    quasi: Spec,
    sensitive: Spec = None,
    identifier: Spec = None,
    policy: Policy | None = None,
    mark: MarkSpec = None,
    weights: Spec = None,
    measure: Measure | str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    shuffled: bool = False,
    escape_formulas: bool = False,
    certificate: str | PathLike[str] | None = None,
    by: Spec = None,
    detail: str = "public",
    salt: str | None = None,
    frontier: Any = None,
    observer: Observer = silent,
) -> Report:
    """Report on a release beside its original, and write it if ``output`` names a file (.html or .json).

    The release is verified again, as by ``kilt.verify``, whose arguments it takes. Its bound is that of the
    ``certificate``, if there is one that proves it for this original and this policy. ``by``, ``detail``, ``salt``
    and ``frontier`` are those of ``Release.report``.
    """
    others = {"release": release, "original": original, "certificate": certificate}
    request = ReportRequest.of(output, by, detail, salt, frontier, **others)
    style = FileStyle(delimiter, encoding, sheet=sheet, escape_formulas=escape_formulas)
    given = (quasi, sensitive, identifier, mark, weights, measure, decimal)
    pair = open_beside(release, original, style, *given, observer=observer)
    request.require_columns(pair.original.columns, pair.roles)
    asked = policy or Policy()
    observer(Progress("verifying"))
    verdict = judge(pair.released, pair.roles, asked, pair.original, pair.marks, shuffled=shuffled)
    subject = Subject(pair.released, pair.original, pair.roles, asked, pair.marks, verdict)
    if certificate is not None and Path(certificate).exists():
        observer(Progress("certifying"))
        subject = replace(subject, run=_proved(subject, certificate))
    observer(Progress("reporting"))
    return request.write(subject)


def _proved(subject: Subject, path: str | PathLike[str]) -> RunFacts:
    """Return the bound of a certificate, or raise unless it proves it for this table and this policy."""
    certificate = Certificate.read(path)
    if str(certificate.policy) != str(subject.policy) or set(certificate.quasi) != set(subject.roles.quasi):
        raise InputError(f"the certificate '{path}' is about another policy or other columns: leave it out")
    problems = reasons_refused(certificate, subject.original)
    if problems:
        raise InputError(f"the certificate '{path}' proves nothing here: {'; '.join(problems)}")
    return RunFacts(bound=certificate.bound)
