"""The command ``anonymize``: count, solve, apply, verify, write."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack

from kilt.certificates.issue import issue_certificate, require_describable, require_place, staged_certificate
from kilt.certificates.proof.evidence import Bound
from kilt.commands.executors import on_executors
from kilt.model.marks import MarkSpec, choose_marks
from kilt.model.policy import Policy, TCloseness
from kilt.model.problem import Problem
from kilt.model.roles import Spec
from kilt.model.spaces import Metric, Ordered, Space, Tree, Values
from kilt.numbers import Number, decimal_text
from kilt.release.claim import ReleaseClaim
from kilt.release.left import left_of, warnings_of
from kilt.release.release import Release
from kilt.report.page.request import ReportRequest
from kilt.run.progress import Observer, Progress, Task, on_task, silent
from kilt.run.recorder import Recorder
from kilt.run.stopping import StoppingRule, TimeLeft, never, require_seed
from kilt.solvers.base import Solution, Solver
from kilt.solvers.registry import solver_info, with_parts
from kilt.solvers.solve import certifiable_bound, limited, solve
from kilt.sources.counted_table import CountedTable, TableDescription, TableSettings, takes_table
from kilt.sources.registry import open_writer
from kilt.sources.writer import Writer, staged

STOPPED = "the search was interrupted"
EMPTY = "the certificate proves nothing: no bound above 0 was found that can be written down; more time may help"
OVER = "the time limit stopped the solver before it finished"


@takes_table
def anonymize(
    data: Any,
    *,
    policy: Policy,
    solver: str | Solver = "auto",
    polish: bool = False,
    parts: int | None = None,
    time: Number | None = None,
    gap: Number | None = None,
    iterations: int | None = None,
    seed: int = 0,
    mark: MarkSpec = None,
    shuffle: bool = False,
    output: str | PathLike[str] | None = None,
    certificate: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    by: Spec = None,
    detail: str = "public",
    frontier: Any = None,
    strict: bool = False,
    escape_formulas: bool = False,
    observer: Observer = silent,
    interrupted: Callable[[], bool] = never,
    **said: Unpack[TableSettings],
) -> Release:
    """Release a table with as few stars as can be found, verified against the policy.

    ``data`` is a frame (pandas, polars, pyarrow), the path of a file (CSV, TSV, Parquet, Excel), the URL of a table of
    PostgreSQL (or of a database, with a ``query``), or a ``TableDescription``. The columns in ``quasi`` may be blurred,
    those in ``identifier`` are dropped, and the ``policy`` speaks of those in ``sensitive``. All others are released as
    they are, those that could identify persons only if ``keep`` names them. The ``measure`` says what a label costs:
    ``loss``, ``level`` or ``entropy``. ``solver`` is a name or a solver of your own; ``split`` divides the table into
    ``parts``. With ``output`` the release is written to a file or a table, and with ``certificate`` the proof of its
    bound (JSON, compressed if the name ends in .gz). ``report`` is where to write a report (.html or .json), ``by``
    names columns by whose values it says who lost how much, its ``detail`` is public or internal, and ``frontier`` is
    what ``kilt.frontier`` returned for this table, to be shown in it. With ``polish`` the search goes on from what the
    solver found, which is never worse. With ``strict`` a release that has warnings is an error. With
    ``escape_formulas`` a CSV file has a quote before cells that a spreadsheet would take for formulas. When
    ``interrupted`` says so, the search ends and the best release so far is handed over.
    """
    stop, seed = StoppingRule.of(time, gap, interrupted, iterations), require_seed(seed)
    solver = with_parts(solver, parts, seed)
    given = TableDescription.of(data, **said)
    writer = _writer(given, output, escape_formulas=escape_formulas)
    if certificate is not None:
        require_place(certificate, input=given.data, output=output)
    others = {"input": given.data, "output": output, "certificate": certificate}
    request = ReportRequest.of(report, by, detail, frontier=frontier, **others)
    observer = recorder = Recorder(observer)
    observer(Progress("reading"))
    noted = given.require_decided()
    observer(Progress("counting"))
    table = given.count(policy)
    request.require_columns(table.source.columns, table.roles)
    if certificate is not None:
        require_describable(table)
    marks = choose_marks(table.types, table.roles.quasi, _typed(table, writer), mark, table.source.columns)
    if writer is not None:
        writer.require_free(table.source, marks)
    problem = table.problem
    stop = limited(problem, solver, stop, polish=polish)
    observer = on_task(recorder, Task(problem.rows, stop.deadline, problem.stars(problem.base_cost)))
    solving = on_executors(solver, table.source, problem, seed, interrupted)
    solution = solve(problem, solving, stop, observer, seed=seed, polish=polish)
    proof, empty = None, []
    if certificate is not None:
        bound = _certifiable(problem, solution, stop, observer)
        solution = solution.with_bound(bound)
        empty = [EMPTY] if bound.cost == problem.base_cost < solution.cost else []
        proof = issue_certificate(table, bound, problem.stars(solution.cost), marks, shuffled=shuffle)
    solved = clock.monotonic()
    observer(Progress("writing", stars=problem.stars(solution.cost)))
    plan = table.plan(solution.partition, marks)
    released = table.apply(plan, seed if shuffle else None)
    figures = _figures(table, solution)
    claim = ReleaseClaim(table.source, table.roles, policy, marks, problem.stars(solution.cost))
    with staged_certificate(certificate, proof) as put_certificate, staged(writer, released) as stage:
        observer(Progress("verifying", stars=claim.stars))
        verdict = claim.verify(stage.table)
        left = left_of(verdict, table.top_stars)
        warnings = warnings_of(
            left, claim.stars, figures["exact_bound"], figures["exact_least"], stage.formulas, strict=strict
        )
        release = Release(
            **figures,
            policy=policy,
            seconds=solved - stop.started,
            verifying_seconds=0.0,
            verdict=verdict,
            notes=(*noted, *_notes(table), *table.source.notes, *_ended(solution, stop), *empty),
            warnings=warnings,
            left=left,
            blurs=table.blurs,
            counts_cells=table.counts_cells,
            exact_stars=claim.stars,
            released=released,
            claim=claim,
            plan=plan,
            settings=_settings(
                solver,
                parts,
                polish,
                time,
                gap,
                iterations,
                seed,
                shuffle=shuffle,
                escape_formulas=escape_formulas,
            ),
            moments=recorder.moments(claim.stars, figures["exact_bound"]),
        )
        with request.staged(release.report_subject, observer) as put_report:
            stage.publish()
            put_certificate()
            put_report()
    ended = clock.monotonic()
    return replace(
        release,
        seconds=ended - stop.started,
        verifying_seconds=ended - solved,
        report_salt=None if report is None else request.salt,
    )


def _writer(given: TableDescription, output: str | PathLike[str] | None, *, escape_formulas: bool) -> Writer | None:
    """Return what writes the release, if it is to be written."""
    style = replace(given.style, escape_formulas=escape_formulas)
    return None if output is None else open_writer(output, given.data, style)


def _certifiable(problem: Problem, solution: Solution, stop: StoppingRule, observer: Observer) -> Bound:
    """Return the best bound that a certificate can prove, and say what is done before and after it is looked for."""
    observer(Progress("certifying"))
    bound = certifiable_bound(problem, solution, stop, observer)
    observer(Progress("certifying"))
    return bound


def _settings(
    solver: str | Solver,
    parts: int | None,
    polish: bool,
    time: Number | None,
    gap: Number | None,
    iterations: int | None,
    seed: int,
    *,
    shuffle: bool,
    escape_formulas: bool,
) -> dict[str, str]:
    """Return the options of the command that say how the search went, as a report repeats them."""
    whole = f"{time.limit:g}" if isinstance(time, TimeLeft) else time
    limits = {"parts": parts, "time": whole, "gap": gap, "iterations": iterations, "seed": seed}
    return {
        **({} if solver == "auto" else {"solver": solver if isinstance(solver, str) else solver_info(solver).name}),
        **({"polish": ""} if polish else {}),
        **{name: str(value) for name, value in limits.items() if value is not None},
        **({"shuffle": ""} if shuffle else {}),
        **({"escape-formulas": ""} if escape_formulas else {}),
    }


def _figures(table: CountedTable, solution: Solution) -> dict[str, Any]:
    """Return what a release says of the solution that it shows."""
    problem, bound = table.problem, solution.bound
    return {
        "solver": solution.solver,
        "exact_bound": None if bound is None else problem.stars(bound.cost),
        "proof": "exact" if bound is None else bound.arithmetic,
        "factor": solution.factor,
        "factor_proof": solution.factor_proof,
        "most_stars": table.most_stars,
        "exact_least": problem.stars(problem.base_cost),
        "sizes": solution.partition.sizes(),
    }


def _typed(table: CountedTable, writer: Writer | None) -> dict[str, bool]:
    """Say of every quasi column whether it keeps a type other than text."""
    return {name: table.source.typed(name) and (writer is None or writer.typed) for name in table.roles.quasi}


def _ended(solution: Solution, stop: StoppingRule) -> Iterator[str]:
    if stop.interrupted():
        yield STOPPED
    elif solution.stopped:
        yield OVER


def _notes(table: CountedTable) -> Iterator[str]:
    for name, ladder in table.roles.quasi.items():
        yield from ladder.remarks(name)
    for name, space in table.roles.sensitive.items():
        if isinstance(space, Metric) and space.largest != 1:
            yield f"the distances of '{name}' were divided by {decimal_text(space.largest)}, the largest of them"
    values = dict(zip(table.policy_columns, table.types.sensitive, strict=True))
    for principle in table.policy.principles:
        if isinstance(principle, TCloseness):
            for name in values if principle.column is None else [principle.column]:
                yield from _narrow(name, principle.space or table.roles.sensitive[name], values[name])


def _narrow(name: str, space: Space, values: Values) -> Iterator[str]:
    """Say so if a space has room for values that do not occur, so that a t asks for less than it seems to."""
    if isinstance(space, Ordered | Tree | Metric) and len(values) > 1 and (widest := space.widest(values)) < 1:
        text = decimal_text(widest, up=True)
        yield f"the values of '{name}' are at most {text} apart in its space: a t of {text} or more asks for nothing"
