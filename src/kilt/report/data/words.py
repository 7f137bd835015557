"""A policy in plain words, and what the verifier found of each of its principles."""

from __future__ import annotations

from collections.abc import Iterator

from kilt.model.policy import AverageCloseness, KAnonymity, LDiversity, Policy, Principle, TCloseness
from kilt.numbers import decimal_text, exact_text
from kilt.report.data.model import ReportPolicy, ReportPrinciple
from kilt.verification.verdict import Verdict


def policy_of(policy: Policy, verdict: Verdict) -> ReportPolicy:
    """Describe a policy, and what became of it."""
    fidelity = verdict.fidelity
    return ReportPolicy(
        name=str(policy),
        principles=tuple(each for principle in policy.principles for each in _described(principle, verdict)),
        met=verdict.policy_met,
        broken_groups=len(verdict.broken),
        faithful=fidelity is not None and fidelity.kept,
        problems=(*verdict.broken_on_release, *(() if fidelity is None else fidelity.problems)),
    )


def _described(principle: Principle, verdict: Verdict) -> Iterator[ReportPrinciple]:
    if isinstance(principle, KAnonymity):
        words = (
            f"Every row looks the same as at least {principle.k - 1:,} others in the columns that could identify a "
            f"person: nobody can be narrowed down to fewer than {principle.k:,} rows."
        )
        yield ReportPrinciple(str(principle), words, f"k={verdict.k}")
        return
    for name in verdict.t if principle.column is None else [principle.column]:
        yield ReportPrinciple(str(principle), *_about(principle, name, verdict))


def _about(principle: LDiversity | TCloseness | AverageCloseness, name: str, verdict: Verdict) -> tuple[str, str]:
    if isinstance(principle, LDiversity):
        form = principle.form.name
        return _diversity(principle, name), f"l={decimal_text(verdict.l[name][form])} on '{name}'"
    if isinstance(principle, TCloseness):
        words = (
            f"In every group the values of '{name}' are spread almost as in the whole table, so that knowing "
            f"somebody's group tells little about them: the distance is at most {exact_text(principle.t)}, where 0 is "
            "the same spread and 1 the largest distance that there can be."
        )
        return words, f"t={decimal_text(verdict.t[name], up=True)} on '{name}'"
    words = (
        f"On average over all rows, knowing somebody's group tells at most {exact_text(principle.t)} bits about their "
        f"'{name}'."
    )
    return words, f"average t={decimal_text(verdict.average_t[name], up=True)} bits on '{name}'"


def _diversity(principle: LDiversity, name: str) -> str:
    l, form = exact_text(principle.l), principle.form
    if form.name == "frequency":
        return f"In every group at most one row in {l} has the same value of '{name}'."
    if form.name == "distinct":
        return f"Every group has at least {l} different values of '{name}'."
    if form.name == "entropy":
        return f"In every group the values of '{name}' are at least as mixed as {l} equally frequent ones (by entropy)."
    return (
        f"In no group does the most frequent value of '{name}' stand out: it has fewer rows than c times all values "
        f"together from number {l} on, counted from the most frequent ({form})."
    )
