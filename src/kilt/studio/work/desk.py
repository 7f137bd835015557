"""What the processes of the studio do: each is a command of kilt, on a table that is opened once.

Answers are plain values, those that the commands print as JSON, so that the page needs nothing of what made them.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kilt.commands.anonymize import OVER, STOPPED, anonymize
from kilt.commands.frontier import FrontierPoint, frontier
from kilt.commands.inspect import inspect
from kilt.commands.ladder import ladder
from kilt.errors import InputError
from kilt.inspection.kinds import Kind
from kilt.inspection.ladders import ladder_for, space_for
from kilt.inspection.possible import possible_on
from kilt.model.ladders import parse_ladder
from kilt.model.policy import Policy
from kilt.model.spaces import SPACES
from kilt.report.data.groups import risk_of
from kilt.sources.counted_table import CountedTable, TableDescription
from kilt.sources.duck.database import is_database
from kilt.sources.duck.table import DuckSource
from kilt.sources.file_format import FileStyle
from kilt.studio.work.calling import Calling
from kilt.studio.work.estimate import estimate
from kilt.studio.work.watch import Watch

PREVIEWED = 8  # rows of a table that was opened
STEPPED = ("number", "code", "category")  # kinds of columns for which a ladder can be found without more questions
NO_FILE = "'{}' is not a file: the studio reads files, and kilt anonymize also reads tables of databases"


class Desk:
    """One table, opened, with what was last counted of it."""

    def __init__(self) -> None:
        self._table: DuckSource | None = None
        self._file: dict[str, Any] | None = None
        self._release: tuple[str, DuckSource] | None = None
        self._counted: dict[str, CountedTable] = {}

    @property
    def _opened(self) -> DuckSource:
        if self._table is None:
            raise InputError("no table is open: open one first")
        return self._table

    def open(self, _calling: Calling, path: str, **style: Any) -> dict[str, Any]:
        """Open a file, and show how it is written and its first rows."""
        table = self._read({"path": path, **style})
        found = table.style
        return {
            "rows": table.rows,
            "columns": table.columns,
            "delimiter": found.delimiter,
            "encoding": found.encoding,
            "sheet": found.sheet,
            "preview": table.some_rows(0, PREVIEWED),
        }

    def take(self, _calling: Calling, **file: Any) -> None:
        """Open a file that another process shows, unless it is open here, too."""
        if self._table is None or self._file != file:
            self._read(file)

    def _read(self, file: dict[str, Any]) -> DuckSource:
        self._table, self._release, self._counted, self._file = None, None, {}, file
        path, style = file["path"], {name: value for name, value in file.items() if name != "path"}
        if "://" in path or is_database(path):
            raise InputError(NO_FILE.format(path))
        self._table = DuckSource.open(Path(path), FileStyle(**style))
        return self._table

    def inspect(self, calling: Calling, decimal: str | None) -> dict[str, Any]:
        """Say what the columns are, with what is proposed, and what would be for another role."""
        profile = inspect(self._opened, decimal=decimal, observer=lambda progress: calling.tell(progress.phase))
        sign = profile.settings.get("decimal", ".")
        described = profile.to_dict()
        for column in described["columns"]:
            column["ladder"], column["space"] = self._fitting(column, sign)
        return {**described, "decimal": profile.settings.get("decimal")}

    def _fitting(self, column: dict[str, Any], decimal: str) -> tuple[str, str]:
        """Return a ladder and a space that fit a column, whatever its role is."""
        proposal, name = column["proposal"], column["name"]
        ladder_word, space_word = proposal.get("ladder"), proposal.get("space")
        if column["kind"] in STEPPED and not (ladder_word and space_word):
            kind, domain = Kind(column["kind"], column["reason"]), self._opened.domain(name)
            typed = self._opened.typed(name)
            ladder_word = ladder_word or ladder_for(kind, domain, typed=typed, decimal=decimal).word
            space_word = space_word or space_for(kind, domain, decimal).word
        return ladder_word or "suppress", space_word or "equal"

    def ladder(self, _calling: Calling, column: str, word: str, weight: str, decimal: str | None) -> dict[str, Any]:
        """Show what a ladder makes of a column."""
        if word == "characters":
            parse_ladder(word)
            return {"ladder": word, "levels": [], "notes": ["every character is shown or hidden on its own"]}
        weights = {column: weight} if weight else None
        found = ladder(self._opened, {column: word}, weights=weights, decimal=decimal, show_values=True)
        return found.to_dict()

    def weigh(
        self, calling: Calling, file: dict[str, Any], roles: dict[str, Any], policy: dict[str, Any]
    ) -> dict[str, Any]:
        """Say what is possible, how large the risk is now, and about what a policy costs."""
        begun, asked = time.monotonic(), Policy(**policy)
        self.take(calling, **file)
        table = self._count(roles, asked)
        known = {
            "rows": int(table.types.counts.sum()),
            "row_types": len(table.types.counts),
            "risk": asdict(risk_of(table.types.group_sizes(), int(policy.get("k", 5)))),
            "possible": [self._possible(name, space, roles) for name, space in roles["sensitive"].items()],
            "found": None,
        }
        calling.tell(known)
        return estimate(calling, known, table.under(asked), begun)

    def _count(self, roles: dict[str, Any], policy: Policy) -> CountedTable:
        """Count a table, unless it is counted already for these columns."""
        key = json.dumps([roles, policy.columns(list(roles["sensitive"]))])
        if key not in self._counted:
            last = list(self._counted.items())[-1:]  # with and without l, one goes back and forth
            self._counted = dict(last) | {key: TableDescription(self._opened, **roles).count(policy)}
        return self._counted[key]

    def _possible(self, name: str, space: str, roles: dict[str, Any]) -> dict[str, Any]:
        word = space if space in SPACES else "equal"
        return possible_on(self._opened.domain(name), word, roles.get("decimal") or ".").to_dict()

    def frontier(
        self, calling: Calling, path: str, table: dict[str, Any], ranges: dict[str, Any], seconds: float
    ) -> list[dict[str, Any]]:
        """Solve the table under several policies, and show each point when it is there."""
        description = TableDescription(path, **table)

        def shown(points: list[FrontierPoint]) -> list[dict[str, Any]]:
            return [point.to_dict() for point in points]

        points = frontier(
            description,
            **ranges,
            time_each=seconds,
            found=lambda points: calling.tell(shown(points)),
            interrupted=calling.interrupted,
        )
        return shown(points)

    def run(
        self,
        calling: Calling,
        path: str,
        table: dict[str, Any],
        policy: dict[str, Any],
        search: dict[str, Any],
        files: dict[str, Any],
    ) -> dict[str, Any]:
        """Release the table, as kilt anonymize does; files that are written are verified, and lie in our folder."""
        release = anonymize(
            path,
            policy=Policy(**policy),
            **table,
            **search,
            **files,
            observer=Watch(calling.tell),
            interrupted=calling.interrupted,
        )
        stopped = STOPPED in release.notes
        return {
            **release.to_dict(),
            "summary": release.summary(),
            "salt": release.report_salt,
            "lost": float(release.lost),
            "must_be_lost": None if release.must_be_lost is None else float(release.must_be_lost),
            "blurs": release.blurs,
            "stopped": stopped,
            "repeats": "time" not in search and not stopped and OVER not in release.notes,
        }

    def rows(self, _calling: Calling, release: str, style: dict[str, Any], first: int, most: int) -> dict[str, Any]:
        """Return some rows of the table and of its release."""
        if self._release is None or self._release[0] != release:
            self._release = release, DuckSource.open(Path(release), FileStyle(**style))
        released = self._release[1]
        return {
            "columns": self._opened.columns,
            "before": self._opened.some_rows(first, most),
            "released": released.columns,
            "after": released.some_rows(first, most),
        }
