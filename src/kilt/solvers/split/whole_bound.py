"""The bound of the whole table, by the multipliers of its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kilt.bounds.incidence import MAX_SCALE
from kilt.certificates.proof.evidence import Bound, Evidence
from kilt.model.problem import Problem
from kilt.numbers import IntArray
from kilt.run.stopping import StoppingRule
from kilt.solvers.common.join_evidence import join_evidence

Evaluate = Callable[[Problem, Sequence[Evidence]], int]
COARSE, FINE = 10, 5  # percent by which multipliers are lowered, until the bound falls, and then once more


def joined(problem: Problem, parts: Sequence[tuple[IntArray, tuple[Evidence, ...]]]) -> tuple[Evidence, ...] | None:
    """Return the evidence of disjoint parts as one of the whole table; None if they are not about the same columns."""
    blocks = [tuple(each.columns for each in evidence) for _, evidence in parts]
    if len(set(blocks)) > 1 or not blocks[0]:
        return None
    found = []
    for place, columns in enumerate(blocks[0]):
        scale = problem.on(columns).multiplier_scale(MAX_SCALE)
        found.append(join_evidence(problem, [(types, _rescaled(each[place], scale)) for types, each in parts]))
    return tuple(each for each in found if each is not None) if all(found) else None


def _rescaled(evidence: Evidence, scale: int) -> Evidence:
    """Round multipliers to another scale, which a table of more rows may need; those of patterns are left out then."""
    if evidence.scale == scale:
        return evidence
    return Evidence(evidence.columns, evidence.multipliers * scale // evidence.scale, scale)


def scaled_down(problem: Problem, evidence: tuple[Evidence, ...], evaluate: Evaluate, stop: StoppingRule) -> Bound:
    """Return the best bound of multipliers that are lowered by some percent.

    Those of parts are too high for the whole, where patterns have rows of several parts. The bound is concave in the
    multipliers, so once it falls it does not rise again.
    """

    def bound_at(percent: int) -> Bound:
        lowered = tuple(replace(each, multipliers=each.multipliers * percent // 100) for each in evidence)
        return Bound(evaluate(problem, lowered), lowered)

    best, at = bound_at(100), 100
    for percent in range(100 - COARSE, 0, -COARSE):
        if stop():
            return best
        found = bound_at(percent)
        if found.cost < best.cost:
            break
        best, at = found, percent
    near = [percent for percent in (at - FINE, at + FINE) if 0 < percent < 100 and not stop()]
    return max([best, *map(bound_at, near)], key=lambda bound: bound.cost)
