"""``python -m kilt`` is the command ``kilt``."""

from kilt.cli.main import main

main()
