"""What is claimed of a release: it meets the policy, and nothing but so many stars differs from the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from kilt.model.marks import ColumnMark
from kilt.model.policy import Policy
from kilt.model.roles import Roles
from kilt.sources.base import Source
from kilt.verification.verdict import Verdict
from kilt.verification.verifier import judge, require_verified


@dataclass(frozen=True, eq=False)
class ReleaseClaim:
    """A claim about a table that is said to be the release."""

    original: Source
    roles: Roles
    policy: Policy
    marks: Mapping[str, ColumnMark]
    stars: Fraction

    def verify(self, table: Source) -> Verdict:
        """Return the verdict on a table, or raise if it is not what is claimed."""
        verdict = judge(table, self.roles, self.policy, self.original, self.marks)
        return require_verified(verdict, self.stars)
