"""Opening a page in the browser of the user."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import click

PATIENCE = 2.0  # seconds after which an opener that is still running is taken for a browser at work


def open_in_browser(page: Path) -> bool:
    """Open a page, and say whether that worked; what xdg-open and browsers say themselves is not shown."""
    opener = shutil.which("xdg-open")
    if opener is None:
        return click.launch(str(page)) == 0
    started = subprocess.Popen(  # noqa: S603 - no shell, and the page is one of ours
        [opener, page],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return started.wait(PATIENCE) == 0
    except subprocess.TimeoutExpired:
        started.returncode = 0  # it goes on without us
        return True
