"""What could be done with a column: a role, with a ladder or a space, and the reason. Nothing is applied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kilt.inspection import names
from kilt.inspection.kinds import Kind, is_diagnosis
from kilt.inspection.ladders import ladder_for, space_for
from kilt.inspection.profile import Proposal, RoleName
from kilt.model.column_counts import ColumnCounts
from kilt.model.ladders import Domain
from kilt.report.text import part


@dataclass(frozen=True)
class Inspected:
    """A column that a proposal is made for; its domain is read only where it is needed."""

    counts: ColumnCounts
    kind: Kind
    domain: Callable[[], Domain]
    typed: bool
    decimal: str

    def proposal(self) -> Proposal:
        """Propose a role, and what it needs."""
        role, reason = self.role()
        if role == "quasi":
            ladder = ladder_for(self.kind, self.domain(), typed=self.typed, decimal=self.decimal)
            return Proposal(role, f"{reason}; {ladder.reason}", ladder=ladder.word, mark=ladder.mark)
        if role == "sensitive":
            space = space_for(self.kind, self.domain(), self.decimal)
            return Proposal(role, f"{reason}; {space.reason}", space=space.word)
        return Proposal(role, reason)

    def role(self) -> tuple[RoleName, str]:
        """Return a role and its reason; in doubt a column is quasi: that costs detail, and no person anything."""
        if self.kind.identifies:
            return "identifier", self.kind.reason
        if self.kind.name == "constant":
            return "keep", self.kind.reason
        name, dated = self.counts.name, self.kind.name == "date"
        if not dated and (names.SENSITIVE.are_in(name) or is_diagnosis(self.counts)):
            return "sensitive", f"could harm a person{self._warning()}"
        known = dated or names.QUASI.are_in(name)
        return "quasi", "others may know it" if known else "in doubt, others may know it"

    def _warning(self) -> str:
        """Warn of a column that would be released as it is and singles out rows by itself."""
        if not self.counts.unique:
            return ""
        return (
            f" (but {part(self.counts.unique_share)} of the rows are unique in it alone, and it is released as it is)"
        )
