"""Multipliers raised one level vector at a time: patterns are found again in every step, and none is kept.

A step takes longer than one over listed patterns, but no more memory than the row types do. So this is for tables whose
patterns have no room, and for few steps, from multipliers that are good already.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kilt.bounds.subgradient import Moments, StepSchedule, ascend
from kilt.certificates.proof.evidence import Evidence
from kilt.certificates.proof.exact import rows_taken
from kilt.certificates.proof.patterns import proof_patterns
from kilt.model.problem import Problem
from kilt.numbers import FloatArray, IntArray
from kilt.run.stopping import StoppingRule

RATE, POWER = 0.05, 1.0  # of the steps, in stars
MAX_TIMED_STEPS = 200  # if time is given


def improve_multipliers(problem: Problem, evidence: Evidence, steps: int, stop: StoppingRule) -> Evidence:
    """Return the best multipliers of so many steps, or of those that a time allows if one is given; under k alone.

    The evidence is about all columns of the problem.
    """

    def least(multipliers: IntArray, everywhere: bool) -> tuple[int, FloatArray]:  # noqa: ARG001
        return _least(problem, replace(evidence, multipliers=multipliers))

    def progress(step: int) -> float:
        if stop.interrupted():
            return 1.0
        if stop.seconds is None:
            return step / steps
        return max(step / MAX_TIMED_STEPS, (stop.elapsed - started) / max(1e-6, stop.seconds - started))

    started = stop.elapsed
    schedule = StepSchedule(RATE, POWER, progress)
    ceiling = max(problem.highest_cost, 1)
    found = ascend(
        problem, evidence.scale, ceiling, least, schedule, evidence.multipliers, Moments.of(len(problem.counts))
    )
    multipliers, _ = max(found, key=lambda each: each[1], default=(evidence.multipliers, 0))
    return replace(evidence, multipliers=multipliers)


def _least(problem: Problem, evidence: Evidence) -> tuple[int, FloatArray]:
    """Return the sum of the negative least reduced costs, and how many copies of each row type the groups hold."""
    total, held = 0, np.zeros(len(problem.counts))
    for patterns in proof_patterns(problem, evidence):
        taken = rows_taken(patterns, problem.rules.min_group_size)
        reduced_cost = patterns.sums(taken * patterns.reduced_costs)
        gains = reduced_cost < 0
        total += int(reduced_cost[gains].sum())
        mine = gains[patterns.owner]
        held += np.bincount(patterns.types[mine], taken[mine], len(held))
    return total, held
