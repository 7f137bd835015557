"""The command ``compare``: solvers side by side on one table; every release is verified, none is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

from kilt.certificates.proof.evidence import Arithmetic, Bound, Status, gap_of, status_of
from kilt.commands.counting import read_and_count
from kilt.errors import InputError, printable_lines
from kilt.model.marks import MarkSpec, choose_marks
from kilt.model.policy import Policy
from kilt.model.problem import Problem
from kilt.model.scale import IN_STARS, Scale
from kilt.numbers import Number, bound_number, decimal_text, json_number, percent
from kilt.release.claim import ReleaseClaim
from kilt.release.release import guarantee_text
from kilt.report.text import figures_text
from kilt.run.progress import Observer, Progress, Task, on_task, silent
from kilt.run.stopping import StoppingRule, never, require_seed
from kilt.solvers.base import Solution, Solver
from kilt.solvers.choose import reason_refused
from kilt.solvers.registry import SolverInfo, all_infos, solver_info, warn_of_alias
from kilt.solvers.solve import run, solve
from kilt.sources.counted_table import CountedTable, TableDescription, TableSettings, takes_table
from kilt.verification.verdict import Verdict

SECONDS = 10  # for each solver, if nothing else is said


@dataclass(frozen=True)
class SolverResult:
    """What one solver did: a verified release, or why it cannot do this.

    ``exact_bound`` is the best that is known of the table, whoever found it. ``remark`` says what is guaranteed, that
    the time was over, or why there is nothing; ``scale`` is how costs are told.
    """

    solver: str
    kind: str
    remark: str
    seconds: float = 0.0
    exact_stars: Fraction | None = None
    exact_bound: Fraction | None = None
    exact_least: Fraction = Fraction(0)
    proof: Arithmetic = "exact"
    groups: int = 0
    distance: Fraction | None = None
    scale: Scale = IN_STARS

    @property
    def gap(self) -> float | None:
        """(stars - bound) / stars, both without what least levels cost everybody; None if there is no release."""
        if self.exact_stars is None or self.exact_bound is None:
            return None
        return float(gap_of(self.exact_stars, self.exact_bound, self.exact_least))

    @property
    def status(self) -> Status | None:
        """What the best bound proves of the release; None if there is none."""
        return None if self.exact_stars is None else status_of(self.exact_stars, self.exact_bound, self.proof)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        made = self.exact_stars is not None
        return {
            "solver": self.solver,
            "kind": self.kind,
            "stars": None if self.exact_stars is None else json_number(self.exact_stars, up=True),
            "bound": None if self.exact_bound is None else bound_number(self.exact_bound, self.exact_stars),
            "proof": self.proof if made else None,
            "gap": self.gap,
            "status": self.status,
            "groups": self.groups if made else None,
            "distance": None if self.distance is None else json_number(self.distance, up=True),
            "seconds": round(self.seconds, 3),
            "remark": self.remark,
        }


@takes_table
def compare(
    data: Any,
    *,
    policy: Policy,
    solvers: str | Solver | Sequence[str | Solver] | None = None,
    polish: bool = False,
    time: Number | None = None,
    seed: int = 0,
    mark: MarkSpec = None,
    observer: Observer = silent,
    interrupted: Callable[[], bool] = never,
    **said: Unpack[TableSettings],
) -> list[SolverResult]:
    """Let solvers release a table, and put what they find side by side, the fewest stars first.

    The arguments are those of ``kilt.anonymize``. ``solvers`` are names, or all if none are given; each has ``time``
    seconds (10 if not given). Every release is verified, and none is written.
    """
    infos = _infos(solvers)
    limit, seed = StoppingRule.of(SECONDS if time is None else time, 0, interrupted), require_seed(seed)
    given = TableDescription.of(data, **said)
    table = read_and_count(given, policy, observer)
    problem, results = table.problem, Results(table, mark)
    reasons = [reason_refused(info, problem) for info in infos]
    if all(reasons):
        every = "; ".join(f"{info.name}: {reason}" for info, reason in zip(infos, reasons, strict=True))
        raise InputError(f"none of these solvers can do this ({every})")
    least = problem.stars(problem.base_cost)
    for place, (info, reason) in enumerate(zip(infos, reasons, strict=True)):
        if reason:
            results.add_remark(info, f"cannot do this: {reason}")
        elif interrupted():
            results.add_remark(info, "was not run: the comparison was interrupted")
        else:
            stop = limit.restarted()
            name = f"solver {place + 1} of {len(infos)}, {info.name}"
            watch = on_task(observer, Task(problem.rows, stop.deadline, least, name))
            watch(Progress("solving"))
            solution = _solve(problem, info, stop, watch, seed, polish=polish)
            watch(Progress("verifying", stars=problem.stars(solution.cost)))
            results.add(info, solution, stop.elapsed, "interrupted" if interrupted() else "stopped by its time limit")
    if not results.has_good_bound and not interrupted():
        stop = limit.restarted()
        results.raise_bound(stop, on_task(observer, Task(problem.rows, stop.deadline, least, "the bound of all")))
    return results.ranked()


def _infos(solvers: str | Solver | Sequence[str | Solver] | None) -> list[SolverInfo]:
    """Return what is known of the chosen solvers, of all if none are chosen."""
    if solvers is None:
        return all_infos()
    named = solvers.split(",") if isinstance(solvers, str) else solvers if isinstance(solvers, Sequence) else [solvers]
    words = [word.strip() if isinstance(word, str) else word for word in named]
    for word in words:
        warn_of_alias(word)
    chosen = {info.name: info for info in [solver_info(word) for word in words if word]}
    if not chosen:
        raise InputError("'solvers' names none: leave it out to compare all")
    return list(chosen.values())


def _solve(
    problem: Problem, info: SolverInfo, stop: StoppingRule, observer: Observer, seed: int, *, polish: bool
) -> Solution:
    """Solve, without a bound beside it, so that the time is that of the solver."""
    if polish:
        return solve(problem, info.given or info.name, stop, observer, seed=seed, polish=True)
    return run(problem, info, stop, observer, seed)


class Results:
    """What was found so far, and the best bound of all."""

    def __init__(self, table: CountedTable, mark: MarkSpec) -> None:
        typed = {name: table.source.typed(name) for name in table.roles.quasi}
        self.table, self.marks = table, choose_marks(table.types, table.roles.quasi, typed, mark, table.source.columns)
        self.made: list[tuple[SolverResult, Solution]] = []
        self.refused: list[SolverResult] = []
        self.bound = Bound(table.problem.base_cost)
        self.has_good_bound = False  # an optimum, or a bound with a proof: more time would hardly raise it

    def add(self, info: SolverInfo, solution: Solution, seconds: float, stopped: str) -> None:
        """Verify a solution and add what is to be said of it; ``stopped`` is why it ended, if it was stopped."""
        verdict = self._verify(solution)
        self._know(solution.bound)
        self.has_good_bound |= solution.is_optimal or bool(solution.bound and solution.bound.parts)
        result = SolverResult(
            solver=solution.solver,
            kind=info.kind,
            remark=stopped if solution.stopped else "",
            seconds=seconds,
            exact_stars=self.table.problem.stars(solution.cost),
            exact_least=self.table.problem.stars(self.table.problem.base_cost),
            groups=len(solution.partition),
            distance=max(verdict.t.values(), default=None),
            scale=self.table.scale,
        )
        self.made.append((result, solution))

    def add_remark(self, info: SolverInfo, remark: str) -> None:
        """Say why there is nothing of a solver."""
        self.refused.append(SolverResult(info.name, info.kind, remark))

    def raise_bound(self, stop: StoppingRule, observer: Observer) -> None:
        """Find a bound where no solver brings one."""
        from kilt.bounds.lagrangian import lower_bound  # noqa: PLC0415 - small tables do without it

        self._know(lower_bound(self.table.problem, stop, observer))

    def ranked(self) -> list[SolverResult]:
        """Return all with the best bound, the fewest stars first, and in the end who cannot do this."""
        bound, proof = self.table.problem.stars(self.bound.cost), self.bound.arithmetic
        made = [
            _with_guarantee(replace(result, exact_bound=bound, proof=proof), solution) for result, solution in self.made
        ]
        return [*sorted(made, key=lambda each: each.exact_stars or 0), *self.refused]

    def _know(self, bound: Bound | None) -> None:
        """Keep the better bound."""
        if bound is not None and bound.rank > self.bound.rank:
            self.bound = bound

    def _verify(self, solution: Solution) -> Verdict:
        """Apply a solution to the table and verify it from its cells."""
        table = self.table
        plan = table.plan(solution.partition, self.marks)
        stars = table.problem.stars(solution.cost)
        return ReleaseClaim(table.source, table.roles, table.policy, self.marks, stars).verify(table.apply(plan))


def _with_guarantee(result: SolverResult, solution: Solution) -> SolverResult:
    """Say what is guaranteed; an optimum is as well proved as the best bound proves it, whoever found that."""
    said = [result.remark] if result.remark else []
    if solution.is_optimal:
        said.append(result.status or "")
    elif solution.factor is not None:
        said.append(guarantee_text(solution.factor, solution.factor_proof))
    elif result.kind == "guaranteed":
        said.append("no guarantee")
    return replace(result, remark="; ".join(said))


def compare_text(compared: Sequence[SolverResult]) -> str:
    """Show the releases as a table, and below it who cannot do this."""
    made = [c for c in compared if c.exact_stars is not None]
    scale = made[0].scale if made else IN_STARS
    farthest = ("largest t",) if any(c.distance is not None for c in made) else ()
    header = ("solver", *scale.headings(), "gap", "groups", *farthest, "seconds")
    lines = figures_text([header, *(_row(c, has_distance=bool(farthest)) for c in made)])
    width = max(map(len, lines))
    shown = [f"{line.ljust(width)}  {c.remark}".rstrip() for line, c in zip(lines[1:], made, strict=True)]
    refused = [f"{c.solver} {c.remark}" for c in compared if c.exact_stars is None]
    floating = ["the bound was proved in floating point"] * any(c.proof == "float" for c in made)
    return printable_lines([lines[0], *shown, *floating, *([""] if refused else []), *refused])


def _row(compared: SolverResult, *, has_distance: bool) -> tuple[str, ...]:
    stars, bound = compared.exact_stars or Fraction(0), compared.exact_bound or Fraction(0)
    farthest = "" if compared.distance is None else decimal_text(compared.distance, up=True)
    return (
        compared.solver,
        compared.scale.cost(stars),
        compared.scale.bound(bound, stars),
        percent(Fraction(compared.gap or 0)),
        f"{compared.groups:,}",
        *([farthest] if has_distance else []),
        f"{compared.seconds:.1f}",
    )
