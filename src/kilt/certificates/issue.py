"""Making a certificate: nothing is written that the independent check has not accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kilt import version
from kilt.certificates.certificate import Certificate
from kilt.certificates.check import refusal
from kilt.errors import InputError, VerificationError
from kilt.model.ladders import Mark
from kilt.release.writer import require_writable, staged
from kilt.sources.counted_table import Case

if TYPE_CHECKING:
    from kilt.bounds.lagrangian import Bound


def certified(
    case: Case,
    bound: Bound,
    stars: Fraction | None = None,
    marks: Mapping[str, Mark] | None = None,
    *,
    shuffled: bool = False,
) -> Certificate:
    """Put a bound and its proof into a certificate, and check it against the original."""
    problem = case.problem()
    certificate = Certificate(
        policy=case.policy,
        quasi=case.roles.quasi,
        sensitive={name: case.roles.sensitive[name] for name in case.spoken},
        rows=problem.rows,
        row_types=len(problem.counts),
        parts=bound.parts,
        bound=problem.stars(bound.cost),
        stars=stars,
        identifier=case.roles.identifier,
        marks=marks or {},
        shuffled=shuffled,
        version=version.NUMBER,
    ).sealed(case.types)
    problems = refusal(certificate, case.source)
    if problems:
        raise VerificationError(f"the certificate was refused, nothing was written: {'; '.join(problems)}")
    return certificate


def require_place(path: str | PathLike[str], **others: Any) -> None:
    """Raise unless a certificate can be written there, before any work is done."""
    if str(path).lower().endswith(".zst"):
        raise InputError(f"the certificate '{path}' can be compressed by .gz only")
    require_writable(Path(path), "certificate", **others)


def staged_certificate(
    path: str | PathLike[str] | None, certificate: Certificate | None
) -> AbstractContextManager[Callable[[], None]]:
    """Write a certificate beside its place, compressed if its name says so; the function puts it there."""
    if path is None or certificate is None:
        return nullcontext(lambda: None)
    return staged(Path(path), certificate.encoded(compressed=str(path).lower().endswith(".gz")))
