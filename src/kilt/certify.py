"""Making a certificate: nothing is written that the independent check has not accepted."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from kilt import version
from kilt.case import Case
from kilt.certificate import Certificate
from kilt.check import refusal
from kilt.errors import VerificationError
from kilt.ladders import Mark
from kilt.sources.target import put

if TYPE_CHECKING:
    from kilt.bounds.engine import Bound


def certified(
    case: Case, bound: Bound, stars: Fraction | None = None, marks: Mapping[str, Mark] | None = None
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
        version=version.NUMBER,
    ).sealed(case.types)
    problems = refusal(certificate, case.source)
    if problems:
        raise VerificationError(f"the certificate was refused, nothing was written: {'; '.join(problems)}")
    return certificate


def put_certificate(path: str | PathLike[str], certificate: Certificate) -> None:
    """Write a certificate, compressed if its name says so."""
    put(Path(path), certificate.encoded(compressed=str(path).lower().endswith(".gz")))
