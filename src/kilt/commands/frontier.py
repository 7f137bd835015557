"""The command ``frontier``: stars and bounds over a range of policies, so that a board can choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack

from kilt.certificates.proof.evidence import Arithmetic, Status, gap_of, status_of
from kilt.commands.carrying import Carrier, Known
from kilt.commands.counting import read_and_count
from kilt.commands.policy_ranges import Range, read_policies
from kilt.deprecation import warn_changed
from kilt.errors import InfeasibleError, printable_lines
from kilt.model.marks import MarkSpec
from kilt.model.policy import Policy
from kilt.model.problem import Problem
from kilt.model.scale import IN_STARS, Scale
from kilt.numbers import Number, bound_number, decimal_text, json_number
from kilt.report.text import figures_text
from kilt.run.budget import Budget
from kilt.run.progress import Observer, Progress, Task, on_task, silent
from kilt.run.stopping import StoppingRule, never, read_limit, require_iterations, require_seed
from kilt.solvers.base import Solver
from kilt.solvers.solve import limited, solve
from kilt.sources.counted_table import CountedTable, TableDescription, TableSettings, require_mark, takes_table

SECONDS = 10  # for each policy, if there is no other limit


@dataclass(frozen=True)
class FrontierPoint:
    """One policy: the stars of the best release found and the bound, or why there is none.

    ``release_of`` and ``bound_of`` are the policies under which they were found; None if it was this one. ``scale`` is
    how costs are told.
    """

    policy: Policy
    exact_stars: Fraction | None = None
    exact_bound: Fraction | None = None
    exact_least: Fraction = Fraction(0)
    infeasible: str | None = None
    proof: Arithmetic = "exact"
    release_of: Policy | None = None
    bound_of: Policy | None = None
    scale: Scale = IN_STARS

    @property
    def status(self) -> Status | None:
        """What the bound proves of the best release; None if there is none."""
        return None if self.exact_stars is None else status_of(self.exact_stars, self.exact_bound, self.proof)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "policy": str(self.policy),
            "stars": None if self.exact_stars is None else json_number(self.exact_stars, up=True),
            "bound": None if self.exact_bound is None else bound_number(self.exact_bound, self.exact_stars),
            "status": self.status,
            "proof": None if self.exact_bound is None else self.proof,
            "release_of": None if self.release_of is None else str(self.release_of),
            "bound_of": None if self.bound_of is None else str(self.bound_of),
            "infeasible": self.infeasible,
        }


@takes_table
def frontier(
    data: Any,
    *,
    k: Range = None,
    l: Range = None,
    t: Range = None,
    average_t: Range = None,
    diversity: str = "frequency",
    solver: str | Solver = "auto",
    time: Number | None = None,
    time_each: Number | None = None,
    iterations: int | None = None,
    seed: int = 0,
    mark: MarkSpec = None,
    observer: Observer = silent,
    found: Callable[[list[FrontierPoint]], None] | None = None,
    interrupted: Callable[[], bool] = never,
    **said: Unpack[TableSettings],
) -> list[FrontierPoint]:
    """Solve the table under every combination of the given k, l, t and average_t.

    Each is a number, a list of numbers, or text such as ``2,5,10`` or ``0.1:0.5`` (in steps of 0.1; ``0.1:0.5:0.05``
    in steps of 0.05). A release serves all looser policies, and a bound all stricter ones. ``time`` is for the whole
    frontier, ``time_each`` and ``iterations`` are the most for one policy; without any of them the whole has 10 seconds
    for each policy. ``found`` is called with the points so far whenever one more policy is solved. The release itself
    is not made: ``kilt.anonymize`` does that.
    """
    policies = read_policies(diversity, k=k, l=l, t=t, average_t=average_t)
    seconds, each = read_limit(time, "time"), read_limit(time_each, "time_each")
    if seconds is None and each is None and iterations is None:
        seconds = SECONDS * len(policies)
    budget = Budget(seconds, each, require_iterations(iterations), interrupted)
    if time is not None and time_each is None and len(policies) > 1:
        warn_changed("'time' is for the whole frontier now, and no longer for each policy, which is 'time_each'")
    given = TableDescription.of(data, **said)
    table = read_and_count(given, policies[0], observer)
    require_mark(table, mark)
    return Frontier(table, policies, solver, require_seed(seed), observer).points(budget, found)


class Frontier:
    """The policies of one table: each is solved once, the loosest first, and all gain from what is found."""

    def __init__(
        self, table: CountedTable, policies: Sequence[Policy], solver: str | Solver, seed: int, observer: Observer
    ) -> None:
        self.table, self.policies, self.solver, self.seed, self.observer = table, policies, solver, seed, observer
        self.carrier = Carrier(policies)
        self.infeasible: dict[int, str] = {}

    def points(self, budget: Budget, found: Callable[[list[FrontierPoint]], None] | None = None) -> list[FrontierPoint]:
        """Solve all policies, or as many as there are before an interruption; return those in the given order."""
        order = self.carrier.loosest_first()
        for done, place in enumerate(order):
            if budget.interrupted():
                break
            try:
                problem = self.table.under(self.policies[place]).problem
            except InfeasibleError as error:
                self.infeasible[place] = str(error)
            else:
                stop = budget.next(len(order) - done)
                name = f"policy {done + 1:,} of {len(order):,}, {self.policies[place]}"
                least = problem.stars(problem.base_cost)
                task = Task(problem.rows, budget.deadline or stop.deadline, least, name)
                self._solve(place, problem, stop, on_task(self.observer, task))
            if found is not None:
                found(self._so_far())
        return self._so_far()

    def _so_far(self) -> list[FrontierPoint]:
        """Return the points of the policies that are solved, or that cannot be met."""
        known = self.carrier.known()
        solved = [place for place in range(len(self.policies)) if place in known or place in self.infeasible]
        return [self._point(place, known.get(place)) for place in solved]

    def _solve(self, place: int, problem: Problem, stop: StoppingRule, observer: Observer) -> None:
        """Solve one policy, from a release of another on if it is legal, unless that one is as good as is asked for."""
        observer(Progress("solving"))
        start = self.carrier.start(place, problem)
        bound = self.carrier.exact_bound(place)
        if start is not None and (start.cost <= bound or limited(problem, self.solver, stop)(start.cost, bound)):
            self.carrier.add(place, problem, start, None)
            return
        partition = None if start is None else start.partition
        solution = solve(problem, self.solver, stop, observer, seed=self.seed, start=partition)
        self.carrier.add(place, problem, start, solution)

    def _point(self, place: int, known: Known | None) -> FrontierPoint:
        policy, problem = self.policies[place], self.carrier.problem
        if known is None or problem is None:
            return FrontierPoint(policy, infeasible=self.infeasible[place])
        stars, release_of = problem.stars(known.release.cost), self._other(place, known.release.place)
        if known.bound is None:
            return FrontierPoint(policy, stars, release_of=release_of, scale=self.table.scale)
        return FrontierPoint(
            policy,
            stars,
            problem.stars(known.bound.bound.cost),
            problem.stars(problem.base_cost),
            proof=known.bound.bound.arithmetic,
            release_of=release_of,
            bound_of=self._other(place, known.bound.place),
            scale=self.table.scale,
        )

    def _other(self, place: int, origin: int) -> Policy | None:
        """Return the policy under which something was found, None if it is the same."""
        return None if origin == place else self.policies[origin]


def frontier_text(points: Sequence[FrontierPoint]) -> str:
    """Show the points as a table, and beside each what comes from another policy."""
    scale = next((point.scale for point in points if point.exact_stars is not None), IN_STARS)
    rows = [("policy", *scale.headings(), "gap"), *map(_row, points)]
    lines = figures_text(rows)
    width = max(map(len, lines))
    return printable_lines(
        f"{line.ljust(width)}  {remark}".rstrip()
        for line, remark in zip(lines, ["", *map(_remark, points)], strict=True)
    )


def _row(point: FrontierPoint) -> tuple[str, str, str, str]:
    if point.exact_stars is None:
        return str(point.policy), "cannot be met", "", ""
    stars, bound = point.exact_stars, point.exact_bound or Fraction(0)
    gap = decimal_text(100 * gap_of(stars, bound, point.exact_least), 1, up=True)
    quality = f"{gap}%" if point.status == "feasible" else f"{point.status}"
    return str(point.policy), point.scale.cost(stars), point.scale.bound(bound, stars), quality


def _remark(point: FrontierPoint) -> str:
    """Say where release and bound come from, and whether floats had a part in the bound."""
    carried = (("release", point.release_of), ("bound", point.bound_of))
    said = [f"{what} of {policy}" for what, policy in carried if policy is not None]
    if point.release_of is not None and point.release_of == point.bound_of:
        said = [f"release and bound of {point.release_of}"]
    if point.status == "feasible" and point.exact_bound is not None and point.proof == "float":
        said.append("bound proved in floating point")
    return "; ".join(said)
