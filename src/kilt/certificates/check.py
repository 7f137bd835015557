"""The independent check of a certificate against the original, and against the release that it is about.

It reads the cells of the original itself, counts them itself, and evaluates the proof in integers over all patterns
(`kilt.certificates.proof`). It shares the definitions of policies, ladders and spaces with the rest of kilt, but
no solver.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kilt.certificates.certificate import Certificate
from kilt.certificates.proof.evaluate import evaluate_bound
from kilt.certificates.question import Demand, Question
from kilt.errors import InputError, KiltError, printable
from kilt.model.problem import Problem
from kilt.model.roles import Roles
from kilt.model.row_types import RowTypes, encode
from kilt.model.scale import IN_STARS, Scale
from kilt.numbers import IntArray, bound_number, json_number, pluralize
from kilt.sources.base import FloatingSource, Source
from kilt.sources.order import value_order
from kilt.verification.verifier import judge

ANYTHING = Demand()


@dataclass(frozen=True)
class CertificateCheck:
    """Whether a certificate proves what it says, and which question that answers; if not, why."""

    question: Question
    bound: Fraction
    stars: Fraction | None
    rows: int
    with_release: bool
    shuffled: bool
    problems: tuple[str, ...]
    scale: Scale = IN_STARS

    @property
    def passed(self) -> bool:
        """Whether everything that could be checked is as it should be."""
        return not self.problems

    @property
    def is_empty(self) -> bool:
        """Whether it proves no more than that no release has fewer than 0 stars, while the release has some."""
        return self.bound == 0 and self.stars != 0

    @property
    def policy(self) -> str:
        """The policy of the question."""
        return str(self.question.policy)

    def summary(self) -> str:
        """Say yes or no, what that means, and which question it answers."""
        return f"{printable(self.answer())}\n{self.question.text()}"

    def answer(self) -> str:
        """Say yes or no, and what that means."""
        if not self.passed:
            return "NO: " + "; ".join(self.problems)
        return "; ".join([self._proof(), *self._release()])

    def _proof(self) -> str:
        if self.is_empty:
            return "VALID BUT EMPTY: it proves no more than that a release cannot have fewer than 0 stars"
        least = self.scale.bound(self.bound, self.stars)
        can = f"lose less than {least} of the detail" if self.scale.blurs else f"have fewer than {least} stars"
        return f"YES: no release of these {self.rows:,} rows under {self.policy} can {can}"

    def _release(self) -> Iterator[str]:
        if self.stars is None:
            return
        lost = f"{self.scale.cost(self.stars)} {'of the detail' if self.scale.blurs else 'stars'}"
        if not self.with_release:
            yield f"not checked without the release: {lost}{' lost' if self.scale.blurs else ''}"
        elif self.shuffled:
            yield f"the release meets the policy; its rows were shuffled, so that nobody can count its {lost}"
        else:
            yield f"the release meets the policy and {'loses' if self.scale.blurs else 'has'} {lost}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "passed": self.passed,
            "empty": self.is_empty,
            "bound": bound_number(self.bound, self.stars),
            "stars": None if self.stars is None else json_number(self.stars, up=True),
            "policy": self.policy,
            "question": self.question.to_dict(),
            "rows": self.rows,
            "release_checked": self.with_release,
            "problems": list(self.problems),
        }


def check_certificate(
    certificate: Certificate, original: Source, release: Source | None = None, demand: Demand = ANYTHING
) -> CertificateCheck:
    """Check whether a certificate proves its bound for this original, and states the stars of this release.

    It must also answer the question that is demanded.
    """
    question = Question.of(certificate)
    problems, scale = _examine(certificate, original)
    if release is not None and not problems:
        problems = _release_problems(certificate, original, release)
    other = [f"it answers another question: {difference}" for difference in demand.differences(question)]
    answer = (question, certificate.bound, certificate.stars, certificate.rows)
    return CertificateCheck(*answer, release is not None, certificate.shuffled, (*other, *problems), scale)


def reasons_refused(certificate: Certificate, source: Source) -> list[str]:
    """Say why a certificate does not prove its bound for this original; nothing if it does."""
    return _examine(certificate, source)[0]


def _examine(certificate: Certificate, source: Source) -> tuple[list[str], Scale]:
    """Say why a certificate does not prove its bound, and how the costs of the original are told if it does."""
    missing = [name for name in (*certificate.quasi, *certificate.sensitive) if name not in source.columns]
    if missing:
        return [f"the table has no column '{name}'" for name in missing], IN_STARS
    types = count(source, list(certificate.quasi), list(certificate.sensitive))
    rows, n_row_types = int(types.counts.sum()), len(types.counts)
    if (rows, n_row_types) != (certificate.rows, certificate.row_types):
        other = (
            f"it is about another table: {pluralize(certificate.rows, 'row')} with "
            f"{pluralize(certificate.row_types, 'row type')}, and this one has {rows:,} with {n_row_types:,}"
        )
        return [other], IN_STARS
    if not certificate.belongs_to(types):
        return ["it is about another table, or it was altered: the digest is wrong"], IN_STARS
    problems = _problems_of_proof(certificate, types)
    scale = IN_STARS if problems else Scale.of(certificate.quasi, encode(types, certificate.quasi), rows)
    return problems, scale


def _problems_of_proof(certificate: Certificate, types: RowTypes) -> list[str]:
    """Say which claims of a certificate for this table are not proved."""
    try:
        problem = Problem.build(types, certificate.quasi, certificate.sensitive, certificate.policy)
        found = problem.stars(evaluate_bound(problem, certificate.parts))
    except KiltError as error:
        return [str(error)]
    problems = []
    if certificate.bound != found:
        problems.append(f"the proof reaches {json_number(found):,} stars, not {json_number(certificate.bound):,}")
    if certificate.stars is not None and certificate.stars < certificate.bound:
        problems.append("it claims fewer stars than its own bound")
    return problems


def _release_problems(certificate: Certificate, original: Source, release: Source) -> list[str]:
    if certificate.stars is None:
        return ["it is about a bound alone, and says nothing of a release"]
    roles = Roles(certificate.quasi, certificate.sensitive, certificate.identifier, certificate.measure)
    try:
        verdict = judge(release, roles, certificate.policy, original, certificate.marks, shuffled=certificate.shuffled)
    except InputError as error:
        return [f"the release is not one of this original: {error}"]
    problems = [f"the release breaks the policy in {pluralize(len(verdict.broken), 'group')}"] if verdict.broken else []
    problems += [f"the release as a whole breaks {rule}" for rule in verdict.broken_on_release]
    fidelity = verdict.fidelity
    if fidelity is not None and not fidelity.kept:
        return [*problems, f"the release is not one of this original: {'; '.join(fidelity.problems[:3])}"]
    if fidelity is not None and not certificate.shuffled and fidelity.stars != certificate.stars:
        problems.append(
            f"the release has {json_number(fidelity.stars, up=True):,} stars, "
            f"not {json_number(certificate.stars, up=True):,}"
        )
    return problems


def count(source: Source, quasi: list[str], sensitive: list[str]) -> RowTypes:
    """Count the row types from the cells alone, in the order of their values."""
    floats = [isinstance(source, FloatingSource) and source.is_float(name) for name in (*quasi, *sensitive)]
    found: Counter[tuple[str | None, ...]] = Counter()
    for cells, rows in source.counted_rows([*quasi, *sensitive]):
        found[tuple(cells)] += rows
    columns = zip(zip(*found, strict=True), floats, strict=True)
    coded = [_coded(list(cells), is_float=is_float) for cells, is_float in columns]
    matrix = np.column_stack([codes for codes, _ in coded])
    order = np.lexsort(matrix.T[::-1])
    ordered = matrix[order]
    values = [texts for _, texts in coded]
    return RowTypes(
        quasi=tuple(values[: len(quasi)]),
        sensitive=tuple(values[len(quasi) :]),
        quasi_codes=ordered[:, : len(quasi)],
        sensitive_codes=ordered[:, len(quasi) :],
        counts=np.array(list(found.values()), dtype=np.int64)[order],
    )


def _coded(cells: list[str | None], *, is_float: bool) -> tuple[IntArray, list[str | None]]:
    """Number the different cells in the order of their values, the missing one first."""
    texts = sorted(set(cells), key=lambda text: value_order(text, is_float=is_float))
    number = {text: place for place, text in enumerate(texts)}
    return np.array([number[cell] for cell in cells], dtype=np.int64), texts
