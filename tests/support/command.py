"""The command in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RUN = [sys.executable, "-c", "from kilt.cli.main import main; main()"]


def run(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command with these words and return what it printed."""
    return subprocess.run([*RUN, *map(str, words)], capture_output=True, text=True, cwd=cwd, check=False, timeout=60)
