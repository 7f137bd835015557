"""What a report is about: a release, its original, and what is known of the run that made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from kilt.arrays.ragged import bucket
from kilt.certificates.proof.evidence import Arithmetic
from kilt.model.marks import ColumnMark
from kilt.model.policy import KAnonymity, Policy
from kilt.model.roles import Roles
from kilt.model.row_types import RowTypes
from kilt.numbers import IntArray
from kilt.run.recorder import Moment
from kilt.sources.base import Source
from kilt.sources.indicators import merge_indicators
from kilt.sources.tally import Tally, ValueCounts
from kilt.verification.verdict import Fidelity, Verdict

FEWEST = 5  # rows that a value must have to be named, where the policy has no k


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run; nothing of it has to be, if a release is looked at afterwards."""

    bound: Fraction | None = None
    proof: Arithmetic = "exact"
    least: Fraction = Fraction(0)
    guarantee: str | None = None
    solver: str | None = None
    seconds: float | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    moments: tuple[Moment, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Subject:
    """A release that the verifier has compared with its original."""

    released: Source
    original: Source
    roles: Roles
    policy: Policy
    marks: Mapping[str, ColumnMark]
    verdict: Verdict
    run: RunFacts = field(default_factory=RunFacts)

    @property
    def fidelity(self) -> Fidelity:
        """How the release differs from the original."""
        if self.verdict.fidelity is None:
            raise AssertionError("a report needs a verdict beside the original")
        return self.verdict.fidelity

    @property
    def fewest(self) -> int:
        """How many rows a value must have to be named: the policy's k."""
        return max((p.k for p in self.policy.principles if isinstance(p, KAnonymity)), default=FEWEST)

    @cached_property
    def table(self) -> Source:
        """The release with its indicators read into their columns, as the verifier reads it."""
        merged: Source = merge_indicators(self.released, self.marks)
        return merged

    @cached_property
    def before(self) -> RowTypes:
        """The row types of the original, with all sensitive columns."""
        return self._count(self.original)

    @cached_property
    def after(self) -> RowTypes:
        """The row types of the release."""
        return self._count(self.table)

    def _count(self, source: Source) -> RowTypes:
        return source.count(list(self.roles.quasi), list(self.roles.sensitive)).types

    @cached_property
    def sizes_before(self) -> IntArray:
        """How many rows of the original agree in all quasi columns."""
        return self.before.group_sizes()

    @cached_property
    def tally(self) -> Tally:
        """The groups of the release, with their sensitive values."""
        types = self.after
        groups = bucket(list(types.quasi_codes.T), len(types.counts))
        order, owner = groups.values, groups.owner
        counts = types.counts[order]
        columns = tuple(
            ValueCounts(name, values, owner, types.sensitive_codes[order, index].astype(np.int64), counts)
            for index, (name, values) in enumerate(zip(self.roles.sensitive, types.sensitive, strict=True))
        )
        first = groups.first

        def patterns(chosen: Sequence[int]) -> list[tuple[str | None, ...]]:
            rows = types.quasi_codes[first[np.array(chosen, dtype=np.int64)]].tolist()
            return [tuple(values[code] for values, code in zip(types.quasi, row, strict=True)) for row in rows]

        return Tally(groups.sums(counts), columns, patterns)
