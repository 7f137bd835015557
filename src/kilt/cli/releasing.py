"""The commands that release a table, and the demonstration of one."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kilt.cli.browser import open_in_browser
from kilt.cli.group import cli
from kilt.cli.interrupt import at_work, interruptible, watching_run
from kilt.cli.options import (
    ORIGINAL,
    TABLE,
    certificate_option,
    escape_option,
    keep_option,
    log_option,
    policy_options,
    query_option,
    reading_options,
    report_options,
    roles_options,
)
from kilt.cli.settings import policy_of, print_result, read_settings, salt_text, some, time_left
from kilt.errors import InputError
from kilt.solvers.registry import NAMES
from kilt.sources.sql.postgres.url import shown_location

if TYPE_CHECKING:
    from kilt.release.release import Release


@cli.command()
@click.argument("input", required=False)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the release (.csv, .tsv, .parquet, .xlsx; .gz, .zst); - is standard output. "
    "postgresql://host/database?table=NAME is a table of the database that INPUT is in.",
)
@roles_options
@keep_option
@query_option
@policy_options
@reading_options
@click.option("--solver", metavar="NAME", help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]} (default: auto).")
@click.option(
    "--polish", is_flag=True, default=None, help="Let the search go on from what the solver found; it is never worse."
)
@click.option("--parts", metavar="N", type=int, help="Divide the table into N parts, with --solver split.")
@click.option(
    "--time",
    metavar="SECONDS",
    help="Stop searching this long after the start; verifying and writing come on top (60 if there is no other limit).",
)
@click.option(
    "--gap",
    metavar="SHARE",
    help="Stop searching when stars and bound are this close, as in 0.01 (0.005 for a search; 0 goes on).",
)
@click.option(
    "--iterations",
    metavar="N",
    type=int,
    help="Stop searching after so many moves instead: the same input, seed and N give the same release.",
)
@click.option("--seed", metavar="N", type=int, help="The seed of what is random: search and shuffle (0 if not given).")
@log_option
@click.option("--shuffle", is_flag=True, default=None, help="Release the rows in random order.")
@click.option(
    "--strict",
    is_flag=True,
    default=None,
    help="Make warnings errors: write nothing if a column is hidden in all rows, if the gap is above 50%, or if a "
    "spreadsheet would take cells for formulas.",
)
@escape_option
@certificate_option
@click.option(
    "--report",
    metavar="FILE",
    help="Write a report on the release: a page that needs nothing else (.html), or its figures (.json).",
)
@report_options
def anonymize(**flags: Any) -> None:
    """Release the table INPUT so that it meets the policy, with as few stars as can be found.

    INPUT is a file, - for standard input, or the URL of a table in a database.

    Example: kilt anonymize patients.csv -o release.csv --quasi zip:characters,age,sex
    --sensitive disease -k 5 -t 0.2
    """
    from kilt.commands.anonymize import anonymize as run

    given = read_settings(flags)
    for name in ("input", "output"):
        if not given.get(name):
            raise InputError(f"'{name}' is missing: kilt anonymize INPUT -o OUTPUT --quasi COLUMNS -k 5")
    with (
        watching_run(given, given["input"]) as watch,
        interruptible(watch, "the best release so far will be written") as (observer, interrupted),
    ):
        release = run(
            given["input"],
            **some(given, "output", "certificate", "report", "by", "frontier", *ORIGINAL),
            **some(given, "parts", "gap", "iterations", "mark"),
            detail=given.get("detail", "public"),
            time=time_left(given),
            policy=policy_of(given),
            solver=given.get("solver", "auto"),
            polish=bool(given.get("polish")),
            seed=given.get("seed", 0),
            shuffle=bool(given.get("shuffle")),
            strict=bool(given.get("strict")),
            escape_formulas=bool(given.get("escape_formulas")),
            observer=observer,
            interrupted=interrupted,
        )
    apart = given["output"] == "-"  # the release is on standard output, where nothing else may be
    files = {**some(given, "certificate", "report"), "report_salt": release.report_salt}
    figures = {**release.to_dict(), "output": shown_location(given["output"]), **files}
    print_result(given, lambda: figures, lambda: _released_text(release, given), err=apart)


def _released_text(release: Release, given: dict[str, Any]) -> str:
    """Say what was released, and where it was written."""
    from kilt.errors import printable

    places = [given[name] for name in ("output", "certificate", "report") if given.get(name)]
    written = " and ".join("standard output" if place == "-" else printable(shown_location(place)) for place in places)
    salt = [salt_text(release.report_salt)] if release.report_salt else []
    return "\n".join([release.summary(), f"wrote {written}", *salt])


@cli.command()
@click.argument("release", required=False)
@click.option("-o", "--output", "report", metavar="FILE", help="Where to write the report (.html, .json).")
@click.option("--original", metavar="FILE", help="The table that the release was made of.")
@roles_options
@policy_options
@reading_options
@click.option(
    "--shuffled",
    is_flag=True,
    default=None,
    help="The rows are in another order than those of the original: match them with rows that they cover.",
)
@escape_option
@click.option("--certificate", metavar="FILE", help="The proof of the bound, which is checked first.")
@report_options
@click.option("--salt", metavar="DIGITS", help="The salt of an earlier report, which gives the same digest.")
def report(**flags: Any) -> None:
    """Report on RELEASE beside its original: what it meets, what was lost and for whom, risk and utility.

    Exit code 0: the policy is met; 1: it is not, or something other than stars differs (the report says so).

    Example: kilt report release.csv --original patients.csv --config kilt.toml -o report.html
    """
    from kilt.commands.report import write_report
    from kilt.errors import printable
    from kilt.report.data.digest import new_salt

    given = read_settings(flags)
    salt = given.get("salt") or new_salt()
    release, original = given.get("release") or given.get("output"), given.get("original") or given.get("input")
    path = given.get("report")
    for name, value in (("release", release), ("original", original), ("output", given.get("json") or path)):
        if not value:
            raise InputError(
                f"'{name}' is missing: kilt report RELEASE --original TABLE --quasi COLUMNS -o report.html"
            )
    with at_work(), watching_run(given, release) as observer:
        found = write_report(
            release,
            path,
            original=original,
            **some(given, *TABLE, "mark", "certificate", "by", "frontier"),
            salt=salt,
            policy=policy_of(given),
            shuffled=bool(given.get("shuffled") or given.get("shuffle")),
            escape_formulas=bool(given.get("escape_formulas")),
            detail=given.get("detail", "public"),
            observer=observer,
        )
    print_result(given, found.to_dict, lambda: f"wrote {printable(str(path))}\n{salt_text(salt)}")
    if not (found.policy.met and found.policy.faithful):
        sys.exit(1)


@cli.command()
@click.option("--open", "opens", is_flag=True, help="Write the report on the second release, and open it in a browser.")
def demo(*, opens: bool) -> None:
    """Anonymize two tables that ship with kilt, and show what happened: 10 rows of the paper, 3,000 with ladders."""
    from kilt.commands.demo import hospital_text, patients_release, patients_text, patients_title

    click.echo(hospital_text())
    click.echo(patients_title())
    report = Path(tempfile.mkdtemp(prefix="kilt-demo-")) / "report.html" if opens else None
    with (
        watching_run({}) as watch,
        interruptible(watch, "the best release so far follows") as (observer, interrupted),
    ):
        release = patients_release(observer, interrupted, report)
    click.echo(patients_text(release))
    if report is not None:
        click.echo(f"wrote {report}")
        if not open_in_browser(report):
            click.echo("note: no browser opened it; open the file with one of your own", err=True)
