"""What the user has decided: the roles of columns, the policy, and how long to search.

Decisions are kept as the settings of `kilt.toml` have them, so that the page, the command and the configuration say the
same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from kilt.errors import InputError

Role = Literal["identifier", "quasi", "sensitive", "keep"]
ROLES: Mapping[Role, str] = {
    "identifier": "Drop it",
    "quasi": "Blur it",
    "sensitive": "Protect it",
    "keep": "Leave it as it is",
}
ROLE_HELP: Mapping[Role, str] = {
    "identifier": "It tells who somebody is: a name, a number, an address. It is not in the release.",
    "quasi": "Others may know it: age, place, dates. It is blurred as little as the policy allows.",
    "sensitive": "It could harm somebody: a disease, a salary. It stays as it is, and the policy protects it.",
    "keep": "It tells nothing about single persons. It stays as it is.",
}
SPACES: Mapping[str, str] = {
    "equal": "all equally far",
    "ordered": "numbers: one step from each to the next",
    "numeric": "numbers: as far as they are",
}
DIVERSITIES: Mapping[str, str] = {
    "frequency": "no value has more than a share of 1/l",
    "distinct": "at least l different values",
    "entropy": "mixed like l equally frequent values",
}
VARIED = {  # what a frontier goes through
    "k": ("2", "3", "5", "10", "20", "50"),
    "l": ("1.5", "2", "3", "4", "5"),
    "t": ("0.1", "0.2", "0.3", "0.4", "0.5"),
}
WHOLE_L = ("2", "3", "4", "5", "6")  # distinct values are counted
K, L = "5", "2"  # where to begin, as kilt inspect proposes it
MOST_VALUES = 1_000  # of a column that l is proposed for
MOVES, SECONDS = "1000000", "60"
LONGEST = 200  # characters of what somebody types


@dataclass(frozen=True)
class ColumnChoice:
    """A column: its role, and what it is given for each of them, so that nothing is lost when the role changes."""

    name: str
    role: Role
    ladder: str = "suppress"
    space: str = "equal"
    weight: str = "1"
    mark: str | None = None

    def changed(self, field_name: str, value: str) -> ColumnChoice:
        """Return it with something else decided, or raise if that cannot be."""
        value = value.strip()
        if field_name == "role" and value not in ROLES:
            raise InputError(f"the role of '{self.name}' must be one of {', '.join(ROLES)}")
        if field_name == "space" and value not in SPACES:
            raise InputError(f"the space of '{self.name}' must be one of {', '.join(SPACES)}")
        if field_name not in ("role", "ladder", "space", "weight") or len(value) > LONGEST:
            raise InputError(f"this cannot be said of '{self.name}'")
        defaults = {"ladder": "suppress", "weight": "1"}
        chosen: dict[str, Any] = {field_name: value or defaults.get(field_name, value)}
        return replace(self, **chosen)


@dataclass(frozen=True)
class PolicyChoice:
    """The policy, as it was typed: an empty text asks for nothing."""

    k: str = K
    l: str = ""
    diversity: str = "frequency"
    t: str = ""

    def settings(self, *, sensitive: bool) -> dict[str, str]:
        """Return what the settings of a command have; l and t need a sensitive column."""
        asked = {"k": self.k, **({"l": self.l, "t": self.t} if sensitive else {})}
        said = {name: value.strip() for name, value in asked.items() if value.strip()}
        return {**said, **({"diversity": self.diversity} if "l" in said and self.diversity != "frequency" else {})}


@dataclass(frozen=True)
class SearchChoice:
    """How long to search: a number of moves, which can be repeated, or a time; and the seed of what is random."""

    limit: Literal["iterations", "time"] = "iterations"
    iterations: str = MOVES
    time: str = SECONDS
    seed: str = "0"
    certificate: bool = True

    def settings(self) -> dict[str, Any]:
        """Return what the settings of a command have."""
        whole = {"the number of moves": self.iterations, "the seed": self.seed}
        for name, value in whole.items():
            if not (value.isascii() and value.isdigit() and len(value) <= 15):
                raise InputError(f"{name} must be a whole number of at least 0, not '{value[:LONGEST]}'")
        chosen = {"iterations": int(self.iterations)} if self.limit == "iterations" else {"time": self.time.strip()}
        return {**chosen, "seed": int(self.seed)}


@dataclass(frozen=True)
class FileChoice:
    """A table: where it is, what the user calls it, and what was said of how it is written."""

    path: str
    name: str
    example: str | None = None
    is_copy: bool = False  # in our folder: it was uploaded, or is an example
    style: Mapping[str, str] = field(default_factory=dict)

    @property
    def reading(self) -> dict[str, str | None]:
        """What is needed to open it."""
        return {name: self.style.get(name) for name in ("delimiter", "encoding", "sheet")}

    @property
    def described(self) -> dict[str, str | None]:
        """Where it is, and what is needed to open it."""
        return {"path": self.path, **self.reading}


def role_settings(columns: Mapping[str, ColumnChoice]) -> dict[str, Any]:
    """Return the roles as the settings of a command have them."""
    by_role = {role: [column for column in columns.values() if column.role == role] for role in ROLES}
    quasi = by_role["quasi"]
    weights = {column.name: column.weight for column in quasi if column.weight != "1"}
    return {
        "identifier": [column.name for column in by_role["identifier"]],
        "keep": [column.name for column in by_role["keep"]],
        "quasi": {column.name: column.ladder for column in quasi},
        "sensitive": {column.name: column.space for column in by_role["sensitive"]},
        **({"weights": weights} if weights else {}),
    }


def mark_settings(columns: Mapping[str, ColumnChoice]) -> dict[str, Any]:
    """Return the marks of columns in which the usual one would be mistaken for a value."""
    marks = {column.name: column.mark for column in columns.values() if column.role == "quasi" and column.mark}
    return {"mark": marks} if marks else {}


def proposed(profile: Mapping[str, Any]) -> dict[str, ColumnChoice]:
    """Return what kilt inspect proposes for every column."""
    return {
        column["name"]: ColumnChoice(
            column["name"],
            column["proposal"]["role"],
            column["ladder"],
            column["space"],
            mark=column["proposal"].get("mark"),
        )
        for column in profile["columns"]
    }


def proposed_policy(profile: Mapping[str, Any]) -> PolicyChoice:
    """Return where to begin: l only where two values of a sensitive column can be mixed everywhere."""
    rows, distinct = profile["rows"], {column["name"]: column["distinct_values"] for column in profile["columns"]}
    possible = profile["possible"]["sensitive"]
    diverse = [
        each["largest_l"]["frequency"] >= int(L) and distinct[each["column"]] <= min(MOST_VALUES, rows // 2)
        for each in possible
    ]
    return PolicyChoice(k=str(min(int(K), rows)), l=L if diverse and all(diverse) else "")


def varied_numbers(vary: str, policy: PolicyChoice, *, sensitive: bool) -> tuple[str, ...]:
    """Return the numbers that a frontier goes through, or raise if it cannot go through them."""
    if vary not in VARIED or (vary != "k" and not sensitive):
        raise InputError("a frontier goes through k, or through l or t of a sensitive column")
    return WHOLE_L if vary == "l" and policy.diversity == "distinct" else VARIED[vary]
