"""The commands that look at a table before it is released: its columns and their ladders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kilt.cli.group import cli
from kilt.cli.interrupt import at_work, watching_run
from kilt.cli.options import engine_options, printing_options, style_options
from kilt.cli.settings import print_result
from kilt.errors import InputError


@cli.command()
@click.argument("table")
@style_options
@engine_options
@click.option(
    "--write",
    metavar="FILE",
    help="Write the proposals to a configuration with comments, as in kilt.toml, for kilt anonymize --config FILE.",
)
@click.option("--force", is_flag=True, help="Let --write replace a file that exists.")
@click.option(
    "--show-values",
    is_flag=True,
    help="Show also values that fewer than 10 rows have, and values of columns that identify persons.",
)
@printing_options
def inspect(table: str, **flags: Any) -> None:
    """Say what the columns of TABLE are, how they single people out, and which policies are possible at all.

    Roles, ladders and spaces are proposed, with reasons; nothing is applied. A value is shown only if at least 10 rows
    have it, and if its column does not identify persons.

    Example: kilt inspect patients.csv --write kilt.toml
    """
    from kilt.commands.inspect import inspect as run
    from kilt.errors import printable
    from kilt.sources.spark_folder import locate
    from kilt.sources.sql.postgres.url import shown_location

    written, force = (flags.pop(name) for name in ("write", "force"))
    given = {name: flags.pop(name) for name in ("json", "quiet")}
    engine = flags.pop("engine"), flags.pop("master")
    if force and not written:
        raise InputError("'force' has no meaning without --write FILE: give both, or leave it out")
    with at_work(), watching_run(given, table) as observer:
        data = locate(table, *engine)
        profile = run(data, **flags, observer=observer)
        if written:
            profile.write(written, force=force)
    said = f"wrote {written}: read it, then run kilt anonymize --config {written}"
    shown = " ".join([shown_location(table), *(["--engine spark"] if engine[0] else [])])
    hint = f"nothing is applied: kilt inspect {shown} --write kilt.toml writes these proposals to a file"
    figures = {**profile.to_dict(), **({"written": written} if written else {})}
    print_result(given, lambda: figures, lambda: f"{profile.summary()}\n{printable(said if written else hint)}")


@cli.command()
@click.argument("table")
@click.argument("column", nargs=-1, required=True)
@click.option("--measure", metavar="NAME", help="What a label costs: loss (the default), level or entropy.")
@style_options
@engine_options
@click.option(
    "--show-values", is_flag=True, help="Show labels of fewer than 5 rows, too, and the values themselves among them."
)
@printing_options
def ladder(table: str, column: tuple[str, ...], **flags: Any) -> None:
    """Show what a ladder makes of a column of TABLE: its levels, what they cost a row, and some labels.

    Example: kilt ladder patients.csv age:bands=5,10,20
    """
    from kilt.commands.ladder import ladder as run
    from kilt.run.progress import Progress
    from kilt.sources.spark_folder import locate

    given = {name: flags.pop(name) for name in ("json", "quiet")}
    engine = flags.pop("engine"), flags.pop("master")
    with at_work(), watching_run(given, table) as observer:
        observer(Progress("reading"))
        preview = run(locate(table, *engine), list(column), **flags)
    print_result(given, preview.to_dict, preview.summary)


@cli.command()
@click.argument("name", nargs=-1)
@click.option("-o", "--output", metavar="FILE", help="Where to write it, in place of NAME.csv in this folder.")
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def example(name: tuple[str, ...], output: str | None, *, force: bool) -> None:
    """Write a copy of the example table NAME to this folder; without a NAME, list the examples.

    All examples ship with kilt, and all persons in them are made up.

    Example: kilt example patients
    """
    from kilt.commands.example import EXAMPLES, write_example
    from kilt.errors import printable
    from kilt.report.text import columns_text

    if output and len(name) != 1:
        raise InputError("'output' is for one example: kilt example patients -o FILE")
    if not name:
        lines = columns_text(["example", "what it is"], list(EXAMPLES.items()))
        click.echo("\n".join([*lines, "kilt example patients copies one of them to this folder"]))
    for each in name:
        path = Path(output or f"{each}.csv")
        write_example(each, path, force=force)
        click.echo(f"wrote {printable(str(path))}")
