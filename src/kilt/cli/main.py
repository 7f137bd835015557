"""The entry point of the command: every error is one sentence on standard error, and an exit code.

Nothing heavy is imported before Ctrl-C is taken care of, so that it ends in one line from the first moment on.
"""

from __future__ import annotations

import os
import signal
import sys

from kilt.cli import started  # noqa: F401 - a time limit counts from here on

TYPE_CHECKING = False  # that of typing, without the milliseconds that it takes to load
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

STOPPED = "stopped; no partial file is left"
STOPPED_CODE = 130


def main() -> None:
    """Run the command."""
    signal.signal(signal.SIGINT, _leave)
    signal.signal(signal.SIGTERM, _leave)
    import warnings

    import click

    from kilt.cli.commands import cli
    from kilt.cli.interrupt import is_abandoned
    from kilt.errors import KiltError, unexpected_text

    warnings.showwarning = _warn
    try:
        cli.main(prog_name="kilt", standalone_mode=False)
    except KiltError as error:
        _fail(str(error), error.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        _stop()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        if is_abandoned():
            _stop()
        if os.environ.get("KILT_DEBUG"):
            raise
        _fail(f"{unexpected_text(error)}; nothing was written (KILT_DEBUG=1 shows where, with cell values)", 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: what comes now does not change how it ended
    _end_without_waiting(0)


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signals want it
    """End at once, while the program is still being loaded: nothing is begun that could be left behind."""
    os.write(2, f"kilt: {STOPPED}\n".encode())
    os._exit(STOPPED_CODE)


def _warn(message: Warning | str, *where: Any, **more: Any) -> None:  # noqa: ARG001 - as Python calls it
    import click

    context = click.get_current_context(silent=True)
    if context is None or not context.params.get("quiet"):
        _tell(str(message))


def _tell(message: str) -> None:
    """Tell a person something in which a name of the user's may stand, which is no command to the terminal."""
    from kilt.errors import printable_lines

    print(f"kilt: {printable_lines(message.split(chr(10)))}", file=sys.stderr)  # noqa: T201 - what a person is told


def _fail(message: str, code: int) -> None:
    _tell(message)
    _end_without_waiting(code)
    sys.exit(code)


def _stop() -> None:
    """End at once: threads of libraries may still be at work, and would be torn down as a crash."""
    print(f"kilt: {STOPPED}", file=sys.stderr)  # noqa: T201 - what a person is told
    _end_at_once(STOPPED_CODE)


def _end_without_waiting(code: int) -> None:
    """End at once if a library goes on that does not end by itself; all that was to be written is written."""
    threads = sys.modules.get("kilt.run.threads")
    if threads is not None and threads.has_abandoned():
        _end_at_once(code)


def _end_at_once(code: int) -> None:
    """End without waiting for anybody; what databases have put on disk is removed."""
    leftovers = sys.modules.get("kilt.leftovers")
    if leftovers is not None:
        leftovers.remove_folders()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
