"""Solvers side by side on one table: every release is verified, none is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from kilt.commands.anonymize import applied, demanded
from kilt.errors import InputError
from kilt.model.plan import Plan, choose_marks
from kilt.model.policy import Policy
from kilt.model.problem import Problem
from kilt.model.roles import Spec
from kilt.numbers import Number, decimal_text, plain
from kilt.release.release import guarantee_text
from kilt.report.text import figures_text, percent
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import Stop, never
from kilt.solvers.base import Solution
from kilt.solvers.registry import CATALOGUE, Entry, entry_of
from kilt.solvers.solve import run, solved
from kilt.sources.counted_table import Case
from kilt.verification.verifier import Verdict, check

SECONDS = 10  # for each solver, if nothing else is said


@dataclass(frozen=True)
class Compared:
    """What one solver did: a verified release, or why it cannot do this.

    ``exact_bound`` is the best that is known of the table, whoever found it. ``remark`` says what is guaranteed, that
    the time was over, or why there is nothing.
    """

    solver: str
    kind: str
    remark: str
    seconds: float = 0.0
    exact_stars: Fraction | None = None
    exact_bound: Fraction | None = None
    proof: str = "exact"
    groups: int = 0
    distance: Fraction | None = None

    @property
    def gap(self) -> float | None:
        """(stars - bound) / stars; None if there is no release."""
        if self.exact_stars is None or self.exact_bound is None:
            return None
        return float((self.exact_stars - self.exact_bound) / self.exact_stars) if self.exact_stars else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        made = self.exact_stars is not None
        return {
            "solver": self.solver,
            "kind": self.kind,
            "stars": None if self.exact_stars is None else plain(self.exact_stars, up=True),
            "bound": None if self.exact_bound is None else plain(self.exact_bound),
            "proof": self.proof if made else None,
            "gap": self.gap,
            "groups": self.groups if made else None,
            "distance": None if self.distance is None else plain(self.distance, up=True),
            "seconds": round(self.seconds, 3),
            "remark": self.remark,
        }


def compare(
    data: Any,
    *,
    quasi: Spec,
    policy: Policy,
    sensitive: Spec = None,
    identifier: Spec = None,
    weights: Spec = None,
    solvers: str | Sequence[str] | None = None,
    polish: bool = False,
    time: Number | None = None,
    seed: int = 0,
    mark: str | None = None,
    delimiter: str | None = None,
    observer: Observer = silent,
    interrupted: Callable[[], bool] = never,
) -> list[Compared]:
    """Let solvers release a table, and put what they find side by side, the fewest stars first.

    The arguments are those of ``kilt.anonymize``. ``solvers`` are names, or all if none are given; each has ``time``
    seconds (10 if not given). Every release is verified, and none is written.
    """
    entries = _entries(solvers)
    limit = Stop.of(SECONDS if time is None else time, 0, interrupted, seed=seed)
    observer(Progress("reading"))
    case = Case.read(data, policy, quasi, sensitive, identifier, weights, delimiter)
    problem, found = case.problem(), Found([], Fraction(0))
    verify = _verifier(case, mark)
    reasons = [entry.load().refuses(problem) for entry in entries]
    if all(reasons):
        every = "; ".join(f"{entry.name}: {reason}" for entry, reason in zip(entries, reasons, strict=True))
        raise InputError(f"none of these solvers can do this ({every})")
    for entry, reason in zip(entries, reasons, strict=True):
        if reason:
            found.compared.append(Compared(entry.name, entry.kind, f"cannot do this: {reason}"))
        elif not interrupted():
            observer(Progress(entry.name))
            found.add(problem, entry, _ran(problem, entry, limit.again(), observer, polish=polish), verify)
    if not found.settled:
        found.raise_bound(problem, limit.again(), observer)
    return found.ranked()


def _entries(solvers: str | Sequence[str] | None) -> list[Entry]:
    """Return the chosen entries of the catalogue, all if none are chosen."""
    if solvers is None:
        return list(CATALOGUE.values())
    names = solvers.split(",") if isinstance(solvers, str) else map(str, solvers)
    chosen = {entry.name: entry for entry in (entry_of(name.strip()) for name in names if name.strip())}
    if not chosen:
        raise InputError("'solvers' names none: leave it out to compare all")
    return list(chosen.values())


def _verifier(case: Case, mark: str | None) -> Callable[[Solution], Verdict]:
    """Return how a solution is applied to the table and verified from its cells."""
    source, roles, problem = case.source, case.roles, case.problem()
    marks = choose_marks(case.types, roles.quasi, {name: source.typed(name) for name in roles.quasi}, mark)

    def verify(solution: Solution) -> Verdict:
        plan = Plan.of(solution.partition, case.types, roles.quasi, marks)
        released, order = applied(source, plan, roles, None)
        found = check(released, roles, case.policy, source, marks, order)
        return demanded(found, problem.stars(solution.partition.cost))

    return verify


@dataclass
class Found:
    """What was found so far, and the best bound of all; it is settled if that is as good as it gets in the time."""

    compared: list[Compared]
    bound: Fraction
    proof: str = "exact"
    settled: bool = False

    def add(self, problem: Problem, entry: Entry, ran: Ran, verify: Callable[[Solution], Verdict]) -> None:
        """Verify a solution and add what is to be said of it."""
        solution, verdict = ran.solution, verify(ran.solution)
        self._know(problem.stars(solution.bound or 0), solution.proof)
        self.settled |= solution.bound == solution.partition.cost or "search" in ran.name
        self.compared.append(
            Compared(
                solver=ran.name,
                kind=entry.kind,
                remark=_remark(entry, solution),
                seconds=ran.seconds,
                exact_stars=problem.stars(solution.partition.cost),
                groups=len(solution.partition),
                distance=max(verdict.t.values(), default=None),
            )
        )

    def raise_bound(self, problem: Problem, stop: Stop, observer: Observer) -> None:
        """Find a bound where no solver brings one."""
        from kilt.bounds.lagrangian import bounded  # noqa: PLC0415 - it loads compiled kernels

        self._know(problem.stars(bounded(problem, stop, observer).cost), "exact")

    def _know(self, bound: Fraction, proof: str) -> None:
        if (bound, proof == "exact") > (self.bound, self.proof == "exact"):
            self.bound, self.proof = bound, proof

    def ranked(self) -> list[Compared]:
        """Return all with the best bound, the fewest stars first, and in the end who cannot do this."""
        made = [
            replace(c, exact_bound=self.bound, proof=self.proof) for c in self.compared if c.exact_stars is not None
        ]
        refused = [c for c in self.compared if c.exact_stars is None]
        return [*sorted(made, key=lambda c: c.exact_stars or 0), *refused]


@dataclass(frozen=True)
class Ran:
    """A solution, who found it, and how long it took."""

    name: str
    solution: Solution
    seconds: float


def _ran(problem: Problem, entry: Entry, stop: Stop, observer: Observer, *, polish: bool) -> Ran:
    """Solve, without a bound beside it, so that the time is that of the solver."""
    if polish:
        name, solution, _ = solved(problem, entry.name, stop, observer, polish=True)
    else:
        name, solution = entry.name, run(problem, entry, stop, observer)
    return Ran(name, solution, stop.elapsed)


def _remark(entry: Entry, solution: Solution) -> str:
    """Say what is guaranteed, and whether the time was over."""
    said = []
    if solution.stopped:
        said.append("stopped when its time was over")
    if solution.bound == solution.partition.cost:
        said.append("optimal" if solution.proof == "exact" else "optimal (proved in floating point)")
    elif solution.factor is not None:
        said.append(guarantee_text(solution.factor))
    elif entry.kind == "guaranteed":
        said.append("its guarantee is lost")
    return "; ".join(said)


def compare_text(compared: Sequence[Compared]) -> str:
    """Show the releases as a table, and below it who cannot do this."""
    made = [c for c in compared if c.exact_stars is not None]
    header = ("solver", "stars", "bound", "gap", "groups", "largest t", "seconds")
    lines = figures_text([header, *map(_row, made)])
    width = max(map(len, lines))
    shown = [f"{line.ljust(width)}  {c.remark}".rstrip() for line, c in zip(lines[1:], made, strict=True)]
    refused = [f"{c.solver} {c.remark}" for c in compared if c.exact_stars is None]
    floating = ["the bound was proved in floating point"] * any(c.proof == "float" for c in made)
    return "\n".join([lines[0], *shown, *floating, *([""] if refused else []), *refused])


def _row(compared: Compared) -> tuple[str, ...]:
    stars, bound = compared.exact_stars or Fraction(0), compared.exact_bound or Fraction(0)
    return (
        compared.solver,
        f"{plain(stars, up=True):,}",
        f"{plain(bound):,}",
        percent(Fraction(compared.gap or 0)),
        f"{compared.groups:,}",
        "" if compared.distance is None else decimal_text(compared.distance, up=True),
        f"{compared.seconds:.1f}",
    )
