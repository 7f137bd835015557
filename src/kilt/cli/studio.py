"""The command that opens the studio."""

from __future__ import annotations

from pathlib import Path

import click

from kilt.cli.group import cli
from kilt.cli.interrupt import at_work
from kilt.errors import InputError

ENDED = "kilt: the studio has ended; its copies of tables are removed"


@cli.command()
@click.argument("table", required=False)
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=0, help="The port (a free one if not given)."
)
@click.option("--no-browser", is_flag=True, help="Print the address, and do not open it.")
def studio(table: str | None, port: int, *, no_browser: bool) -> None:
    """Open kilt in the browser, on this machine alone: from TABLE to a verified release, step by step.

    It prints an address with a token, and opens it. Ctrl-C ends it. Needs: pip install 'kilt[studio]'

    Example: kilt studio patients.csv
    """
    try:
        from kilt.studio.serve import serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("kilt"):
            raise
        raise InputError("the studio needs more than kilt alone: pip install 'kilt[studio]'") from None
    if table is not None and not Path(table).is_file():
        raise InputError(f"the file '{table}' does not exist")
    with at_work():
        serve(table, port, browser=not no_browser, say=_say)
    click.echo(ENDED, err=True)


def _say(address: str) -> None:
    click.echo(f"kilt studio is open at\n\n  {address}\n\nIt is for you alone: do not pass it on. Ctrl-C ends it.")
