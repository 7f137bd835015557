"""The session: one user, one table, and all that was decided and found so far.

It lives here and not in the page, so that a page can be closed, reloaded or opened twice, and nothing is lost. All of
it runs in the event loop; what takes long is asked of other processes.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kilt.commands.example import EXAMPLES, example
from kilt.errors import InputError, KiltError
from kilt.report.data.model import ReportPoint
from kilt.studio.choices import (
    ColumnChoice,
    FileChoice,
    PolicyChoice,
    SearchChoice,
    mark_settings,
    proposed,
    proposed_policy,
    role_settings,
    varied_numbers,
)
from kilt.studio.naming import release_file, safe_name
from kilt.studio.task import Errands, Task
from kilt.studio.work.worker import Worker

MOST_POINTS = 400  # of the live chart
FRONTIER_SECONDS = 4.0  # for each policy of a frontier
TABLES = ("hospital", "patients")  # the examples that are tables of people


class Session:
    """What was decided, what was found, and the processes that work for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.version = 0  # grows with every decision, so that a page notices what another one has done
        self.step = "table"  # that was looked at last
        self.file: FileChoice | None = None
        self.columns: dict[str, ColumnChoice] = {}
        self.policy, self.search = PolicyChoice(), SearchChoice()
        self.opening, self.inspecting, self.estimate = Task(), Task(), Task()
        self.frontier, self.run, self.shown = Task(), Task(), Task()
        self.points: list[ReportPoint] = []
        self._desk, self._scales = Worker(folder), Worker(folder)  # small questions do not wait for an estimate
        self._errands = Errands(self._desk, self._scales)
        self._copies = 0

    def start(self) -> None:
        """Start the process that holds the table: it loads while the first page is read."""
        self._desk.start()

    def end(self) -> None:
        """End all work at once; whoever started the session removes its folder."""
        for task in (self.frontier, self.run):
            if task.worker is not None:
                task.worker.end()
        self._desk.end()
        self._scales.end()

    # the table

    def open_path(self, path: str) -> None:
        """Open a file of this machine."""
        text = path.strip().strip('"')
        if not text:
            raise InputError("no file is named: type its path, or choose a file")
        whole = Path(text).expanduser().absolute()
        self._open(FileChoice(text if "://" in text else str(whole), whole.name))

    def open_example(self, name: str) -> None:
        """Open a table that ships with kilt."""
        if name not in TABLES:
            raise InputError(f"there is no example of this name: {' or '.join(TABLES)}")
        place = self.new_folder() / f"{name}.csv"
        place.write_bytes(example(name))
        self._open(FileChoice(str(place), place.name, example=EXAMPLES[name], is_copy=True))

    def open_upload(self, path: Path) -> None:
        """Open a file that was uploaded to our folder."""
        self._open(FileChoice(str(path), path.name, is_copy=True))

    def place_for(self, name: str) -> Path:
        """Return where an uploaded file is put: in our folder, under a name that cannot lead out of it."""
        safe = safe_name(name)
        return self.new_folder() / safe

    def new_folder(self) -> Path:
        """Make a folder in ours."""
        self._copies += 1
        folder = self.folder / f"copy-{self._copies}"
        folder.mkdir()
        return folder

    def correct(self, style: Mapping[str, str]) -> None:
        """Open the table again, with what the user says of how it is written."""
        if self.file is None:
            raise InputError("no table is open: open one first")
        self._open(replace(self.file, style={name: value for name, value in style.items() if value}))

    def _open(self, file: FileChoice) -> None:
        before, self.file, self.step = self.file, file, "table"
        self._changed()
        self.columns, self.policy = {}, PolicyChoice()
        is_reading, is_weighing = self.opening.is_busy or self.inspecting.is_busy, self.estimate.is_busy
        for task in (self.opening, self.inspecting, self.estimate, self.frontier):
            self._errands.abandon(task)
        self.opening, self.inspecting, self.estimate, self.frontier = Task(), Task(), Task(), Task()
        if is_reading:
            self._desk.end()  # it would go on with the table that nobody wants any more; the next call starts it anew
        if is_reading or is_weighing:
            self._scales.end()
        if before is not None and before.is_copy and before.path != file.path and not self.run.is_busy:
            shutil.rmtree(Path(before.path).parent, ignore_errors=True)
        self._errands.send(self.opening, self._desk, "open", file.described, then=self._inspect)

    def _inspect(self) -> None:
        self._scales.start()  # it loads meanwhile
        decimal = self.file.style.get("decimal") if self.file else None
        self._errands.send(self.inspecting, self._desk, "inspect", {"decimal": decimal}, then=self._propose)

    def _propose(self) -> None:
        self.columns = proposed(self.inspecting.result)
        self.policy = proposed_policy(self.inspecting.result)
        self._changed()
        self._errands.send(Task(), self._scales, "take", self._file().described)  # so that the first estimate is quick

    # the columns

    @property
    def roles(self) -> dict[str, Any]:
        """The roles, as the settings of a command have them, with the decimal sign that was found or given."""
        decimal = (self.inspecting.result or {}).get("decimal")
        return {**role_settings(self.columns), **({"decimal": decimal} if decimal else {})}

    @property
    def has_sensitive(self) -> bool:
        """Whether there is a column that l and t could be about."""
        return any(column.role == "sensitive" for column in self.columns.values())

    @property
    def has_quasi(self) -> bool:
        """Whether there is a column to blur."""
        return any(column.role == "quasi" for column in self.columns.values())

    def decide(self, place: int, said: Mapping[str, str]) -> None:
        """Take over what is said of a column, given by its place in the table."""
        names = list(self.columns)
        if not 0 <= place < len(names):
            raise InputError("there is no such column: reload the page")
        column = self.columns[names[place]]
        for name, value in said.items():
            column = column.changed(name, value)
        if column != self.columns[column.name]:
            self.columns[column.name] = column
            self._forget()

    async def preview(self, place: int, ladder: str, weight: str) -> dict[str, Any]:
        """Return what a ladder makes of a column."""
        names = list(self.columns)
        if not 0 <= place < len(names):
            raise InputError("there is no such column: reload the page")
        decimal = self.roles.get("decimal")
        call = self._desk.call("ladder", column=names[place], word=ladder, weight=weight, decimal=decimal)
        found: dict[str, Any] = await call.answer
        return found

    # the policy

    def set_policy(self, said: Mapping[str, str]) -> None:
        """Take over a policy, as it was typed, and estimate what it costs."""
        known = {name: said[name].strip()[:40] for name in ("k", "l", "t", "diversity") if name in said}
        chosen = replace(self.policy, **known)
        if chosen != self.policy:
            self.policy = chosen
            self._changed()
        self.weigh()

    @property
    def asked(self) -> dict[str, str]:
        """The policy, as the settings of a command have it."""
        return self.policy.settings(sensitive=self.has_sensitive)

    @property
    def asked_text(self) -> str:
        """The policy in short."""
        return ", ".join(f"{name}={value}" for name, value in self.asked.items())

    def weigh(self) -> None:
        """Estimate what the policy costs, unless that is known or under way."""
        about = (self.asked, self.roles)
        if not self.asked or not self.has_quasi:
            self._errands.abandon(self.estimate)
            self.estimate = Task()
            return
        if self.estimate.about == about and self.estimate.state != "idle":
            return
        self._errands.abandon(self.estimate)
        before = self.estimate.result or self.estimate.said  # the risk now is the same, and what is possible
        self.estimate = Task(about=about, said={**before, "found": None} if before else None)
        arguments = {"file": self._file().described, "roles": self.roles, "policy": self.asked}
        self._errands.send(self.estimate, self._scales, "weigh", arguments)

    def compare(self, vary: str) -> None:
        """Solve the table under policies that differ in k, l or t."""
        numbers = varied_numbers(vary, self.policy, sensitive=self.has_sensitive)
        ranges = {**self.asked, vary: ",".join(numbers)}
        if vary == "l" and self.policy.diversity != "frequency":
            ranges["diversity"] = self.policy.diversity
        self._errands.abandon(self.frontier)
        self.frontier = Task(about={"vary": vary, "numbers": numbers})
        worker = Worker(self.folder, polite=True)
        file = self._file()
        arguments = {"path": file.path, "table": self._table_settings(), "ranges": ranges, "seconds": FRONTIER_SECONDS}
        self._errands.send(self.frontier, worker, "frontier", arguments)

    # the run

    def settings(self) -> dict[str, Any]:
        """Return all that is decided, as `kilt.toml` has it."""
        file = self._file()
        search = self.search.settings()
        files = {"report": "report.html", **({"certificate": "certificate.json"} if self.search.certificate else {})}
        named = {"input": file.name if file.is_copy else file.path, "output": release_file(file.name)}
        return {**named, **self._table_settings(), **mark_settings(self.columns), **self.asked, **search, **files}

    def start_run(self) -> None:
        """Release the table; the run goes on whether anybody looks or not."""
        if self.run.is_busy:
            raise InputError("a run is under way: take what it has, or abandon it first")
        if not self.has_quasi or not self.asked:
            raise InputError("there is nothing to do yet: choose columns to blur, and a policy")
        settings = self.settings()
        place, file = self.new_folder(), self._file()
        files = {name: str(place / settings[name]) for name in ("output", "certificate", "report") if name in settings}
        self.run, self.points = Task(about={"settings": settings, "files": files, "file": file}), []
        table = {**self._table_settings(), **mark_settings(self.columns)}
        search = self.search.settings()
        arguments = {"path": file.path, "table": table, "policy": self.asked, "search": search, "files": files}
        self._errands.send(self.run, Worker(self.folder, polite=True), "run", arguments, self._follow)

    def _follow(self, told: dict[str, Any]) -> None:
        """Keep stars and bound for the chart."""
        self.run.said = told
        if told["stars"] is not None or told["bound"] is not None:
            self.points.append(ReportPoint(told["seconds"], told["stars"], told["bound"]))
            self.points = self.points[::2] if len(self.points) > MOST_POINTS else self.points

    def abandon_run(self) -> None:
        """End the run, and keep nothing of it."""
        self._errands.abandon(self.run)
        self.run = Task()
        self._changed()

    @property
    def is_current(self) -> bool:
        """Whether the last run was made with what is decided now."""
        try:
            return bool(self.run.about) and self.run.about["settings"] == self.settings()
        except KiltError:
            return False

    def show_rows(self, first: int, most: int) -> Task:
        """Begin to read rows before and after the last run, unless that is done or under way."""
        about = self.run.about
        if about["file"] != self.file:
            raise InputError("another table is open now: its rows cannot be shown beside this release")
        asked = (about["files"]["output"], first, most)
        if self.shown.about != asked or self.shown.state == "failed":
            self._errands.abandon(self.shown)
            self.shown = Task(about=asked)
            found = self.opening.result or {}
            style = {**about["file"].reading, "delimiter": found.get("delimiter"), "sheet": None}
            arguments = {"release": asked[0], "style": style, "first": first, "most": most}
            self._errands.send(self.shown, self._desk, "rows", arguments)
        return self.shown

    # what they share

    def _file(self) -> FileChoice:
        if self.file is None:
            raise InputError("no table is open: open one first")
        return self.file

    def _table_settings(self) -> dict[str, Any]:
        style = {name: value for name, value in self._file().reading.items() if value}
        return {**style, **self.roles}

    def _changed(self) -> None:
        self.version += 1

    def _forget(self) -> None:
        """Forget what was found of other columns."""
        self._changed()
        for task in (self.estimate, self.frontier):
            self._errands.abandon(task)
        self.estimate, self.frontier = Task(), Task()
