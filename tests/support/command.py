"""The command, in a process of its own or in this one."""

from __future__ import annotations

import contextlib
import io
import re
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

from kilt.cli.main import main

RUN = [sys.executable, "-c", "from kilt.cli.main import main; main()"]
PATIENCE = 600  # seconds until a process is taken for hanging, on a busy machine

LOGGED = re.compile(r"^ +(?:time +stars +bound +gap|[\d.]+s .*)\n", re.MULTILINE)

Done = subprocess.CompletedProcess[str]


def without_log(said: str) -> str:
    """Leave out what a command that takes longer than a second has said meanwhile."""
    return LOGGED.sub("", said)


def run(*words: object, cwd: Path | None = None) -> Done:
    """Run the command in a process of its own."""
    command = [*RUN, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=PATIENCE)


def call(*words: object, cwd: Path | None = None, together: bool = False) -> Done:
    """Run the command in this process: the same words, output and exit code, without the start of another Python.

    What it prints on standard error stands between what it prints otherwise if the two are wanted together.
    """
    said = io.StringIO()
    errors = said if together else io.StringIO()
    with contextlib.ExitStack() as stack:
        for number in (signal.SIGINT, signal.SIGTERM):
            stack.callback(signal.signal, number, signal.getsignal(number))
        stack.enter_context(mock.patch("kilt.cli.main._end_without_waiting"))  # the process is ours
        stack.enter_context(contextlib.chdir(cwd or "."))
        stack.enter_context(mock.patch.object(sys, "argv", ["kilt", *map(str, words)]))
        stack.enter_context(contextlib.redirect_stdout(said))
        stack.enter_context(contextlib.redirect_stderr(errors))
        code = _exit_code()
    return subprocess.CompletedProcess(words, code, said.getvalue(), errors.getvalue())


def _exit_code() -> int:
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0
