"""HiGHS, as the solvers use it: quiet, on one thread, with a stopping rule."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import highspy
import numpy as np

from kilt.numbers import FloatArray
from kilt.run.stopping import StoppingRule
from kilt.run.threads import run_until

Watch = Callable[[float, float], None]
LARGEST = 2**30  # that HiGHS can count to: it steps through the values of a whole variable in 32 bits


@dataclass(frozen=True)
class Outcome:
    """Values of the variables (empty if none were found), a bound on the cost, and whether they are the best."""

    values: FloatArray
    bound: int | None
    finished: bool


def quiet(*, presolve: bool = False) -> highspy.Highs:
    """Return a silent HiGHS on one thread.

    With equal columns presolve has called a program infeasible that was not: no proof may rely on it.
    """
    highs: highspy.Highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("presolve", "on" if presolve else "off")
    return highs


def solve(highs: highspy.Highs, stop: StoppingRule, watch: Watch, most_nodes: int | None = None) -> Outcome:
    """Solve a program whose cost is whole, to a gap below 1, until stopped; report the cost and the bound.

    A program whose variables may be too large for HiGHS is left alone: it would never end.
    """
    if _is_too_large(highs.getLp()):
        return Outcome(np.zeros(0), bound=None, finished=False)
    highs.setOptionValue("mip_rel_gap", stop.gap or 0.0)
    highs.setOptionValue("mip_abs_gap", 0.999)
    if most_nodes is not None:
        highs.setOptionValue("mip_max_nodes", most_nodes)
    if stop.seconds is not None:
        highs.setOptionValue("time_limit", max(0.0, stop.seconds - stop.elapsed))

    best = Best()

    def interrupt(event: highspy.HighsCallbackEvent) -> None:
        if best.is_abandoned or stop():
            event.interrupt()
        if not best.is_abandoned:
            best.bound = event.data_out.mip_dual_bound
            watch(event.data_out.mip_primal_bound, event.data_out.mip_dual_bound)

    def improve(event: highspy.HighsCallbackEvent) -> None:
        best.values = np.array(event.data_out.mip_solution)

    highs.cbMipInterrupt.subscribe(interrupt)
    highs.cbMipImprovingSolution.subscribe(improve)
    if not run_until(highs.run, stop):
        best.is_abandoned = True
        return Outcome(best.values, whole_bound(best.bound), finished=False)
    status, info = highs.getModelStatus(), highs.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return Outcome(
        values=np.array(highs.getSolution().col_value) if found else np.zeros(0),
        bound=whole_bound(info.mip_dual_bound) if found else None,
        finished=status == highspy.HighsModelStatus.kOptimal,
    )


@dataclass
class Best:
    """The best that HiGHS has found while it runs; it may have to be abandoned, since it looks at the clock rarely."""

    values: FloatArray = field(default_factory=lambda: np.zeros(0))
    bound: float = -math.inf
    is_abandoned: bool = False


def _is_too_large(program: highspy.HighsLp) -> bool:
    """Say whether a limit of a row or of a variable is finite and beyond what HiGHS counts to."""
    limits = np.concatenate([program.row_lower_, program.row_upper_, program.col_lower_, program.col_upper_])
    return bool((np.abs(limits[np.isfinite(limits)]) > LARGEST).any())


def whole_bound(bound: float) -> int | None:
    """Round a bound of HiGHS up to the next whole cost, with its tolerance."""
    return math.ceil(bound - 1e-6) if math.isfinite(bound) else None
