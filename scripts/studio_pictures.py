"""Take the pictures of docs/studio.md: every step of the studio, with the table of the tutorial.

Needs chromium, and the packages of kilt[browser,studio]. Run: python scripts/studio_pictures.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
STUDIO = [sys.executable, "-m", "kilt", "studio", "--no-browser"]
PATIENCE = 300_000  # milliseconds


def main() -> None:
    """Start a studio, and walk through it."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only who takes pictures needs it

    with subprocess.Popen(STUDIO, stdout=subprocess.PIPE, text=True) as studio, sync_playwright() as playwright:
        address = next(found[0] for line in studio.stdout or () if (found := re.search(r"http://\S+", line)))
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        desktop = opened(browser, address, 1280, "light")
        walk(desktop)
        phone = opened(browser, address, 400, "dark")
        take(phone, "result_phone", 900)
        browser.close()
        studio.terminate()


def opened(browser: Any, address: str, width: int, scheme: str) -> Any:
    """Open the studio in a window of its own."""
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    return page


def take(page: Any, name: str, height: int) -> None:
    """Take a picture of the top of a page."""
    page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(300)
    page.screenshot(path=DOCS / f"studio_{name}.png")


def walk(page: Any) -> None:
    """Go through all steps."""
    page.click("text=patients.csv")
    page.wait_for_selector("#onward")
    take(page, "table", 1120)
    page.click("#onward")
    page.wait_for_selector("[data-column='3'] table.levels")
    take(page, "columns", 1000)
    page.click("text=Continue: how well")
    page.wait_for_selector("#estimate dl.figures")
    page.click("form[action='/policy/frontier'] button")
    page.wait_for_selector("#points >> text=after some seconds")
    take(page, "policy", 1330)
    page.click("text=Continue: make")
    page.check("#limit-time")
    page.click("text=Start")
    page.wait_for_selector("polyline.second")
    page.wait_for_timeout(8000)
    take(page, "run", 900)
    page.click("#take")
    page.wait_for_url("**/result")
    page.wait_for_selector(".pair")
    take(page, "result", 1250)


if __name__ == "__main__":
    main()
