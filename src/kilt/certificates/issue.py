"""Issuing certificates: nothing is written that the independent check has not accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from kilt.certificates.certificate import Certificate
from kilt.certificates.check import reasons_refused
from kilt.certificates.proof.evidence import Bound
from kilt.certificates.serialize import ladder_plain, policy_plain, space_plain
from kilt.errors import InputError, VerificationError
from kilt.model.marks import ColumnMark
from kilt.sources.counted_table import CountedTable
from kilt.staging import require_writable, staged_bytes
from kilt.version import NUMBER


def issue_certificate(
    table: CountedTable,
    bound: Bound,
    stars: Fraction | None = None,
    marks: Mapping[str, ColumnMark] | None = None,
    *,
    shuffled: bool = False,
) -> Certificate:
    """Put a bound and its proof into a certificate, and check it against the original."""
    problem = table.problem
    certificate = Certificate(
        policy=table.policy,
        quasi=table.roles.quasi,
        measure=table.roles.measure,
        sensitive={name: table.roles.sensitive[name] for name in table.policy_columns},
        rows=problem.rows,
        row_types=len(table.types.counts),
        parts=bound.parts,
        bound=problem.stars(bound.cost),
        stars=stars,
        identifier=table.roles.identifier,
        marks=marks or {},
        shuffled=shuffled,
        version=NUMBER,
    ).sealed(table.types)
    problems = reasons_refused(certificate, table.source)
    if problems:
        raise VerificationError(f"the certificate was refused, nothing was written: {'; '.join(problems)}")
    return certificate


def require_describable(table: CountedTable) -> None:
    """Raise, before any work is done, if a certificate cannot describe a ladder or a space of the table."""
    for ladder in table.roles.quasi.values():
        ladder_plain(ladder)
    for name in table.policy_columns:
        space_plain(table.roles.sensitive[name])
    policy_plain(table.policy)


def require_place(path: str | PathLike[str], **others: Any) -> None:
    """Raise unless a certificate can be written there, before any work is done."""
    if str(path).lower().endswith(".zst"):
        raise InputError(f"the certificate '{path}' can only be compressed with .gz")
    require_writable(Path(path), "certificate", **others)


def staged_certificate(
    path: str | PathLike[str] | None, certificate: Certificate | None
) -> AbstractContextManager[Callable[[], None]]:
    """Write a certificate to a staging file, compressed if its name says so; the function puts it in place."""
    if path is None or certificate is None:
        return nullcontext(lambda: None)
    return staged_bytes(Path(path), certificate.encoded(compressed=str(path).lower().endswith(".gz")))
