"""What was asked for: a report of some detail, at some place, checked before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from kilt.model.roles import Roles, Spec, words
from kilt.report.data.build import report_on, require_detail
from kilt.report.data.digest import new_salt, read_salt
from kilt.report.data.frontier import read_frontier, require_same_table
from kilt.report.data.losers import require_by
from kilt.report.data.model import Detail, Report, ReportFrontierPoint
from kilt.report.data.subject import Subject
from kilt.report.page.write import require_report_place, staged_report
from kilt.run.progress import Observer, Progress


@dataclass(frozen=True)
class ReportRequest:
    """Where to write a report (nowhere if there is no path), for which columns, and how much it tells."""

    path: str | PathLike[str] | None
    by: tuple[str, ...]
    detail: Detail
    salt: str | None
    frontier: tuple[ReportFrontierPoint, ...] = ()

    @classmethod
    def of(
        cls,
        path: str | PathLike[str] | None,
        by: Spec,
        detail: str,
        salt: str | None = None,
        frontier: Any = None,
        **others: Any,
    ) -> ReportRequest:
        """Read a request; the report must not be one of the other files."""
        if path is not None:
            named = frontier if isinstance(frontier, str | PathLike) else None
            require_report_place(path, **others, frontier=named)
        chosen = new_salt() if salt is None else read_salt(salt)
        return cls(path, tuple(map(str, words(by))), require_detail(detail), chosen, read_frontier(frontier))

    def require_columns(self, columns: Sequence[str], roles: Roles) -> None:
        """Raise if rows are to be compared by a column that is not released."""
        require_by(self.by, columns, roles)

    def report(self, subject: Subject) -> Report:
        """Make the report."""
        report = report_on(subject, self.by, self.detail, self.salt)
        require_same_table(self.frontier, report.policy.name, report.quality)
        return replace(report, frontier=self.frontier)

    def staged(self, subject: Callable[[], Subject], observer: Observer) -> AbstractContextManager[Callable[[], None]]:
        """Make the report and stage it; the function puts it in its place."""
        if self.path is not None:
            observer(Progress("reporting"))
        return staged_report(self.path, lambda: self.report(subject()))

    def write(self, subject: Subject) -> Report:
        """Make the report and write it, if it has a place."""
        report = self.report(subject)
        with staged_report(self.path, lambda: report) as put:
            put()
        return report
