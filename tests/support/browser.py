"""A browser for tests of pages: Chromium without a window, and what everybody must be able to use.

It needs Chromium (a package of Debian, or named by CHROMIUM), and playwright and axe-playwright-python from PyPI:
``pip install 'kilt[browser]'``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

LEVEL_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@contextlib.contextmanager
def running() -> Iterator[Any]:
    """Start a browser, or skip the test where there is none."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install 'kilt[browser]'"
    )
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def require_accessible(page: Any) -> None:
    """Check a page, whose policy must let axe put its script there, against level AA."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = axe.Axe().run(page, options={"runOnly": LEVEL_AA})
    assert found.violations_count == 0, found.generate_report()
