"""A profile: what is known of a table before any policy, and what is proposed; renderers show it as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from kilt.inspection.configuration import config_text, write_config
from kilt.inspection.kinds import KindName
from kilt.inspection.possible import Possible
from kilt.inspection.uniqueness import Uniqueness
from kilt.report.profile import profile_text

RoleName = Literal["identifier", "quasi", "sensitive", "keep"]


@dataclass(frozen=True)
class Proposal:
    """What could be done with a column, and why: the role, a quasi column's ladder, a sensitive column's space.

    A ``mark`` is proposed where the usual one could be mistaken for a value.
    """

    role: RoleName
    reason: str
    ladder: str | None = None
    space: str | None = None
    mark: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        chosen = {"ladder": self.ladder, "space": self.space, "mark": self.mark}
        return {"role": self.role, **{name: word for name, word in chosen.items() if word}, "reason": self.reason}


@dataclass(frozen=True)
class ColumnProfile:
    """A column: what it is, how its rows share its values, and what is proposed.

    ``unique`` rows have a value that no other row has. ``values`` are frequent ones with their rows: of an identifier
    or free text none, and none of few rows, unless they were asked for; ``reason`` says why it is of its ``kind``.
    """

    name: str
    kind: KindName
    reason: str
    distinct: int
    missing: int
    unique: int
    values: tuple[tuple[str | None, int], ...]
    proposal: Proposal

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "reason": self.reason,
            "distinct_values": self.distinct,
            "missing_values": self.missing,
            "unique_rows": self.unique,
            "values": [{"value": value, "rows": rows} for value, rows in self.values],
            "proposal": self.proposal.to_dict(),
        }


@dataclass(frozen=True)
class Profile:
    """What is known of a table before any policy.

    ``settings`` are how the table was given, as `kilt.toml` has them: its file, a delimiter, a decimal sign.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    uniqueness: Uniqueness
    possible: Possible
    shown_from: int  # values of fewer rows are not shown
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def with_role(self, role: RoleName) -> tuple[ColumnProfile, ...]:
        """Return the columns that a role is proposed for."""
        return tuple(column for column in self.columns if column.proposal.role == role)

    def summary(self) -> str:
        """Show it as text."""
        return profile_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "rows": self.rows,
            "columns": [column.to_dict() for column in self.columns],
            "uniqueness": self.uniqueness.to_dict(),
            "possible": self.possible.to_dict(),
            "values_shown_from_rows": self.shown_from,
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }

    def config(self, folder: str | PathLike[str] = ".") -> str:
        """Return the proposals as the text of a configuration; its paths are relative to a folder."""
        return config_text(self, Path(folder))

    def write(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the proposals to a configuration, over an existing file only if that is asked for."""
        write_config(self, Path(path), force=force)
