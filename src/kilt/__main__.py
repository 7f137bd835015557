"""``python -m kilt`` is the command ``kilt``."""

from kilt.cli.commands import main

main()
