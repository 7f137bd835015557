"""Making a report: everything that it says is computed here, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kilt.certificates.proof.evidence import gap_of, status_of
from kilt.errors import InputError
from kilt.numbers import bound_number, json_number
from kilt.report.data.associations import associations_of
from kilt.report.data.columns import can_blur, columns_of, ladder_name, space_name, top_stars
from kilt.report.data.command import command_text
from kilt.report.data.digest import digest_of, new_salt, read_salt
from kilt.report.data.groups import closeness_of, risk_of, sizes_of, utility_of
from kilt.report.data.losers import by_of, lost_rows_of
from kilt.report.data.model import DETAILS, Detail, Report, ReportPoint, ReportQuality, ReportReproduction
from kilt.report.data.subject import Subject
from kilt.report.data.words import policy_of
from kilt.version import NUMBER


def require_detail(detail: str) -> Detail:
    """Return how much a report tells, or raise if there is no such word."""
    for known in DETAILS:
        if detail == known:
            return known
    raise InputError(f"'detail' must be public or internal, not '{detail}'")


def report_on(subject: Subject, by: Sequence[str] = (), detail: str = "public", salt: str | None = None) -> Report:
    """Compute a report; a public one leaves out what only the owner of the table should read."""
    chosen = require_detail(detail)
    sizes = subject.tally.sizes
    report = Report(
        detail=chosen,
        rows=subject.verdict.rows,
        groups=subject.verdict.groups,
        fewest=subject.fewest,
        policy=policy_of(subject.policy, subject.verdict),
        quality=_quality(subject),
        columns=columns_of(subject),
        lost_rows=lost_rows_of(subject),
        by=by_of(subject, by),
        sizes=sizes_of(sizes),
        sizes_before=sizes_of(subject.sizes_before),
        closeness=closeness_of(subject),
        risk_before=risk_of(subject.sizes_before, subject.fewest),
        risk_after=risk_of(sizes, subject.fewest),
        utility_before=utility_of(subject.sizes_before),
        utility_after=utility_of(sizes),
        associations=associations_of(subject),
        progress=_progress(subject),
        reproduction=_reproduction(subject, new_salt() if salt is None else read_salt(salt), chosen),
        warnings=subject.run.warnings,
        notes=subject.run.notes,
    )
    return report if chosen == "internal" else _published(report)


def _published(report: Report) -> Report:
    """Return what everybody may read of a report."""
    return replace(
        report,
        sizes_before=None,
        closeness=tuple(replace(column, pattern=None) for column in report.closeness),
        reproduction=replace(report.reproduction, dropped=None, salt=None),
    )


def _command(subject: Subject, *, name_dropped: bool) -> str:
    return command_text(subject.roles, subject.policy, subject.run.settings, name_dropped=name_dropped)


def _quality(subject: Subject) -> ReportQuality:
    run, stars, rows = subject.run, subject.fidelity.stars, subject.verdict.rows
    domains = {name: subject.before.domain(index, name) for index, name in enumerate(subject.roles.quasi)}
    most = rows * sum((top_stars(ladder, domains[n]) for n, ladder in subject.roles.quasi.items()), Fraction(0))
    return ReportQuality(
        stars=json_number(stars, up=True),
        bound=None if run.bound is None else bound_number(run.bound, stars),
        gap=None if run.bound is None else float(gap_of(stars, run.bound, run.least)),
        status=None if run.bound is None else status_of(stars, run.bound, run.proof),
        proof=None if run.bound is None else run.proof,
        least=json_number(run.least),
        most=json_number(most),
        lost=float(stars / most) if most else 0.0,
        must_be_lost=None if run.bound is None else float(run.bound / most) if most else 0.0,
        cells=subject.fidelity.cells,
        all_cells=rows * len(subject.roles.quasi),
        blurs=any(can_blur(ladder, domains[name]) for name, ladder in subject.roles.quasi.items()),
        measure=subject.roles.measure.name,
        guarantee=run.guarantee,
    )


def _progress(subject: Subject) -> tuple[ReportPoint, ...]:
    return tuple(
        ReportPoint(
            round(moment.seconds, 3),
            None if moment.stars is None else json_number(moment.stars, up=True),
            None if moment.bound is None else json_number(moment.bound),
        )
        for moment in subject.run.moments
    )


def _reproduction(subject: Subject, salt: str, detail: Detail) -> ReportReproduction:
    run, roles = subject.run, subject.roles
    return ReportReproduction(
        version=NUMBER,
        command=_command(subject, name_dropped=detail == "internal"),
        solver=run.solver,
        seed=int(run.settings["seed"]) if "seed" in run.settings else None,
        seconds=None if run.seconds is None else round(run.seconds, 3),
        quasi=tuple((name, ladder_name(ladder)) for name, ladder in roles.quasi.items()),
        sensitive=tuple((name, space_name(space)) for name, space in roles.sensitive.items()),
        dropped=roles.identifier,
        digest=digest_of(subject.before, salt),
        salt=salt,
    )
