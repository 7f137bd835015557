"""The command ``check``: whether a certificate proves its bound for an original, and its stars for a release."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

from kilt.certificates.certificate import Certificate
from kilt.certificates.check import CertificateCheck, check_certificate
from kilt.certificates.question import Demand
from kilt.errors import InputError
from kilt.model.measure import Measure
from kilt.model.policy import Policy
from kilt.model.roles import Roles, Spec
from kilt.run.progress import Observer, Progress, silent
from kilt.sources.base import beside_original
from kilt.sources.counted_table import read_decimals
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_source


def check(
    certificate: Certificate | str | PathLike[str],
    *,
    original: Any,
    release: Any = None,
    quasi: Spec = None,
    sensitive: Spec = None,
    identifier: Spec = None,
    weights: Spec = None,
    measure: Measure | str | None = None,
    policy: Policy | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    escape_formulas: bool = False,
    observer: Observer = silent,
) -> CertificateCheck:
    """Say whether a certificate proves its bound for this original, and its stars for this release.

    Everything is computed again from the cells of the original, in integers. The other arguments are those of
    ``kilt.anonymize``: what is given must be what the certificate is about.
    """
    given = certificate if isinstance(certificate, Certificate) else Certificate.read(certificate)
    style = FileStyle(delimiter, encoding, sheet=sheet)
    observer(Progress("reading the original"))
    source = open_source(original, style)
    if weights is not None and quasi is None:
        raise InputError("'weights' says what a star counts in a quasi column: give 'quasi' too")
    given_roles = (quasi, sensitive, identifier, weights, measure)
    roles = Roles.read(source.columns, *given_roles, encoding=encoding, partial=True)
    roles = read_decimals(roles, decimal, source)
    demand = Demand(
        policy=policy or None,
        quasi=None if quasi is None else roles.quasi,
        sensitive=None if sensitive is None else roles.sensitive,
        identifier=None if identifier is None else roles.identifier,
        measure=None if measure is None else roles.measure,
    )
    observer(Progress("reading"))
    written = replace(style, escape_formulas=escape_formulas)
    beside = None if release is None else beside_original(open_source(release, written, source), source)
    observer(Progress("certifying"))
    return check_certificate(given, source, beside, demand)
