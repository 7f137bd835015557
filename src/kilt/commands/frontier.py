"""The command ``frontier``: stars and bounds over a range of policies, so that a board can choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from kilt.certificates.proof.evidence import Arithmetic, Status, status_of
from kilt.errors import InfeasibleError, InputError
from kilt.model.marks import MarkSpec
from kilt.model.policy import Policy
from kilt.model.roles import Spec
from kilt.numbers import Number, decimal_text, json_number, rational
from kilt.report.text import figures_text
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import StoppingRule, never, require_seed
from kilt.solvers.base import Solver
from kilt.solvers.solve import solve
from kilt.sources.counted_table import CountedTable, TableDescription, require_mark

Range = Number | str | Sequence[Number] | None
MOST_POLICIES = 200
SECONDS = 10


@dataclass(frozen=True)
class FrontierPoint:
    """One policy: the stars of the best release found and the bound, or why there is none."""

    policy: Policy
    exact_stars: Fraction | None = None
    exact_bound: Fraction | None = None
    infeasible: str | None = None
    proof: Arithmetic = "exact"

    @property
    def status(self) -> Status | None:
        """What the bound proves of the best release; None if there is none."""
        return None if self.exact_stars is None else status_of(self.exact_stars, self.exact_bound, self.proof)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "policy": str(self.policy),
            "stars": None if self.exact_stars is None else json_number(self.exact_stars, up=True),
            "bound": None if self.exact_bound is None else json_number(self.exact_bound),
            "status": self.status,
            "proof": None if self.exact_bound is None else self.proof,
            "infeasible": self.infeasible,
        }


def frontier(
    data: Any,
    *,
    quasi: Spec = None,
    sensitive: Spec = None,
    identifier: Spec = None,
    weights: Spec = None,
    k: Range = None,
    l: Range = None,
    t: Range = None,
    average_t: Range = None,
    diversity: str = "frequency",
    solver: str | Solver = "auto",
    time: Number | None = None,
    seed: int = 0,
    mark: MarkSpec = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    observer: Observer = silent,
    interrupted: Callable[[], bool] = never,
) -> list[FrontierPoint]:
    """Solve the table under every combination of the given k, l, t and average_t.

    Each is a number, a list of numbers, or text such as ``2,5,10`` or ``0.1:0.5`` (in steps of 0.1; ``0.1:0.5:0.05``
    in steps of 0.05). ``time`` is for each policy, 10 seconds if it is not given. The release itself is not made:
    ``kilt.anonymize`` does that.
    """
    given_ranges = {"k": k, "l": l, "t": t, "average_t": average_t}
    ranges = [_numbers(name, given_range) for name, given_range in given_ranges.items()]
    combinations = list(product(*ranges))
    if len(combinations) > MOST_POLICIES:
        raise InputError(f"these are {len(combinations):,} policies; {MOST_POLICIES} are the most at a time")
    policies = [Policy(**dict(zip(given_ranges, each, strict=True)), diversity=diversity) for each in combinations]
    given = TableDescription.of(
        data,
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        weights=weights,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        sheet=sheet,
    )
    observer(Progress("reading"))
    table = given.count(policies[0])
    require_mark(table, mark)
    points = []
    for policy in policies:
        if interrupted():
            break
        observer(Progress(f"{policy}"))
        stop = StoppingRule.of(SECONDS if time is None else time, None, interrupted)
        points.append(_point(table.under(policy), solver, stop, observer, require_seed(seed)))
    return points


def _point(
    table: CountedTable, solver: str | Solver, stop: StoppingRule, observer: Observer, seed: int
) -> FrontierPoint:
    """Solve the table under its policy."""
    try:
        problem = table.problem
    except InfeasibleError as error:
        return FrontierPoint(table.policy, infeasible=str(error))
    solution = solve(problem, solver, stop, observer, seed=seed)
    stars, bound = problem.stars(solution.cost), solution.bound
    if bound is None:
        return FrontierPoint(table.policy, stars)
    return FrontierPoint(table.policy, stars, problem.stars(bound.cost), proof=bound.arithmetic)


def _numbers(name: str, given: Range) -> list[Number | None]:
    """Read one number, several, or a range."""
    if given is None:
        return [None]
    if isinstance(given, Sequence) and not isinstance(given, str):
        return list(given)
    found: list[Number | None] = []
    for part in str(given).split(","):
        found += _range(name, part.strip()) if ":" in part else [part.strip()]
    return found


def _range(name: str, text: str) -> list[Number | None]:
    default = "0.1" if name in ("t", "average_t") else "1"
    try:
        low, high, step = (rational(part) for part in (*text.split(":"), default)[:3])
    except (ValueError, ZeroDivisionError):
        raise InputError(f"'{name}' must be a number, a list such as 2,5,10 or a range such as 0.1:0.5") from None
    if step <= 0 or high < low:
        raise InputError(f"'{name}' must go up from the first number of a range to the second")
    return [low + step * i for i in range(int((high - low) / step) + 1)]


def frontier_text(points: Sequence[FrontierPoint]) -> str:
    """Show the points as a table."""
    rows = [("policy", "stars", "bound", "gap")]
    for point in points:
        if point.exact_stars is None:
            rows.append((str(point.policy), "cannot be met", "", ""))
            continue
        stars, bound = point.exact_stars, point.exact_bound or Fraction(0)
        gap = decimal_text(100 * (stars - bound) / stars, 1, up=True) if stars else "0"
        shown = (f"{json_number(stars, up=True):,}", f"{json_number(bound):,}")
        rows.append((str(point.policy), *shown, f"{gap}%" if point.status == "feasible" else f"{point.status}"))
    return "\n".join(figures_text(rows))
