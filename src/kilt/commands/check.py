"""The command ``check``: whether a certificate proves its bound for an original, and its stars for a release."""

from __future__ import annotations

from os import PathLike
from typing import Any

from kilt.certificates.certificate import Certificate
from kilt.certificates.check import CertificateCheck, check_certificate
from kilt.sources.registry import open_source


def check(
    certificate: Certificate | str | PathLike[str], *, original: Any, release: Any = None, delimiter: str | None = None
) -> CertificateCheck:
    """Say whether a certificate proves its bound for this original, and its stars for this release.

    Everything is computed again from the cells of the original, in integers.
    """
    given = certificate if isinstance(certificate, Certificate) else Certificate.read(certificate)
    source = open_source(original, delimiter)
    return check_certificate(given, source, None if release is None else open_source(release, delimiter, source))
