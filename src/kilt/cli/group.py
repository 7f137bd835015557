"""The command `kilt` itself, to which the others belong."""

from __future__ import annotations

from typing import Any

import click

from kilt.version import NUMBER


class Commands(click.Group):
    """The commands; Ctrl-C is handed on as it is, where click would print an empty line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was given."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(NUMBER, prog_name="kilt")
@click.pass_context
def cli(context: click.Context) -> None:
    """Release microdata with the fewest cells hidden, and prove it."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
