"""The recipe: count, solve, apply, verify."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from kilt.certificates.issue import certified, require_place, staged_certificate
from kilt.errors import VerificationError
from kilt.model.plan import Plan, choose_marks
from kilt.model.policy import Policy
from kilt.model.roles import Roles, Spec
from kilt.model.spaces import Metric
from kilt.numbers import Number, counted, decimal_text
from kilt.release.release import Release
from kilt.release.writer import Target
from kilt.run.progress import Observer, Progress, silent
from kilt.run.stopping import Stop, never
from kilt.solvers.base import Solution
from kilt.solvers.solve import solved
from kilt.sources.base import Source
from kilt.sources.counted_table import Case
from kilt.verification.verifier import Verdict, check

STOPPED = "the search was stopped before its end"
OVER = "the time was over before the solver's end"


def anonymize(
    data: Any,
    *,
    quasi: Spec,
    policy: Policy,
    sensitive: Spec = None,
    identifier: Spec = None,
    weights: Spec = None,
    solver: str = "auto",
    polish: bool = False,
    time: Number | None = None,
    gap: Number | None = None,
    iterations: int | None = None,
    seed: int = 0,
    mark: str | None = None,
    shuffle: bool = False,
    delimiter: str | None = None,
    output: str | PathLike[str] | None = None,
    certificate: str | PathLike[str] | None = None,
    observer: Observer = silent,
    interrupted: Callable[[], bool] = never,
) -> Release:
    """Release a table with as few stars as can be found, verified against the policy.

    ``data`` is a frame (pandas, polars, pyarrow) or the path of a CSV, TSV or Parquet file. The
    columns in ``quasi`` may be blurred, those in ``identifier`` are dropped, and the ``policy``
    speaks of those in ``sensitive``. With ``output`` the release is written to a file, and with ``certificate`` the
    proof of its bound (JSON, compressed if the name ends in .gz). With ``polish`` the search goes on from what the
    solver found, which is never worse. When ``interrupted`` says so, the search ends and the best release so far is
    handed over.
    """
    stop = Stop.of(time, gap, interrupted, iterations, seed)
    target = None if output is None else Target.of(Path(output), data, delimiter)
    if certificate is not None:
        require_place(certificate, input=data, output=output)
    observer(Progress("reading"))
    case = Case.read(data, policy, quasi, sensitive, identifier, weights, delimiter)
    source, roles, types = case.source, case.roles, case.types
    typed = {name: source.typed(name) and (target is None or target.typed) for name in roles.quasi}
    marks = choose_marks(types, roles.quasi, typed, mark)
    problem = case.problem()
    method, solution, bound = solved(problem, solver, stop, observer, certified=certificate is not None, polish=polish)
    stars = problem.stars(solution.partition.cost)
    proof = None if certificate is None or bound is None else certified(case, bound, stars, marks, shuffled=shuffle)
    plan = Plan.of(solution.partition, types, roles.quasi, marks)
    released, order = applied(source, plan, roles, seed if shuffle else None)

    def verified(table: Source) -> Verdict:
        observer(Progress("verifying", stars=stars))
        return demanded(check(table, roles, policy, source, marks, order), stars)

    with staged_certificate(certificate, proof) as put:
        verdict = verified(released) if target is None else target.write(released, verified)
        put()
    return Release(
        policy=policy,
        solver=method,
        seconds=clock.monotonic() - stop.started,
        verdict=verdict,
        notes=(*_notes(roles), *source.notes, *_ended(solution, stop)),
        exact_stars=stars,
        exact_bound=None if solution.bound is None else problem.stars(solution.bound),
        proof=solution.proof,
        factor=solution.factor,
        most_stars=problem.stars(problem.most_cost),
        released=released,
        verified=verified,
        sizes=solution.partition.sizes(),
        plan=plan,
    )


def applied(source: Source, plan: Plan, roles: Roles, seed: int | None) -> tuple[Source, np.ndarray | None]:
    """Return the release and, if a seed is given to shuffle it, the original row of each of its rows.

    The shuffle starts from the order of the contents, so that who knows the seed cannot undo it.
    """
    released = source.apply(plan, roles.identifier)
    if seed is None:
        return released, None
    order = released.content_order()[np.random.default_rng(seed).permutation(source.rows)]
    return released.reordered(order), order


def demanded(verdict: Verdict, stars: Fraction) -> Verdict:
    """Raise unless the verifier found the policy met, nothing but stars changed, and as many as claimed."""
    fidelity = verdict.fidelity
    if fidelity is None or not verdict.met or fidelity.stars != stars:
        seen = "?" if fidelity is None else decimal_text(fidelity.stars)
        found = "".join(f"; {problem}" for problem in (fidelity.problems if fidelity else ()))
        raise VerificationError(
            f"the verifier refused the release, nothing was written: {counted(len(verdict.broken), 'group')} "
            f"against the policy, {seen} stars for {decimal_text(stars)} claimed{found}; please report this as a bug"
        )
    return verdict


def _ended(solution: Solution, stop: Stop) -> Iterator[str]:
    if stop.told():
        yield STOPPED
    elif solution.stopped:
        yield OVER


def _notes(roles: Roles) -> Iterator[str]:
    for name, space in roles.sensitive.items():
        if isinstance(space, Metric) and space.largest != 1:
            yield f"the distances of '{name}' were divided by {decimal_text(space.largest)}, the largest of them"
