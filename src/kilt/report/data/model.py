"""The report of a release as data: plain numbers and texts that every rendering shares.

Figures that the verifier also gives are its own, rounded as ``kilt verify --json`` rounds them. Texts that stand for
values of the table belong to at least as many rows as the policy's k; all others are folded together.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Detail = Literal["public", "internal"]
DETAILS: tuple[Detail, ...] = ("public", "internal")


@dataclass(frozen=True)
class ReportPrinciple:
    """A principle of the policy: as the user wrote it, in plain words, and what the verifier found."""

    name: str
    words: str
    found: str


@dataclass(frozen=True)
class ReportPolicy:
    """The policy, and whether the independent verifier found it met."""

    name: str
    principles: tuple[ReportPrinciple, ...]
    met: bool
    broken_groups: int
    faithful: bool
    problems: tuple[str, ...]


@dataclass(frozen=True)
class ReportQuality:
    """How much is lost, and how much every release under the policy must lose."""

    stars: int | float
    bound: int | float | None
    gap: float | None
    status: str | None
    proof: str | None
    least: int | float
    most: int | float
    lost: float
    must_be_lost: float | None
    cells: int
    all_cells: int
    blurs: bool
    measure: str
    guarantee: str | None


@dataclass(frozen=True)
class ReportLevel:
    """A level of a ladder, and the cells of the column that are shown at it."""

    name: str
    cells: int
    share: float


@dataclass(frozen=True)
class ReportColumn:
    """A quasi column: where its cells stand on the ladder, and how much of it is left.

    ``entropy`` is that of the original in bits, ``entropy_left`` how much of it the released cells still tell, and
    ``entropy_kept`` the same as a share.
    """

    name: str
    ladder: str
    levels: tuple[ReportLevel, ...]
    cells: int
    stars: int | float
    detail_left: float
    entropy: float
    entropy_left: float
    entropy_kept: float


@dataclass(frozen=True)
class ReportLostRows:
    """How many rows lost so many cells."""

    cells: int
    rows: int
    share: float


@dataclass(frozen=True)
class ReportShare:
    """The rows that share a value: how many they are, and how many of their quasi cells are lost on average."""

    value: str
    rows: int
    cells: float
    share: float


@dataclass(frozen=True)
class ReportBy:
    """For whom detail was lost: the rows by the values of a column."""

    column: str
    values: tuple[ReportShare, ...]


@dataclass(frozen=True)
class ReportSizes:
    """Groups whose sizes are in a range, and the rows in them."""

    smallest: int
    largest: int
    groups: int
    rows: int
    share: float


@dataclass(frozen=True)
class ReportValue:
    """A sensitive value: its share of the table, and its share of the group that is farthest from it."""

    value: str
    table: float
    group: float


@dataclass(frozen=True)
class ReportCloseness:
    """How far the groups are from the table in a sensitive column; ``distances`` are sorted, and evenly thinned.

    ``farthest`` is the smallest t that the release meets. ``values`` compare the table with the farthest group.
    """

    column: str
    space: str
    threshold: float | None
    farthest: float
    average: float
    distances: tuple[float, ...]
    groups: int
    is_sample: bool
    group_size: int
    values: tuple[ReportValue, ...]
    pattern: tuple[tuple[str, str], ...] | None


@dataclass(frozen=True)
class ReportRisk:
    """The chance to pick the right row of somebody who is known to be in the table.

    ``at_risk`` is the share of rows in groups smaller than the report's ``fewest`` rows.
    """

    highest: float
    average: float
    lowest: float
    unique: float
    at_risk: float


@dataclass(frozen=True)
class ReportUtility:
    """What an analyst looks at: groups, their average size, and discernibility (the sum of the squared sizes)."""

    groups: int
    average_group: float
    discernibility: int


@dataclass(frozen=True)
class ReportAssociation:
    """How strongly two columns go together (Cramér's V), before and after."""

    first: str
    second: str
    before: float
    after: float


@dataclass(frozen=True)
class ReportPoint:
    """Stars and bound at a moment of the run."""

    seconds: float
    stars: int | float | None
    bound: int | float | None


@dataclass(frozen=True)
class ReportFrontierPoint:
    """What another policy would cost; no stars if it cannot be met."""

    policy: str
    stars: int | float | None
    bound: int | float | None


@dataclass(frozen=True)
class ReportReproduction:
    """How to make the same release again, and how to show which table it was made of."""

    version: str
    command: str
    solver: str | None
    seed: int | None
    seconds: float | None
    quasi: tuple[tuple[str, str], ...]
    sensitive: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...] | None
    digest: str
    salt: str | None


@dataclass(frozen=True)
class Report:
    """All that a report says. Values of fewer than ``fewest`` rows are folded together."""

    detail: Detail
    rows: int
    groups: int
    fewest: int
    policy: ReportPolicy
    quality: ReportQuality
    columns: tuple[ReportColumn, ...]
    lost_rows: tuple[ReportLostRows, ...]
    by: tuple[ReportBy, ...]
    sizes: tuple[ReportSizes, ...]
    sizes_before: tuple[ReportSizes, ...] | None
    closeness: tuple[ReportCloseness, ...]
    risk_before: ReportRisk
    risk_after: ReportRisk
    utility_before: ReportUtility
    utility_after: ReportUtility
    associations: tuple[ReportAssociation, ...]
    progress: tuple[ReportPoint, ...]
    reproduction: ReportReproduction
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    frontier: tuple[ReportFrontierPoint, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON values."""
        return asdict(self)
