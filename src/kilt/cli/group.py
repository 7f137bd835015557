"""The command `kilt` itself, to which the others belong."""

from __future__ import annotations

import re
from typing import Any

import click

from kilt.version import NUMBER

ORDER = (  # in which people need the commands
    "demo",
    "example",
    "inspect",
    "studio",
    "ladder",
    "anonymize",
    "verify",
    "report",
    "bound",
    "check",
    "frontier",
    "compare",
    "solvers",
    "instance",
)


class Commands(click.Group):
    """The commands; Ctrl-C is handed on as it is, where click would print an empty line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click calls it
        """Return the names of the commands in the order in which people need them."""
        return [name for name in dict.fromkeys((*ORDER, *sorted(self.commands))) if name in self.commands]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does: the first sentence of its help, which click would cut short."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, first_sentence(self.commands[name])) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was given."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None


def first_sentence(command: click.Command) -> str:
    """Return the first sentence of the help of a command, on one line."""
    return re.split(r"(?<=\.)\s", " ".join((command.help or "").split()), maxsplit=1)[0]


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog="\b\nTo begin: kilt demo\nWith a table of your own: kilt inspect TABLE --write kilt.toml\n"
    "More on a command: kilt COMMAND --help",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(NUMBER, prog_name="kilt")
@click.pass_context
def cli(context: click.Context) -> None:
    """Release microdata with the fewest cells hidden, and prove it."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
