"""A release: the table that may be published, with its stars, its bound and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from kilt.certificates.proof.evidence import Arithmetic, Status, gap_of, status_of
from kilt.model.plan import Plan
from kilt.model.policy import Policy
from kilt.model.roles import Spec
from kilt.numbers import IntArray, bound_number, decimal_text, json_number, pluralize
from kilt.release.claim import ReleaseClaim
from kilt.release.left import ColumnLeft
from kilt.run.recorder import Moment
from kilt.sources.base import Source
from kilt.sources.file_format import FileStyle
from kilt.sources.registry import open_writer
from kilt.verification.verdict import Verdict

if TYPE_CHECKING:
    from kilt.report.data.model import Report
    from kilt.report.data.subject import Subject
    from kilt.report.page.release_plots import ReleasePlots


def guarantee_text(factor: Fraction, proof: Arithmetic) -> str:
    """Say how many times the optimum something costs at most, and if that is proved in floating point alone."""
    text = "the optimum" if factor == 1 else f"at most {decimal_text(factor, 3, up=True)} times the optimum"
    return text if proof == "exact" else f"{text} (floating point)"


@dataclass(frozen=True)
class Group:
    """The rows released under one pattern: what the quasi columns show, and how many rows there are."""

    pattern: dict[str, str | None]
    size: int


@dataclass(frozen=True, repr=False)
class Release:
    """A verified release. ``stars`` is its cost, ``bound`` a proven lower bound under this policy.

    The least levels of ladders cost ``exact_least`` stars in every release; nothing, if all values may be shown.

    ``warnings`` are what to look at before publishing it; ``left`` has how much of each quasi column is left,
    ``blurs`` says whether cells may be blurred in steps, and ``counts_cells`` whether stars count cells. It took
    ``seconds`` in all, ``verifying_seconds`` of them after the search: to apply the plan, verify and write.
    ``settings`` are the options of the command that would search in the same way, and ``moments`` what became better
    when; ``report_salt`` belongs to the digest in the report.
    """

    policy: Policy
    solver: str
    seconds: float
    verifying_seconds: float
    verdict: Verdict
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    left: dict[str, ColumnLeft]
    blurs: bool
    counts_cells: bool
    exact_stars: Fraction
    exact_bound: Fraction | None
    proof: Arithmetic
    factor: Fraction | None
    factor_proof: Arithmetic
    most_stars: Fraction
    exact_least: Fraction
    released: Source
    claim: ReleaseClaim
    sizes: IntArray = field(compare=False)
    plan: Plan = field(compare=False)
    settings: Mapping[str, str] = field(default_factory=dict, compare=False)
    moments: tuple[Moment, ...] = field(default=(), compare=False)
    report_salt: str | None = field(default=None, compare=False)

    @property
    def frame(self) -> Any:
        """The released table, of the kind that was given (a DuckDB relation for a file)."""
        return self.released.native

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.verdict.rows

    @property
    def stars(self) -> int | float:
        """The cost: one for every suppressed cell, unless ladders or weights say otherwise."""
        return json_number(self.exact_stars, up=True)

    @property
    def bound(self) -> int | float | None:
        """A proven lower bound on the stars of any release that meets the policy; None if none is known."""
        return None if self.exact_bound is None else bound_number(self.exact_bound, self.exact_stars)

    @property
    def gap(self) -> float | None:
        """(stars - bound) / stars, both without what least levels cost everybody; None if no bound is known."""
        return None if self.exact_bound is None else float(gap_of(self.exact_stars, self.exact_bound, self.exact_least))

    @property
    def lost(self) -> Fraction:
        """The share of the detail that is lost: stars by what hiding everything would cost."""
        return self.exact_stars / self.most_stars if self.most_stars else Fraction(0)

    @property
    def must_be_lost(self) -> Fraction | None:
        """The share of the detail that every release under this policy must lose; None if no bound is known."""
        if self.exact_bound is None:
            return None
        return self.exact_bound / self.most_stars if self.most_stars else Fraction(0)

    @property
    def guarantee(self) -> str | None:
        """What the algorithm guarantees, as in ``at most 8 times the optimum``; None if it guarantees nothing."""
        return None if self.factor is None else guarantee_text(self.factor, self.factor_proof)

    @property
    def status(self) -> Status:
        """``optimal`` if the bound proves it, ``optimal (floating point)`` if only floats do, else ``feasible``."""
        return status_of(self.exact_stars, self.exact_bound, self.proof)

    @cached_property
    def groups(self) -> list[Group]:
        """The groups, in the order of their first row type."""
        columns: Sequence[list[str | None]] = [column.shown for column in self.plan.columns]
        names = [column.name for column in self.plan.columns]
        return [
            Group(dict(zip(names, pattern, strict=True)), int(size))
            for size, *pattern in zip(self.sizes.tolist(), *columns, strict=True)
        ]

    def write(self, path: str | PathLike[str], *, escape_formulas: bool = False) -> None:
        """Write the release to a file: verified from the file itself, and renamed into place at the end.

        With ``escape_formulas`` a CSV file has a quote before cells that a spreadsheet would take for formulas.
        """
        writer = open_writer(path, self.released, FileStyle(escape_formulas=escape_formulas))
        writer.require_free(self.claim.original, self.claim.marks)
        with writer.stage(self.released) as stage:
            self.claim.verify(stage.table)
            stage.publish()

    def report(
        self,
        path: str | PathLike[str] | None = None,
        *,
        by: Spec = None,
        detail: str = "public",
        salt: str | None = None,
        frontier: Any = None,
    ) -> Report:
        """Report on the release, and write it to a file if one is named: a page (.html) or its figures (.json).

        ``by`` names columns by whose values it says who lost how much. A ``public`` report may be published with the
        release, an ``internal`` one tells more. The ``salt`` of an earlier report gives the same digest.
        ``frontier`` is what ``kilt.frontier`` returned for this table, or a file with what the command printed as JSON.
        """
        from kilt.report.page.request import ReportRequest  # noqa: PLC0415 - only where a report is made

        request = ReportRequest.of(path, by, detail, salt, frontier, input=self.claim.original)
        request.require_columns(self.claim.original.columns, self.claim.roles)
        return request.write(self.report_subject())

    @cached_property
    def plot(self) -> ReleasePlots:
        """Pictures of the release for notebooks, as in ``release.plot.columns()``."""
        from kilt.report.page.release_plots import ReleasePlots  # noqa: PLC0415 - only where something is drawn

        return ReleasePlots(self.report())

    def report_subject(self) -> Subject:
        """Return what a report needs to know."""
        from kilt.report.data.subject import RunFacts, Subject  # noqa: PLC0415 - only where a report is made

        run = RunFacts(
            bound=self.exact_bound,
            proof=self.proof,
            least=self.exact_least,
            guarantee=self.guarantee,
            solver=self.solver,
            seconds=self.seconds - self.verifying_seconds,
            settings=self.settings,
            moments=self.moments,
            warnings=self.warnings,
            notes=self.notes,
        )
        claim = self.claim
        return Subject(self.released, claim.original, claim.roles, claim.policy, claim.marks, self.verdict, run)

    def summary(self) -> str:
        """Say in a few lines what was released."""
        from kilt.report.text import release_text  # noqa: PLC0415 - only where it is shown

        return release_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        return {
            "rows": self.rows,
            "groups": len(self.sizes),
            "stars": self.stars,
            "bound": self.bound,
            "least": json_number(self.exact_least),
            "gap": self.gap,
            "status": self.status,
            "proof": None if self.bound is None else self.proof,
            "guarantee": self.guarantee,
            "solver": self.solver,
            "seconds": round(self.seconds, 3),
            "verifying_seconds": round(self.verifying_seconds, 3),
            "policy": str(self.policy),
            "k": self.verdict.k,
            **{name: self.verdict.to_dict()[name] for name in ("l", "t", "average_t")},
            "left": {
                name: {"cells": json_number(column.cells), "detail": json_number(column.detail)}
                for name, column in self.left.items()
            },
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        bound = "no bound known" if self.bound is None else f"bound {self.bound:,}"
        return (
            f"Release({pluralize(self.rows, 'row')} in {pluralize(len(self.sizes), 'group')}, {self.stars:,} stars, "
            f"{bound}, {self.status}, {self.policy})"
        )

    def _repr_html_(self) -> str:
        from kilt.report.html import release_html  # noqa: PLC0415 - only where it is shown

        return release_html(self)
