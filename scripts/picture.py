"""Draw what `kilt demo` shows on a terminal, as docs/demo.svg."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from kilt.commands.demo import demo_text

PICTURE = Path(__file__).parent.parent / "docs" / "demo.svg"


def main() -> None:
    console = Console(record=True, width=112, file=io.StringIO())
    shown = re.sub(r", \d+\.\d s\n", ", 0.1 s\n", demo_text())
    console.print(Text.from_ansi(shown), soft_wrap=True)
    drawn = console.export_svg(title="kilt demo", unique_id="kilt")
    offline = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    PICTURE.write_text(offline.replace("<svg ", '<svg xml:space="preserve" ', 1), encoding="utf-8")


if __name__ == "__main__":
    main()
