"""``python -m kilt`` is the command ``kilt``."""

from kilt.cli.main import main

if __name__ == "__main__":  # a process that the studio starts imports this module, too
    main()
