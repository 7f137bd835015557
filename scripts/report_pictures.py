"""Take the pictures of docs/report.md from a report: desktop and phone, light and dark.

Needs chromium, and the packages of kilt[browser]. Run: python scripts/report_pictures.py REPORT.html
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
LOOKS = {"desktop": (1280, 1000), "phone": (400, 800)}


def main(report: Path) -> None:
    """Take four pictures of the top of the page."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only who takes pictures needs it

    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (width, height) in LOOKS.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
                page = context.new_page()
                page.goto(report.resolve().as_uri())
                page.screenshot(path=DOCS / f"report_{name}_{scheme}.png")
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/report_pictures.py REPORT.html")
    main(Path(sys.argv[1]))
