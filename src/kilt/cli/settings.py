"""The settings of a command: what its flags say, and what the configuration says where they are silent."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kilt.cli.options import ORIGINAL
from kilt.cli.started import STARTED
from kilt.errors import InputError

if TYPE_CHECKING:
    from kilt.model.policy import Policy
    from kilt.sources.counted_table import TableDescription


BY_COLUMN = ("l", "t", "average_t")  # settings that single columns may have
TABLES = ("input", "output", "table", "original", "release")  # settings that name a table


def read_settings(flags: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the configuration, overridden by the flags that were given."""
    from kilt.cli.config import read_config

    given = {name: value for name, value in flags.items() if value not in (None, ())}
    given |= {name: _by_column(name, given[name]) for name in BY_COLUMN if name in given}
    settings = {**(read_config(Path(given["config"])) if "config" in given else {}), **given}
    _require_apart(settings)
    return _located(settings)


def _by_column(name: str, value: str) -> str | dict[str, str]:
    """Return the numbers of single columns, as in disease=2,cost=3, by column; any other value as it is."""
    from kilt.model.roles import words

    if "=" not in value:
        return value
    pairs = [word.rpartition("=") for word in words(value)]
    if not all(column for column, _, _ in pairs):
        raise InputError(f"'{name}' must be a number, or one for each column as in disease=2,cost=3")
    return {column: number for column, _, number in pairs}


def _located(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with the tables that Spark reads or writes named as such."""
    from kilt.sources.spark_folder import locate

    engine, master = settings.get("engine"), settings.get("master")
    return {name: locate(value, engine, master) if name in TABLES else value for name, value in settings.items()}


def _require_apart(settings: dict[str, Any]) -> None:
    """Raise if a file that is written is one of those that say how."""
    from kilt.model.ladders.parse import parse_limits

    specs = " ".join(str(settings.get(name, "")) for name in ("quasi", "sensitive"))
    named = re.findall(r"(?:taxonomy|tree|metric)=([^,'\")\]]+)", specs)
    read = [settings.get("config"), *(parse_limits(path)[0] for path in named)]
    for name in ("output", "certificate", "report", "plot"):
        written = settings.get(name)
        if written and any(path and Path(path).resolve() == Path(written).resolve() for path in read):
            raise InputError(f"the {name} '{written}' is a file that is read: choose another file")


def some(given: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return some of the settings, None for those that were not given."""
    return {name: given.get(name) for name in names}


def describe(given: dict[str, Any]) -> TableDescription:
    """Return the table that the settings describe, which is read when it is needed."""
    from kilt.sources.counted_table import TableDescription

    return TableDescription(given["input"], **some(given, *ORIGINAL))


def print_undecided(table: TableDescription, given: dict[str, Any]) -> None:
    """Name the columns that nobody decided on, beside the answer of a command that releases nothing."""
    from kilt.errors import printable
    from kilt.model.detect import note, refusal

    if not (given.get("json") or given.get("quiet")):
        refused, noted = refusal(table.undecided), note(table.undecided)
        for said in (refused and f"kilt anonymize would refuse this table: {refused}", noted):
            if said:
                click.echo(f"note: {printable(said)}", err=True)


def time_left(given: dict[str, Any]) -> Any:
    """Return what is left of the time limit, which covers the start of the program, too; None if there is no limit."""
    from kilt.run.stopping import StoppingRule, TimeLeft

    limit = StoppingRule.of(given.get("time"), None).seconds
    return None if limit is None else TimeLeft.of(limit, time.monotonic() - STARTED)


def policy_of(given: dict[str, Any]) -> Policy:
    """Return the policy that the settings ask for."""
    from kilt.model.policy import Policy

    if "diversity" in given and "l" not in given:
        raise InputError("'diversity' says what -l means: give -l too")
    return Policy(**some(given, "k", "l", "t", "average_t"), diversity=given.get("diversity", "frequency"))


def print_result(given: dict[str, Any], figures: Callable[[], Any], text: Callable[[], str], **how: Any) -> None:
    """Print what was found: as JSON, as text, or not at all, as is asked for."""
    if given.get("json"):
        click.echo(json.dumps(figures()), **how)
    elif not given.get("quiet"):
        from kilt.errors import printable_lines

        click.echo(printable_lines(text().split("\n")), **how)


def salt_text(salt: str) -> str:
    """Say what the salt of a report is for."""
    return f"the salt of the report's digest is {salt}: keep it, and do not publish it"
