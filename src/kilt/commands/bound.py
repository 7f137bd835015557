"""The command ``bound``: a proven lower bound on the stars of any release, without making one."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import Any, Unpack

from kilt.certificates.issue import issue_certificate, require_describable, require_place, staged_certificate
from kilt.commands.counting import read_and_count
from kilt.errors import printable
from kilt.model.marks import MarkSpec
from kilt.model.policy import Policy
from kilt.numbers import Number, bound_percent, json_number
from kilt.report.text import by_least_levels
from kilt.run.progress import Observer, Progress, Task, on_task, silent
from kilt.run.stopping import StoppingRule, never
from kilt.sources.counted_table import TableDescription, TableSettings, require_mark, takes_table


@dataclass(frozen=True, repr=False)
class LowerBound:
    """No release under the policy can have fewer than ``stars``; proved in exact arithmetic.

    The least levels of ladders cost ``exact_least`` of them in every release. ``blurs`` says whether cells may be
    blurred in steps, and ``counts_cells`` whether stars count cells.
    """

    policy: Policy
    rows: int
    exact_stars: Fraction
    most_stars: Fraction
    seconds: float
    exact_least: Fraction = Fraction(0)
    blurs: bool = False
    counts_cells: bool = False

    @property
    def stars(self) -> int | float:
        """The bound in stars, rounded down."""
        return json_number(self.exact_stars)

    def summary(self) -> str:
        """Say it in a sentence."""
        share, least = self._share(self.exact_stars), self._share(self.exact_least)
        whole = "quasi cells" if self.counts_cells else "detail"
        can = f"can have fewer than {self.stars:,} stars ({bound_percent(share)} of the {whole})"
        if self.blurs:
            can = f"can lose less than {bound_percent(share)} of the detail{by_least_levels(least)}"
        return printable(f"no release of these {self.rows:,} rows under {self.policy} {can}, {self.seconds:.1f} s")

    def _share(self, stars: Fraction) -> Fraction:
        """Return stars as a share of what it costs to hide everything."""
        return stars / self.most_stars if self.most_stars else Fraction(0)

    def __repr__(self) -> str:
        return f"LowerBound({self.stars:,} stars, {self.rows:,} rows, {self.policy})"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "policy": str(self.policy),
            "rows": self.rows,
            "bound": self.stars,
            "least": json_number(self.exact_least),
            "most_stars": json_number(self.most_stars),
            "proof": "exact",
            "seconds": round(self.seconds, 3),
        }


@takes_table
def bound(
    data: Any,
    *,
    policy: Policy,
    time: Number | None = None,
    mark: MarkSpec = None,
    certificate: str | PathLike[str] | None = None,
    observer: Observer = silent,
    interrupted: Callable[[], bool] = never,
    **said: Unpack[TableSettings],
) -> LowerBound:
    """Find a proven lower bound on the stars of any release of a table that meets a policy.

    The arguments are those of ``kilt.anonymize``. More ``time`` gives a higher bound, up to a point. With
    ``certificate`` the proof is written to a file.
    """
    from kilt.bounds.lagrangian import lower_bound  # noqa: PLC0415 - small tables do without it
    from kilt.certificates.proof.evaluate import as_proved  # noqa: PLC0415 - only for a certificate

    stop = StoppingRule.of(time, None, interrupted)
    given = TableDescription.of(data, **said)
    if certificate is not None:
        require_place(certificate, input=given.data)
    table = read_and_count(given, policy, observer)
    if certificate is not None:
        require_describable(table)
    require_mark(table, mark)
    problem = table.problem
    observer = on_task(observer, Task(problem.rows, stop.deadline, problem.stars(problem.base_cost)))
    found = lower_bound(problem, stop, observer)
    if certificate is not None:
        observer(Progress("certifying", bound=problem.stars(found.cost)))
        found = as_proved(problem, found)
        with staged_certificate(certificate, issue_certificate(table, found)) as put:
            put()
    return LowerBound(
        policy=policy,
        rows=problem.rows,
        exact_stars=problem.stars(found.cost),
        most_stars=table.most_stars,
        seconds=clock.monotonic() - stop.started,
        exact_least=problem.stars(problem.base_cost),
        blurs=table.blurs,
        counts_cells=table.counts_cells,
    )
