"""Make the pictures of README and docs, from runs of their own: the demo on a terminal, and reports in a browser.

Run from anywhere: python scripts/pictures.py [NAME ...], as in demo (docs/demo.svg), report (docs/report_*.png),
adult (docs/adult_report_*.png) or tutorial (docs/tutorial_report.png); all if none is named. Reports need chromium and
the packages of kilt[browser]. The Adult table is left out where it is missing: it is looked for beside the project,
and where KILT_DATA says.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

import kilt
from kilt.commands.demo import patients_release, patients_text, patients_title
from kilt.report.panel import panel_of
from kilt.report.progress import Standing
from kilt.run.progress import Progress

DOCS = Path(__file__).parent.parent / "docs"
LOOKS = {"desktop": (1280, 1000), "phone": (400, 800)}
LONG_LOOKS = {"desktop": (1280, 1800), "phone": (400, 1800)}
ADULT = Path(os.environ.get("KILT_DATA", DOCS.parent.parent / "shared" / "data")) / "adult.csv"
WIDTH = 112


def draw_demo() -> None:
    """Draw the second act of `kilt demo`: the panel as it is at the end of the search, and what follows."""
    standing, panels, drawn = Standing(), [Panel("")], 0.0

    def watch(progress: Progress) -> None:
        nonlocal drawn
        standing.note(progress)
        if progress.phase == "solving" and time.monotonic() > drawn + 0.05:
            panels[0], drawn = panel_of(standing, "kilt demo"), time.monotonic()

    release = patients_release(watch)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(patients_title()))
    console.print(panels[0])
    console.print(Text.from_ansi(patients_text(release)))
    picture = console.export_svg(title="kilt demo", unique_id="kilt")
    offline = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    _write(DOCS / "demo.svg", offline.replace("<svg ", '<svg xml:space="preserve" ', 1))


def take_report() -> None:
    """Take the report of the demo: desktop and phone, light and dark, and on paper."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        patients_release(report=report)
        _photograph_all(report, "report", LOOKS)


def take_adult() -> None:
    """Take the report of the Adult table under k=5, t=0.2, if the table is here."""
    if not ADULT.exists():
        print(f"left out: {ADULT.name} is not here")
        return
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        kilt.anonymize(
            ADULT,
            quasi="sex,age,race,marital-status,education,native-country,workclass,occupation",
            sensitive="salary-class",
            policy=kilt.Policy(k=5, t="0.2"),
            time=60,
            output=Path(folder) / "release.csv",
            report=report,
            by="sex,age",
        )
        _photograph_all(report, "adult_report", LONG_LOOKS)


def take_tutorial() -> None:
    """Take the report of the tutorial, made by the configuration that stands there."""
    configuration = re.search(r"```toml\n(.*?)```", (DOCS / "tutorial.md").read_text(encoding="utf-8"), re.DOTALL)
    if configuration is None:
        raise AssertionError("the tutorial has a configuration")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kilt.toml").write_text(configuration[1], encoding="utf-8")
        for words in ("example patients professions", "anonymize --config kilt.toml"):
            subprocess.run([sys.executable, "-m", "kilt", *words.split()], cwd=folder, check=True)
        _photograph(Path(folder) / "patients-report.html", DOCS / "tutorial_report.png", (1000, 820), "light")


def _photograph_all(report: Path, name: str, looks: dict[str, tuple[int, int]]) -> None:
    """Take the top of a page at desktop and phone width, light and dark."""
    for look, size in looks.items():
        for scheme in ("light", "dark"):
            _photograph(report, DOCS / f"{name}_{look}_{scheme}.png", size, scheme)


def _photograph(report: Path, picture: Path, size: tuple[int, int], scheme: Any) -> None:
    """Take the top of a page."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only who takes pictures of pages needs it

    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        viewport: Any = dict(zip(("width", "height"), size, strict=True))
        page = browser.new_context(viewport=viewport, color_scheme=scheme).new_page()
        page.goto(report.resolve().as_uri())
        page.screenshot(path=picture)
        browser.close()
    print(f"wrote {picture}")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path}")


PICTURES = {"demo": draw_demo, "report": take_report, "adult": take_adult, "tutorial": take_tutorial}


def main(names: list[str]) -> None:
    """Make the pictures that are named, or all."""
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        sys.exit(f"usage: python scripts/pictures.py [{' | '.join(PICTURES)}] ...")
    for name in names or PICTURES:
        PICTURES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
